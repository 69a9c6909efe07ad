package dfsssp

import (
	"context"
	"fmt"
	"math/rand/v2"

	"weft/internal/chart"
	"weft/lab"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// netgauge holds the gains in Fig. 12 that section VI-A prints, in per cent. The gap per pair
// implies MinHop's bandwidth, which is not printed.
var netgauge = []struct {
	cores   int
	printed float64
}{{128, 27}, {256, 47}, {512, 100}}

const gapLow, gapHigh = 69.7, 79.3 // MiB/s

// Netgauge's ping-pongs, scaled down.
const (
	pingBytes = 64 << 10
	pingTimes = 8
)

// pingPongs lets pairs of nodes send a message back and forth some times, all pairs at once.
type pingPongs struct {
	pairs [][2]int32
	left  []int // by pair: remaining round trips
	ended []packet.Time
}

func newPingPongs(pairs [][2]int32) *pingPongs {
	w := &pingPongs{pairs: pairs, left: make([]int, len(pairs)), ended: make([]packet.Time, len(pairs))}
	for i := range pairs {
		w.left[i] = pingTimes
	}
	return w
}

// Begin sends the first message of every pair.
func (w *pingPongs) Begin(s *packet.Sim) {
	for i := range w.pairs {
		w.send(s, int32(i), 0)
	}
}

func (w *pingPongs) send(s *packet.Sim, pair int32, from int) {
	if err := s.Send(w.pairs[pair][from], w.pairs[pair][1-from], pingBytes, pair); err != nil {
		s.Fail(err)
	}
}

// Delivered answers a message, or sends the next one.
func (w *pingPongs) Delivered(s *packet.Sim, m *packet.Message) {
	pair := m.Tag
	if m.Src == w.pairs[pair][0] {
		w.send(s, pair, 1)
		return
	}
	if w.left[pair]--; w.left[pair] > 0 {
		w.send(s, pair, 0)
		return
	}
	w.ended[pair] = s.Now()
}

// Sent does nothing.
func (w *pingPongs) Sent(*packet.Sim, *packet.Message) {}

// Timer does nothing.
func (w *pingPongs) Timer(*packet.Sim, int32) {}

// mean returns the mean bandwidth of a message over pairs, in MiB/s.
func (w *pingPongs) mean() float64 {
	sum := 0.0
	for _, t := range w.ended {
		sum += 2 * pingTimes * pingBytes / (1 << 20) / (float64(t) / float64(packet.Second))
	}
	return sum / float64(len(w.ended))
}

// bandwidth holds a pair's bandwidth in random bisections of a job, in MiB/s.
type bandwidth struct {
	inTime, counted float64
	lanes           bool
}

// bandwidthOf measures the bandwidth of a job under an engine.
func (p *paper) bandwidthOf(ctx context.Context, s *lab.Setup, r *routed, cores int) bandwidth {
	return once(p, fmt.Sprintf("%s, ping-pongs on %d cores, seed %d", r.key, cores, s.Seed), func() (b bandwidth) {
		hosts := allocate(s, r.flows.Hosts, cores)
		both := lab.Must(traffic.Parse("bisect_fb_sym", cores))
		opt := flow.Options{Hosts: hosts, Runs: bisections(s), Seed: s.SeedOf(count(cores)), Shuffle: true, Workers: s.Workers}
		b.counted = lab.Must(r.flows.Run(ctx, both, opt)).Bandwidth.Mean * linkMiB
		partitions := lab.Pick(s, 1, 2)
		var rng rand.PCG
		traffic.Seed(&rng, s.SeedOf(count(cores)), 0, -3)
		for range partitions {
			traffic.Shuffle(hosts, &rng)
			var pairs [][2]int32
			for i := 0; i+1 < len(hosts); i += 2 {
				pairs = append(pairs, [2]int32{hosts[i], hosts[i+1]})
			}
			lanes := p.packets(ctx, s, r, func() packet.Workload { return newPingPongs(pairs) }, func(w packet.Workload) {
				b.inTime += w.(*pingPongs).mean() / float64(partitions)
			})
			b.lanes = b.lanes || lanes
		}
		return b
	})
}

// fig12 measures Netgauge's effective bisection bandwidth.
func (p *paper) fig12(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig12", Title: "Netgauge: effective bisection bandwidth of a job on random nodes (MiB/s a pair, in time; counted: by congestion)",
		Columns: []string{"cores", "minhop", "lash", "dfsssp", "dfsssp ahead", "minhop counted", "lash counted", "dfsssp counted", "ahead counted", "paper: ahead", "minhop by the paper's gap", "deadlocks"},
	}
	c := chart.Chart{
		Name: "fig12", Title: "Netgauge: effective bisection bandwidth on Deimos, in time", Kind: chart.Lines,
		X: chart.Axis{Label: "cores, one a node", Log: true}, Y: chart.Axis{Label: "MiB/s a pair"},
	}
	c.Fill(measured, nil, nil)
	first, last := chart.Series{Name: "paper: minhop", Marks: minhop}, chart.Series{Name: "paper: dfsssp", Marks: dfsssp}
	got := map[int][]bandwidth{}
	for _, said := range netgauge {
		all, wanted := p.routeDeimos(ctx, s, count(said.cores))
		if !wanted {
			continue
		}
		row, counted := []string{count(said.cores)}, []string(nil)
		var met []bool
		for i, r := range all {
			b := p.bandwidthOf(ctx, s, r, said.cores)
			got[said.cores] = append(got[said.cores], b)
			c.Series[i].Add(float64(said.cores), b.inTime, 0, 0)
			row, counted = append(row, cell(b.inTime)), append(counted, cell(b.counted))
			met = append(met, b.lanes)
		}
		a, b := got[said.cores][0], got[said.cores][2]
		m, d := impliedBandwidth(said.printed)
		first.Add(float64(said.cores), (m[0]+m[1])/2, m[0], m[1])
		last.Add(float64(said.cores), (d[0]+d[1])/2, d[0], d[1])
		row = append(append(row, lab.Percent(b.inTime/a.inTime-1)), counted...)
		t.Add(append(row, lab.Percent(b.counted/a.counted-1), fmt.Sprintf("%+.0f %%", said.printed), fmt.Sprintf("%.0f to %.0f", m[0], m[1]), deadlocks(met))...)
	}
	c.Series = append(c.Series, first, last)
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.NonEmpty(c), Claims: bandwidthClaims(got), Notes: []string{gapNote}}
}

const gapNote = "Bandwidths of the figure are not printed. Marks are what the printed gains (27, 47 and 100 %) and the printed gap (69.7 to 79.3 MiB/s a pair) give."

// lashBehind returns the claim that LASH gets less than MinHop: the paper expects no high
// bandwidths of LASH on Deimos, and calls MinHop second best.
func lashBehind(got map[int][]bandwidth) lab.Claim {
	c := lab.NewClaim("Netgauge: LASH gets less than MinHop with 128, 256 and 512 cores (-100 to 0 %)", "MinHop second, LASH not high")
	var parts []lab.Range
	for _, said := range netgauge {
		if b := got[said.cores]; b != nil {
			parts = append(parts, lab.Range{Of: count(said.cores) + " cores", Value: 100 * (b[1].inTime/b[0].inTime - 1), Low: -100, Format: "%+.1f %%"})
		}
	}
	c.JudgeEach(parts)
	return c
}

// nearBandwidth is the largest distance, as a share, of a pair's bandwidth from the paper's. The
// paper's bandwidth follows from its printed gains and gap.
const nearBandwidth = .25

// impliedBandwidth returns a pair's bandwidths under MinHop and DFSSSP, least and most, that the
// printed gain, in per cent, and the printed gap give.
func impliedBandwidth(gain float64) (first, last [2]float64) {
	low, high := gapLow/gain*100, gapHigh/gain*100
	return [2]float64{low, high}, [2]float64{low + gapLow, high + gapHigh}
}

// levels returns the claim about the bandwidth of a pair.
func levels(got map[int][]bandwidth) lab.Claim {
	c := lab.NewClaim("Netgauge: MinHop and DFSSSP give a pair the bandwidth that follows from the printed gains and gap (0.75 to 1.25 times)", "MinHop 258 to 294, 148 to 169, 70 to 79 MiB/s, DFSSSP 70 to 79 more")
	var parts []lab.Range
	for _, said := range netgauge {
		b := got[said.cores]
		if b == nil {
			continue
		}
		first, last := impliedBandwidth(said.printed)
		for _, x := range []struct {
			engine string
			ours   bandwidth
			said   [2]float64
		}{{minhop, b[0], first}, {dfsssp, b[2], last}} {
			parts = append(parts, lab.Range{
				Of: fmt.Sprintf("%d cores, %s", said.cores, x.engine), Value: 2 * x.ours.inTime / (x.said[0] + x.said[1]),
				Low: 1 - nearBandwidth, High: 1 + nearBandwidth, Format: "%.2f times",
			})
		}
	}
	c.JudgeEach(parts)
	return c
}

// bandwidthClaims returns claims about Fig. 12; got is by cores and engine.
func bandwidthClaims(got map[int][]bandwidth) []lab.Claim {
	grows := lab.NewClaim("Netgauge: DFSSSP's gain over MinHop grows with the cores", "27, 47, about 100 %")
	falls := lab.NewClaim("Netgauge: the bandwidth of all routings falls with the cores", "decreases")
	gap := lab.NewClaim("Netgauge: DFSSSP is ahead by about the same at 128, 256 and 512 cores (52 to 99 MiB/s a pair)", "69.7 to 79.3 MiB/s")
	ahead := func(cores int) float64 { return 100 * (got[cores][2].inTime/got[cores][0].inTime - 1) }
	if len(got) == len(netgauge) {
		a, b, c := ahead(128), ahead(256), ahead(512)
		grows.Judge(a > 0 && a < b && b < c, "%+.1f %%, %+.1f %%, %+.1f %%", a, b, c)
		down := true
		for i := range measured {
			down = down && got[128][i].inTime > got[256][i].inTime && got[256][i].inTime > got[512][i].inTime
		}
		falls.Judge(down, "dfsssp %.0f, %.0f, %.0f MiB/s", got[128][2].inTime, got[256][2].inTime, got[512][2].inTime)
		var by span
		for _, g := range got {
			by.add(g[2].inTime - g[0].inTime)
		}
		gap.Judge(by.low >= 52 && by.high <= 99, "%.0f to %.0f MiB/s", by.low, by.high)
	}
	claims := []lab.Claim{grows, falls, gap, levels(got), lashBehind(got)}
	for _, said := range netgauge {
		c := lab.Gained(fmt.Sprintf("Netgauge, %d cores: DFSSSP ahead of MinHop", said.cores), fmt.Sprintf("%+.0f %%", said.printed), said.printed)
		if got[said.cores] != nil {
			c.Claim = c.JudgedBy(ahead(said.cores), true)
		}
		claims = append(claims, c.Claim)
	}
	return claims
}
