package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// Operators and subnet managers may act in any order. Both ends of a live link are in Init or above
// and LinkUp, ports without one are Down, an Active port has an Armed or Active peer, and lost and
// answered datagrams add up to the sent ones.
func TestInvariants(t *testing.T) {
	nodes := []string{"a", "b", `"host 0"`, `"host 1"`}
	faults := []string{
		"link a %d down", "link a %d up", "link a %d flap 3ms", "link b %d flap 1ms",
		"node %s reboot 2ms", "node %s down", "node %s up", "node %s slow 1ms", "connect a %d b %d",
	}
	rapid.Check(t, func(rt *rapid.T) {
		opt := emulator.Options{Training: time.Duration(rapid.IntRange(0, 2).Draw(rt, "training")) * time.Millisecond}
		s, err := emulator.New(chain(t), opt)
		if err != nil {
			rt.Fatal(err)
		}
		answers, back := 0, 0
		id, err := s.Attach(emulator.Client{At: fabric.End{Node: 2, Port: 1}, ReturnLost: true, Deliver: func(d *wire.Datagram) {
			if d.Undelivered {
				back++
			} else {
				answers++
			}
		}})
		if err != nil {
			rt.Fatal(err)
		}
		b := &bed{t: t, s: s, id: id}
		sent := 0
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch rapid.IntRange(0, 2).Draw(rt, "what") {
			case 0:
				line := rapid.SampledFrom(faults).Draw(rt, "fault")
				port := func() int { return rapid.IntRange(1, 4).Draw(rt, "port") }
				switch line[:4] {
				case "node":
					line = fmt.Sprintf(line, rapid.SampledFrom(nodes).Draw(rt, "node"))
				case "link":
					line = fmt.Sprintf(line, port())
				default:
					line = fmt.Sprintf(line, port(), port())
				}
				_ = s.Do(line) // a port may have no cable
			case 1:
				path := rapid.SampledFrom([][]byte{{}, {1}, {1, 2}, {1, 2, 2}}).Draw(rt, "path")
				d := b.directed(mad.Set, mad.AttrPortInfo, uint32(rapid.IntRange(0, 4).Draw(rt, "port")), path...)
				mad.PortInfoPortState.Put(d.MAD.Data(), rapid.Uint64Range(0, 5).Draw(rt, "state"))
				if rapid.IntRange(0, 3).Draw(rt, "physical") == 0 {
					mad.PortInfoPhysicalState.Put(d.MAD.Data(), rapid.Uint64Range(0, 5).Draw(rt, "phys"))
				}
				b.send(d)
				sent++
			case 2:
				s.Advance(s.Now() + time.Duration(rapid.IntRange(0, 4).Draw(rt, "ms"))*time.Millisecond)
			}
			checkPorts(rt, s)
		}
		s.Advance(s.Now() + time.Second)
		checkPorts(rt, s)
		if answers+back != sent {
			rt.Fatalf("%d answers and %d returned, of %d requests", answers, back, sent)
		}
	})
}

func checkPorts(rt *rapid.T, s *emulator.Subnet) {
	f := s.Fabric()
	read := func(e fabric.End) (state, phys uint64) {
		info, err := s.PortInfo(e)
		if err != nil {
			rt.Fatal(err)
		}
		return mad.PortInfoPortState.Get(info), mad.PortInfoPhysicalState.Get(info)
	}
	for n := range f.Nodes {
		for p := 1; p < len(f.Nodes[n].Ports); p++ {
			e := fabric.End{Node: fabric.NodeID(n), Port: uint8(p)}
			link := f.Nodes[n].Ports[p].Link
			state, phys := read(e)
			if link == fabric.NoLink || f.Links[link].Down {
				if state != mad.PortDown || phys == mad.PhysLinkUp {
					rt.Fatalf("%s has no link and is in state %d, physical %d", f.EndName(e), state, phys)
				}
				continue
			}
			peer, _ := read(f.Peer(e))
			if state < mad.PortInit || phys != mad.PhysLinkUp || state == mad.PortActive && peer < mad.PortArmed {
				rt.Fatalf("%s has a link and is in state %d, physical %d, its peer in state %d", f.EndName(e), state, phys, peer)
			}
		}
	}
}
