package emulator_test

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// perf asks the PMA of the bed's own port and fails the test unless the status is
// the one wanted.
func (b *bed) perf(method mad.Method, attr mad.AttrID, want mad.Status, fill func([]byte)) []byte {
	b.t.Helper()
	m, err := mad.Request{Method: method, Attr: attr}.New(make([]byte, wire.Size), mad.ClassPerf)
	if err != nil {
		b.t.Fatal(err)
	}
	fill(m.Data())
	r := b.ask(&wire.Datagram{Addr: wire.ToLID(b.lid(b.at), 1), MAD: m})
	if r.Status() != want {
		b.t.Fatalf("status %v, want %v", r.Status(), want)
	}
	return r.Data()
}

func TestCounters(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	b.send(b.directed(mad.Get, mad.AttrNodeInfo, 0, 1)) // one packet out and in
	if err := b.s.Count(b.at, 0, 7); err != nil {       // symbol errors
		t.Fatal(err)
	}
	selectPort := func(p uint64) func([]byte) {
		return func(d []byte) { mad.PortCountersPortSelect.Put(d, p) }
	}
	before := b.perf(mad.Get, mad.AttrPortCounters, 0, selectPort(1))
	if mad.PortCountersField[mad.CounterSymbolError].Get(before) != 7 || mad.PortCountersField[mad.CounterXmitPkts].Get(before) == 0 ||
		mad.PortCountersField[mad.CounterXmitData].Get(before) != 72*mad.PortCountersField[mad.CounterXmitPkts].Get(before) {
		t.Fatalf("counters % x", before[:44])
	}
	wide := b.perf(mad.Get, mad.AttrPortCountersExtended, 0, selectPort(1))
	if mad.PortCountersExtendedFields[8].Get(wide) != 7 ||
		mad.PortCountersExtendedFields[2].Get(wide) != mad.PortCountersField[mad.CounterXmitPkts].Get(before) ||
		mad.PortCountersExtendedFields[20].Get(wide) != 0 {
		t.Fatalf("extended counters % x", wide[:184])
	}
	// Reset by mask: the symbol errors go, the packets stay.
	b.perf(mad.Set, mad.AttrPortCounters, 0, func(d []byte) {
		mad.PortCountersPortSelect.Put(d, 1)
		mad.PortCountersCounterSelect.Put(d, 1<<mad.CounterSymbolError)
	})
	after := b.perf(mad.Get, mad.AttrPortCounters, 0, selectPort(1))
	if mad.PortCountersField[mad.CounterSymbolError].Get(after) != 0 || mad.PortCountersField[mad.CounterXmitPkts].Get(after) != mad.PortCountersField[mad.CounterXmitPkts].Get(before) {
		t.Fatalf("counters after the reset % x", after[:44])
	}
	// Counters stick at the maximum of the field.
	if err := b.s.Count(b.at, 0, 1<<20); err != nil {
		t.Fatal(err)
	}
	stuck := b.perf(mad.Get, mad.AttrPortCounters, 0, selectPort(mad.PerfPortSelectAll))
	if got := mad.PortCountersField[mad.CounterSymbolError].Get(stuck); got != 0xFFFF {
		t.Fatalf("symbol errors %d, want 65535", got)
	}
	b.perf(mad.Get, mad.AttrPortCounters, mad.StatusBadField, selectPort(2))
	b.perf(mad.Get, mad.AttrPortSamplesControl, mad.StatusBadAttribute, func([]byte) {})
}

// The bits of CounterSelect2 select the errors of PortCountersExtended, the bits of CounterSelect
// the others.
func TestExtendedCountersAreReset(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	for counter := range 16 {
		if err := b.s.Count(b.at, counter, 1000); err != nil {
			t.Fatal(err)
		}
	}
	fields := mad.PortCountersExtendedFields
	reset := func(d []byte) {
		mad.PortCountersExtendedPortSelect.Put(d, 1)
		mad.PortCountersExtendedCounterSelect.Put(d, 1<<1)
		mad.PortCountersExtendedCounterSelect2.Put(d, 1<<0|1<<11)
	}
	d := b.perf(mad.Set, mad.AttrPortCountersExtended, 0, reset)
	for i, f := range fields {
		// Received data, symbol errors and dropped packets of VL 15; multicast, waits and
		// QP1 were never counted.
		zero := slices.Contains([]int{1, 8, 8 + 11, 6, 7, 20, 21}, i)
		if got := f.Get(d); (got < 1000) != zero {
			t.Errorf("%s is %d", f.Decl().Name, got)
		}
	}
}

// A link that goes down is counted at both ends.
func TestLinkDowned(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	link, err := b.s.LinkAt(fabric.End{Node: b.host(1), Port: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.s.Flap(link, 0); err != nil {
		t.Fatal(err)
	}
	d := b.perfAt(b.lid(fabric.End{Node: b.sw}), 2)
	if got := mad.PortCountersField[mad.CounterLinkDowned].Get(d); got != 1 {
		t.Fatalf("LinkDowned %d at the switch, want 1", got)
	}
}

// perfAt reads the counters of a port behind a LID.
func (b *bed) perfAt(lid uint16, port uint64) []byte {
	b.t.Helper()
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrPortCounters}.New(make([]byte, wire.Size), mad.ClassPerf)
	if err != nil {
		b.t.Fatal(err)
	}
	mad.PortCountersPortSelect.Put(m.Data(), port)
	return b.ask(&wire.Datagram{Addr: wire.ToLID(lid, 1), MAD: m}).Data()
}
