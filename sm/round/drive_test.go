package round

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/sm/ledger"
	"weft/sm/round/planning"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// pending is a Send under way, or its late repetition.
type pending struct {
	tag    uint64
	method mad.Method
	attr   mad.AttrID
	mod    uint32
	path   []byte
	data   [64]byte
	late   bool
	ended  bool // by an End
}

// world drives a Round over a fake subnet without time. It performs SMPs in random order, and loses
// and repeats requests and answers.
type world struct {
	core    *Round
	cfg     terms.Config // of the round
	fake    *smtest.Fake
	routing planner.Request
	rng     *rand.Rand
	loss    float64 // probability that a request is lost, and an answer
	twice   float64 // probability that a request is performed again later
	tries   int
	fifo    bool // in the order of sending instead

	alter  func(*route.Plan) // changes the Plan before it is distributed
	flight []pending
	log    []string
	asked  map[string]int // number of Sends, by Describe
	stopAt int            // Asks until Stop; 0: never
	onSend func(n int)    // before the nth Send is performed
	n      int
}

func newWorld(f *fabric.Fabric, cfg terms.Config, chain string) *world {
	w := &world{cfg: cfg, core: roundOf(cfg), fake: smtest.NewFake(f), rng: rand.New(rand.NewPCG(1, 2)), tries: 12, asked: map[string]int{}}
	w.routing = smtest.JobOf(chain, 0)
	return w
}

// run drives the round to its end.
func (w *world) run() *terms.Report {
	w.step(&terms.Event{Kind: terms.Start})
	for w.core.phase != finished {
		if len(w.flight) == 0 {
			panic(fmt.Sprintf("nothing is under way in phase %s", phaseNames[w.core.phase]))
		}
		if !w.fifo {
			i := w.rng.IntN(len(w.flight))
			w.flight[0], w.flight[i] = w.flight[i], w.flight[0]
		}
		p := w.flight[0]
		w.flight = w.flight[1:]
		w.perform(&p)
	}
	return w.core.Result().Report
}

// perform sends an SMP until an answer gets through.
func (w *world) perform(p *pending) {
	if p.late {
		data := p.data
		w.fake.Do(p.path, p.method, p.attr, p.mod, &data)
		return
	}
	if p.ended && w.rng.IntN(2) == 0 { // it was not sent yet
		w.step(&terms.Event{Kind: terms.Answer, Tag: p.tag, Outcome: terms.Cancelled})
		return
	}
	w.n++
	if w.onSend != nil {
		w.onSend(w.n)
	}
	if w.n == w.stopAt {
		w.step(&terms.Event{Kind: terms.Stop})
	}
	ev := terms.Event{Kind: terms.Answer, Tag: p.tag, Outcome: terms.Silent}
	for ev.Attempts = 1; ev.Attempts <= w.tries; ev.Attempts++ {
		if w.rng.Float64() < w.loss {
			continue
		}
		data := p.data
		status, ok := w.fake.Do(p.path, p.method, p.attr, p.mod, &data)
		if w.rng.Float64() < w.twice {
			again := *p
			again.late = true
			w.flight = append(w.flight, again)
		}
		if !ok || w.rng.Float64() < w.loss {
			continue
		}
		ev.Outcome, ev.Status, ev.Data = terms.Answered, status, data
		if status != 0 {
			ev.Outcome = terms.Refused
		}
		break
	}
	ev.Attempts = min(ev.Attempts, w.tries)
	w.step(&ev)
}

func (w *world) step(ev *terms.Event) {
	var next *terms.Event
	defer func() {
		if w.core.outstanding > w.core.given.Limits.Pending {
			panic("more is under way than was allowed")
		}
	}()
	for _, a := range w.core.Step(ev, nil) {
		switch a.Kind {
		case terms.Send:
			p := pending{tag: a.Tag, method: a.Method, attr: a.Attr, mod: a.Modifier, path: slices.Clone(a.Path)}
			copy(p.data[:], a.Data)
			w.flight = append(w.flight, p)
			what := smtest.Describe(&a)
			w.asked[fmt.Sprintf("%s %x", what, a.Data)]++
			w.log = append(w.log, what)
		case terms.End:
			for i := range w.flight {
				w.flight[i].ended = true
			}
		case terms.Route:
			w.log = append(w.log, fmt.Sprintf("route %d switches, %d hosts, %d channels", a.Request.Graph.NumSwitches, a.Request.Graph.NumHosts, a.Request.Graph.NumChannels))
			next = planning.Plan(context.Background(), w.routing, a.Request)
			if w.alter != nil {
				w.alter(next.Result.Plan)
			}
		case terms.Store:
			next = &terms.Event{Kind: terms.Stored}
		case terms.Claim:
			next = &terms.Event{Kind: terms.Claimed}
		case terms.Phase:
			w.log = append(w.log, "-- "+a.Name)
		case terms.Note:
			w.log = append(w.log, fmt.Sprintf("! %s: %s", a.Incident.Kind, a.Incident.Text))
		case terms.Done:
			w.log = append(w.log, string(w.core.Result().Report.State))
		case terms.Pause:
			next = &terms.Event{Kind: terms.PauseEnds}
		case terms.Wake, terms.Reply, terms.RoundEnded, terms.TakeMembers, terms.TellRules, terms.Decided, terms.Improve, terms.Compute: // from a Manager only
		}
	}
	if next != nil {
		w.step(next)
	}
}

// verify compares the fake subnet with the Plan: LIDs, tables, states.
func (w *world) verify(t smtest.Fataler) {
	t.Helper()
	w.fake.Verify(t, w.core.Graph, w.core.Plan, w.core.Fabric, &w.core.report)
}

// roundOf begins the first round of a manager with this Config, which then ends.
func roundOf(cfg terms.Config) *Round {
	cfg.FillIn()
	g := GivenBy(&cfg)
	g.Keys = ledger.NewKeyring(&cfg)
	return Begin(&g)
}
