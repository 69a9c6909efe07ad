package sm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/wire/mad"
)

// pending is a Send under way, or a repetition of one that is late.
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

// world drives a Core over a fake without time: what is under way is performed in
// random order; requests and answers are lost and repeated.
type world struct {
	core    *Core
	cfg     Config // of core
	fake    *fake
	routing planner.Request
	rng     *rand.Rand
	loss    float64 // of a request, and of an answer
	twice   float64 // that a request is performed again, later
	tries   int
	fifo    bool // in the order of asking instead

	alter  func(*route.Plan) // what becomes of the Plan before it is distributed
	flight []pending
	log    []string
	asked  map[string]int // by what a Send is, how often it was given out
	stopAt int            // Asks until Stop; 0: never
	onSend func(n int)    // before the nth Send is performed
	n      int
}

func newWorld(f *fabric.Fabric, cfg Config, chain string) *world {
	w := &world{cfg: cfg, core: roundOf(cfg), fake: newFake(f), rng: rand.New(rand.NewPCG(1, 2)), tries: 12, asked: map[string]int{}}
	w.routing = jobOf(chain, 0)
	return w
}

func jobOf(chain string, lmc uint8) planner.Request {
	steps, err := engine.Parse(chain, nil)
	if err != nil {
		panic(err)
	}
	return planner.Request{Chain: steps, LIDs: lids.Options{LMC: lmc}, Workers: 1, Seed: 1}
}

func formula(tb testing.TB, text string) *fabric.Fabric {
	tb.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// run drives the core to its end.
func (w *world) run() *Report {
	w.step(&Event{Kind: Start})
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
		w.fake.do(p.path, p.method, p.attr, p.mod, &data)
		return
	}
	if p.ended && w.rng.IntN(2) == 0 { // it waited still
		w.step(&Event{Kind: Answer, Tag: p.tag, Outcome: Cancelled})
		return
	}
	w.n++
	if w.onSend != nil {
		w.onSend(w.n)
	}
	if w.n == w.stopAt {
		w.step(&Event{Kind: Stop})
	}
	ev := Event{Kind: Answer, Tag: p.tag, Outcome: Silent}
	for ev.Attempts = 1; ev.Attempts <= w.tries; ev.Attempts++ {
		if w.rng.Float64() < w.loss {
			continue
		}
		data := p.data
		status, ok := w.fake.do(p.path, p.method, p.attr, p.mod, &data)
		if w.rng.Float64() < w.twice {
			again := *p
			again.late = true
			w.flight = append(w.flight, again)
		}
		if !ok || w.rng.Float64() < w.loss {
			continue
		}
		ev.Outcome, ev.Status, ev.Data = Answered, status, data
		if status != 0 {
			ev.Outcome = Refused
		}
		break
	}
	ev.Attempts = min(ev.Attempts, w.tries)
	w.step(&ev)
}

func (w *world) step(ev *Event) {
	var next *Event
	defer func() {
		if w.core.outstanding > w.core.given.Limits.Pending {
			panic("more is under way than was allowed")
		}
	}()
	for _, a := range w.core.Step(ev, nil) {
		switch a.Kind {
		case Send:
			p := pending{tag: a.Tag, method: a.Method, attr: a.Attr, mod: a.Modifier, path: slices.Clone(a.Path)}
			copy(p.data[:], a.Data)
			w.flight = append(w.flight, p)
			what := describe(&a)
			w.asked[fmt.Sprintf("%s %x", what, a.Data)]++
			w.log = append(w.log, what)
		case End:
			for i := range w.flight {
				w.flight[i].ended = true
			}
		case Route:
			w.log = append(w.log, fmt.Sprintf("route %d switches, %d hosts, %d channels", a.Request.Graph.NumSwitches, a.Request.Graph.NumHosts, a.Request.Graph.NumChannels))
			next = Plan(context.Background(), w.routing, a.Request)
			if w.alter != nil {
				w.alter(next.Result.Plan)
			}
		case Store:
			next = &Event{Kind: Stored}
		case Claim:
			next = &Event{Kind: Claimed}
		case Phase:
			w.log = append(w.log, "-- "+a.Name)
		case Note:
			w.log = append(w.log, fmt.Sprintf("! %s: %s", a.Incident.Kind, a.Incident.Text))
		case Done:
			w.log = append(w.log, string(w.core.Result().Report.State))
		case Pause:
			next = &Event{Kind: PauseEnds}
		case Wake, Reply, RoundEnded, TakeMembers, TellRules, Decided: // a Manager's
		}
	}
	if next != nil {
		w.step(next)
	}
}

func describe(a *Action) string {
	return fmt.Sprintf("%v %s %x via %v", a.Method, attrName(a.Attr), a.Modifier, a.Path)
}

// fataler is a test of package testing or of rapid.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// verify compares what the fake holds with the Plan: names, tables, states.
func (w *world) verify(t fataler) {
	t.Helper()
	w.fake.verify(t, w.core.Result())
}

// verify compares what it holds with the Plan of a round.
func (s *fake) verify(t fataler, result *Result) {
	t.Helper()
	g, plan := result.Graph(), result.Plan()
	at := map[fabric.GUID]int{}
	for i := range s.f.Nodes {
		at[s.f.Nodes[i].GUID] = i
	}
	for sw, guid := range g.SwitchGUID {
		d := &s.nodes[at[guid]]
		if top := mad.SwitchInfoLinearFDBTop.Get(d.sw[:]); top != uint64(plan.Ends.Top()) {
			t.Fatalf("switch %v: LinearFDBTop %d, want %d", guid, top, plan.Ends.Top())
		}
		for b := range uint32(plan.Tables.NumBlocks()) {
			if d.lft[b] != *plan.Tables.Block(int32(sw), int(b)) {
				t.Fatalf("switch %v: block %d differs", guid, b)
			}
		}
	}
	for e, guid := range g.EndNodeGUID {
		b := s.nodes[at[guid]].info[g.EndNum[e]][:]
		if lid := mad.PortInfoLID.Get(b); lid != uint64(plan.Ends.Base[e]) || mad.PortInfoLMC.Get(b) != uint64(plan.Ends.LMC[e]) {
			t.Fatalf("%s has LID %d", route.EndName(g, int32(e)), lid)
		}
		if sm := mad.PortInfoMasterSMLID.Get(b); sm != uint64(result.Report.LIDs.SM) || sm == 0 {
			t.Fatalf("%s has MasterSMLID %d", route.EndName(g, int32(e)), sm)
		}
		sl := uint8(0)
		if plan.SL != nil {
			sl = plan.SL.At(int32(e), result.Report.LIDs.SM)
		}
		if mad.PortInfoMasterSMSL.Get(b) != uint64(sl) || mad.PortInfoGidPrefix.Get(b) != mad.DefaultGIDPrefix || mad.PortInfoSubnetTimeOut.Get(b) != 18 {
			t.Fatalf("%s: MasterSMSL %d, GidPrefix %x, SubnetTimeOut %d", route.EndName(g, int32(e)), mad.PortInfoMasterSMSL.Get(b),
				mad.PortInfoGidPrefix.Get(b), mad.PortInfoSubnetTimeOut.Get(b))
		}
	}
	f := result.Fabric()
	for i := range f.Links {
		for _, e := range []fabric.End{f.Links[i].A, f.Links[i].B} {
			b := s.nodes[at[f.Nodes[e.Node].GUID]].info[e.Port][:]
			if mad.PortInfoPortState.Get(b) != mad.PortActive {
				t.Fatalf("%s is not Active", f.EndName(e))
			}
			if mad.PortInfoNeighborMTU.Get(b) != 5 || mad.PortInfoOperationalVLs.Get(b) != 4 {
				t.Fatalf("%s has the wrong MTU or VLs", f.EndName(e))
			}
		}
	}
}

// roundOf begins the first round of a manager with this Config, which then ends.
func roundOf(cfg Config) *Core {
	g := NewManager(cfg, Watch{}).give(askAll)
	return Begin(&g)
}
