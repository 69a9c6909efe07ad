package beff

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// Options describe a run of the benchmark.
type Options struct {
	Hosts []int32 // end ports of the ranks in natural order, at least two
	// Latency and Bandwidth are the runs with small and with large messages.
	Latency, Bandwidth Size
	Others             []Stream // traffic beside the benchmark
	Seed               uint64   // of random orders
	Workers            int
}

// Size describes the runs with messages of one size.
type Size struct {
	Bytes int64
	Rings int // random rings, in addition to the natural one
	Loops int // loops of a ring
	// InTurns skips the second method: the ranks of a ring send to both neighbours at once.
	InTurns bool
	// Pairs bounds the number of ping-pongs; 0: none. Ranks are skipped at a stride, as in HPC
	// Challenge; at least 5 ranks ping.
	Pairs int
}

// Usual returns the settings of HPC Challenge, with two changes: one loop of large messages instead
// of three, and a bound on ping-pongs.
func Usual(hosts []int32) Options {
	return Options{
		Hosts: hosts, Latency: Size{Bytes: 8, Rings: 30, Loops: 8, Pairs: 10_000}, Bandwidth: Size{Bytes: 2_000_000, Rings: 10, Loops: 1, Pairs: 100},
	}
}

// Result holds the figures of a benchmark.
type Result struct {
	PingPong *PingPong `json:"ping_pong,omitempty"`
	Natural  Ring      `json:"natural_ring"`
	Random   Ring      `json:"random_rings"` // geometric means
	// Latencies and Bandwidths have a value for each random ring.
	Latencies  []float64 `json:"random_latencies_ns"`
	Bandwidths []float64 `json:"random_bandwidths_mbyte_per_second"`
	Packets    int64     `json:"-"` // in all runs
}

// PingPong sums up the ping-pongs.
type PingPong struct {
	Latency        Span `json:"latency_ns"`
	LatencyPairs   int  `json:"latency_pairs"`
	Bandwidth      Span `json:"bandwidth_mbyte_per_second"`
	BandwidthPairs int  `json:"bandwidth_pairs"`
}

// Span summarises a figure over all pairs.
type Span struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// Ring holds the figures of a ring, or the means of many.
type Ring struct {
	Latency   float64 `json:"latency_ns"`
	Bandwidth float64 `json:"bandwidth_mbyte_per_second"` // of one rank
}

// job is one run: of all ping-pongs, or of a ring by one method.
type job struct {
	name   string
	size   *Size
	others []Stream
	pairs  [][2]int32 // end ports of ping-pongs
	order  []int32    // end ports of a ring
	turns  bool       // to the right and then to the left

	times []packet.Time // of each pair, or of the ring
	sent  int64
}

// Run runs the benchmark on a Plan. It fails if a message is lost.
func Run(ctx context.Context, g *fabric.Graph, p *route.Plan, c packet.Config, o *Options) (*Result, error) {
	if len(o.Hosts) < 2 {
		return nil, fmt.Errorf("b_eff: %d ranks: want at least 2", len(o.Hosts))
	}
	jobs := append(o.jobs(&o.Latency), o.jobs(&o.Bandwidth)...)
	for _, j := range jobs {
		j.others = o.Others
	}
	// Long runs first, so that no core is left with one at the end.
	long := fabric.Numbers(len(jobs))
	slices.SortStableFunc(long, func(a, b int32) int { return cmp.Compare(jobs[b].size.Bytes, jobs[a].size.Bytes) })
	err := par.For(ctx, o.Workers, len(jobs), func(_, i int) error { return jobs[long[i]].run(ctx, g, p, c) })
	if err != nil {
		return nil, err
	}
	return o.result(jobs), nil
}

// jobs lists the runs of one size: ping-pongs first, then both methods of each ring.
func (o *Options) jobs(size *Size) (list []*job) {
	if size.Pairs > 0 {
		list = append(list, &job{name: "ping-pong", size: size, pairs: pairsOf(o.Hosts, size.Pairs)})
	}
	for k := range size.Rings + 1 {
		order, name := o.Hosts, "natural ring"
		if k > 0 {
			var rng rand.PCG
			traffic.Seed(&rng, o.Seed, k, -1)
			order, name = slices.Clone(o.Hosts), fmt.Sprintf("random ring %d", k)
			traffic.Shuffle(order, &rng)
		}
		list = append(list, &job{name: name, size: size, order: order, turns: true})
		if !size.InTurns {
			list = append(list, &job{name: name, size: size, order: order})
		}
	}
	return list
}

// pairsOf lists the pairs that play ping-pong: at most the given number, but at least the pairs of
// 5 ranks with 5.
func pairsOf(hosts []int32, most int) (pairs [][2]int32) {
	n, step := len(hosts), stride(len(hosts), most)
	for client := 0; client < n; client += step {
		for server := (n - 1) % step; server < n; server += step {
			if client != server {
				pairs = append(pairs, [2]int32{hosts[client], hosts[server]})
			}
		}
	}
	return pairs
}

// stride returns the distance between ranks that ping. It is prime so that it does not follow the
// steps of the network, if a prime leaves three ranks. All ranks ping if the bound allows all
// pairs.
func stride(ranks, pairs int) int {
	if ranks*(ranks-1) <= pairs {
		return 1
	}
	step := max(int(float64(ranks)/max(math.Floor(math.Sqrt(float64(pairs))), 5)+.9), 1)
	if step == 2 {
		return 3
	}
	for ; step > 3 && !prime(step) && step <= ranks/3; step++ {
	}
	return step
}

// prime reports whether n, at least 2, is a prime number.
func prime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return true
}

// result sums up the runs, given in the order of jobs.
func (o *Options) result(jobs []*job) *Result {
	r := &Result{}
	for _, j := range jobs {
		r.Packets += j.sent
		if j.pairs != nil {
			if r.PingPong == nil {
				r.PingPong = &PingPong{}
			}
			r.PingPong.add(j, j.size == &o.Latency)
		}
	}
	r.Natural.Latency, r.Latencies = rings(jobs, &o.Latency, func(t float64) float64 { return t })
	r.Natural.Bandwidth, r.Bandwidths = rings(jobs, &o.Bandwidth, func(t float64) float64 { return rate(o.Bandwidth.Bytes, t) })
	r.Random = Ring{geometricMean(r.Latencies), geometricMean(r.Bandwidths)}
	return r
}

// rings returns the figures of the natural ring and of the random rings, each by the better method.
// figure computes a figure from the time of a ring in nanoseconds.
func rings(jobs []*job, size *Size, figure func(float64) float64) (natural float64, random []float64) {
	random = []float64{}
	for i, j := range jobs {
		if j.size != size || !j.turns {
			continue
		}
		t := j.times[0]
		if !size.InTurns {
			t = min(t, jobs[i+1].times[0])
		}
		random = append(random, figure(ns(t)))
	}
	return random[0], random[1:]
}

// add includes the ping-pongs of one size.
func (p *PingPong) add(j *job, latency bool) {
	values := make([]float64, len(j.times))
	for i, t := range j.times {
		if values[i] = ns(t); !latency {
			values[i] = rate(j.size.Bytes, values[i])
		}
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	s := Span{slices.Min(values), sum / float64(len(values)), slices.Max(values)}
	if latency {
		p.Latency, p.LatencyPairs = s, len(values)
	} else {
		p.Bandwidth, p.BandwidthPairs = s, len(values)
	}
}

// ns converts a time to nanoseconds.
func ns(t packet.Time) float64 { return float64(t) / float64(packet.Nanosecond) }

// rate returns a bandwidth in MB/s; the time is in nanoseconds.
func rate(bytes int64, ns float64) float64 { return float64(bytes) * 1000 / ns }

// geometricMean returns the geometric mean, kept between the least and the greatest value; 0 if
// there are no values.
func geometricMean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return min(max(math.Exp(sum/float64(len(v))), slices.Min(v)), slices.Max(v))
}
