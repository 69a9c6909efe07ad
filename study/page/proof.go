package page

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/internal/fold"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/study/routing"
)

// Proof holds the verdict of the judge on a routing, in steps that one can follow.
type Proof struct {
	Verdict string `json:"verdict"` // in a sentence
	OK      bool   `json:"ok"`
	// Route is the document of weft route.
	Route   routing.Route `json:"route"`
	Traffic []Traffic     `json:"traffic"`
	Lost    []LostPair    `json:"lost"` // the first by LID, at most 100
}

// Traffic is the verdict on a kind of traffic.
type Traffic struct {
	Name         string       `json:"name"`
	About        string       `json:"about"`
	DeadlockFree check.Answer `json:"deadlock_free"` // null: unknown
	Edges        int64        `json:"edges"`         // of packets that wait
	Shortest     bool         `json:"shortest"`      // there is no shorter cycle than this one
	Cycle        []Step       `json:"cycle"`
}

// Step is a packet on a cycle: it holds a cable, and waits for the cable of the next step.
type Step struct {
	check.Hold
	Waits  Lane   `json:"waits_for"`
	Packet *Trace `json:"packet,omitempty"` // its whole path; absent for mixtures of two Plans
}

// Lane is one direction of a cable, and a VL.
type Lane struct {
	From fabric.PortName `json:"from"`
	To   fabric.PortName `json:"to"`
	VL   uint8           `json:"vl"`
}

// LostPair is a pair whose packets do not arrive, though cables connect it.
type LostPair struct {
	From fabric.PortName `json:"from"`
	To   fabric.PortName `json:"to"`
	LID  fabric.LID      `json:"lid"`
	Why  string          `json:"why"`
}

// proof returns the endpoint for the proof of a routing.
func (p *Page) proof() endpoints.Endpoint {
	return question(p, fabricPath+"/proof", "The proof of a routing: the verdict, cycles of waiting packets step by step, and lost pairs.", "run weft check, which has no limit",
		func(ctx context.Context, h *Held, q *Routing) (*Proof, error) {
			r, err := p.routedBy(ctx, h, q)
			if err != nil {
				return nil, err
			}
			t := tracer{g: h.graph, plan: r.Plan}
			out := &Proof{Verdict: verdict(r.Report, r.Plan), OK: r.Report.OK, Route: *routing.New(h.graph, r, p.opt.Memory()), Traffic: t.traffic(r.Report), Lost: []LostPair{}}
			if r.Report.Unreachable > 0 {
				out.Lost, err = t.lost(ctx, p.opt.Workers)
			}
			return out, err
		})
}

// verdict returns the proof, or the faults, in sentences.
func verdict(r *quality.Report, plan *route.Plan) string {
	pairs := fold.Count(r.Pairs, "pair", "pairs") + " of end ports"
	if plan.Ends.MaxLMC() > 0 {
		pairs += " (one for each LID)"
	}
	lanes := fold.Count(r.VLs, "virtual lane", "virtual lanes")
	apart := ""
	if r.Disconnected > 0 {
		apart = fmt.Sprintf(" No cables connect %s.", fold.Count(r.Disconnected, "further pair", "further pairs"))
	}
	switch {
	case r.OK:
		return fmt.Sprintf("Proven for %s: every packet arrives, none goes in circles, and on %s no packets can wait for each other in a ring.", pairs, lanes) + apart
	case r.Unreachable > 0 && r.DeadlockFree == check.No:
		return fmt.Sprintf("Faulty: packets of %d of %s do not arrive, and packets can wait for each other in a ring (deadlock).", r.Unreachable, pairs)
	case r.Unreachable > 0:
		return fmt.Sprintf("Faulty: packets of %d of %s do not arrive, although cables connect them.", r.Unreachable, pairs)
	case r.DeadlockFree == check.No:
		return fmt.Sprintf("Faulty: packets can deadlock. All of %s are delivered while the network is idle, but on %s %d packets can wait for each other in a ring, and then none of them moves again.",
			pairs, lanes, len(r.Assigned.Cycle))
	case len(r.Faults) > 0:
		return fmt.Sprintf("Faulty: the judge finds %s; see below.", fold.Count(len(r.Faults), "kind of fault", "kinds of faults"))
	case r.DeadlockFree == check.Unknown:
		return fmt.Sprintf("Not proven: every packet of %s arrives, but the lanes are not known, and on one lane packets can wait for each other in a ring.", pairs)
	}
	return "Not proven: the tables leave something open; see the findings below."
}

// traffic returns the verdicts on the kinds of traffic.
func (t *tracer) traffic(r *quality.Report) []Traffic {
	owners, list := t.plan.Ends.ByLID(), []Traffic{}
	for _, k := range []struct {
		name, about string
		is          *check.Verdict
	}{
		{"assigned", "every pair with its reply", &r.Assigned},
		{"hosts only", "pairs of hosts with their replies, without traffic to switches", &r.HostOnly},
		{"any LID", "every LID that a source could use, not only the assigned ones", &r.AnyDLID},
		{"no path records", "assigned traffic, and clients that never ask for a path record", &r.NoPathRecord},
	} {
		steps := stepsOf(k.is)
		for i := range steps {
			s := &steps[i]
			from := t.g.FindEnd(s.Source.GUID, s.Source.Port)
			if from < 0 || int(s.LID) >= len(owners) || owners[s.LID] < 0 {
				continue
			}
			trace := t.follow(from, owners[s.LID], s.LID, &s.SL)
			s.Packet = &trace
		}
		list = append(list, Traffic{k.name, k.about, k.is.DeadlockFree, k.is.Edges, k.is.Shortest, steps})
	}
	return list
}

// stepsOf returns the steps of a cycle.
func stepsOf(v *check.Verdict) []Step {
	list := []Step{}
	for i, hold := range v.Cycle {
		next := &v.Cycle[(i+1)%len(v.Cycle)]
		list = append(list, Step{Hold: hold, Waits: Lane{next.From, next.To, next.VL}})
	}
	return list
}

// mostLost is the maximum number of lost pairs in an answer.
const mostLost = 100

// lost lists the first lost pairs by LID and source.
func (t *tracer) lost(ctx context.Context, workers int) ([]LostPair, error) {
	finders := make([]*lostFinder, max(1, workers))
	_, err := check.Judge(ctx, t.g, t.plan, check.Options{Workers: len(finders), Observe: func(worker int, facts *check.Facts) check.Observer {
		finders[worker] = &lostFinder{facts: facts}
		return finders[worker]
	}})
	if err != nil {
		return nil, err
	}
	var all lostFinder
	for _, f := range finders {
		if f != nil {
			all.list = append(all.list, f.list...)
		}
	}
	all.keepFirst()
	out := []LostPair{}
	for _, l := range all.list {
		trace := t.follow(l.from, l.to, l.lid, nil)
		out = append(out, LostPair{t.g.EndName(l.from), t.g.EndName(l.to), l.lid, trace.Problem})
	}
	return out, nil
}

// lostFinder keeps the first lost pairs that a worker of the judge visits.
type lostFinder struct {
	facts *check.Facts
	list  []lost
}

// lost is a source and a LID of another end port.
type lost struct {
	lid      fabric.LID
	from, to int32
}

// Observe notes the sources that do not reach a LID.
func (f *lostFinder) Observe(p *check.Paths) {
	for s, d := range p.Depth {
		if d > 0 || p.Hops[s] == check.Unreached {
			continue
		}
		g := f.facts.Graph
		for _, e := range g.SwitchEnds[g.EndsStart[s]:g.EndsStart[s+1]] {
			if e != p.Owner && f.facts.LIDs.IsSource(e) && p.May(e) {
				f.list = append(f.list, lost{p.LID, e, p.Owner})
			}
		}
	}
	if len(f.list) > 2*mostLost {
		f.keepFirst()
	}
}

// keepFirst drops all pairs but the first ones.
func (f *lostFinder) keepFirst() {
	slices.SortFunc(f.list, func(a, b lost) int { return cmp.Or(cmp.Compare(a.lid, b.lid), cmp.Compare(a.from, b.from)) })
	f.list = f.list[:min(len(f.list), mostLost)]
}
