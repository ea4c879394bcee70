package durl_test

import (
	"fmt"

	"github.com/dubway-go/dubway/durl"
)

func ExampleParse() {
	u, err := durl.Parse("dubbo://10.0.0.7:20880/com.example.Order?version=1.0&region=hz&getOrder.timeout=300")
	if err != nil {
		fmt.Println(err)
		return
	}
	timeout, _ := u.MethodParam("getOrder", "timeout")
	fmt.Println(u.Address(), u.RuleKey(), u.Get("region", "unknown"), timeout)
	fmt.Println(u.With("weight", "50").Without("getOrder.timeout"))
	// Output:
	// 10.0.0.7:20880 com.example.Order:1.0: hz 300
	// dubbo://10.0.0.7:20880/com.example.Order?region=hz&version=1.0&weight=50
}

func ExampleParse_error() {
	_, err := durl.Parse("dubbo://10.0.0.7:2088O/com.example.Order")
	fmt.Println(err)
	// Output: 1:18: error DW103: port "2088O" is not a number from 0 to 65535 (a port is a number from 0 to 65535)
}
