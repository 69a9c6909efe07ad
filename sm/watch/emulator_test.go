package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/planner"
	"weft/route"
	"weft/sm/recording"
	"weft/sm/round/planning"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// virtual drives a Manager, a requester and an emulated subnet in virtual time.
type virtual struct {
	manager  *Manager
	wire     *wire.Core
	sub      *emulator.Subnet
	tempers  *tempers // of agents that are not good ones; nil: all are
	id       emulator.ClientID
	at       fabric.End // where it is attached
	routing  planner.Request
	loss     terms.LossCount
	now      time.Duration
	inbox    []wire.Datagram
	actions  []wire.Action
	wake     time.Duration // when a Tick is due; never
	planTime time.Duration // how long a Plan takes
	plan     *terms.Event  // computed, and told at planned
	planned  time.Duration
	besides  time.Duration // how long a better Plan takes
	better   *terms.Event  // computed, and told at improved
	improved time.Duration
	compute  func() // of Compute, called and told at computed
	computed time.Duration
	computes time.Duration // how long it takes
	entries  []terms.Incident
	deaf     bool                      // what nobody asked for is dropped
	pending  int                       // SMPs that have not ended
	sent     map[mad.AttrID]int        // SMPs, repetitions left out
	store    func(*terms.Record) error // of Config.Store

	storeTime time.Duration // how long it takes
	stored    *terms.Event  // told at storedAt
	storedAt  time.Duration

	onPhase  func(name string)
	onEvent  func() // before an event of the Manager
	alter    func(ev *terms.Event)
	onAction func(a *terms.Action)
	recorder *recording.Recorder // nil where nothing is recorded
	members  func() ([]sa.Members, bool)
	keeper   *keeper        // nil where no clients are served
	peers    []*peerManager // other managers that this one drives
}

func newVirtual(f *fabric.Fabric, opt emulator.Options, cfg terms.Config, req planner.Request) (*virtual, error) {
	sub, err := emulator.New(f, opt)
	if err != nil {
		return nil, err
	}
	at, err := sub.DefaultEnd()
	if err != nil {
		return nil, err
	}
	return newVirtualAt(sub, at, cfg, req)
}

// newVirtualAt attaches a Manager to a port of an emulated subnet.
func newVirtualAt(sub *emulator.Subnet, at fabric.End, cfg terms.Config, req planner.Request) (v *virtual, err error) {
	v = &virtual{
		manager: NewManager(cfg, terms.Watch{}), sub: sub, at: at, routing: req, wake: terms.Never, planned: terms.Never, improved: terms.Never, computed: terms.Never, storedAt: terms.Never, sent: map[mad.AttrID]int{},
		wire: wire.NewCore(wire.Config{Window: 32, Timeout: 20 * time.Millisecond}),
	}
	v.id, err = sub.Attach(emulator.Client{At: at, Deliver: func(d *wire.Datagram) {
		var c wire.Datagram
		if c.CopyFrom(d); v.tempers != nil {
			v.tempers.answers(v.at, &c)
		}
		v.inbox = append(v.inbox, c)
	}})
	return v, err
}

// still makes the manager move no entries, for a test that counts other rounds, or blocks.
func (v *virtual) still() *virtual {
	v.manager.watch.Moves = 0
	return v
}

// isKept reports whether a round repaired the Plan before it, or moved entries of that.
func isKept(r *terms.Report) bool {
	kept := r.Routing.Kept
	return kept != "" && !strings.HasPrefix(kept, "routed from scratch")
}

// run drives all to the end of the Manager.
func (v *virtual) run() *terms.Report {
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(terms.Never)
	return v.manager.Result().Report
}

// runUntil drives all to the end of the Manager, or up to a time.
func (v *virtual) runUntil(end time.Duration) { runTogether(end, v) }

// runTogether drives managers of one subnet, until all have ended, or up to a time.
func runTogether(end time.Duration, all ...*virtual) {
	sub, now := all[0].sub, all[0].now
	for {
		next, running := terms.Never, false
		for _, v := range all {
			v.takeIn()
			running = running || !v.manager.ended
			next = min(next, v.next())
		}
		if !running {
			return
		}
		if slices.ContainsFunc(all, func(v *virtual) bool { return len(v.inbox) > 0 || len(v.actions) > 0 }) {
			continue // one has sent something to another
		}
		if at, ok := sub.Next(); ok {
			next = min(next, at)
		}
		if next == terms.Never && end == terms.Never {
			panic(fmt.Sprintf("nothing to come in phase %s", all[0].manager.current.Phase()))
		}
		now = max(now, min(next, end))
		for _, v := range all {
			v.now = now
		}
		sub.Advance(now) // also where nothing happens: what is done to the subnet next begins now
		if next > end {
			return
		}
		for _, v := range all {
			v.tick()
		}
	}
}

// takeIn does what can be done without time passing.
func (v *virtual) takeIn() {
	for _, p := range v.peers {
		p.serve()
	}
	for v.perform(); len(v.inbox) > 0; v.perform() {
		d := v.inbox[0]
		v.inbox = v.inbox[1:]
		v.actions = v.wire.Arrived(v.now, &d, v.actions)
	}
}

// next returns when something is due other than in the subnet.
func (v *virtual) next() time.Duration {
	due, waiting := v.wire.Deadline()
	if v.manager.ended || !waiting {
		due = terms.Never
	}
	if v.manager.ended {
		return terms.Never
	}
	if v.keeper != nil {
		due = min(due, max(v.now, v.keeper.r.Deadline()))
	}
	return min(due, v.wake, v.planned, v.improved, v.computed, v.storedAt)
}

// tick does all work that is due by now, except in the subnet.
func (v *virtual) tick() {
	if due, waiting := v.wire.Deadline(); waiting && due <= v.now {
		v.actions = v.wire.Tick(v.now, v.actions)
		v.perform()
	}
	if v.planned <= v.now {
		v.planned = terms.Never
		v.step(v.plan)
	}
	if v.improved <= v.now {
		v.improved = terms.Never
		v.step(v.better)
	}
	if v.computed <= v.now {
		v.endCompute()
	}
	if v.storedAt <= v.now {
		v.storedAt = terms.Never
		v.step(v.stored)
	}
	if v.wake <= v.now {
		v.wake = terms.Never
		v.step(&terms.Event{Kind: terms.Tick})
	}
	if v.keeper != nil && v.keeper.r.Deadline() <= v.now {
		v.keeper.perform(v.keeper.r.Tick(v.now))
	}
	if v.keeper != nil {
		v.keeper.later()
	}
}

// endCompute ends what is computed beside the manager.
func (v *virtual) endCompute() {
	v.computed = terms.Never
	v.compute()
	v.step(&terms.Event{Kind: terms.Computed})
}

// endComputing ends it, and all that follows from that, at once.
func (v *virtual) endComputing() {
	for v.computed < terms.Never {
		v.endCompute()
	}
}

// perform does what the requester wants done. What it wants sent is sent before it
// is called again, as its memory demands.
func (v *virtual) perform() {
	for len(v.actions) > 0 {
		actions := v.actions
		v.actions = nil
		var ended []terms.Event
		for i := range actions {
			switch a := &actions[i]; a.Kind {
			case wire.Send:
				var d wire.Datagram
				if d.CopyFrom(&a.Datagram); v.tempers != nil && v.tempers.hears(v, &d) {
					continue
				}
				v.sub.Send(v.id, &d)
			case wire.Complete:
				if v.keeper != nil && v.keeper.takes(&a.Result) {
					continue
				}
				ended = append(ended, terms.AnswerEvent(&a.Result))
			case wire.Deliver:
				if v.deaf || v.keeper != nil && v.keeper.request(&a.Datagram) {
					continue
				}
				ev := terms.Event{Kind: terms.Unasked, Datagram: new(wire.Datagram)}
				ev.Datagram.CopyFrom(&a.Datagram)
				ended = append(ended, ev)
			}
		}
		for i := range ended {
			v.loss.Add(&ended[i])
			v.step(&ended[i])
		}
		if v.keeper != nil {
			v.keeper.later()
		}
	}
}

func (v *virtual) step(ev *terms.Event) {
	if v.onEvent != nil {
		v.onEvent()
	}
	if v.alter != nil {
		v.alter(ev)
	}
	if ev.Kind == terms.Answer {
		v.pending--
	}
	if ev.Kind == terms.Start && *recordTo != "" {
		v.recordToFile()
	}
	if v.recorder != nil {
		v.recorder.Event(v.now, ev)
	}
	actions := v.manager.Step(v.now, ev, nil)
	if v.recorder != nil {
		v.recorder.Actions(actions)
	}
	var next *terms.Event
	for _, a := range actions {
		if v.onAction != nil {
			v.onAction(&a)
		}
		switch a.Kind {
		case terms.Send:
			v.send(&a)
		case terms.End:
			from := len(v.actions)
			v.actions = v.wire.End(v.now, a.Group(), v.actions)
			wire.CopySent(v.actions[from:])
		case terms.Reply:
			v.sub.Send(v.id, a.Datagram)
		case terms.Route:
			v.plan, v.planned = planning.Plan(context.Background(), v.routing, a.Request), v.now+v.planTime
		case terms.Improve:
			if v.improved = terms.Never; a.Request != nil {
				v.better, v.improved = planning.Plan(context.Background(), v.routing, a.Request), v.now+v.besides
			}
		case terms.Compute:
			v.compute, v.computed = a.Do, v.now+v.computes
		case terms.Claim:
			v.sub.SetIsSM(v.id, true)
			next = &terms.Event{Kind: terms.Claimed}
		case terms.Store:
			if v.keeper != nil {
				v.keeper.commit(v.manager.Result().Record)
				continue
			}
			v.stored, v.storedAt = &terms.Event{Kind: terms.Stored, Err: v.store(v.manager.Result().Record)}, v.now+v.storeTime
		case terms.TellRules:
			if v.keeper != nil {
				v.keeper.tellRules(func(error) {})
			}
		case terms.Decided:
			if v.keeper != nil && (a.Drains != nil || (a.Wrote != nil || a.Jobs != nil) && v.manager.Role() == terms.Master) {
				v.keeper.tellRules(func(err error) {
					if err == nil {
						v.keeper.decided(a.Tag)
					}
				})
			}
		case terms.TakeMembers:
			if list, known := v.members(); known {
				next = &terms.Event{Kind: terms.MembersTold, Members: list}
			}
		case terms.Phase:
			if v.onPhase != nil {
				v.onPhase(a.Name)
			}
		case terms.Wake:
			v.wake = a.At
		case terms.Done:
			if !v.manager.ended {
				panic("done, and not ended")
			}
		case terms.Note:
			v.entries = append(v.entries, a.Incident)
		default: // the report has it
		}
	}
	if next != nil {
		v.step(next)
	}
	if v.keeper != nil {
		v.keeper.follow()
	}
}

func (v *virtual) send(a *terms.Action) {
	m, err := mad.Request{Method: a.Method, Attr: a.Attr, Modifier: a.Modifier, Key: a.Key}.Directed(make([]byte, mad.Size), a.Path)
	if err != nil {
		panic(err)
	}
	v.sent[a.Attr]++
	v.pending++
	copy(m.Data(), a.Data)
	q := wire.Request{Addr: wire.Directed(), MAD: m, Tag: a.Tag, Group: a.Group(), Retries: v.loss.Retries(0)}
	if a.Once {
		q.Retries = wire.NoRetries
	}
	from := len(v.actions)
	_, v.actions = v.wire.Request(v.now, &q, v.actions)
	wire.CopySent(v.actions[from:])
}

// verify compares the emulated subnet with the Plan: tables, LIDs, states.
func (v *virtual) verify(t smtest.Fataler) {
	t.Helper()
	g, plan := v.manager.Result().Ledger.Graph, v.manager.Result().Plan()
	at := map[fabric.GUID]int32{}
	for s, guid := range g.SwitchGUID {
		at[guid] = int32(s)
	}
	held := v.sub.Tables()
	for i := range held.Switches {
		s, ok := at[held.Switches[i].GUID]
		if !ok {
			continue
		}
		for lid := fabric.LID(1); lid <= plan.Ends.Top(); lid++ {
			if got, want := held.Switches[i].Port(lid), plan.Tables.Port(s, lid); got != want {
				t.Fatalf("%s sends LID %d to port %d, the Plan to %d", fabric.SwitchName(g, s), lid, got, want)
			}
		}
	}
	v.verifyLanes(t)
	f := v.sub.Fabric()
	for e, guid := range g.EndNodeGUID {
		id, _ := f.NodeByGUID(guid)
		info, err := v.sub.PortInfo(fabric.End{Node: id, Port: g.EndNum[e]})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if lid := mad.PortInfoLID.Get(info); lid != uint64(plan.Ends.Base[e]) {
			t.Fatalf("%s has LID %d", route.EndName(g, int32(e)), lid)
		}
	}
	found := v.manager.Result().Fabric()
	for i := range found.Links {
		for _, e := range []fabric.End{found.Links[i].A, found.Links[i].B} {
			id, _ := f.NodeByGUID(found.Nodes[e.Node].GUID)
			info, err := v.sub.PortInfo(fabric.End{Node: id, Port: e.Port})
			if err != nil || mad.PortInfoPortState.Get(info) != mad.PortActive {
				t.Fatalf("%s is not Active", found.EndName(e))
			}
		}
	}
}

// verifyLanes compares the SL to VL mapping tables of switches with the Plan, where it has several
// lanes.
func (v *virtual) verifyLanes(t smtest.Fataler) {
	t.Helper()
	g, plan := v.manager.Result().Ledger.Graph, v.manager.Result().Plan()
	if plan.VLs <= 1 || plan.SL2VL == nil {
		return
	}
	held := v.sub.Lanes()
	for i := range held.Nodes {
		n := &held.Nodes[i]
		s := slices.Index(g.SwitchGUID, n.GUID)
		if s < 0 {
			continue
		}
		for _, row := range n.Rows {
			if c, _ := g.At(int32(s), row.Out); c < 0 || row.In == row.Out {
				continue
			}
			if c, _ := g.At(int32(s), row.In); c < 0 && row.In > 0 {
				continue
			}
			for sl, vl := range plan.SL2VL.Table(g, int32(s), row.In, row.Out) {
				if held.Pool[row.Table][sl] != vl {
					t.Fatalf("%s maps SL %d from port %d to %d to VL %d, the Plan to %d", fabric.SwitchName(g, int32(s)), sl, row.In, row.Out, held.Pool[row.Table][sl], vl)
				}
			}
		}
	}
}

// TestFaultsAtAnyTime: whatever happens to the fabric during a bring-up, the bring-up ends, and it
// says SUBNET UP only of a subnet that is up.
func TestFaultsAtAnyTime(t *testing.T) {
	ends := map[terms.State]int{}
	draws.Check(t, func(t *rapid.T) {
		f, err := gen.Parse("rlft(8,2)")
		if err != nil {
			t.Fatal(err)
		}
		v, err := newVirtual(f, emulator.Options{}, terms.Config{MaxPending: 16}, smtest.JobOf("updn", 1))
		if err != nil {
			t.Fatal(err)
		}
		faults := rapid.IntRange(1, 3).Draw(t, "faults")
		at := map[int]bool{}
		for range faults {
			at[rapid.IntRange(1, 1200).Draw(t, "at")] = true
		}
		n, late := 0, false // late: after the last look at some switch, perhaps
		v.onEvent = func() {
			if n++; !at[n] {
				return
			}
			late = late || v.manager.current.Phase() == "verify"
			node := fabric.NodeID(rapid.IntRange(1, len(f.Nodes)-1).Draw(t, "node"))
			link := fabric.LinkID(rapid.IntRange(1, len(f.Links)-1).Draw(t, "link"))
			switch rapid.IntRange(0, 4).Draw(t, "fault") {
			case 0:
				err = v.sub.SetLinkDown(link, true)
			case 1:
				err = v.sub.Flap(link, time.Millisecond)
			case 2:
				err = v.sub.Reboot(node, time.Millisecond)
			case 3:
				err = v.sub.SetNodeDown(node, true)
			case 4:
				err = v.sub.SetSilent(node, true)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r := v.run()
		ends[r.State]++
		switch r.State {
		case terms.Up:
			if !late {
				v.verify(t)
			}
		case terms.UpInPart, terms.Failed, terms.NotRouted:
			if len(r.Incidents) == 0 {
				t.Fatalf("%s, and nothing is said", r.State)
			}
		default:
			t.Fatalf("%s: %v", r.State, r.Incidents)
		}
	}, func() string {
		if ends[terms.Up] == 0 || ends[terms.UpInPart] == 0 {
			return fmt.Sprintf("one sided: %v", ends)
		}
		return ""
	})
}

// TestMKey: with a key the subnet is ours. A manager without one takes the keys away, since all can
// read them.
func TestMKey(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	v, err := newVirtual(f, emulator.Options{}, terms.Config{Keys: terms.Keys{One: 0x1234}}, smtest.JobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	if r := v.run(); r.State != terms.Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	again := func(cfg terms.Config, lmc uint8) *terms.Report {
		v.manager, v.routing = NewManager(cfg, terms.Watch{}), smtest.JobOf("updn", lmc)
		return v.run()
	}
	if r := again(terms.Config{Keys: terms.Keys{One: 0x1234}}, 1); r.State != terms.Up {
		t.Errorf("with the key: %s: %v", r.State, r.Incidents)
	}
	v.verify(t)
	if r := again(terms.Config{}, 2); r.State != terms.Up {
		t.Errorf("without the key, which all can read: %s: %v", r.State, r.Incidents)
	}
	if v.verify(t); verifyKeys(t, v, terms.Keys{}) > 0 {
		t.Error("keys are left")
	}
}

// TestEmulated: random fabrics whose links lose 5 % of everything, repeat and reorder, come up
// right. All repetitions of a request for a name may be lost: that is told, and costs nothing else.
func TestEmulated(t *testing.T) {
	retried := 0
	draws.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(1, 1<<32).Draw(t, "seed")
		switches := rapid.IntRange(1, 10).Draw(t, "switches")
		text := fmt.Sprintf("random(switches=%d,hosts=%d,links=%d,seed=%d)", switches,
			rapid.IntRange(1, 3).Draw(t, "hosts"), rapid.IntRange(switches-1, 2*switches).Draw(t, "links"), seed)
		f, err := gen.Parse(text)
		if err != nil {
			t.Skip(err)
		}
		opt := emulator.Options{Seed: seed}
		bad := rapid.Bool().Draw(t, "bad wire")
		if bad {
			opt.Impairment = emulator.Impairment{Loss: 0.05, Duplicate: 0.05, Late: 0.1, LateBy: 50 * time.Millisecond, Delay: time.Microsecond}
		}
		isWrong := func(i terms.Incident) bool {
			return !bad || i.Kind != terms.NoAnswer || !strings.HasSuffix(i.Text, "its name is not known")
		}
		v, err := newVirtual(f, opt, terms.Config{}, smtest.JobOf("updn", uint8(rapid.IntRange(0, fabric.MaxLMC).Draw(t, "lmc"))))
		if err != nil {
			t.Fatal(err)
		}
		r := v.run()
		retried += r.SMPs.Retried
		if r.State != terms.Up || slices.ContainsFunc(r.Incidents, isWrong) {
			t.Fatalf("%s: %s: %v", text, r.State, r.Incidents)
		}
		v.verify(t)
	}, func() string {
		if retried == 0 {
			return "nothing was ever sent again"
		}
		return ""
	})
}

// TestEmulatedFaults: each of the faults of the specification ends in its named
// event, and the rest comes up.
func TestEmulatedFaults(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	spine := f.Peer(fabric.End{Node: smtest.Find(f, fabric.Switch, 0), Port: 8}).Node
	host := smtest.Find(f, fabric.CA, 9)
	for _, c := range []struct {
		name  string
		fault func(s *emulator.Subnet) error
		want  terms.IncidentKind
		at    string // phase at which it happens, "" before all
		lost  int    // nodes that do not come up
	}{
		{"a switch that answers nothing", func(s *emulator.Subnet) error { return s.SetSilent(spine, true) }, terms.NoAnswer, "", 1},
		{"a CA that lies about its port count", func(s *emulator.Subnet) error { return s.SetNumPorts(host, 0) }, terms.BadPortCount, "", 0},
		{"two nodes with one GUID", func(s *emulator.Subnet) error { return s.SetGUID(host, f.Nodes[host+1].GUID) }, terms.DuplicateGUID, "", 1},
		{"two switches with one GUID", func(s *emulator.Subnet) error { return s.SetGUID(spine, f.Nodes[spine+1].GUID) }, terms.DuplicateGUID, "", 1},
		{"a cable into its own switch", func(s *emulator.Subnet) error {
			_, err := s.Connect(fabric.End{Node: spine, Port: 7}, fabric.End{Node: spine, Port: 8}, 4, fabric.QDR)
			return err
		}, terms.OwnCable, "", 0},
		{"a cable pulled after the sweep", func(s *emulator.Subnet) error {
			return s.SetLinkDown(f.Nodes[spine].Ports[3].Link, true)
		}, terms.Changed, "settle", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := newVirtual(f, emulator.Options{}, terms.Config{}, smtest.JobOf("updn", 0))
			if err != nil {
				t.Fatal(err)
			}
			done := false
			v.onPhase = func(name string) {
				if name != c.at || done {
					return
				}
				done = true
				if err := c.fault(v.sub); err != nil {
					t.Error(err)
				}
			}
			if c.at == "" {
				v.onPhase("")
			}
			r := v.run()
			if want := map[bool]terms.State{false: terms.Up, true: terms.UpInPart}[c.lost > 0]; r.State != want || r.Find(c.want) == nil {
				t.Fatalf("%s, want %s: %v", r.State, want, r.Incidents)
			}
			if lost := len(f.Nodes) - r.Found.Switches - r.Found.CAs; lost != c.lost {
				t.Errorf("%d nodes are lost, want %d: %v", lost, c.lost, r.Incidents)
			}
			if c.want != terms.DuplicateGUID {
				v.verify(t)
			}
		})
	}
}
