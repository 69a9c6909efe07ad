// Package intersubnet reproduces Bogdański, Johnsen, Reinemo and Flich, "Making the Network
// Scalable: Inter-subnet Routing in InfiniBand", Euro-Par 2013 (paper 004, Paper V). It simulates
// packets that cross routers.
package intersubnet

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"weft/fabric/gen"
	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/intersubnet/check"
	"weft/lab"
	"weft/planner"
	plannerbetween "weft/planner/between"
	"weft/route/engine"
	simbetween "weft/sim/between"
	"weft/sim/packet"
)

// The numbers of section 5.1, Table 1, and the sentences with their claims.
var (
	//go:embed published/p5_claims.tsv
	sentences string
	//go:embed published/p5_text_numbers.tsv
	publishedText string
	//go:embed published/p5_table1_hpcc.tsv
	publishedTable string
)

// Readings of the paper.
const (
	bothLIDs    = "both LIDs hashed"
	oneQueue    = "one queue a buffer"
	byItself    = "each message by itself"
	byRound     = "each round by itself"
	fasterHosts = "hosts at 16 Gbit/s"
	early       = "measured from empty buffers on"
	longer      = "measured for longer"
	twoPorts    = "two router ports a subnet"
	threePorts  = "three router ports a subnet"
	onePort     = "one router port for all subnets"
)

// linkRate is the rate of links in Mbit/s, 4x DDR; hostRate is the rate of hosts.
const (
	hostRate = 12_739
	linkRate = 16_000
)

const assumptions = "Subnets are ninths of the 648-port fabric with its rack switches: 72 hosts, four leaves of 18 router ports each. 18 routers with four ports per subnet replace the roots.\n" +
	"Links carry 16 Gbit/s (4x DDR). Hosts send and receive 12.74, so a ring without contention gives the printed 1572 MB/s: \"the maximum throughput\". A throughput is in percent of what hosts can receive.\n" +
	"A router forwards as fast as a switch. Input buffers hold 16 KB on one lane, with a queue for each output. The judge has proven each routing on one lane for pairs of hosts.\n" +
	"Hosts always have a message to send, to another subnet with a probability of ISP, else to their own. Uniform: 2 kB, one packet each. Non-uniform: messages of 84 bytes to 2 kB, all sizes equally likely; 5 % of the messages into a subnet, from inside or outside, go to its hot-spot, a random host.\n" +
	"60 us count after 120 us. The table shows the first seed block; the charts show the mean of eight with its interval of 95 %.\n" +
	"OpenSM's routing uses another router port for each pair of subnets, as far from each other as possible.\n" +
	"A ring is that of Table 1 with messages of 64 kB, not 1954. Its bandwidth is the mean over nodes of the bytes of both messages, divided by the time until all four are through. Each seed block draws 63 random rings in full mode, so eight have 504; the paper has 499."

// paperV caches simulations, for readings that do not change them.
type paperV struct {
	throughputs lab.Cache[float64]
	rings       lab.Cache[[]means]
}

// changing returns the active readings that change the simulation of a routing. Readings on router
// ports concern OpenSM, and on the hash ISSR; means are taken after the simulation.
func changing(s *lab.Setup, method string) []string {
	return slices.DeleteFunc(slices.Clone(s.Readings), func(reading string) bool {
		switch reading {
		case onePort, twoPorts, threePorts:
			return method != "OpenSM"
		case bothLIDs:
			return method != "ISSR"
		}
		return reading == byItself || reading == byRound
	})
}

// Reproduction returns the reproduction of the paper.
func Reproduction() *lab.Reproduction {
	v := &paperV{}
	return &lab.Reproduction{
		Name:        "thesis-5",
		Says:        "InfiniBand lacks routing between subnets. Two algorithms provide it: ISSR for any topology, and ISFR for fat-trees. Both use all router ports between subnets, and deliver up to 100 times what OpenSM's routing does.",
		Paper:       "Bogdański, Johnsen, Reinemo and Flich, \"Making the Network Scalable: Inter-subnet Routing in InfiniBand\", Euro-Par 2013 (paper 004, Paper V).",
		Assumptions: assumptions,
		Sentences:   sentences,
		Plain:       plainWords,
		Decisions:   decisions,
		Cover:       "fig2c",
		Found:       "ISSR and ISFR keep nearly all of the throughput of uniform traffic, where OpenSM's routing is left with a router port or two. With hot-spots the fabric and the share decide which of the two is ahead.",
		Readings: []lab.Reading{
			{Name: bothLIDs, Text: "ISSR's random number depends on both LIDs, not on their sum alone. By the letter of algorithm 1 all pairs with one sum share a port."},
			{Name: byItself, Chosen: true, Fitted: true, In: []string{"table1"}, Text: "the bandwidth of a ring is the mean over its messages, each by its own time. The paper does not say which mean it takes. In a mean over nodes, nodes that send inside a subnet wait for neighbours that send outside. " +
				"Of three means, this one fits the OpenSM rows of Table 1."},
			{Name: byRound, In: []string{"table1"}, Text: "the bandwidth of a ring is the mean over nodes and rounds: the bytes of a message, divided by the time until a node has sent and received everything. A round has both directions."},
			{Name: oneQueue, In: []string{"fig2"}, Text: "an input buffer is one queue, where a packet waits for the packets before it. The paper speaks of head-of-line blocking, and says nothing of queues."},
			{Name: twoPorts, Text: "OpenSM's routing spreads the hosts of another subnet over two router ports. The text has one; its throughputs at 20 % between subnets are 2.0, 1.3 and 0.9 times what a port for each other subnet carries. At 100 % two would halve the \"up to 100 times\" of the abstract."},
			{Name: threePorts, Text: "the same with three router ports."},
			{
				Name: onePort, Chosen: true, Fitted: true,
				Text: "OpenSM's routing has one router port in each subnet for all other subnets, another router for each subnet. That it can match only a whole subnet to a router port, and each subnet uses a different one, " +
					"may mean this or a port for each pair. Chosen because all OpenSM rows of Table 1 then agree. Figure 2, where its throughput rises with more subnets, is further off.",
			},
			{Name: fasterHosts, Text: "hosts send and receive at the rate of a link, and a throughput is in percent of that. The natural ring then gives a quarter more than is printed. By the letter a leaf has as many links to routers as hosts, and each carries more than a host sends."},
			{Name: early, In: []string{"fig2"}, Text: "throughput is measured in the first 120 us, from empty buffers on. The paper does not say when it measures; thesis-1 and thesis-4 have the same reading."},
			{Name: longer, In: []string{"fig2"}, Text: "throughput is measured for 240 us after as long, not for 60 after 120."},
		},
		Artefacts: []lab.Artefact{
			{Name: "fig2", Title: "Throughput by the share of traffic between subnets", Place: "section 5.1, Fig. 2", Run: v.fig2},
			{Name: "table1", Title: "Ring bandwidth", Place: "section 5.1, Table 1", Run: v.table1},
		},
	}
}

// fabrics lists the numbers of subnets in Fig. 1.
var fabrics = []int{2, 3, 6}

// fabricName names a fabric in rows.
func fabricName(count int) string { return fmt.Sprint(count, " subnets") }

// methods lists the routings by the paper's names.
var methods = []struct {
	name string
	how  intersubnet.Method
}{{"OpenSM", intersubnet.Baseline}, {"ISSR", intersubnet.ISSR}, {"ISFR", intersubnet.ISFR}}

// routed routes a fabric on one lane and proves it for pairs of hosts.
func routed(ctx context.Context, s *lab.Setup, count int, method intersubnet.Method) *simbetween.Flat {
	open := func(arg string) (subnets.Opened, error) {
		f, err := gen.Parse(arg)
		return subnets.Opened{Fabric: f, Made: true}, err
	}
	text := fmt.Sprintf("subnets(%d,racks72,routers=18,cables=4)", count)
	n := lab.Must(lab.Must(subnets.Expand(text, open)).Build(text, open))
	var maps map[int]*intersubnet.Mapping
	if method == intersubnet.Baseline {
		maps = mappingsAsRead(s, n)
	}
	req := &plannerbetween.Request{Request: intersubnet.Request{Method: method, SumOfLIDs: !s.Reads(bothLIDs), Mappings: maps}, Local: planner.Request{Chain: lab.Must(engine.Parse("ftree", nil)), Workers: 1}}
	_, one, err := plannerbetween.Route(ctx, n, req)
	lab.Check(err)
	if r := lab.Must(check.Judge(ctx, one.Plan, check.Options{Workers: 1, HostsOnly: true})); !r.OK || len(one.Fallbacks) > 0 {
		lab.Check(fmt.Errorf("lab: %s by %s is not proven, or falls back: %v", text, method, r.Faults))
	}
	return lab.Must(simbetween.Flatten(one.Plan, linkRate))
}

// hardware returns the queues and the hosts' rate under the active readings.
func hardware(s *lab.Setup) packet.Config {
	c := packet.Default()
	c.OneQueue, c.Inject, c.Drain = s.Reads(oneQueue), hostRate, hostRate
	if s.Reads(fasterHosts) {
		c.Inject, c.Drain = linkRate, linkRate
	}
	return c
}
