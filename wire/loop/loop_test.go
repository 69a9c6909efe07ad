package loop_test

import (
	"testing"

	"weft/mad"
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

// The upper half of a request's transaction ID tells the attachments of a process apart;
// that of an answer stays.
func TestTIDs(t *testing.T) {
	var got []uint64
	var all [2]*loop.Transport
	for i := range all {
		all[i] = loop.New(func(d *wire.Datagram, _ func(*wire.Datagram)) { got = append(got, d.MAD.TID()) }, loop.Options{})
	}
	send := func(i int, method mad.Method, tid uint64) {
		m, err := mad.Request{Method: method, Attr: mad.AttrNodeInfo, TID: tid}.Directed(make([]byte, mad.Size), nil)
		if err == nil {
			err = all[i].Send(&wire.Datagram{Addr: wire.Directed(), MAD: m})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	send(0, mad.Get, 7)
	send(1, mad.Get, 7)
	send(1, mad.GetResp, 7<<32|7)
	if uint32(got[0]) != 7 || uint32(got[1]) != 7 || got[0]>>32 == got[1]>>32 || got[2] != 7<<32|7 {
		t.Errorf("transaction IDs %#x", got)
	}
}
