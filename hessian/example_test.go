package hessian_test

import (
	"fmt"

	"github.com/dubway-go/dubway/hessian"
)

func ExampleEncoder() {
	var e hessian.Encoder
	e.Reset(nil)
	e.EncodeString("getOrder")
	e.EncodeLong(42)
	if err := e.Encode(map[string]string{"dubbo.tag": "gray"}); err != nil {
		fmt.Println(err)
		return
	}

	var d hessian.Decoder
	d.Reset(e.Bytes())
	for d.Remaining() > 0 {
		v, err := d.Decode()
		fmt.Println(v, err)
	}
	// Output:
	// getOrder <nil>
	// 42 <nil>
	// map[dubbo.tag:gray] <nil>
}

func ExampleNewTypes() {
	type Order struct {
		ID     int64
		Status string `hessian:"state"`
		Next   *Order
	}
	types, err := hessian.NewTypes().Struct("com.example.shop.Order", Order{}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	first := &Order{ID: 1, Status: "open"}
	first.Next = &Order{ID: 2, Status: "paid", Next: first} // a ring: the wire has a reference

	e := hessian.NewEncoder(hessian.EncoderOptions{Types: types})
	if err := e.Encode(first); err != nil {
		fmt.Println(err)
		return
	}
	d := hessian.NewDecoder(hessian.DecoderOptions{Types: types})
	d.Reset(e.Bytes())
	v, err := d.Decode()
	if err != nil {
		fmt.Println(err)
		return
	}
	order := v.(*Order)
	fmt.Println(order.ID, order.Next.Status, order.Next.Next == order)

	// Without the types it is an object by class and field name.
	plain := hessian.NewDecoder(hessian.DecoderOptions{})
	plain.Reset(e.Bytes())
	v, _ = plain.Decode()
	fmt.Println(v.(*hessian.Object).Name(), v.(*hessian.Object).Text("state"))
	// Output:
	// 1 paid true
	// com.example.shop.Order open
}

func ExampleDecoder_Skip() {
	var e hessian.Encoder
	e.Reset(nil)
	_ = e.Encode([]any{"an argument", int32(1)})
	_ = e.Encode(map[string]string{"dubbo.tag": "gray"})

	var d hessian.Decoder
	d.Reset(e.Bytes())
	if err := d.Skip(); err != nil { // a router does not care for the arguments
		fmt.Println(err)
		return
	}
	attachments, err := d.Decode()
	fmt.Println(attachments, err)
	// Output: map[dubbo.tag:gray] <nil>
}

func ExampleAssign() {
	// What a generic call answers for a POJO.
	answer := map[string]any{"class": "com.example.shop.Order", "id": int64(7), "lines": []any{map[string]any{"product": "pen", "quantity": int32(3)}}}
	var order struct {
		ID    int
		Lines []struct {
			Product  string
			Quantity int
		}
	}
	err := hessian.Assign(&order, answer)
	fmt.Printf("%+v %v\n", order, err)
	// Output: {ID:7 Lines:[{Product:pen Quantity:3}]} <nil>
}
