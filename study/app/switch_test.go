package app

import (
	"context"
	"math"
	"strings"
	"testing"

	"weft/apps/machine"
	"weft/sim/packet"
)

// TestOneSwitchAsLogGOPS: hosts on one switch end when LogGOPS says, by flows and by packets,
// within the time of a packet for each round. The rate of the hosts is a byte in a nanosecond,
// because LogGOPS has whole nanoseconds. A root sends several messages, which LogGOPS lets leave
// one after the other and a port shares: so these wait for their receives, and a request and its
// answer take time too.
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
		for _, o := range []machine.Time{0, 200} {
			costs, most := machine.Parameters{Overhead: o, Latency: latency, GapPerByte: 1, Eager: 1 << 40}, packetNS
			if strings.HasPrefix(text, "broadcast") {
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
					t.Errorf("%s, o=%d, by packets %v: %.0f ns, LogGOPS %.0f: %.2f packets a round", text, o, req.Packets, run.EndNS, ideal.EndNS, late/packetNS/rounds)
				}
			}
		}
	}
}
