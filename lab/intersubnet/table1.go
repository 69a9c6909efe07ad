package intersubnet

import (
	"context"
	"fmt"
	"math/rand/v2"

	"weft/lab"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// ringBytes is the size of a message of a ring.
const ringBytes = 64_000

// means are the mean bandwidths of a ring in MB/s, over nodes, messages or rounds.
type means struct{ nodes, messages, rounds float64 }

// asRead returns the mean for the active readings.
func (m *means) asRead(s *lab.Setup) float64 {
	switch {
	case s.Reads(byItself):
		return m.messages
	case s.Reads(byRound):
		return m.rounds
	}
	return m.nodes
}

// rings holds the bandwidths of one fabric and method, in MB/s.
type rings struct{ natural, least, most, mean float64 }

// table1 runs the natural ring and random rings.
func (v *paperV) table1(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "table1", Title: "Bandwidth of rings, MB/s; random ones min/max/avg",
		Columns: []string{"fabric", "routing", "natural", "random", "the paper's natural", "the paper's random"},
	}
	printed := lab.ReadPrinted(publishedTable)
	got := map[string]rings{}
	for i, count := range fabrics {
		for k, m := range methods {
			name := fabricName(count) + " " + m.name
			if !s.Want(name) {
				continue
			}
			all := v.rings.Get(fmt.Sprint(s.Seed, s.Mode, name, changing(s, m.name)), func() []means { return runRings(ctx, s, count, k) })
			r := summed(s, all)
			got[name] = r
			column := []string{"opensm", "issr", "isfr"}[k]
			t.Add(fabricName(count), m.name, fmt.Sprintf("%.0f", r.natural), fmt.Sprintf("%.0f/%.0f/%.0f", r.least, r.most, r.mean), "1572",
				printed[i][column+"_min"]+"/"+printed[i][column+"_max"]+"/"+printed[i][column+"_avg"])
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: ringClaims(got, printed), Notes: []string{
		"OpenSM's rows speak for one router port for all subnets and a mean over messages: its averages, least and most are then within 16 % of all nine printed numbers. " +
			"ISSR's and ISFR's averages lie between the mean over nodes and that over messages. With each round by itself they are within 6 and 11 % of what is printed, but OpenSM's are then less than half: no one mean gives all rows.",
	}}
}

// runRings runs the natural ring, and then random ones.
func runRings(ctx context.Context, s *lab.Setup, count, method int) []means {
	f := routed(ctx, s, count, methods[method].how)
	var hosts []int32
	for k := range int32(count) {
		hosts = append(hosts, f.Hosts(k)...)
	}
	n := 1 + lab.Pick(s, 6, 63)
	values := make([]means, n)
	s.Parallel(ctx, n, func(k int) {
		order := append([]int32(nil), hosts...)
		if k > 0 {
			rng := rand.New(rand.NewPCG(s.SeedOf(fabricName(count)), uint64(k)))
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		values[k] = ring(ctx, f.Graph.NumEnds, order, func(w packet.Workload) *packet.Sim {
			sim := lab.Must(packet.New(f.Graph, f.Plan, hardware(s), w))
			sim.UseRelay(f)
			return sim
		})
	})
	return values
}

// summed summarises the rings under the active readings.
func summed(s *lab.Setup, all []means) rings {
	sum := rings{natural: all[0].asRead(s), least: all[1].asRead(s), most: all[1].asRead(s)}
	for i := range all[1:] {
		v := all[1+i].asRead(s)
		sum.least, sum.most, sum.mean = min(sum.least, v), max(sum.most, v), sum.mean+v/float64(len(all)-1)
	}
	return sum
}

// ring sends a message from each node to its left neighbour, and then one to its right. It returns
// the mean bandwidths.
func ring(ctx context.Context, ends int, order []int32, start func(packet.Workload) *packet.Sim) means {
	rounds := make([]traffic.Flows, 2)
	n := int32(len(order))
	for i := range n {
		rounds[0].Add(i, (i+n-1)%n)
		rounds[1].Add(i, (i+1)%n)
	}
	w := &timed{Rounds: packet.NewRounds(rounds, order, ends, ringBytes), began: make([]packet.Time, ends), left: make([][2]int, ends)}
	for i := range w.left {
		w.left[i] = [2]int{2, 2}
	}
	r := lab.Must(start(w).Run(ctx, 0, packet.Second))
	if !w.Done() || r.Deadlock != nil || r.Lost.Total() > 0 {
		lab.Check(fmt.Errorf("lab: a ring of %d did not end: %d packets lost", n, r.Lost.Total()))
	}
	m := means{messages: w.sum / float64(2*n), rounds: w.rounds / float64(2*n)}
	for _, t := range w.Ended {
		m.nodes += 2 * ringBytes / (float64(t) / float64(packet.Second)) / 1e6 / float64(n)
	}
	return m
}

// timed is the workload of a ring that sums the bandwidths of messages, and of nodes by round, in
// MB/s.
type timed struct {
	*packet.Rounds
	sum, rounds float64
	began       []packet.Time // by end port: when its round began
	left        [][2]int      // by end port: messages of each round still to arrive
}

// Delivered counts a message, and the round of each of its two nodes if that is over.
func (w *timed) Delivered(s *packet.Sim, m *packet.Message) {
	bandwidth := func(since packet.Time) float64 {
		return float64(m.Bytes) / (float64(s.Now()-since) / float64(packet.Second)) / 1e6
	}
	w.sum += bandwidth(m.Start)
	for _, end := range [2]int32{m.Src, m.Dst} {
		if w.left[end][m.Tag]--; w.left[end][m.Tag] == 0 {
			w.rounds += bandwidth(w.began[end])
			w.began[end] = s.Now()
		}
	}
	w.Rounds.Delivered(s, m)
}

// near returns a claim about a printed bandwidth, within a tenth.
func near(text string, printed float64) lab.RangeClaim {
	return lab.RangeClaim{Claim: lab.NewClaim(fmt.Sprintf("%s (%.0f to %.0f MB/s)", text, .9*printed, 1.1*printed), fmt.Sprintf("%.0f MB/s", printed)), Low: .9 * printed, High: 1.1 * printed, Format: "%.0f MB/s"}
}

// ringClaims judges Table 1 and the text about it.
func ringClaims(got map[string]rings, printed []lab.Printed) (claims []lab.Claim) {
	of := func(count int, method string) (rings, bool) {
		r, ok := got[fabricName(count)+" "+method]
		return r, ok
	}
	best := lab.Signed(lab.InRange("ISFR above ISSR and OpenSM, average, all fabrics", "ISFR delivers the best performance", lab.Noise, 1000)).Each()
	for i, count := range fabrics {
		name := fabricName(count)
		isfr, ok := of(count, "ISFR")
		for k, m := range methods {
			r, found := of(count, m.name)
			column := []string{"opensm", "issr", "isfr"}[k]
			claims = append(claims, near(name+", "+m.name+", random rings, average", printed[i].Number(column+"_avg")).JudgedBy(r.mean, found))
			if m.name != "ISFR" {
				best.Add(name+", "+m.name, 100*(isfr.mean/r.mean-1), ok && found)
			}
		}
		issr, found := of(count, "ISSR")
		above := lab.NewClaim(name+", ISFR on average above the largest of ISSR, in each block of rings", "in all cases")
		if ok && found {
			above.Judge(isfr.mean > issr.most, "%.0f and %.0f MB/s", isfr.mean, issr.most)
		}
		claims = append(claims, above)
	}
	claims = append(claims, best.Judged())
	open, ok1 := of(2, "OpenSM")
	isfr, ok2 := of(2, "ISFR")
	claims = append(claims,
		lab.RatioOf("2 subnets, minimum, ISFR against OpenSM", "102 % more", 2.02).JudgedBy(isfr.least/open.least, ok1 && ok2),
		lab.RatioOf("2 subnets, average, ISFR against OpenSM", "69 % more", 1.69).JudgedBy(isfr.mean/open.mean, ok1 && ok2))
	for _, m := range methods {
		a, ok1 := of(2, m.name)
		b, ok2 := of(3, m.name)
		c, ok3 := of(6, m.name)
		claims = append(claims, lab.Signed(lab.InRange("the larger the fabric, the lower the average, 2 to 3 subnets: "+m.name, "lower", -60, -lab.Noise)).JudgedBy(100*(b.mean/a.mean-1), ok1 && ok2),
			lab.Signed(lab.InRange("the larger the fabric, the lower the average, 3 to 6 subnets: "+m.name, "lower", -60, -lab.Noise)).JudgedBy(100*(c.mean/b.mean-1), ok2 && ok3))
	}
	return claims
}
