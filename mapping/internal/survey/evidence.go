package survey

import (
	"errors"
	"math"
	"slices"

	"weft/mapping"
	"weft/mapping/internal/graph"
)

// evidence weighs silence. Some of the probes that would surely be answered in a quiet network are
// lost. With a Beta prior for the loss of a path, the chance that n probes which should be answered
// are all lost is
//
//	E[p^n] = prod_{k<n} (a+k) / (a+b+k),  a = lost + prior, b = seen + prior.
//
// The prior of a switch has the mean of all switches and the weight of two probes.
//
// An unknown wire may lose a share of its own. It counts as bad as the worst known one: of two
// switches one behind the other, the wire between them loses the excess of the farther one's path.
type evidence struct {
	err, least float64
	worst      float64 // share that an unknown wire may lose, not below least
	all        losses
	at         map[int32]*losses // by vertex
	allowed    float64           // chance for one port and kind, in this pass
	memo       map[silences]float64
	way        map[int32][]mapping.Turn // by vertex: the latest path by which it answered
	unheard    map[int32]unheard        // by vertex that never answered over its path
	patient    bool                     // such a vertex stays in doubt, instead of counting as gone
	dead       bool                     // control probes are silent
}

// unheard counts the control probes over a path that was never answered: it may cross itself, or be
// gone.
type unheard struct {
	way     []mapping.Turn
	lost    int
	doubted bool // enough to send no more
}

// silences is a number of unanswered probes at a switch.
type silences struct {
	vertex int32
	n      int
}

// losses counts probes that should be answered.
type losses struct{ seen, lost float64 }

const priorWeight = 2

func newEvidence(err, least float64) *evidence {
	return &evidence{err: err, least: least, at: map[int32]*losses{}, way: map[int32][]mapping.Turn{}, unheard: map[int32]unheard{}, memo: map[silences]float64{}}
}

// startPass shares the allowed error among all conclusions from silence, and finds the worst wire.
func (e *Explorer) startPass() {
	d := e.evidence
	if d.err == 0 {
		return
	}
	clear(d.memo)
	d.worst = e.worstLoss()
	d.allowed = d.err / float64(e.silentItems())
}

// worstLoss returns the share of probes lost on the worst known wire.
func (e *Explorer) worstLoss() float64 {
	d, t := e.evidence, e.Tree()
	worst := d.least
	for _, v := range t.Order {
		if d.at[v] == nil {
			continue
		}
		before := 1.0
		if u := e.Map.At(v, t.Entry(v)).To; !e.Map.IsHost(u) {
			before = d.passes(u)
		}
		worst = max(worst, 1-d.passes(v)/before)
	}
	return worst
}

// silentItems counts the conclusions drawn from silence: no host and no switch behind each silent
// port, pairs of switches that are not one, and one for the whole map.
func (e *Explorer) silentItems() int {
	items := 1 + len(e.compared.pairs)
	for v := range int32(e.Map.Len()) {
		if !e.Map.IsRoot(v) || e.Map.IsHost(v) {
			continue
		}
		low, high := e.Map.Window(v)
		for i := low; i <= high; i++ {
			if e.Map.At(v, i).To == graph.None && e.isPort(v, i) {
				items += 2
			}
		}
	}
	return items
}

// isEnough reports whether n silent probes at a switch are enough.
func (d *evidence) isEnough(v int32, n uint8) bool {
	if d.err == 0 || n == 0 {
		return n > 0
	}
	return d.chance(v, int(n)) <= d.allowed
}

// chance returns the chance that n probes at a switch are all lost.
func (d *evidence) chance(v int32, n int) float64 {
	if d.err == 0 {
		return 0
	}
	c, known := d.memo[silences{v, n}]
	if !known {
		c = d.expect(v, n)
		d.memo[silences{v, n}] = c
	}
	return c
}

// expect returns E[q^n], where a probe is lost with q = 1 - (1-p)(1-worst).
func (d *evidence) expect(v int32, n int) float64 {
	a, b := d.posterior(v)
	sum, moment, choose := 0.0, 1.0, 1.0
	for k := range n + 1 {
		sum += choose * math.Pow(d.worst, float64(n-k)) * math.Pow(1-d.worst, float64(k)) * moment
		moment *= (a + float64(k)) / (a + b + float64(k))
		choose *= float64(n-k) / float64(k+1)
	}
	return sum
}

// posterior returns the parameters of the distribution of the loss on the path to a switch.
func (d *evidence) posterior(v int32) (a, b float64) {
	mean := (d.all.lost + 0.5) / (d.all.lost + d.all.seen + 1)
	a, b = priorWeight*mean, priorWeight*(1-mean)
	if t := d.at[v]; t != nil {
		a, b = a+t.lost, b+t.seen
	}
	return a, b
}

// passes returns the share of probes that get through on the path to a switch.
func (d *evidence) passes(v int32) float64 {
	a, b := d.posterior(v)
	return b / (a + b)
}

// add counts probes to a switch that should be answered.
func (d *evidence) add(v int32, seen, lost float64) {
	d.all.seen += seen
	d.all.lost += lost
	t := d.at[v]
	if t == nil {
		t = &losses{}
		d.at[v] = t
	}
	t.seen += seen
	t.lost += lost
	clear(d.memo)
}

// addAnswer counts a port of a switch that answered after some silent probes. Silent soundings and
// comparisons prove nothing, so their answers must not count either.
func (d *evidence) addAnswer(v int32, silent uint8) { d.add(v, 1, float64(silent)) }

// ErrDied says that probes which must be answered no longer are.
var ErrDied = errors.New("mapping: a switch stopped answering: the network changed while it was mapped")

// fewestDead is the least number of silent control probes in a row before a switch counts as gone:
// the paths to some switches lose more than is known.
const fewestDead = 30

// sendControl sends a switch-probe to a switch known to exist. If one was answered before over the
// same path, which thus does not cross itself, it repeats the probe while it is silent. It returns
// false if the switch must be gone: the chance that all were lost, on a path as bad as the worst so
// far, is below the allowed error.
//
// Over a path that was never answered it sends one probe per visit. Lost ones count as losses only
// after an answer: if the wire is gone, they would make unknown wires look so bad that no silence
// is enough.
func (e *Explorer) sendControl(v int32, way []mapping.Turn) bool {
	d := e.evidence
	if d.err == 0 {
		return true
	}
	before, answered := d.way[v]
	answered = answered && slices.Equal(before, way)
	u := d.unheard[v]
	if answered || !slices.Equal(u.way, way) {
		u = unheard{way: slices.Clone(way)}
	}
	lost := 1 - (1-e.worstWay())*(1-d.worst)
	for n := u.lost + 1; !e.isSpent(); n++ {
		if reply := e.Switch(way...); e.IsOwn(reply) {
			e.identify(v, e.Tree().Entry(v), reply.Switch)
			d.add(v, 1, float64(u.lost))
			d.way[v] = slices.Clone(way)
			delete(d.unheard, v)
			return true
		}
		gone := n >= fewestDead && math.Pow(lost, float64(n)) <= d.allowed
		if answered {
			d.add(v, 0, 1)
		} else {
			d.unheard[v] = unheard{u.way, n, gone}
		}
		if gone {
			d.dead = answered || !d.patient
			return false
		}
		if !answered {
			return true
		}
	}
	return true
}

// isUnheard reports whether a switch never answered over its path, and is still being asked.
func (e *Explorer) isUnheard(v int32) bool {
	return e.evidence.unheard[v].lost > 0 && !e.isGivenUp(v)
}

// isGivenUp reports whether a switch is no longer asked over its current path.
func (e *Explorer) isGivenUp(v int32) bool {
	u := e.evidence.unheard[v]
	return u.doubted && slices.Equal(u.way, e.Tree().Turns(v))
}

// worstWay returns the share of probes lost on the worst path to a switch.
func (e *Explorer) worstWay() float64 {
	worst := 0.0
	for v := range e.evidence.at {
		worst = max(worst, 1-e.evidence.passes(v))
	}
	return worst
}

// hasSilenceEnough reports whether a port needs no more probes of a kind.
func (e *Explorer) hasSilenceEnough(v int32, i int, kind graph.Kind) bool {
	return e.evidence.isEnough(v, e.Map.At(v, i).Silent[kind])
}

// isDoubtful reports whether the target of a port is unknown.
func (e *Explorer) isDoubtful(v int32, i int) bool {
	return e.Map.At(v, i).To == graph.None && e.isPort(v, i) && !(e.hasSilenceEnough(v, i, graph.ForHost) && e.hasSilenceEnough(v, i, graph.ForSwitch))
}

// IsOpen reports whether a switch has a port in doubt, or never answered itself.
func (e *Explorer) IsOpen(v int32) bool { return e.isUnheard(v) || e.hasDoubt(v) }

// hasDoubt reports whether a switch has a port in doubt to probe again.
func (e *Explorer) hasDoubt(v int32) bool {
	if e.isGivenUp(v) {
		return false
	}
	low, high := e.Map.Window(v)
	for i := low; i <= high; i++ {
		if e.isDoubtful(v, i) {
			return true
		}
	}
	return false
}
