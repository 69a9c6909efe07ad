package job

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"
)

// output is a link together with an input of the switch that sends on it.
type output struct {
	link  int32
	input int32 // link to that switch; -1 at the host that sends
}

// turn is the use of a link by packets of one input: the mean demand, as a share of the link's
// rate.
type turn struct {
	output
	share float64
}

func (o output) compare(b output) int {
	return cmp.Or(cmp.Compare(o.link, b.link), cmp.Compare(o.input, b.input))
}

// steps is the number of steps towards an equilibrium. In 40 mixes of random jobs more of them
// change no time by 0.01.
const steps = 20

// equilibrium returns the times of jobs that exchange data at the same time.
//
// A link serves its inputs in turn, so an input with few packets does not wait for one with many.
// If the demand exceeds the link's rate, the busy inputs share what the others leave. Packets of
// one input wait for each other. A port sends its messages in turn, and packets for a full link
// fill the buffer behind it: so all messages of a port are as slow as its slowest one. The nodes
// drift apart, so a job takes the mean time of its ports. A slow job demands less of all links:
// its pace is one divided by its time.
//
// The model is weft's own and follows sim/packet. Memory and the time of a step are O(turns), and
// O(n log n) for a link with n inputs.
func equilibrium(all []*member) []float64 {
	sum, of := union(all)
	pace, times := make([]float64, len(all)), make([]float64, len(all))
	for i := range pace {
		pace[i] = 1
	}
	slow := make([]float64, len(sum)) // by turn: demand divided by what it can get
	for range steps {
		for i := range sum {
			sum[i].share = 0
		}
		for i, m := range all {
			for k, t := range m.turns {
				if at := of[i][k]; at >= 0 {
					sum[at].share += pace[i] * t.share
				}
			}
		}
		share(sum, slow)
		for i, m := range all {
			times[i] = m.time(pace[i], of[i], slow)
			pace[i] = math.Sqrt(pace[i] / times[i]) // half of the way: the whole way swings
		}
	}
	return times
}

// union returns the turns of all jobs on full links, in order, and for each job their numbers; -1
// for turns on links that suffice for all jobs at full pace: they slow nobody.
func union(all []*member) (sum []turn, of [][]int32) {
	full := map[int32]float64{} // demand by link
	for _, m := range all {
		for _, l := range m.load {
			full[l.link] += l.share
		}
	}
	maps.DeleteFunc(full, func(_ int32, demand float64) bool { return demand <= 1+1e-9 }) // rounding
	for _, m := range all {
		for _, t := range m.turns {
			if _, is := full[t.link]; is {
				sum = append(sum, t)
			}
		}
	}
	slices.SortFunc(sum, func(a, b turn) int { return a.compare(b.output) })
	sum = slices.CompactFunc(sum, func(a, b turn) bool { return a.output == b.output })
	of = make([][]int32, len(all))
	for i, m := range all {
		of[i] = slices.Repeat([]int32{-1}, len(m.turns))
		for k, t := range m.turns {
			if at, is := slices.BinarySearchFunc(sum, t.output, turn.compare); is {
				of[i][k] = int32(at)
			}
		}
	}
	return sum, of
}

// share divides the demand of each turn by the rate that the input can get of the link.
func share(sum []turn, slow []float64) {
	var l line
	for from := 0; from < len(sum); {
		to := from + 1
		for to < len(sum) && sum[to].link == sum[from].link {
			to++
		}
		l.fill(sum[from:to])
		for at, i := range l.order {
			slow[from+int(i)] = l.demands[at] / l.left(at)
		}
		from = to
	}
}

// line holds the demands of the inputs of a link, the smallest first.
type line struct {
	order   []int32   // inputs
	demands []float64 // in this order
	before  []float64 // the sum of the demands before each, and of all
}

func (l *line) fill(turns []turn) {
	l.order, l.demands, l.before = l.order[:0], l.demands[:0], append(l.before[:0], 0)
	for i := range turns {
		l.order = append(l.order, int32(i))
	}
	slices.SortFunc(l.order, func(a, b int32) int { return cmp.Compare(turns[a].share, turns[b].share) })
	for k, i := range l.order {
		l.demands = append(l.demands, turns[i].share)
		l.before = append(l.before, l.before[k]+turns[i].share)
	}
}

// left returns the share of the link for the input at a place if it always had packets, and were
// served in turn with the others.
func (l *line) left(at int) float64 {
	others := len(l.order) - 1
	equal := func(light int) float64 { // share of each of the busy inputs, if so many others are light
		rest := 1 - l.before[light]
		if light > at {
			rest = 1 - (l.before[light+1] - l.demands[at])
		}
		return rest / float64(others-light+1)
	}
	light := sort.Search(others, func(k int) bool {
		next := k
		if k >= at {
			next++
		}
		return l.demands[next] >= equal(k)
	})
	return equal(light)
}

// time returns the mean time of the ports of a job.
func (m *member) time(pace float64, of []int32, slow []float64) float64 {
	if len(m.ends) == 0 {
		return 1
	}
	sum := 0.0
	for _, turns := range m.ends {
		most := pace
		for _, k := range turns {
			if at := of[k]; at >= 0 {
				most = max(most, slow[at])
			}
		}
		sum += most / pace
	}
	return sum / float64(len(m.ends))
}
