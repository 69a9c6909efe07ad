package whatif

import (
	"cmp"
	"context"
	"slices"

	"weft/fabric"
	"weft/judge/check"
	"weft/route"
	"weft/sim/flow"
)

// State describes the routing of a fabric: the pairs that it delivers, and its figures.
type State struct {
	Engine string   `json:"engine"`       // the engine that made the routing, or "as programmed"
	Proven bool     `json:"proven"`       // the judge's verdict
	Pairs  int64    `json:"pairs"`        // pairs of a present host and a LID of another one
	Lost   int64    `json:"lost"`         // of these, not delivered
	CutOff int64    `json:"cut_off"`      // of these, without any path
	Apart  int64    `json:"apart"`        // of these, in different planes, which share servers but no cable: nothing is wrong with them
	Losing int      `json:"hosts_losing"` // present hosts that lose some pair, other than between planes
	First  []string `json:"first_losing"` // of these hosts, the ones that lose the most

	Loops        int64            `json:"loops"` // rings of switches, counted by LID
	DeadlockFree check.Answer     `json:"deadlock_free"`
	VLs          int              `json:"vls"`
	Figures      *flow.KeyFigures `json:"figures"` // null with fewer than two hosts; lost pairs load no channel, so with many of them little congestion means nothing

	Writes *Writes `json:"writes"` // null for the present tables
}

// Writes counts the writes to the switches for another routing.
type Writes struct {
	MovedLIDs int     `json:"moved_lids"` // end ports with a new base LID
	NewLIDs   int     `json:"new_lids"`   // end ports that had no LID
	Entries   int     `json:"entries"`    // changed entries of forwarding tables
	Blocks    int     `json:"blocks"`     // blocks of 64 entries with changes
	Switches  int     `json:"switches"`   // switches to write to
	Seconds   float64 `json:"seconds"`    // estimated for the blocks: see Pace
	Lanes     bool    `json:"lanes"`      // service levels or SL2VL tables change too
}

// Pace is the speed of writing blocks.
type Pace struct {
	RoundTrip float64 `json:"round_trip_seconds"` // of a management datagram and its answer
	Window    int     `json:"window"`             // datagrams in flight
}

// UsualPace is a cautious pace: management agents of switches answer in some 100 microseconds.
var UsualPace = Pace{RoundTrip: 100e-6, Window: 32}

// Seconds estimates the time of writing blocks: a round trip for each full window, and one for the
// rest.
func (p Pace) Seconds(blocks int) float64 {
	return float64((blocks+p.Window-1)/p.Window) * p.RoundTrip
}

// hostsShown limits the hosts listed in a State.
const hostsShown = 10

// Measure judges a Plan, counts the losses of each host, and computes the key figures unless m.Runs
// is negative. Pairs in different planes are counted apart.
func Measure(ctx context.Context, g *fabric.Graph, plan *route.Plan, m flow.Measure, planes *Planes) (*State, error) {
	apart := planes.apart(g)
	counters := make([]*lossCounter, max(1, m.Workers))
	report, err := check.Judge(ctx, g, plan, check.Options{Workers: len(counters), Observe: func(worker int, facts *check.Facts) check.Observer {
		counters[worker] = &lossCounter{facts: facts, apart: apart, ofHost: make([]int64, g.NumHosts)}
		return counters[worker]
	}})
	if err != nil {
		return nil, err
	}
	s := &State{Engine: plan.Recipe.Paths, Proven: report.OK, Loops: report.Loops, DeadlockFree: report.DeadlockFree, VLs: report.VLs, First: []string{}}
	s.addLosses(g, counters)
	if m.Runs >= 0 && g.NumHosts > 1 {
		s.Figures, err = flow.NewKeyFigures(ctx, g, plan, m)
	}
	return s, err
}

// lossCounter counts the pairs of hosts that one worker of the judge visits, and the lost pairs of
// each host.
type lossCounter struct {
	facts               *check.Facts
	apart               *apart
	pairs, lost, cutOff int64
	planes              int64   // pairs in different ones
	ofHost              []int64 // lost pairs with this host as source or target
}

// Observe counts the hosts that do not reach one LID of a host.
func (c *lossCounter) Observe(p *check.Paths) {
	g := c.facts.Graph
	if !g.IsHost(p.Owner) {
		return
	}
	c.pairs-- // not from the owner to itself
	for s, d := range p.Depth {
		c.pairs += int64(p.Hosts[s])
		if d > 0 {
			continue
		}
		for _, h := range g.HostsOf(int32(s)) {
			if h == p.Owner || !c.facts.LIDs.IsSource(h) || !p.May(h) {
				continue
			}
			c.lost++
			if p.Hops[s] == check.Unreached {
				c.cutOff++
				if c.apart.are(int32(s), p.Target) {
					c.planes++
					continue
				}
			}
			c.ofHost[h]++
			c.ofHost[p.Owner]++
		}
	}
}

// addLosses sums up the counters of the workers.
func (s *State) addLosses(g *fabric.Graph, counters []*lossCounter) {
	ofHost := make([]int64, g.NumHosts)
	for _, c := range counters {
		if c == nil {
			continue
		}
		s.Pairs, s.Lost, s.CutOff, s.Apart = s.Pairs+c.pairs, s.Lost+c.lost, s.CutOff+c.cutOff, s.Apart+c.planes
		for h, n := range c.ofHost {
			ofHost[h] += n
		}
	}
	losing := slices.DeleteFunc(fabric.Numbers(g.NumHosts), func(h int32) bool { return ofHost[h] == 0 })
	slices.SortStableFunc(losing, func(a, b int32) int { return cmp.Compare(ofHost[b], ofHost[a]) })
	s.Losing = len(losing)
	for _, h := range losing[:min(len(losing), hostsShown)] {
		s.First = append(s.First, g.EndName(h).String())
	}
}

// lost counts the lost pairs, without pairs between planes.
func (s *State) lost() int64 { return s.Lost - s.Apart }

// cutOff counts the pairs without any path, without pairs between planes.
func (s *State) cutOff() int64 { return s.CutOff - s.Apart }
