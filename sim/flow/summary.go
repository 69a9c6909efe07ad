package flow

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"weft/sim/traffic"
)

// Summary describes a sample.
type Summary struct {
	Mean   float64 `json:"mean"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Median float64 `json:"median"`
	StdDev float64 `json:"stddev"` // of the sample (n-1)
	// CI95 is half the width of the 95 % confidence interval of the mean, by the
	// normal approximation; 0 for a sample of one.
	CI95 float64 `json:"ci95"`
}

// normal95 is the 97.5 % quantile of the normal distribution.
const normal95 = 1.959963984540054

// Summarise describes a sample; all values are zero for an empty one.
func Summarise(v []float64) Summary {
	n := len(v)
	if n == 0 {
		return Summary{}
	}
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	s := Summary{Min: sorted[0], Max: sorted[n-1], Median: (sorted[(n-1)/2] + sorted[n/2]) / 2}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	s.Mean = sum / float64(n)
	if n == 1 {
		return s
	}
	squares := 0.0
	for _, x := range v {
		squares += (x - s.Mean) * (x - s.Mean)
	}
	s.StdDev = math.Sqrt(squares / float64(n-1))
	s.CI95 = normal95 * s.StdDev / math.Sqrt(float64(n))
	return s
}

// SummariseFew describes a small sample: as Summarise, but with the wider interval of Student's t.
func SummariseFew(v []float64) Summary {
	s := Summarise(v)
	s.CI95 = s.Half(len(v), .05)
	return s
}

// Half returns half the width of the confidence interval of the mean of v values, by Student's t;
// miss is the probability that the interval misses the mean.
func (s *Summary) Half(v int, miss float64) float64 {
	if v < 2 {
		return 0
	}
	n := float64(v)
	return distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1-miss/2) * s.StdDev / math.Sqrt(n)
}

// summarise combines the pieces of all runs, in order, and summarises the max-min fair shares.
func summarise(p *traffic.Pattern, parts, unit, runs, blocks int, pieces []piece, workers []*worker) (r *Result, share Summary) {
	r = &Result{Ranks: p.Ranks, Rounds: p.Rounds, Runs: runs, Histogram: []Bin{}}
	bandwidth, worst := make([]float64, runs), make([]float64, runs)
	sums, shares := make([]float64, runs), make([]float64, runs)
	whole := float64(parts * unit) // demand of a flow between hosts of the fastest rate
	for run := range runs {
		var all piece
		for _, q := range pieces[run*blocks : (run+1)*blocks] {
			all.flows += q.flows
			all.inverse += q.inverse
			all.share += q.share
			all.worst = max(all.worst, q.worst)
			all.sum += q.sum
		}
		r.Flows += all.flows
		worst[run], sums[run] = float64(all.worst)/whole, float64(all.sum)/whole
		if all.flows > 0 {
			bandwidth[run] = all.inverse / float64(all.flows)
			shares[run] = all.share / float64(all.flows)
		}
		const rounding = 1e-9
		steps := len(r.RunHistogram)
		r.RunHistogram[min(int(bandwidth[run]*float64(steps)+rounding), steps-1)]++
	}
	r.Bandwidth, r.MaxCongestion, r.SumMaxCongestion = Summarise(bandwidth), Summarise(worst), Summarise(sums)
	r.Worst = worst
	r.addHistogram(parts, unit, workers)
	return r, Summarise(shares)
}

// addPerServer sums up the bandwidth of servers over the runs.
func (r *Result) addPerServer(runs, blocks int, pieces []piece) {
	mean := make([]float64, runs)
	for run := range mean {
		pairs, inverse := int64(0), 0.0
		for _, q := range pieces[run*blocks : (run+1)*blocks] {
			pairs, inverse = pairs+q.pairs, inverse+q.inverse
		}
		if pairs > 0 {
			mean[run] = inverse / float64(pairs)
		}
	}
	all := Summarise(mean)
	r.PerServer = &all
}

// addHistogram adds the histograms of the workers.
func (r *Result) addHistogram(parts, unit int, workers []*worker) {
	var hist []int64
	for _, w := range workers {
		if w == nil {
			continue
		}
		if len(w.all) > len(hist) {
			hist = append(hist, make([]int64, len(w.all)-len(hist))...)
		}
		for c, flows := range w.all {
			hist[c] += flows
		}
	}
	for c, flows := range hist {
		switch {
		case c == 0:
			r.Undelivered = (flows + int64(parts) - 1) / int64(parts)
		case flows > 0 && parts == 1 && unit == 1:
			r.Histogram = append(r.Histogram, Bin{c, flows})
		}
	}
}
