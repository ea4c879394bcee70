package directory

import (
	"context"
	"errors"

	"github.com/dubway-go/dubway/service"
)

// Start is Open without the waiting: the directory fills as the registry and the config centre answer. Ready tells when they have, CheckNow
// whether a call could be made. Options.Check is not looked at. ctx carries values only.
func Start(ctx context.Context, key service.Key, o Options) (*Directory, error) {
	if o.Registry == nil {
		return nil, errors.New("directory: no registry: give Options.Registry, or use Static for direct addresses")
	}
	s, err := newSettings(key, o)
	if err != nil {
		return nil, err
	}
	s.multi = IsMultiGroup(key.Group)
	d := newDirectory(s)
	life := d.start(context.WithoutCancel(ctx))
	d.work.Go(func() { d.watchRegistry(life) })
	return d, nil
}

// CheckNow returns an *rpc.Error when no provider could be called now: what Open does with Options.Check.
func (d *Directory) CheckNow() error { return d.check() }

// Name returns Options.Name: what the registry is called where a service has several.
func (d *Directory) Name() string { return d.s.Name }
