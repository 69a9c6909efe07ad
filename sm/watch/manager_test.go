package watch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/internal/racing"
	"weft/sm/ledger"
	"weft/sm/recording"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// staying makes a Manager that stays, on an emulated subnet in virtual time, and brings it up.
func staying(t smtest.Fataler, text string, opt emulator.Options, cfg terms.Config) *virtual {
	t.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		t.Fatalf("%v", err)
	}
	v, err := newVirtual(f, opt, cfg, smtest.JobOf("auto", 0))
	if err != nil {
		t.Fatalf("%v", err)
	}
	v.manager = NewManager(cfg, terms.UsualWatch)
	v.planTime = 30 * time.Millisecond
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	return v
}

// told counts the incidents of a kind.
func (v *virtual) told(k terms.IncidentKind) (n int) {
	for _, e := range v.entries {
		if e.Kind == k {
			n++
		}
	}
	return n
}

// lidsOf lists the LIDs of the Plan in force by port GUID.
func (v *virtual) lidsOf() map[fabric.GUID]fabric.LID {
	lids := map[fabric.GUID]fabric.LID{}
	c := v.manager.inForce
	for end, guid := range c.Graph.EndGUID {
		lids[guid] = c.Plan.Ends.Base[end]
	}
	return lids
}

// TestIdle: a subnet that is up costs one SMP a switch and light sweep, one for our own port, and
// one for each 16 switches, which reads a block of a table. Nothing is written.
func TestIdle(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	if s := v.manager.Result().Report.State; s != terms.Up {
		t.Fatal(s)
	}
	switches, before := v.manager.Result().Report.Found.Switches, maps.Clone(v.sent)
	const sweeps = 10
	v.runUntil(v.now + sweeps*terms.UsualWatch.Interval)
	for attr, n := range v.sent {
		n -= before[attr]
		most := map[mad.AttrID]int{mad.AttrSwitchInfo: switches, mad.AttrPortInfo: 1}[attr] * sweeps
		if attr == mad.AttrLinearForwardingTable {
			most = sweeps * switches / auditEvery
		}
		if n > most || n < most*(sweeps-1)/sweeps {
			t.Errorf("%d of %s in %d light sweeps of %d switches", n, ledger.AttrName(attr), sweeps, switches)
		}
	}
	if v.told(terms.RoundBegun) != 1 {
		t.Errorf("%v", v.entries)
	}
	v.step(&terms.Event{Kind: terms.Stop})
	if v.runUntil(terms.Never); !v.manager.ended {
		t.Error("it does not end")
	}
}

// TestLostLink: a cable that is pulled is told by a trap, and repaired within a second: LIDs stay,
// few blocks are written. Traps are answered. The same by light sweeps, where no trap comes
// through.
func TestLostLink(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
		f := v.manager.inForce.Fabric
		link := fabric.LinkID(slices.IndexFunc(f.Links, func(l fabric.Link) bool {
			return f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch
		}))
		lids, blocks, pulled := v.lidsOf(), v.sent[mad.AttrLinearForwardingTable], v.now
		id := v.linkOf(t, f, link)
		v.deaf = deaf
		if err := v.sub.SetLinkDown(id, true); err != nil {
			t.Fatal(err)
		}
		for v.told(terms.RoundEnds) < 2 && v.now < pulled+time.Minute {
			v.runUntil(v.now + time.Millisecond)
		}
		if took, most := v.now-pulled, map[bool]time.Duration{false: 2 * time.Second, true: terms.UsualWatch.Interval + 3*time.Second}[deaf]; took > most {
			t.Errorf("deaf %v: %v", deaf, took)
		}
		r := v.manager.Result().Report
		if r.State != terms.Up || !strings.HasPrefix(r.Routing.Kept, "repaired") || !maps.Equal(lids, v.lidsOf()) {
			t.Errorf("deaf %v: %s, %s: %v", deaf, r.State, r.Routing.Kept, v.entries)
		}
		if r.Written.Blocks == 0 || r.Written.Blocks > 16 {
			t.Errorf("%d blocks are written; %d SMPs of tables", r.Written.Blocks, v.sent[mad.AttrLinearForwardingTable]-blocks)
		}
		if v.told(terms.FabricChanged) != 1 || (v.told(terms.TrapCame) == 0) != deaf {
			t.Errorf("deaf %v: %v", deaf, v.entries)
		}
		v.verify(t)
		v.runUntil(v.now + 3*time.Second) // a trap that was lost on its way comes again
		before := v.sub.Stats().Traps
		v.runUntil(v.now + time.Minute)
		if n := v.sub.Stats().Traps - before; n > 0 && !deaf {
			t.Errorf("deaf %v: %d traps were not repressed", deaf, n)
		}
	}
}

// linkOf is the number that a link of the Fabric of a round has in the emulated subnet.
func (v *virtual) linkOf(t smtest.Fataler, f *fabric.Fabric, link fabric.LinkID) fabric.LinkID {
	t.Helper()
	end := f.Links[link].A
	node, _ := v.sub.Fabric().NodeByGUID(f.Nodes[end.Node].GUID)
	id, err := v.sub.LinkAt(fabric.End{Node: node, Port: end.Port})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return id
}

// TestStaysThroughFaults: after any faults in any order the subnet that is left is up again,
// proven, and no port that stays in it has another LID than before.
func TestStaysThroughFaults(t *testing.T) {
	racing.SkipLong(t)
	rounds, repaired, degraded := 0, 0, 0
	draws.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"rlft(6,2)", "torus(4x4,hosts=1)", "torus(5x3,hosts=1)", "dragonfly(2,2,1)"}).Draw(t, "fabric")
		keys := rapid.SampledFrom([]terms.Keys{{}, smtest.SecretKeys, {One: 5, Protect: 3, Lease: 10}, smtest.HidingKeys}).Draw(t, "keys")
		v := staying(t, text, emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")}, terms.Config{Keys: keys})
		lids := v.lidsOf()
		faults := &faults{v: v, rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 0))}
		for range rapid.IntRange(1, 8).Draw(t, "faults") {
			faults.next(t)
			v.runUntil(v.now + time.Duration(rapid.IntRange(0, 3_000).Draw(t, "ms"))*time.Millisecond)
		}
		if v.isUp(t) { // or our own switch is off
			degraded++
		}
		faults.settle(t)
		if !v.isUp(t) {
			t.Fatalf("%v\n%v", v.manager.Result().Report.Incidents, v.entries)
		}
		if keys.Given() && verifyKeys(t, v, keys) > 0 {
			t.Fatalf("an SMP had a wrong key: %v", v.entries)
		}
		for guid, lid := range v.lidsOf() {
			if had, ok := lids[guid]; ok && had != lid {
				t.Fatalf("port %s has LID %d, and had %d", guid, lid, had)
			}
		}
		rounds += v.told(terms.RoundEnds)
		for _, e := range v.entries {
			if strings.Contains(e.Text, "repaired:") {
				repaired++
			}
		}
	}, func() string {
		if repaired == 0 || rounds == 0 || degraded == 0 {
			return fmt.Sprintf("%d rounds, %d of them repairs; %d times up without all parts", rounds, repaired, degraded)
		}
		return ""
	})
}

// isUp waits, and reports whether the subnet is up then. Where it is, the devices hold the Plan.
func (v *virtual) isUp(t smtest.Fataler) bool {
	t.Helper()
	v.runUntil(v.now + 2*time.Minute)
	switch r := v.manager.Result().Report; {
	case !v.manager.inRound && r.State == terms.Up:
		v.verify(t)
		v.verifyFabric(t)
		return true
	case r.State == terms.Failed || r.State == terms.NotRouted:
	default:
		t.Fatalf("%s: %v\n%v", r.State, r.Incidents, v.entries)
	}
	return false
}

// faults does things to an emulated subnet. Node 0, our own, is left alone, and so is its cable.
type faults struct {
	v   *virtual
	rng *rand.Rand
}

// next does one thing.
func (x *faults) next(t smtest.Fataler) {
	t.Helper()
	sub, f := x.v.sub, x.v.sub.Fabric()
	own := x.v.manager.found().Nodes[0].GUID
	node := fabric.NodeID(x.rng.IntN(len(f.Nodes)))
	link := fabric.LinkID(x.rng.IntN(len(f.Links)))
	if l := f.Links[link]; f.Nodes[node].GUID == own || f.Nodes[l.A.Node].GUID == own || f.Nodes[l.B.Node].GUID == own {
		return
	}
	var err error
	switch pause := time.Duration(1+x.rng.IntN(2000)) * time.Millisecond; x.rng.IntN(5) {
	case 0:
		err = sub.SetLinkDown(link, true)
	case 1:
		err = sub.SetLinkDown(link, false)
	case 2:
		err = sub.Flap(link, pause)
	case 3:
		err = sub.Reboot(node, pause)
	case 4:
		err = sub.SetNodeDown(node, x.rng.IntN(2) == 0)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// settle brings all back that is gone, but for one cable.
func (x *faults) settle(t smtest.Fataler) {
	t.Helper()
	sub, f := x.v.sub, x.v.sub.Fabric()
	for id := range f.Nodes {
		if f.Nodes[id].GUID == x.v.manager.found().Nodes[0].GUID {
			continue
		}
		if err := sub.SetNodeDown(fabric.NodeID(id), false); err != nil {
			t.Fatalf("%v", err)
		}
	}
	for id := range f.Links {
		if err := sub.SetLinkDown(fabric.LinkID(id), false); err != nil {
			t.Fatalf("%v", err)
		}
	}
}

// TestSMInfo: another manager that asks gets to know the master; one that wants to hand something
// over is refused.
func TestSMInfo(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	ask := func(method mad.Method) mad.Datagram {
		b := make([]byte, mad.Size)
		m, err := mad.Request{Method: method, Attr: mad.AttrSMInfo, TID: 7}.Routed(b)
		if err != nil {
			t.Fatal(err)
		}
		d := &wire.Datagram{Addr: wire.Address{DLID: 1, SLID: 9}, MAD: m}
		for _, a := range v.manager.Step(v.now, &terms.Event{Kind: terms.Unasked, Datagram: d}, nil) {
			if a.Kind == terms.Reply {
				if a.Datagram.Addr.DLID != 9 {
					t.Errorf("to LID %d", a.Datagram.Addr.DLID)
				}
				return a.Datagram.MAD
			}
		}
		t.Fatal("no answer")
		return nil
	}
	info := ask(mad.Get)
	own := v.manager.inForce
	if info.Status() != 0 || mad.SMInfoSMState.Get(info.Data()) != mad.SMStateMaster || mad.SMInfoGUID.Get(info.Data()) != uint64(own.GUID[own.OwnPort()]) {
		t.Errorf("%v: state %d", info.Status(), mad.SMInfoSMState.Get(info.Data()))
	}
	if ask(mad.Set).Status() == 0 {
		t.Error("a handover was taken")
	}
}

// TestFloodOfTraps: any number of traps from anywhere, whole or not, take no memory and begin no
// more rounds than the longest quiet time allows.
func TestFloodOfTraps(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	rng := rand.New(rand.NewPCG(1, 1))
	end := v.now + 20*time.Second
	for v.now < end {
		for range 50 {
			b := make([]byte, mad.Size)
			m, err := mad.Request{Method: mad.Trap, Attr: mad.AttrNotice, TID: rng.Uint64()}.Routed(b)
			if err != nil {
				t.Fatal(err)
			}
			for i := range m.Data() {
				m.Data()[i] = byte(rng.Uint32())
			}
			if rng.IntN(2) == 0 {
				mad.NoticeIsGeneric.Put(m.Data(), 1)
				mad.NoticeTrapNumber.Put(m.Data(), mad.TrapLinkState)
			}
			d := &wire.Datagram{Addr: wire.Address{DLID: 1, SLID: uint16(rng.Uint32())}, MAD: m[:mad.Size-rng.IntN(2)*rng.IntN(mad.Size)]}
			v.step(&terms.Event{Kind: terms.Unasked, Datagram: d})
		}
		v.runUntil(v.now + 50*time.Millisecond)
	}
	if n, most := v.told(terms.RoundBegun), int(20*time.Second/terms.UsualWatch.MostQuiet)+8; n > most || n < 5 {
		t.Errorf("%d rounds, at most %d are allowed", n, most)
	}
	if n := v.told(terms.TrapCame); n > mostTraps*v.told(terms.RoundBegun) || v.told(terms.TrapsUntold) == 0 {
		t.Errorf("%d traps are told", n)
	}
	v.runUntil(v.now + time.Minute)
	if s := v.manager.Result().Report.State; s != terms.Up {
		t.Error(s)
	}
}

// TestRebalance: parts that came back after a repair are used again when nothing has changed for a
// while. The Plan is then that of the whole subnet.
func TestRebalance(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	whole := v.manager.inForce
	spine := v.manager.inForce.Fabric.Peer(fabric.End{Node: smtest.Find(whole.Fabric, fabric.Switch, 0), Port: 8}).Node
	node, _ := v.sub.Fabric().NodeByGUID(whole.Fabric.Nodes[spine].GUID)
	if err := v.sub.Reboot(node, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	same := func() bool {
		c := v.manager.inForce
		for s := range int32(whole.Graph.NumSwitches) {
			for b := range whole.Plan.Tables.NumBlocks() {
				if c.Graph.NumSwitches != whole.Graph.NumSwitches || *c.Plan.Tables.Block(s, b) != *whole.Plan.Tables.Block(s, b) {
					return false
				}
			}
		}
		return true
	}
	v.runUntil(v.now + 3*time.Second)
	if n := v.manager.inForce.Graph.NumSwitches; n != whole.Graph.NumSwitches-1 {
		t.Fatalf("%d switches: %v", n, v.entries)
	}
	v.runUntil(v.now + 10*time.Second)
	if v.manager.inForce.Graph.NumSwitches != whole.Graph.NumSwitches || same() {
		t.Fatalf("a repair leaves paths where they are: %v", v.entries)
	}
	v.runUntil(v.now + terms.UsualWatch.Rebalance)
	if !same() {
		t.Errorf("not as before: %v", v.entries)
	}
	v.verify(t)
	before := v.told(terms.RoundBegun)
	if v.runUntil(v.now + 10*terms.UsualWatch.Rebalance); v.told(terms.RoundBegun) > before {
		t.Errorf("it is routed afresh again and again: %v", v.entries)
	}
}

// TestExplain: every kind of incident is explained.
func TestExplain(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../terms/report.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "IncidentKind" {
			kinds++
			if text, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value); recording.Explain[terms.IncidentKind(text)] == "" {
				t.Errorf("%s is not explained", text)
			}
		}
		return true
	})
	if kinds != len(recording.Explain) || kinds == 0 {
		t.Errorf("%d kinds, %d explained", kinds, len(recording.Explain))
	}
}

// TestSilentSwitch: a switch that answers nothing any more, while its links stay up, is found by
// the next light sweep and left out. It is looked for less and less often, and taken in when it
// answers.
func TestSilentSwitch(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	f := v.manager.inForce.Fabric
	spine := f.Nodes[f.Peer(fabric.End{Node: smtest.Find(f, fabric.Switch, 0), Port: 8}).Node].GUID
	node, _ := v.sub.Fabric().NodeByGUID(spine)
	if err := v.sub.SetSilent(node, true); err != nil {
		t.Fatal(err)
	}
	ports := v.sent[mad.AttrPortInfo]
	v.runUntil(v.now + terms.UsualWatch.Interval + 5*time.Second)
	if n := v.sent[mad.AttrPortInfo] - ports; n > 25 {
		t.Errorf("%d SMPs of PortInfo: those of a silent switch are not asked for", n)
	}
	if v.told(terms.SweepFound) == 0 || v.manager.Result().Report.State != terms.UpInPart || v.manager.inForce.Graph.NumSwitches != 11 {
		t.Fatalf("%s: %v", v.manager.Result().Report.State, v.entries)
	}
	const hours = 4
	before := v.told(terms.RoundBegun)
	v.runUntil(v.now + hours*time.Hour)
	if n, most := v.told(terms.RoundBegun)-before, int(hours*time.Hour/terms.UsualWatch.MostRetry)+8; n > most || n < most/2 {
		t.Errorf("%d rounds in %d hours, %d are expected", n, hours, most)
	}
	if err := v.sub.SetSilent(node, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + terms.UsualWatch.MostRetry + time.Minute)
	if v.manager.Result().Report.State != terms.Up {
		t.Errorf("%s: %v", v.manager.Result().Report.State, v.manager.Result().Report.Incidents)
	}
	v.verify(t)
}

// TestMasterNoMore: a standby looks at the subnet again when the manager that it polls says that it
// is the master no more.
func TestMasterNoMore(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1, 0)
	all[0].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+time.Second, all...)
	all[1].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+time.Second, all...)
	m, now := all[1].manager, all[1].now
	if m.state() != mad.SMStateStandby || m.election.master == nil {
		t.Fatal(journals(all))
	}
	m.poll()
	ev := &terms.Event{Kind: terms.Answer, Tag: terms.ElectionTag << 56}
	mad.SMInfoGUID.Put(ev.Data[:], uint64(all[0].manager.guid))
	mad.SMInfoSMState.Put(ev.Data[:], mad.SMStateMaster)
	if m.Step(now, ev, nil); m.inRound {
		t.Error("a round begins though the master is the master")
	}
	m.poll()
	mad.SMInfoSMState.Put(ev.Data[:], mad.SMStateStandby)
	if m.Step(now, ev, nil); !m.inRound {
		t.Error("no round begins though the master is none")
	}
}
