package loop_test

import (
	"testing"

	"weft/wire"
	"weft/wire/loop"
	"weft/wire/wiretest"
)

func TestConformance(t *testing.T) {
	wiretest.Run(t, func(*testing.T) func(string) wire.Transport {
		subnet := wiretest.NewSubnet()
		return func(node string) wire.Transport { return attach(subnet, node, nil) }
	})
}

// attach attaches a loop to the suite's subnet.
func attach(subnet *wiretest.Subnet, node string, faults loop.Faults) *loop.Transport {
	var t *loop.Transport
	a := subnet.Attach(node, func(d *wire.Datagram) { t.Deliver(d) })
	t = loop.New(func(d *wire.Datagram, _ func(*wire.Datagram)) { a.Send(d) },
		loop.Options{Port: a.Port, SetIsSM: a.SetIsSM, Faults: faults})
	return t
}
