package emulator_test

import (
	"testing"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/wire"
	"weft/wire/mad"
)

// BenchmarkSMP sends Get(PortInfo) over a directed route of four hops through a
// fabric of 11,664 hosts and takes the answer.
func BenchmarkSMP(b *testing.B) {
	f, err := gen.Parse("rlft(36,3)")
	if err != nil {
		b.Fatal(err)
	}
	s, err := emulator.New(f, emulator.Options{})
	if err != nil {
		b.Fatal(err)
	}
	host := fabric.NodeID(0)
	for f.Nodes[host].Type != fabric.CA {
		host++
	}
	answers := 0
	id, err := s.Attach(emulator.Client{At: fabric.End{Node: host, Port: 1}, Deliver: func(*wire.Datagram) { answers++ }})
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, wire.Size)
	q, err := mad.Request{Method: mad.Get, Attr: mad.AttrPortInfo, Modifier: 1}.Directed(buf, []byte{1, 20, 20, 3})
	if err != nil {
		b.Fatal(err)
	}
	d := wire.Datagram{Addr: wire.Directed(), MAD: make([]byte, wire.Size)}
	b.ReportAllocs()
	for b.Loop() {
		copy(d.MAD, q)
		s.Send(id, &d)
	}
	if answers != b.N {
		b.Fatalf("%d answers to %d requests: %+v", answers, b.N, s.Stats())
	}
}

// BenchmarkStart makes a subnet of 11,664 hosts.
func BenchmarkStart(b *testing.B) {
	f, err := gen.Parse("rlft(36,3)")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := emulator.New(f, emulator.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
