package fattree

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/internal/chart"
	"weft/lab"
	"weft/lab/opensm"
	"weft/route"
	"weft/sim/packet"
)

// Our times for Fig. 6: a stream begins every betweenStreams, and the run ends at endOfStreams.
const (
	betweenStreams = packet.Millisecond
	endOfStreams   = 10 * packet.Millisecond
)

// ringRun is a run on a ring of switches with one node each: streams between places on the ring,
// and tables.
type ringRun struct {
	name, formula string
	streams       [][2]int
	tables        lab.Candidate
}

// twoFurther returns streams from each of n places to the place two further on.
func twoFurther(n int) (streams [][2]int) {
	for i := range n {
		streams = append(streams, [2]int{i, (i + 2) % n})
	}
	return streams
}

// The tables on rings.
var (
	edited  = lab.Candidate{Name: "edited by hand", How: lab.Routing{Spec: opensm.Spec("clockwise", clockwise{})}}
	subtree = lab.Candidate{Name: "the paths of sFtree", How: lab.Routing{Engine: "updn,roots=leaf 1"}}
	// The root is the first switch of the torus.
	subtreeOfTorus = lab.Candidate{Name: "the paths of sFtree", How: lab.Routing{Engine: "updn,roots=switch (0)"}}
	withoutTree    = lab.Candidate{Name: "ours", How: lab.Routing{Engine: "auto"}}
)

// Names of rings.
const (
	fourRing = "4 switches"
	fiveRing = "5 switches"
)

// sending returns the number of sending nodes on each switch of a ring.
func sending(s *lab.Setup) int {
	if s.Reads(twoNodes) {
		return 2
	}
	return 1
}

// ringRuns lists the runs of section 7.1.3, on the ring of Fig. 4 (b) and on a larger one.
func ringRuns(s *lab.Setup) (list []ringRun) {
	nodes, four, root := sending(s), "sftree-fig4b", subtree
	if nodes == 2 {
		four, root = "torus(4,hosts=2)", subtreeOfTorus
	}
	minhop := opensm.MinHop(orderOf(s))
	openSMs := lab.Candidate{Name: "OpenSM's minhop", How: lab.Routing{Spec: minhop, Seed: s.Seed}}
	for _, e := range []lab.Candidate{edited, openSMs, root} {
		list = append(list, ringRun{fourRing, four, twoFurther(4), e})
	}
	for _, e := range []lab.Candidate{openSMs, withoutTree} {
		list = append(list, ringRun{fiveRing, fmt.Sprintf("torus(5,hosts=%d)", nodes), twoFurther(5), e})
	}
	return list
}

// ringOfSwitches makes section 7.1.3 with Fig. 6: streams begin one after the other.
func ringOfSwitches(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig6", Title: "Streams from each node round a ring of switches, one more each millisecond",
		Columns: []string{"ring", "tables", "nodes that send", "the judge on deadlock", "deadlock after, ms", "MB/s a node in the end"},
	}
	over := chart.Chart{Name: "fig6", Kind: chart.Lines, X: chart.Axis{Label: "ms"}}
	got := map[string]bool{}
	for _, r := range ringRuns(s) {
		s.EachOf(ctx, r.name, r.formula, []lab.Candidate{r.tables}, func(e *lab.Candidate, trial *lab.Trial) {
			if trial.Refused != "" {
				t.Add(r.name, e.Name, "-", trial.Refused, "-", "-")
				return
			}
			series, nodes, found := r.run(ctx, s, trial)
			line := chart.Series{Name: e.Name}
			for i, bytes := range series.Bytes {
				line.Add((float64(i)+.5)/10, mbytes(bytes, series.Step)/float64(nodes), 0, 0)
			}
			if r.name == fourRing {
				over.Series = append(over.Series, line)
			}
			got[r.name+" "+e.Name] = found != nil
			t.Add(r.name, e.Name, fmt.Sprint(nodes), trial.Deadlock(), deadlockAfter(found), fmt.Sprintf("%.0f", line.Points[len(line.Points)-1].Y))
		})
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: ringClaims(got), Charts: lab.NonEmpty(over), Notes: []string{
		"The paths of sFtree: up*/down* from one switch, the root of the subtree, at which alone paths turn from down to up; the engine itself refuses a tree with nodes on all switches.",
		"Edited by hand: pairs that are half of the ring apart all go the same way round.",
	}}
}

// run simulates the streams. It returns their throughput, the number of sending nodes and any
// deadlock.
func (r *ringRun) run(ctx context.Context, s *lab.Setup, trial *lab.Trial) (series *packet.Series, nodes int, found *packet.Deadlock) {
	g, order := lab.WithRates(trial.Graph, dataOfDDR, dataOfDDR), roundTheRing(trial.Graph)
	w := &packet.Streams{}
	for i, pair := range r.streams {
		to := g.HostsOf(order[pair[1]])
		for k, src := range g.HostsOf(order[pair[0]]) {
			w.List = append(w.List, packet.Stream{Src: src, Dst: to[k], Bytes: longMessage, Start: packet.Time(i) * betweenStreams})
		}
	}
	c := hardwareIII(s)
	c.GoOn = true
	sim := lab.Must(packet.New(g, trial.Plan, c, w))
	series = sim.Record(0, endOfStreams/100, 100, false)
	return series, len(w.List), lab.Must(sim.Run(ctx, 0, endOfStreams)).Deadlock
}

// deadlocked prints whether there was a deadlock.
var deadlocked = map[bool]string{true: "a deadlock", false: "none"}

// deadlockAfter prints the time of a deadlock in ms.
func deadlockAfter(found *packet.Deadlock) string {
	if found == nil {
		return "none"
	}
	return fmt.Sprintf("%.2f", float64(found.At)/float64(packet.Millisecond))
}

// mbytes returns the throughput of bytes in a time, in MB/s.
func mbytes(bytes int64, in packet.Time) float64 {
	return float64(bytes) * float64(packet.Second) / float64(in) / 1e6
}

// roundTheRing lists the switches of a ring in order, starting with the first cable of the first
// switch.
func roundTheRing(g *fabric.Graph) []int32 {
	order := []int32{0, g.To[g.OutOf(0)[0]]}
	for len(order) < g.NumSwitches {
		at, from := order[len(order)-1], order[len(order)-2]
		for _, c := range g.OutOf(at) {
			if to := g.To[c]; to != from {
				order = append(order, to)
				break
			}
		}
	}
	return order
}

// clockwise takes the shortest way round a ring; if both are equal, the way in the order of the
// ring.
type clockwise struct{}

// Route implements route.Engine.
func (clockwise) Route(_ context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	order := roundTheRing(g)
	n := len(order)
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	for i, s := range order {
		next, last := order[(i+1)%n], order[(i+n-1)%n]
		for k, to := range order {
			way := next
			if 2*((k-i+n)%n) > n {
				way = last
			}
			for _, c := range g.OutOf(s) {
				if g.To[c] != way {
					continue
				}
				for _, end := range endsOf(g, to) {
					opensm.SetAll(tables, s, in, end, g.FromPort[c])
				}
			}
		}
		for _, end := range endsOf(g, s) {
			opensm.SetAll(tables, s, in, end, g.EndPort[end])
		}
	}
	return &route.Plan{Ends: in.Ends, Tables: tables}, nil
}

// endsOf returns the hosts and port 0 of a switch.
func endsOf(g *fabric.Graph, s int32) []int32 { return g.SwitchEnds[g.EndsStart[s]:g.EndsStart[s+1]] }

// ringClaims judges which tables lead to a deadlock.
func ringClaims(got map[string]bool) (claims []lab.Claim) {
	for _, x := range []struct {
		text, paper, row string
		deadlock         bool
	}{
		{"4 switches, tables edited by hand: deadlock when the last stream closes the loop", "bandwidth drops to 0 (Fig. 6)", fourRing + " " + edited.Name, true},
		{"4 switches, OpenSM's minhop: no deadlock", "will not deadlock (section 7.1.3)", fourRing + " OpenSM's minhop", false},
		{"4 switches, the paths of sFtree: no deadlock", "stabilizes (Fig. 6)", fourRing + " " + subtree.Name, false},
		{"5 switches, OpenSM's minhop: deadlock", "a well known fact (section 7.1.3)", fiveRing + " OpenSM's minhop", true},
	} {
		c := lab.NewClaim(x.text, x.paper)
		if found, ok := got[x.row]; ok {
			c.Judge(found == x.deadlock, "%s", deadlocked[found])
		}
		claims = append(claims, c)
	}
	return claims
}
