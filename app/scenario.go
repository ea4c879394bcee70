package app

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/dubway-go/dubway"
)

// The services of the demo.
const (
	OrderService = "com.example.shop.OrderService"
	UserService  = "com.example.shop.UserService"
	StockService = "com.example.shop.StockService"
)

// demoProvider is one provider process of the demo's fleet.
type demoProvider struct {
	name, application, service, version, region, tag string
}

// fleet returns the demo's providers, in the order in which they are shown and take ports.
func fleet() []demoProvider {
	return []demoProvider{
		{"order-1", "order", OrderService, "", "hangzhou", ""},
		{"order-2", "order", OrderService, "", "hangzhou", ""},
		{"order-3", "order", OrderService, "", "beijing", ""},
		{"order-4", "order", OrderService, "", "beijing", ""},
		{"order-5", "order", OrderService, "", "hangzhou", "gray"},
		{"user-1", "user", UserService, "", "hangzhou", ""},
		{"user-2", "user", UserService, "", "beijing", ""},
		{"user-3", "user", UserService, "", "beijing", "gray"},
		{"stock-1", "stock", StockService, "1.0.0", "hangzhou", ""},
		{"stock-2", "stock", StockService, "1.0.0", "beijing", ""},
		{"stock-3", "stock", StockService, "2.0.0", "hangzhou", ""},
		{"stock-4", "stock", StockService, "2.0.0", "beijing", ""},
	}
}

// short returns a region as the traffic line shows it.
func short(region string) string {
	switch region {
	case "hangzhou":
		return "hz"
	case "beijing":
		return "bj"
	}
	return region
}

// demoConsumer is one consumer application of the demo.
type demoConsumer struct {
	application, region string
	// grayShare is the part of its requests that carry the tag gray; stock is the version of StockService it uses.
	grayShare float64
	stock     string
}

func consumers() []demoConsumer {
	return []demoConsumer{
		{"shop-web", "hangzhou", 0, "1.0.0"},
		{"shop-app", "beijing", 0.5, "2.0.0"},
	}
}

// presetRules are in the demo's config centre from the start.
func presetRules() map[string]string {
	return map[string]string{
		UserService + "::.condition-router": `# Users are read in the caller's own region, while that has a provider.
configVersion: v3.0
scope: service
key: com.example.shop.UserService
enabled: true
force: false
conditions:
  - method=get* => region=$region
`,
	}
}

// order, user and item are what the demo's services answer.
type order struct {
	ID       int64   `hessian:"id"`
	Status   string  `hessian:"status"`
	Buyer    *user   `hessian:"buyer"`
	Total    float64 `hessian:"total"`
	Provider string  `hessian:"provider"`
	Region   string  `hessian:"region"`
	Tag      string  `hessian:"tag"`
}

type user struct {
	ID       int64  `hessian:"id"`
	Name     string `hessian:"name"`
	Provider string `hessian:"provider"`
	Region   string `hessian:"region"`
	Tag      string `hessian:"tag"`
}

type item struct {
	SKU      string `hessian:"sku"`
	InStock  int32  `hessian:"inStock"`
	Version  string `hessian:"version"`
	Provider string `hessian:"provider"`
	Region   string `hessian:"region"`
}

type orders struct {
	me    demoProvider
	users func() *dubway.Service
}

// GetOrder answers by itself.
func (o *orders) GetOrder(ctx context.Context, id int64) (*order, error) {
	if id < 0 {
		return nil, &dubway.RemoteException{Class: "java.lang.IllegalArgumentException", Message: fmt.Sprintf("order %d: the number must not be negative", id)}
	}
	return &order{ID: id, Status: "PAID", Total: float64(id%1000) + .5, Provider: o.me.name, Region: o.me.region, Tag: dubway.Tag(ctx)}, nil
}

// CreateOrder asks UserService for the buyer: the tag of the request goes on to that call by itself.
func (o *orders) CreateOrder(ctx context.Context, buyer int64, total float64) (*order, error) {
	out := &order{ID: 1_000_000 + buyer, Status: "NEW", Total: total, Provider: o.me.name, Region: o.me.region, Tag: dubway.Tag(ctx), Buyer: new(user)}
	if err := o.users().CallInto(ctx, out.Buyer, "getUser", buyer); err != nil {
		return nil, err
	}
	return out, nil
}

type users struct{ me demoProvider }

// GetUser answers with a name made from the number.
func (u *users) GetUser(ctx context.Context, id int64) *user {
	names := [...]string{"Ada", "Grace", "Linus", "Mei", "Wei"}
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, id)
	return &user{ID: id, Name: names[int(h.Sum32())%len(names)], Provider: u.me.name, Region: u.me.region, Tag: dubway.Tag(ctx)}
}

type stocks struct{ me demoProvider }

// GetStock answers with a count made from the article's name.
func (s *stocks) GetStock(_ context.Context, sku string) *item {
	h := fnv.New32a()
	_, _ = h.Write([]byte(sku))
	return &item{SKU: sku, InStock: int32(h.Sum32() % 100), Version: s.me.version, Provider: s.me.name, Region: s.me.region}
}
