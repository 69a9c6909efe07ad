package dfsssp

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"weft/lab"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// Facts about Deimos from section VI, and the rates of 4x SDR, in Mbit/s.
const (
	linkMiB   = 946.0 // MiB/s, the peak of a host's link
	manyCores = 1024  // spread over manyNodes nodes; up to 512 cores, one per node
	manyNodes = 250
	linkRate  = 8000
	hostRate  = 7936 // linkMiB
)

// measured lists the engines of section VI.
var measured = []string{minhop, lash, dfsssp}

// nodesOf returns the number of nodes over which section VI spreads cores.
func nodesOf(cores int) int {
	if cores == manyCores {
		return manyNodes
	}
	return cores
}

// allocate draws the nodes of a job, in random order of ranks: the same for all engines and all
// jobs with as many cores.
func allocate(s *lab.Setup, hosts []int32, cores int) []int32 {
	all := append([]int32(nil), hosts...)
	var rng rand.PCG
	traffic.Seed(&rng, s.SeedOf(count(cores)), 0, -2) // a stream that no run uses
	traffic.Shuffle(all, &rng)
	return all[:nodesOf(cores)]
}

// routeDeimos routes Deimos with the engines of section VI, if a row is selected.
func (p *paper) routeDeimos(ctx context.Context, s *lab.Setup, row string) (all []*routed, wanted bool) {
	if !s.Want(row) {
		return nil, false
	}
	for _, e := range measured {
		r := p.route(ctx, s, deimosNetwork, routingOf(s, e))
		if r.Refused != "" {
			lab.Check(fmt.Errorf("%s refused: %s", e, r.Refused))
		}
		all = append(all, r)
	}
	return all, true
}

// phases holds the messages of a job, all of one size, in rounds between its nodes.
type phases struct {
	name   string
	cores  int
	rounds []traffic.Flows
	bytes  int64
}

// duration is the time of phases, in ms.
type duration struct {
	inTime  float64 // by simulating packets
	counted float64 // by counting messages that the most loaded links carry one after the other
	lanes   bool    // packets deadlocked, and ran again with paths on lanes
}

// timeOf measures the phases under an engine.
func (p *paper) timeOf(ctx context.Context, s *lab.Setup, r *routed, ph *phases) duration {
	return once(p, fmt.Sprintf("%s, %s on %d cores, %d bytes, seed %d", r.key, ph.name, ph.cores, ph.bytes, s.Seed), func() duration {
		hosts := allocate(s, r.flows.Hosts, ph.cores)
		pattern := traffic.FromRounds(ph.name, len(hosts), ph.rounds)
		loads := lab.Must(r.flows.Run(ctx, pattern, flow.Options{Hosts: hosts, Runs: 1, Workers: s.Workers}))
		d := duration{counted: loads.SumMaxCongestion.Mean * float64(ph.bytes) / (linkMiB * (1 << 20)) * 1e3}
		d.lanes = p.packets(ctx, s, r, func() packet.Workload { return packet.NewRounds(ph.rounds, hosts, r.Graph.NumEnds, ph.bytes) },
			func(w packet.Workload) {
				d.inTime = float64(slices.Max(w.(*packet.Rounds).Ended)) / float64(packet.Millisecond)
			})
		return d
	})
}

// longest is the maximum simulated time of a job.
const longest = 100 * packet.Second

// packets runs a workload to its end. If packets deadlock, it runs again with the engine's paths on
// lanes.
func (p *paper) packets(ctx context.Context, s *lab.Setup, r *routed, work func() packet.Workload, ended func(packet.Workload)) (lanes bool) {
	c := packet.Default()
	c.Inject, c.Drain = hostRate, hostRate
	g := lab.WithRates(r.Graph, linkRate, linkRate)
	for _, lanes := range []bool{false, true} {
		plan := r.Plan
		if lanes {
			plan = p.route(ctx, s, r.network, own(onLanes(r.engine+", on lanes", plan))).Plan
		}
		w := work()
		res := lab.Must(lab.Must(packet.New(g, plan, c, w)).Run(ctx, 0, longest))
		if res.Deadlock == nil && res.End < longest && res.Lost.Total() == 0 {
			ended(w)
			return lanes
		}
	}
	lab.Check(fmt.Errorf("%s: some packets never arrive", r.key))
	return false
}

// gain returns how much longer MinHop (the first engine measured) takes than DFSSSP (the last), in
// per cent.
func gain(inTime bool, of []duration) float64 {
	first, last := of[0].counted, of[len(of)-1].counted
	if inTime {
		first, last = of[0].inTime, of[len(of)-1].inTime
	}
	return 100 * (first/last - 1)
}

// deadlocks names the engines whose packets deadlocked; met is in the order of measured.
func deadlocks(met []bool) string {
	var names []string
	for i, m := range met {
		if m {
			names = append(names, measured[i])
		}
	}
	return cmp.Or(strings.Join(names, " "), "-")
}

// metDeadlocks tells for each duration whether packets deadlocked.
func metDeadlocks(of []duration) (met []bool) {
	for _, d := range of {
		met = append(met, d.lanes)
	}
	return met
}

func cell(v float64) string { return fmt.Sprintf("%.2f", v) }
