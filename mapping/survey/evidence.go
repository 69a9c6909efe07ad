package survey

import (
	"math"

	"weft/mapping"
	"weft/mapping/partial"
)

// doubt weighs silence. Of probes that are known to be answered when nothing is lost,
// some are lost; with a Beta prior about the loss of a way, the chance that n probes
// which should be answered are all lost is
//
//	E[p^n] = prod_{k<n} (a+k) / (a+b+k),  a = lost + prior, b = seen + prior.
//
// The prior of a switch has the mean of all switches and the weight of two probes.
//
// A wire that is not known yet may lose a share of its own. It is taken for as bad as
// the worst that is known: of two switches one behind the other, the wire between them
// loses what the way to the farther one loses more.
type doubt struct {
	err, least float64
	worst      float64 // share that an unknown wire may lose, at least least
	all        tally
	at         map[int32]*tally  // by vertex
	allowed    float64           // chance for one port and kind, in this pass
	memo       map[tries]float64 // chances since the last note
}

// tries is so many probes at a switch.
type tries struct {
	v int32
	n int
}

// tally counts probes that should be answered.
type tally struct{ seen, lost float64 }

const priorWeight = 2

func newDoubt(err, least float64) *doubt {
	return &doubt{err: err, least: least, at: map[int32]*tally{}, memo: map[tries]float64{}}
}

// begin shares the allowed error among all that is silent, and looks for the worst wire.
func (d *doubt) begin(e *Explorer) {
	if d.err == 0 {
		return
	}
	d.worst = d.least
	t := e.Tree()
	for _, v := range t.Order {
		if d.at[v] == nil {
			continue
		}
		before := 1.0
		if u := e.Map.At(v, t.Entry(v)).To; !e.Map.IsHost(u) {
			before = d.passes(u)
		}
		d.worst = max(d.worst, 1-d.passes(v)/before)
	}
	clear(d.memo)
	items := 1 + len(e.pairs)
	for v := range int32(e.Map.Len()) {
		if !e.Map.Root(v) || e.Map.IsHost(v) {
			continue
		}
		low, high := e.Map.Window(v)
		for i := low; i <= high; i++ {
			if e.Map.At(v, i).To == partial.Open {
				items += 2
			}
		}
	}
	d.allowed = d.err / float64(items)
}

// believes says that n silent probes at a switch are enough.
func (d *doubt) believes(v int32, n uint8) bool {
	if d.err == 0 || n == 0 {
		return n > 0
	}
	return d.chance(v, int(n)) <= d.allowed
}

// chance is that of n probes at a switch all being lost.
func (d *doubt) chance(v int32, n int) float64 {
	if d.err == 0 {
		return 0
	}
	c, known := d.memo[tries{v, n}]
	if !known {
		c = d.expect(v, n)
		d.memo[tries{v, n}] = c
	}
	return c
}

// expect is E[q^n], where a probe is lost with q = 1 - (1-p)(1-worst).
func (d *doubt) expect(v int32, n int) float64 {
	a, b := d.posterior(v)
	sum, moment, choose := 0.0, 1.0, 1.0
	for k := range n + 1 {
		sum += choose * math.Pow(d.worst, float64(n-k)) * math.Pow(1-d.worst, float64(k)) * moment
		moment *= (a + float64(k)) / (a + b + float64(k))
		choose *= float64(n-k) / float64(k+1)
	}
	return sum
}

// posterior is what is known of the loss of the way to a switch.
func (d *doubt) posterior(v int32) (a, b float64) {
	mean := (d.all.lost + 0.5) / (d.all.lost + d.all.seen + 1)
	a, b = priorWeight*mean, priorWeight*(1-mean)
	if t := d.at[v]; t != nil {
		a, b = a+t.lost, b+t.seen
	}
	return a, b
}

// passes is the share of probes that the way to a switch does not lose.
func (d *doubt) passes(v int32) float64 {
	a, b := d.posterior(v)
	return b / (a + b)
}

func (d *doubt) note(v int32, seen, lost float64) {
	d.all.seen += seen
	d.all.lost += lost
	t := d.at[v]
	if t == nil {
		t = &tally{}
		d.at[v] = t
	}
	t.seen += seen
	t.lost += lost
	clear(d.memo)
}

// answered notes that a port of a switch answered in the end, after so many tries in
// vain. Of soundings, leaps and comparisons the silent ones say nothing, so that the
// answered ones must not count either.
func (d *doubt) answered(v int32, silent uint8) { d.note(v, 1, float64(silent)) }

// control sends a switch-probe to a switch that is known to be there.
func (d *doubt) control(e *Explorer, v int32, way []mapping.Turn) {
	if d.err == 0 {
		return
	}
	e.buf = append(append(e.buf[:0], way...), 0)
	e.back(way)
	if e.own(e.send(&e.Probes.Switch)) {
		d.note(v, 1, 0)
	} else {
		d.note(v, 0, 1)
	}
}

// wants says whether a port is to be probed once more for something.
func (e *Explorer) wants(v int32, i int, kind partial.Kind) bool {
	return !e.doubt.believes(v, e.Map.At(v, i).Silent[kind])
}

// doubtful says whether it is not known what a port leads to.
func (e *Explorer) doubtful(v int32, i int) bool {
	return e.Map.At(v, i).To == partial.Open && (e.wants(v, i, partial.ForHost) || e.wants(v, i, partial.ForSwitch))
}

// Open says whether a switch has a port in doubt.
func (e *Explorer) Open(v int32) bool {
	low, high := e.Map.Window(v)
	for i := low; i <= high; i++ {
		if e.doubtful(v, i) {
			return true
		}
	}
	return false
}
