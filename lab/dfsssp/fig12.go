package dfsssp

import (
	"context"
	"fmt"
	"math"

	"weft/lab"
	"weft/lab/chart"
	"weft/lab/plain"
	"weft/sim/flow"
	"weft/traffic"
)

// netgauge holds the gains of Fig. 12 that section VI-A prints. The gap of 69.7 to 79.3
// MiB/s a pair gives MinHop's bandwidth, which is not printed.
var netgauge = []struct {
	cores int
	gain  float64
}{{128, 0.27}, {256, 0.47}, {512, 1.0}}

const gapLow, gapHigh = 69.7, 79.3

// ways to count a bisection: the messages of a ping-pong are under way in step, one way
// at a time, or out of step, both ways at once; what is averaged over pairs is
// bandwidth or time; or all wait for the slowest.
var ways = []struct {
	name, pattern string
	mib           func(e *estimate) flow.Summary
}{
	{"both ways, mean bandwidth", "bisect_fb_sym", func(e *estimate) flow.Summary { return scaled(e.bandwidth, linkMiB) }},
	{"one way, mean bandwidth", "bisect", func(e *estimate) flow.Summary { return scaled(e.bandwidth, linkMiB) }},
	{"both ways, mean time", "bisect_fb_sym", func(e *estimate) flow.Summary { return inverse(e.pairTime) }},
	{"one way, mean time", "bisect", func(e *estimate) flow.Summary { return inverse(e.pairTime) }},
	{"both ways, slowest pair", "bisect_fb_sym", func(e *estimate) flow.Summary { return inverse(e.time) }},
}

// inverse turns congestion into MiB/s; the interval is that of small changes.
func inverse(s flow.Summary) flow.Summary {
	v := linkMiB / s.Mean
	return flow.Summary{Mean: v, Min: linkMiB / s.Max, Max: linkMiB / s.Min, CI95: v * s.CI95 / s.Mean}
}

// gains are DFSSSP's over MinHop, by reading and then by cores.
type gains map[string]map[int]float64

// fig12 estimates Netgauge's effective bisection bandwidth.
func fig12(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig12", Title: "Effective bisection bandwidth of a job on random nodes (estimate, MiB/s a pair)",
		Columns: []string{"links and their leaves", "counted", "cores", "minhop", "minhop by entries", "lash", "dfsssp", "gain over minhop", "over minhop by entries", "paper", "minhop by the paper"},
	}
	c := chart.Chart{
		Name: "fig12", Title: "Effective bisection bandwidth on Deimos (estimate, " + mainReading.name + ")", Kind: chart.Lines,
		X: chart.Axis{Label: "cores, one a node", Log: true}, Y: chart.Axis{Label: "MiB/s a pair, both ways"},
	}
	how := []lab.Routing{{Engine: "minhop"}, {Engine: "minhop by entries", Spec: plain.MinHop(plain.ByLeaf)}, {Engine: "lash"}, {Engine: plainDFSSSP}}
	c.Fill(labels(how), nil, nil)
	weft, plain := gains{}, gains{}
	for _, reading := range readings {
		for _, d := range ways {
			key := reading.name + ", " + d.name
			if !s.Want(key) {
				continue
			}
			weft[key], plain[key] = map[int]float64{}, map[int]float64{}
			for _, p := range netgauge {
				mib := bisections(ctx, s, reading, d.pattern, p.cores, how, d.mib)
				if key == key12 {
					for i := range mib {
						c.Series[i].Add(float64(p.cores), mib[i].Mean, mib[i].Min, mib[i].Max)
					}
				}
				weft[key][p.cores], plain[key][p.cores] = mib[3].Mean/mib[0].Mean-1, mib[3].Mean/mib[1].Mean-1
				t.Add(reading.name, d.name, count(p.cores), cell(mib[0]), cell(mib[1]), cell(mib[2]), cell(mib[3]),
					lab.Percent(weft[key][p.cores]), lab.Percent(plain[key][p.cores]), lab.Percent(p.gain),
					fmt.Sprintf("%.0f to %.0f", gapLow/p.gain, gapHigh/p.gain))
			}
		}
	}
	return &lab.Result{
		Tables: []lab.Table{t}, Charts: lab.Drawn(c), Notes: []string{estimateNote, allocationNote, spreadNote, packedNote, unevenNote, entriesNote},
		Claims: gainClaims(weft, plain),
	}
}

// key12 is the reading of the claims: all pairs at once both ways, as Netgauge's pairs
// answer one another.
var key12 = mainReading.name + ", " + ways[0].name

const entriesNote = "MinHop by entries is as OpenSM counts, leaf by leaf: the table entries of a port, whether or not such a path comes that way."

// bisections is the bandwidth of random bisections under each engine, in MiB/s.
func bisections(ctx context.Context, s *lab.Setup, reading network, pattern string, cores int, how []lab.Routing, of func(*estimate) flow.Summary) []flow.Summary {
	p := lab.Must(traffic.Parse(pattern, cores))
	j := &job{pattern: p, nodes: cores, runs: lab.Pick(s, 50, 100), shuffle: true, allocations: lab.Pick(s, 3, 10)}
	return j.under(ctx, s, reading, how, cores, of)
}

// gainClaims returns the claims about Fig. 12.
func gainClaims(weft, plain gains) []lab.Claim {
	ours := weft[key12]
	grows := lab.NewClaim("DFSSSP's gain over MinHop grows with the cores", "27, 47, about 100 %")
	if ours != nil {
		grows.Judge(ours[128] > 0 && ours[128] < ours[256] && ours[256] < ours[512], "%s, %s, %s", lab.Percent(ours[128]), lab.Percent(ours[256]), lab.Percent(ours[512]))
	}
	claims := []lab.Claim{grows}
	closest, where := closestReading(weft, plain)
	for _, p := range netgauge {
		c := lab.NewClaim(fmt.Sprintf("gain at %d cores (within 15 points)", p.cores), lab.Percent(p.gain))
		if ours != nil {
			c.Judge(near(ours[p.cores], p.gain), "%s", lab.Percent(ours[p.cores]))
			c.Explain(near(closest[p.cores], p.gain), "Experiment, other wirings of the 30 links and ways to count: closest to all three gains is %s: %s, %s, %s.",
				where, lab.Percent(closest[128]), lab.Percent(closest[256]), lab.Percent(closest[512]))
		}
		claims = append(claims, c)
	}
	return claims
}

func near(a, b float64) bool { return a-b < 0.15 && b-a < 0.15 }

// closestReading is the reading whose three gains are closest to the paper's: the
// largest of their distances is least.
func closestReading(weft, plain gains) (closest map[int]float64, where string) {
	worst := math.Inf(1)
	for _, reading := range readings {
		for _, way := range ways {
			key := reading.name + ", " + way.name
			for _, g := range []struct {
				name string
				of   gains
			}{{"minhop", weft}, {"minhop by entries", plain}} {
				if g.of[key] == nil {
					continue
				}
				far := 0.0
				for _, p := range netgauge {
					far = max(far, g.of[key][p.cores]-p.gain, p.gain-g.of[key][p.cores])
				}
				if far < worst {
					worst, closest, where = far, g.of[key], key+", "+g.name
				}
			}
		}
	}
	return closest, where
}
