package dfsssp

import (
	"context"
	"fmt"
	"math/rand/v2"

	"weft/lab"
	"weft/sim/flow"
	"weft/traffic"
)

// What section VI says of Deimos.
const (
	linkMiB   = 946.0 // MiB/s, the peak of a host's link
	manyCores = 1024  // spread over manyNodes nodes; up to 512 cores, one core a node
	manyNodes = 250
)

// readings of "three 288-port switches, connected with 30 links": how the links are
// dealt to pairs of switches, and on which leaves they end.
var readings = []network{
	{"triangle of 10, spread", "deimos"},
	{"chain of 15, spread", "deimos-chain15"},
	{"chain of 30, spread", "deimos-chain30"},
	{"triangle of 10, packed", "deimos packed"},
	{"chain of 15, packed", "deimos-chain15 packed"},
	{"chain of 30, packed", "deimos-chain30 packed"},
	{"triangle of 10, nine and one", "deimos nine+one"},
	{"triangle of 10, eight and two", "deimos eight+two"},
}

// mainReading is the one that stands for Deimos; packedReading and unevenReading are
// experiments that change one assumption.
var mainReading, packedReading, unevenReading = readings[0], readings[3], readings[6]

// measured are the engines of section VI, dfsssp in the paper's form.
var measured = []lab.Routing{{Engine: "minhop"}, {Engine: "lash"}, {Engine: plainDFSSSP}}

// labels returns the names of engines in a legend.
func labels(engines []lab.Routing) (names []string) {
	for _, e := range engines {
		names = append(names, label(e.Engine))
	}
	return names
}

// job runs communication on nodes of Deimos that a batch system might have given.
type job struct {
	pattern     *traffic.Pattern
	nodes       int
	runs        int  // of the pattern on one allocation
	shuffle     bool // ranks over the nodes of an allocation, anew in every run
	allocations int
}

// estimate holds the results of a job over its allocations.
type estimate struct {
	bandwidth flow.Summary // mean share of a link, over allocations
	pairTime  flow.Summary // mean congestion of a flow
	time      flow.Summary // sum over rounds of the largest congestion
}

// simulate puts the job on random nodes. Allocations are the same for every engine.
func (j *job) simulate(ctx context.Context, s *lab.Setup, n *flow.Network, seed uint64) *estimate {
	var bandwidth, pairTime, time []float64
	for a := range j.allocations {
		hosts := allocate(n.Hosts, j.nodes, seed, a)
		r := lab.Must(n.Run(ctx, j.pattern, flow.Options{Hosts: hosts, Runs: j.runs, Seed: seed + uint64(a), Shuffle: j.shuffle, Workers: s.Workers}))
		bandwidth = append(bandwidth, r.Bandwidth.Mean)
		pairTime = append(pairTime, meanCongestion(r))
		time = append(time, r.SumMaxCongestion.Mean)
	}
	return &estimate{flow.Summarise(bandwidth), flow.Summarise(pairTime), flow.Summarise(time)}
}

func meanCongestion(r *flow.Result) float64 {
	sum, flows := 0.0, 0.0
	for _, bin := range r.Histogram {
		sum += float64(bin.Congestion) * float64(bin.Flows)
		flows += float64(bin.Flows)
	}
	return sum / flows
}

// allocate draws nodes at random, in random order of ranks.
func allocate(hosts []int32, nodes int, seed uint64, allocation int) []int32 {
	all := append([]int32(nil), hosts...)
	var rng rand.PCG
	traffic.Seed(&rng, seed, allocation, -2) // a stream that no run uses
	traffic.Shuffle(all, &rng)
	return all[:nodes]
}

// onDeimos routes one reading of Deimos with an engine.
func onDeimos(ctx context.Context, s *lab.Setup, reading network, how lab.Routing) *flow.Network {
	g := reading.graph()
	how.MaxVLs, how.Seed = allVLs, s.Seed
	t := lab.Must(s.Route(ctx, g, how))
	if t.Refused != "" {
		lab.Check(fmt.Errorf("%s refused: %s", how.Engine, t.Refused))
	}
	return lab.Must(flow.New(ctx, g, t.Plan, s.Workers))
}

// under returns a figure of the job under each of some engines, on one reading of Deimos.
func (j *job) under(ctx context.Context, s *lab.Setup, reading network, engines []lab.Routing, cores int, of func(*estimate) flow.Summary) (all []flow.Summary) {
	for _, how := range engines {
		all = append(all, of(j.simulate(ctx, s, onDeimos(ctx, s, reading, how), s.SeedOf(count(cores)))))
	}
	return all
}

// longestTime is the sum over rounds of the largest congestion.
func longestTime(e *estimate) flow.Summary { return e.time }

func scaled(s flow.Summary, by float64) flow.Summary {
	return flow.Summary{Mean: s.Mean * by, Min: s.Min * by, Max: s.Max * by, Median: s.Median * by, StdDev: s.StdDev * by, CI95: s.CI95 * by}
}

func cell(s flow.Summary) string { return fmt.Sprintf("%.1f ± %.1f", s.Mean, s.CI95) }

const (
	estimateNote = "An estimate by congestion counting, not a measurement: a host's link is 946 MiB/s (section VI), and a pair gets the share of its most loaded link."

	spreadNote = "Spread: each link between directors goes to the next leaf."

	packedNote = "Packed: they fill the 12 outside ports of a leaf before the next."

	unevenNote = "Nine and one: of the ten links between two directors, nine end on one leaf of each, and one on another. A spine then has two ways to the other director and cannot see how many" +
		" cables are behind each. MinHop deals its targets out evenly over the two, so that one cable carries as much as nine, whatever is behind; SSSP weighs every cable. Where the real links end is not printed: the paper's gains" +
		" ask for a wiring like this. The tables of OpenSM 3.3.23 itself, over ibsim, say the same: an all-to-all of 128 nodes by pairwise exchange takes 641 messages one after the other with its MinHop and 644 with its DFSSSP where" +
		" the links are spread, 1,329 and 661 where they are nine and one."

	allocationNote = "The nodes of a job are drawn at random, several times; ± is over these draws."
)
