package loop_test

import (
	"testing"

	"weft/wire"
	"weft/wire/loop"
	"weft/wire/mad"
)

// TestTIDs: the upper half of a request's transaction ID distinguishes the attachments of a
// process; in an answer it is unchanged.
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

// A datagram without a source LID is sent from that of the port; another one stays.
func TestSourceLID(t *testing.T) {
	var got []uint16
	at := loop.New(func(d *wire.Datagram, _ func(*wire.Datagram)) { got = append(got, d.Addr.SLID) }, loop.Options{Port: func() wire.Port { return wire.Port{LID: 5} }})
	for _, slid := range []uint16{0, 6} {
		m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Routed(make([]byte, mad.Size))
		if err == nil {
			err = at.Send(&wire.Datagram{Addr: wire.Address{DLID: 1, SLID: slid}, MAD: m})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 2 || got[0] != 5 || got[1] != 6 {
		t.Errorf("source LIDs %v", got)
	}
}
