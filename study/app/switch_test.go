package app

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/apps/machine"
	"weft/sim/packet"
)

// TestOneSwitchAsLogGOPS: hosts on one switch end when LogGOPS says, by flows and by packets,
// within the time of a packet for each round. The rate of the hosts is a byte in a nanosecond,
// because LogGOPS has whole nanoseconds. A root sends messages to several ranks, which LogGOPS lets
// leave one after the other and which usually share the port: so these wait for their receives, and
// a request and its answer take time too. If all messages of a port leave in order, they need not
// wait.
func TestOneSwitchAsLogGOPS(t *testing.T) {
	g, r := routed(t, "tree(36,16)", "minhop")
	req := Usual()
	req.OnPorts, req.Hardware = true, packet.Default()
	h := &req.Hardware
	h.MTU, h.Headers, h.UnknownRate = 2048, 32, 8125
	for i := range g.EndRate {
		g.EndRate[i] = 0
	}
	latency := machine.Time(2*h.CableDelay+h.SwitchLatency) / 1000
	packetNS := float64(h.MTU+h.Headers) * 8000 / float64(h.UnknownRate)
	for text, rounds := range map[string]float64{
		"allreduce(ring,size=1MiB)": 30, "allreduce(halving,size=1MiB)": 8, "allreduce(doubling,size=256KiB)": 4,
		"alltoall(pairwise,size=64KiB)": 15, "alltoall(bruck,ranks=13,size=64KiB)": 4, "broadcast(binomial,size=1MiB)": 4, "allgather(bruck,size=100000)": 4,
		"reduce(size=300000)": 4, "barrier": 4,
	} {
		for _, v := range []struct {
			o     machine.Time
			sends machine.SendOrder
		}{{0, machine.ByPair}, {200, machine.ByPair}, {200, machine.Shared}, {200, machine.ByPort}} {
			o := v.o
			req.Sends = v.sends
			costs, most := machine.Parameters{Overhead: o, Latency: latency, GapPerByte: 1, Eager: 1 << 40}, packetNS
			if strings.HasPrefix(text, "broadcast") && v.sends != machine.ByPort {
				costs.Eager = 0
				most += 2 * float64(latency+100)
			}
			programs, err := OpenEach([]string{text}, DefaultsOf(g, true, "leaf"))
			if err != nil {
				t.Fatal(err)
			}
			ideal, err := Ideal(context.Background(), programs[0], costs)
			if err != nil {
				t.Fatal(err)
			}
			for _, req.Packets = range []bool{false, true} {
				req.Jobs, req.Costs = programs, costs
				run, err := On(context.Background(), g, r, &req)
				if err != nil {
					t.Fatal(err)
				}
				if late := run.EndNS - ideal.EndNS; math.Abs(late) > rounds*most {
					t.Errorf("%s, o=%d, %s, by packets %v: %.0f ns, LogGOPS %.0f: %.2f packets a round", text, o, v.sends, req.Packets, run.EndNS, ideal.EndNS, late/packetNS/rounds)
				}
			}
		}
	}
}

// TestSends: a rank sends two messages to one rank, then one to another. Shared, all three end
// together; by pair, the port serves both targets alike; by port, the last message comes last.
func TestSends(t *testing.T) {
	g, r := routed(t, "tree(36,16)", "minhop")
	const size = 1 << 20
	schedule := fmt.Sprintf("num_ranks 3\nrank 0 {\nsend %[1]db to 1\nsend %[1]db to 1\nsend %[1]db to 2\n}\n"+
		"rank 1 {\nrecv %[1]db from 0\nrecv %[1]db from 0\n}\nrank 2 {\nrecv %[1]db from 0\n}\n", size)
	req := Usual()
	req.OnPorts, req.Hardware, req.Costs = true, packet.Default(), machine.Parameters{Eager: 1 << 40}
	h := &req.Hardware
	one := float64(size) * 8e3 / float64(g.EndRate[0]) * float64(h.MTU+h.Headers) / float64(h.MTU)
	for sends, want := range map[machine.SendOrder][2]float64{machine.Shared: {3, 3}, machine.ByPair: {3, 2}, machine.ByPort: {2, 3}} {
		for _, req.Packets = range []bool{false, true} {
			jobs, err := OpenTexts([]string{"three"}, map[string]string{"three": schedule}, DefaultsOf(g, true, "leaf"))
			if err != nil {
				t.Fatal(err)
			}
			req.Jobs, req.Sends = jobs, sends
			run, err := On(context.Background(), g, r, &req)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				if got := run.Ranks[i+1].EndNS / one; math.Abs(got-w) > 0.02 {
					t.Errorf("%s, by packets %v: rank %d ends after %.3f messages, want %v", sends, req.Packets, i+1, got, w)
				}
			}
		}
	}
}
