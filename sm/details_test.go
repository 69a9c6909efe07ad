package sm

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/route"
	"weft/wire"
	"weft/wire/mad"
)

// TestBelievedInventory: a round that asks only what may have changed knows the same of all nodes and ports as one that asks everything. A
// description that did not come is asked for again.
func TestBelievedInventory(t *testing.T) {
	f := formula(t, "rlft(8,2)")
	for i := range f.Links {
		f.Links[i].Speed = fabric.FDR10
	}
	for i := range f.Nodes {
		f.Nodes[i].VendorID, f.Nodes[i].DeviceID = 0x2c9, map[fabric.NodeType]uint32{fabric.CA: 4099, fabric.Switch: 51000}[f.Nodes[i].Type]
	}
	v, err := newVirtual(f, emulator.Options{}, Config{}, jobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	nameless := 0
	v.alter = func(ev *Event) {
		if k, index, _ := splitTag(ev.Tag); ev.Kind == Answer && k == getDescription && index == 3 && nameless == 0 {
			nameless++
			ev.Outcome = Silent
		}
	}
	v.manager = NewManager(Config{}, UsualWatch)
	v.step(&Event{Kind: Start})
	v.runUntil(v.now + time.Second)
	_, id := v.switchLink(t, 7)
	asked := v.sent[mad.AttrNodeDescription]
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + time.Second)
	if n := v.sent[mad.AttrNodeDescription] - asked; nameless != 1 || n == 0 || n > 5 {
		t.Errorf("%d descriptions are asked for", n)
	}
	believed := v.manager.core
	v.step(&Event{Kind: Resweep})
	v.runUntil(v.now + time.Second)
	all := v.manager.core
	if all == believed || all.beliefs.on || !believed.beliefs.on {
		t.Fatal("other rounds were wanted")
	}
	for i := range all.nodes {
		n := &all.nodes[i]
		old := &believed.nodes[believed.byGUID[n.guid]]
		if n.identity != old.identity || n.ports != old.ports || n.pkeys != old.pkeys || n.desc != old.desc || n.desc == "" {
			t.Errorf("%+v\nwas believed to be %+v", n, old)
		}
		for slot := range all.portsOf(int32(i)) {
			before, _ := believed.slotOf(n.guid, all.portNumber(slot))
			if (all.flags[slot]^believed.flags[before])&(portKnown|portFDR10) != 0 || all.info[slot] != believed.info[before] || all.guid[slot] != believed.guid[before] {
				t.Errorf("%s: flags %x and %x", all.portName(slot), all.flags[slot], believed.flags[before])
			}
		}
	}
	if !slices.ContainsFunc(all.flags, func(f portFlags) bool { return f&portFDR10 != 0 }) {
		t.Error("no port runs at FDR10")
	}
}

// TestOwnPortIsAsked: what another manager may have written to our own port is read in every round, also where that is port 0 of a switch.
func TestOwnPortIsAsked(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVirtualAt(sub, fabric.End{Node: find(f, fabric.Switch, 1)}, Config{}, jobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(Config{}, UsualWatch)
	v.step(&Event{Kind: Start})
	v.runUntil(v.now + time.Second)
	own := 0
	v.onAction = func(a *Action) {
		if k, slot, _ := splitTag(a.Tag); a.Kind == Send && k == getPort && slot == v.manager.found().ownPort() {
			own++
		}
	}
	_, id := v.switchLink(t, 5)
	if err := sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + time.Second)
	if own != v.told(RoundBegun)-1 || own == 0 {
		t.Errorf("our own port is asked %d times in %d rounds", own, v.told(RoundBegun)-1)
	}
	c := v.manager.core
	if !c.beliefs.on || !c.beliefs.doubted[c.nodes[0].guid] || c.beliefs.doubted[c.nodes[c.owner[c.peer[c.nodes[0].first+1]]].guid] {
		t.Errorf("doubted: %v", c.beliefs.doubted)
	}
}

// TestUnknownRates: a cable of which width or speed is not known is as expected.
func TestUnknownRates(t *testing.T) {
	expected, found := formula(t, "rlft(4,2)"), formula(t, "rlft(4,2)")
	expected.Links[0].Width, expected.Links[1].Speed, found.Links[2].Width, found.Links[3].Speed = 0, 0, 0, 0
	if list := deviations(expected, found); len(list) > 0 {
		t.Error(list)
	}
	expected.Links[4].Width = 1
	if list := deviations(expected, found); len(list) != 1 {
		t.Error(list)
	}
}

// trapFrom makes a trap that comes from a LID.
func trapFrom(t *testing.T, number uint64, lid fabric.LID) *Event {
	t.Helper()
	m, err := mad.Request{Method: mad.Trap, Attr: mad.AttrNotice, TID: 7}.Routed(make([]byte, mad.Size))
	if err != nil {
		t.Fatal(err)
	}
	mad.NoticeIsGeneric.Put(m.Data(), 1)
	mad.NoticeTrapNumber.Put(m.Data(), number)
	return &Event{Kind: Unasked, Datagram: &wire.Datagram{Addr: wire.Address{DLID: 1, SLID: uint16(lid)}, MAD: m}}
}

// TestSilentAtTheEnd: a manager that ends answers nothing any more.
func TestSilentAtTheEnd(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, Config{})
	v.step(&Event{Kind: Resweep})
	if !v.manager.inRound {
		t.Fatal("no round")
	}
	v.step(&Event{Kind: Stop})
	v.onAction = func(a *Action) {
		if a.Kind == Reply {
			t.Error("it answers")
		}
	}
	v.step(trapFrom(t, mad.TrapLinkState, 3))
	if v.manager.tally.Dropped.Unheeded != 1 {
		t.Errorf("%+v", v.manager.tally.Dropped)
	}
}

// TestSweepInTurn: a light sweep has no more SMPs under way than it may, and blocks that were written more than once are read by the next one only.
func TestSweepInTurn(t *testing.T) {
	v, err := newVirtual(formula(t, "rlft(8,2)"), emulator.Options{}, Config{}, jobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(Config{MaxPending: 4}, UsualWatch)
	v.step(&Event{Kind: Start})
	v.runUntil(v.now + time.Second)
	most := 0
	v.onEvent = func() { most = max(most, v.manager.sweep.outstanding) }
	sw := slices.IndexFunc(v.manager.inForce.nodes, func(n node) bool { return n.hasSwitch })
	v.manager.inForce.rewritten = []uint64{makeTag(setLFT, int32(sw), 0)}
	read := v.sent[mad.AttrLinearForwardingTable]
	v.runUntil(v.now + 5*UsualWatch.Interval)
	if most != 4 || v.manager.tally.LightSweeps < 4 {
		t.Errorf("%d under way, %d sweeps", most, v.manager.tally.LightSweeps)
	}
	if n := v.sent[mad.AttrLinearForwardingTable] - read; n != 1 {
		t.Errorf("the block is read %d times", n)
	}
	l := v.manager.inForce
	l.addRewritten(&ledger{inventory: l.inventory, rewritten: []uint64{makeTag(setLFT, int32(sw), 0), makeTag(setLFT, int32(sw), l.tableBlocks())}})
	if len(l.rewritten) != 1 {
		t.Errorf("%v: a block is above the table", l.rewritten)
	}
}

// TestChangedMeanwhile: where something has changed while the subnet was brought up the next round begins at once, and not when one that
// failed is tried again. All its sweeps are counted.
func TestChangedMeanwhile(t *testing.T) {
	for _, phase := range []string{"verify", "settle"} {
		v, err := newVirtual(formula(t, "rlft(8,2)"), emulator.Options{}, Config{}, jobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		v.manager, v.deaf = NewManager(Config{}, UsualWatch), true
		v.onPhase = func(name string) {
			if name != phase {
				return
			}
			v.onPhase = nil
			if err := v.sub.SetLinkDown(40, true); err != nil {
				t.Error(err)
			}
		}
		sweeps := 0
		v.onAction = func(a *Action) {
			if a.Kind == RoundEnded {
				sweeps += v.manager.Result().Report.Sweeps
			}
		}
		v.step(&Event{Kind: Start})
		v.runUntil(v.now + 2*time.Second)
		if r := v.manager.Result().Report; r.State != Up || v.manager.inRound || r.Found.Links != 63 {
			t.Errorf("%s: %s: %v", phase, r.State, v.entries)
		}
		if n := v.manager.tally.HeavySweeps; n != sweeps || n < 2 {
			t.Errorf("%s: %d heavy sweeps are counted, %d were made", phase, n, sweeps)
		}
	}
}

// TestReturnedOnce: that a node is there again is told once.
func TestReturnedOnce(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, Config{})
	host := find(v.sub.Fabric(), fabric.CA, 5)
	if err := v.sub.Reboot(host, 2*time.Second); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 5*time.Second)
	for range 3 {
		v.step(&Event{Kind: Resweep})
		v.runUntil(v.now + time.Second)
	}
	if v.told(NodeReturned) != 1 || len(v.manager.missing) > 0 {
		t.Errorf("%d times: %v", v.told(NodeReturned), v.entries)
	}
}

// TestDisable: another manager may switch off one that stands by, and not the master.
func TestDisable(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1, 0)
	for _, v := range all {
		v.step(&Event{Kind: Start})
		runTogether(v.now+2*time.Second, all...)
	}
	master, standby := all[0], all[1]
	if s := standby.manager.Snapshot(standby.now); s.Role != StandBy || s.Other == "" || s.Other != standby.manager.election.master.name {
		t.Fatalf("%+v", s)
	}
	for _, v := range all {
		m, err := mad.Request{Method: mad.Set, Attr: mad.AttrSMInfo, Modifier: mad.SMSetDisable, TID: 7}.Routed(make([]byte, mad.Size))
		if err != nil {
			t.Fatal(err)
		}
		refused := false
		v.onAction = func(a *Action) { refused = refused || a.Kind == Reply && a.Datagram.MAD.Status() != 0 }
		v.step(&Event{Kind: Unasked, Datagram: &wire.Datagram{Addr: wire.Address{DLID: 1, SLID: 9}, MAD: m}})
		if v.onAction = nil; refused != (v == master) {
			t.Errorf("refused: %v, of the master: %v", refused, v == master)
		}
	}
	if master.manager.state() != mad.SMStateMaster || standby.manager.state() != mad.SMStateNotActive {
		t.Errorf("states %d and %d", master.manager.state(), standby.manager.state())
	}
}

// TestRemindWhom: a port without a LID, or that knows no master, reminds nobody.
func TestRemindWhom(t *testing.T) {
	for _, c := range []struct {
		lid, master uint64
		want        int
	}{{0, 0, 0}, {3, 0, 0}, {0, 4, 0}, {3, 4, 1}} {
		m := NewManager(Config{}, UsualWatch)
		info := make([]byte, 64)
		mad.PortInfoLID.Put(info, c.lid)
		mad.PortInfoMasterSMLID.Put(info, c.master)
		if m.remind(info); len(m.out) != c.want {
			t.Errorf("LID %d, master %d: %d datagrams", c.lid, c.master, len(m.out))
		}
	}
}

// TestReleaseByName: a link in quarantine is used again when it is told so by the name of one of its ports. A trap of other changes from
// its switch begins a round meanwhile, one of a link does not.
func TestReleaseByName(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, Config{})
	link, id := v.switchLink(t, 3)
	name, sw := v.manager.inForce.fabric.EndName(link.A), v.manager.inForce.fabric.Nodes[link.A.Node].GUID
	v.flapFor(t, id, 30*time.Second, 5*time.Minute)
	if v.told(Quarantined) != 1 || !v.manager.unsteady.watches(sw) {
		t.Fatal(v.entries)
	}
	lid := v.manager.inForce.plan.Ends.Base[slices.Index(v.manager.inForce.graph.EndNodeGUID, sw)]
	v.runUntil(v.now + 10*time.Second)
	for number, want := range map[uint64]int{mad.TrapLinkState: 0, mad.TrapLocalChanges: 1} {
		rounds := v.told(RoundBegun)
		v.step(trapFrom(t, number, lid))
		if v.runUntil(v.now + UsualWatch.MostQuiet + time.Second); v.told(RoundBegun)-rounds != want {
			t.Errorf("trap %d: %d rounds begin", number, v.told(RoundBegun)-rounds)
		}
	}
	if d := v.order(UndrainPart, name); d.Err != nil || v.told(Released) != 1 {
		t.Fatalf("%v: %v", d.Err, v.entries[len(v.entries)-5:])
	}
	v.runUntil(v.now + 5*time.Second)
	if len(v.manager.inForce.fabric.Links) != 64 {
		t.Errorf("%d links", len(v.manager.inForce.fabric.Links))
	}
	v.verify(t)
	if d := v.order(UndrainPart, name); d.Err == nil {
		t.Error("it is released twice")
	}
}

// TestNoSuchPort: a node has the ports that it says, and no more.
func TestNoSuchPort(t *testing.T) {
	c := staying(t, "rlft(4,2)", emulator.Options{}, Config{}).manager.inForce
	for i := range c.nodes {
		n := &c.nodes[i]
		if slot, ok := c.slotOf(n.guid, n.ports); !ok || c.owner[slot] != int32(i) {
			t.Errorf("%s has no port %d", c.nodeName(int32(i)), n.ports)
		}
		if _, ok := c.slotOf(n.guid, n.ports+1); ok {
			t.Errorf("%s has a port %d", c.nodeName(int32(i)), n.ports+1)
		}
	}
}

// TestRebalanceWaits: a round that comes before all is routed afresh puts that off.
func TestRebalanceWaits(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, Config{})
	_, id := v.switchLink(t, 2)
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 20*time.Second)
	due := v.manager.afresh
	if due == never {
		t.Fatal("nothing was repaired")
	}
	v.step(&Event{Kind: Resweep})
	v.runUntil(v.now + time.Second)
	if v.manager.core.moved > 0 || v.manager.afresh < due+15*time.Second || v.manager.afresh == never {
		t.Errorf("due at %v, then at %v", due, v.manager.afresh)
	}
}

// TestHighTurns: a table with turns at high priority is written, also where its low one has one entry only.
func TestHighTurns(t *testing.T) {
	w := newWorld(formula(t, "torus(5x5,hosts=1)"), Config{}, "dor")
	w.alter = func(p *route.Plan) {
		for i := range p.Arbitration.Pool {
			p.Arbitration.Pool[i].High, p.Arbitration.Pool[i].Low = p.Arbitration.Pool[i].Low, p.Arbitration.Pool[i].Low[:1]
		}
	}
	r := w.run()
	if i := slices.IndexFunc(r.SMPs.By, func(n Count) bool { return n.Attribute == "VLArbitrationTable" && n.Method == "Set" }); i < 0 || r.State != Up {
		t.Errorf("%s: %v", r.State, r.SMPs.By)
	}
}

// TestPollsSooner: a standby that is told a shorter interval polls the master by that at once.
func TestPollsSooner(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1, 0)
	for _, v := range all {
		v.manager.watch.Interval = time.Hour
		v.step(&Event{Kind: Start})
		runTogether(v.now+2*time.Second, all...)
	}
	v := all[1]
	polls := v.sent[mad.AttrSMInfo]
	v.step(&Event{Kind: Reconfigure, Settings: &Settings{Config: v.manager.cfg, Watch: UsualWatch}})
	runTogether(v.now+UsualWatch.Interval+time.Second, all...)
	if v.manager.state() != mad.SMStateStandby || v.sent[mad.AttrSMInfo] == polls {
		t.Errorf("state %d, %d polls", v.manager.state(), v.sent[mad.AttrSMInfo]-polls)
	}
}

// TestCameBackHost: a host whose link was down is asked for its P_Keys again, and no other is; where the link comes back during a round, all at that
// switch are, since any of them may have restarted.
func TestCameBackHost(t *testing.T) {
	for down, want := range map[time.Duration]int{5 * time.Millisecond: 5, 300 * time.Millisecond: 1} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, Config{})
		f := v.manager.inForce.fabric
		before := v.sent[mad.AttrPKeyTable]
		if err := v.sub.Flap(v.linkOf(t, f, f.Nodes[find(f, fabric.CA, 9)].Ports[1].Link), down); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 2*time.Second)
		if n := v.sent[mad.AttrPKeyTable] - before; n != want || v.told(RoundBegun) < 2 {
			t.Errorf("down for %v: %d P_Key tables are read in %d rounds, want %d", down, n, v.told(RoundBegun)-1, want)
		}
	}
}

// TestNoWayThroughHosts: a host with a port at each of two switches does not join them.
func TestNoWayThroughHosts(t *testing.T) {
	f := fabric.New("two switches")
	var id [5]fabric.NodeID
	for i, n := range []struct {
		typ   fabric.NodeType
		ports int
	}{{fabric.CA, 1}, {fabric.Switch, 4}, {fabric.Switch, 4}, {fabric.CA, 2}, {fabric.CA, 1}} {
		var err error
		if id[i], err = f.AddNode(n.typ, fabric.GUID(0x100*(i+1)), n.ports, string(rune('a'+i))); err != nil {
			t.Fatal(err)
		}
	}
	var between fabric.LinkID
	for _, c := range [][4]int{{0, 1, 1, 1}, {3, 1, 1, 2}, {3, 2, 2, 2}, {4, 1, 2, 1}, {1, 3, 2, 3}} {
		link, err := f.Connect(fabric.End{Node: id[c[0]], Port: uint8(c[1])}, fabric.End{Node: id[c[2]], Port: uint8(c[3])}, 4, fabric.EDR)
		if err != nil {
			t.Fatal(err)
		}
		between = link
	}
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVirtualAt(sub, fabric.End{Node: id[0], Port: 1}, Config{}, jobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(Config{}, UsualWatch)
	v.step(&Event{Kind: Start})
	v.runUntil(v.now + time.Second)
	v.flapFor(t, between, 20*time.Second, 5*time.Minute)
	if v.told(OnlyWay) == 0 || v.told(Quarantined) > 0 {
		t.Errorf("%v", v.entries)
	}
}

// TestLooksEnd: a round ends the reading of ports that is under way, and what else was to be read.
func TestLooksEnd(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, Config{})
	m := v.manager
	ids := []int32{}
	for i := range m.inForce.nodes {
		if m.inForce.nodes[i].hasSwitch {
			ids = append(ids, int32(i))
		}
	}
	m.wantLook(v.now, ids[0], true)
	m.beginLook(v.now + time.Second)
	m.wantLook(v.now, ids[1], true)
	if !m.looks.under || len(m.looks.wanted) != 1 || !m.doubted[m.inForce.nodes[ids[0]].guid] {
		t.Fatalf("%+v", m.looks)
	}
	number := m.looks.number
	m.beginRound("a test", askAll)
	if m.looks.under || len(m.looks.wanted) > 0 || m.looks.number == number {
		t.Errorf("%+v", m.looks)
	}
}

// TestWakesInTime: what is due some time from now is due then, however long the manager has been running.
func TestWakesInTime(t *testing.T) {
	sub, err := emulator.New(formula(t, "rlft(4,2)"), emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := runner("updn")
	var hours atomic.Int64
	clock := r.Clock
	l, at := inRealTime(t, sub, clock)
	defer l.Close()
	r.Clock = func() time.Duration { return clock() + time.Duration(hours.Load())*time.Hour }
	r.Watch = UsualWatch
	r.Watch.Interval = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	r.Round = func(*Result) { hours.Store(3) }
	r.Show = func(s *Snapshot) {
		if s.Tally.LightSweeps > 3 {
			cancel()
		}
	}
	if _, err := r.Run(ctx, at); err != nil {
		t.Error(err)
	}
}

// TestRestartedIsDoubted: of a switch that has another LinearFDBTop than it was told nothing is believed,
// and its tables are not taken to be those of the round before.
func TestRestartedIsDoubted(t *testing.T) {
	before := staying(t, "rlft(4,2)", emulator.Options{}, Config{}).manager.inForce
	for name, c := range map[string]struct {
		top  uint64
		want bool
	}{"as it was": {uint64(before.prog.top), false}, "empty": {0, true}, "another": {uint64(before.prog.top) + 1, true}} {
		now := roundOf(Config{})
		now.inventory, now.given.Before, now.beliefs = before.inventory, before, beliefs{on: true, doubted: map[fabric.GUID]bool{}}
		now.nodes = slices.Clone(before.nodes)
		id := int32(slices.IndexFunc(now.nodes, func(n node) bool { return n.hasSwitch }))
		mad.SwitchInfoLinearFDBTop.Put(now.nodes[id].sw[:], c.top)
		if now.doubtRestarted(id); now.beliefs.doubted[now.nodes[id].guid] != c.want {
			t.Errorf("%s: doubted: %v", name, !c.want)
		}
		if _, ok := now.switchBefore(now.given.Before, id); ok == c.want {
			t.Errorf("%s: it is taken for the switch of the round before: %v", name, ok)
		}
	}
}

// TestHandsOverWhole: a master that hands the subnet over routes nothing afresh any more, and forgets which links were not steady.
func TestHandsOverWhole(t *testing.T) {
	_, all := managers(t, "rlft(6,2)", emulator.Options{}, 1, 2)
	first, second := all[0], all[1]
	first.step(&Event{Kind: Start})
	first.runUntil(2 * time.Second)
	_, id := first.switchLink(t, 4)
	first.flapFor(t, id, 4*time.Second, 12*time.Second)
	if first.manager.afresh == never || len(first.manager.unsteady.links) == 0 {
		t.Fatalf("%v, %d unsteady links: %v", first.manager.afresh, len(first.manager.unsteady.links), first.entries)
	}
	second.now = first.now
	second.step(&Event{Kind: Start})
	runTogether(first.now+5*time.Second, all...)
	if m := first.manager; m.state() != mad.SMStateStandby || m.afresh != never || len(m.unsteady.links) > 0 || m.wanted.why != "" {
		t.Errorf("state %d, routed afresh at %v, %d unsteady links", m.state(), m.afresh, len(m.unsteady.links))
	}
	rounds := first.told(RoundBegun)
	if runTogether(first.now+10*time.Minute, all...); first.told(RoundBegun) > rounds {
		t.Error("a round begins beside the master")
	}
}

// TestPace: rounds shortly after each other are waited for longer and longer, one that comes much later is not.
func TestPace(t *testing.T) {
	var p pace
	w := UsualWatch
	if got := p.quiet(0, &w); got != 0 {
		t.Errorf("the first round waits %v", got)
	}
	for k, want := range []time.Duration{w.Quiet, 2 * w.Quiet, 4 * w.Quiet} {
		if p.add(time.Second * time.Duration(1+k)); p.quiet(p.last+time.Second, &w) != want {
			t.Errorf("round %d: %v, want %v", k, p.quiet(p.last+time.Second, &w), want)
		}
	}
	for range 30 {
		p.add(p.last + time.Second)
	}
	if got := p.quiet(p.last+paceForgets-1, &w); got != w.MostQuiet {
		t.Errorf("after many: %v", got)
	}
	if got := p.quiet(p.last+paceForgets, &w); got != 0 {
		t.Errorf("after calm: %v", got)
	}
	if p.add(p.last + time.Hour); p.quiet(p.last+time.Second, &w) != w.Quiet {
		t.Errorf("after the first one after calm: %v", p.quiet(p.last+time.Second, &w))
	}
}

// TestReachedIsDoubted: nothing is believed of a node that a round reaches first by asking, and all of others.
func TestReachedIsDoubted(t *testing.T) {
	c := roundOf(Config{})
	c.byGUID, c.beliefs.doubted = map[fabric.GUID]int32{5: 0}, map[fabric.GUID]bool{}
	for _, guid := range []uint64{5, 6, 7} {
		ev := &Event{Kind: Answer, Tag: makeTag(getNode, 3, 0)}
		mad.NodeInfoNodeGUID.Put(ev.Data[:], guid)
		if guid == 7 {
			ev.Outcome = Silent
		}
		c.doubtReached(ev)
	}
	if !c.beliefs.doubted[6] || len(c.beliefs.doubted) != 1 {
		t.Errorf("%v", c.beliefs.doubted)
	}
}

// TestOtherPortCount: the links of a switch that says that it has another number of ports are not compared with those before.
func TestOtherPortCount(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, Config{})
	m := v.manager
	link, _ := v.switchLink(t, 9)
	for name, ports := range map[string]uint8{"as before": 8, "another": 2} {
		before := *m.inForce
		before.nodes = slices.Clone(m.inForce.nodes)
		sw := before.byGUID[before.fabric.Nodes[link.A.Node].GUID]
		before.nodes[sw].ports = ports
		now := *m.inForce
		now.flags = slices.Clone(now.flags)
		for slot := range now.flags {
			now.flags[slot] &^= portCame
		}
		now.flags[now.nodes[sw].first+int32(link.A.Port)] |= portCame
		w := NewManager(Config{}, UsualWatch)
		w.result.Ledger, w.inForce = &now, &before
		if w.watchLinks(time.Second); (len(w.unsteady.links) == 1) != (ports == 8) {
			t.Errorf("%s: %d links came back", name, len(w.unsteady.links))
		}
	}
}

// TestInitIsNotBelieved: a port that was not Active in the round before is asked again, one without a link is not.
func TestInitIsNotBelieved(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, Config{})
	link, _ := v.switchLink(t, 2)
	for state, want := range map[uint64]bool{mad.PortActive: true, mad.PortInit: false, mad.PortArmed: false, mad.PortDown: true} {
		before := *v.manager.inForce
		before.info = slices.Clone(before.info)
		slot, _ := before.slotOf(before.fabric.Nodes[link.A.Node].GUID, link.A.Port)
		mad.PortInfoPortState.Put(before.info[slot][:], state)
		now := roundOf(Config{})
		now.inventory, now.given.Before, now.beliefs = before.inventory, &before, beliefs{on: true, doubted: map[fabric.GUID]bool{}}
		if _, ok := now.portBefore(slot); ok != want {
			t.Errorf("state %d: believed: %v", state, ok)
		}
	}
}

// TestApartIsNotMissing: a host behind a link in quarantine is not counted as missing.
func TestApartIsNotMissing(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, Config{})
	f := v.manager.inForce.fabric
	v.flapFor(t, v.linkOf(t, f, f.Nodes[find(f, fabric.CA, 9)].Ports[1].Link), 20*time.Second, 5*time.Minute)
	v.step(&Event{Kind: Resweep})
	v.runUntil(v.now + time.Second)
	if v.told(Quarantined) != 1 || len(v.manager.missing) > 0 {
		t.Errorf("%d are missing: %v", len(v.manager.missing), v.entries)
	}
}

// TestForgetStored: the LIDs of a node are forgotten under its GUID and under those of its ports.
func TestForgetStored(t *testing.T) {
	stored := LIDMap{1: {Base: 1}, 2: {Base: 2}, 3: {Base: 3}}
	m := NewManager(Config{Stored: stored}, UsualWatch)
	m.forgetStored(1, &missingNode{ports: []fabric.GUID{2}})
	if _, kept := m.next.Stored[3]; len(m.next.Stored) != 1 || !kept || len(stored) != 3 {
		t.Errorf("%v of %v", m.next.Stored, stored)
	}
}

// TestDownInBoth: a node that is down where it is expected to be down is no deviation.
func TestDownInBoth(t *testing.T) {
	expected, found := formula(t, "rlft(4,2)"), formula(t, "rlft(4,2)")
	expected.Nodes[2].Down, found.Nodes[2].Down = true, true
	if list := deviations(expected, found); len(list) > 0 {
		t.Error(list)
	}
	expected.Nodes[2].Down = false
	if list := deviations(expected, found); len(list) != 1 {
		t.Error(list)
	}
}

// TestManyDeviations: no more deviations are told one by one than are read.
func TestManyDeviations(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, Config{})
	m := v.manager
	for _, c := range []struct {
		expected *fabric.Fabric
		kind     IncidentKind
	}{{formula(t, "rlft(8,3)"), Deviation}, {m.inForce.fabric, AsExpected}} {
		m.cfg.Expected, m.out = c.expected, nil
		m.watchExpected()
		n := 0
		for _, a := range m.out {
			if a.Kind == Note && a.Incident.Kind == c.kind {
				n++
			}
		}
		if n != mostDeviations+1 {
			t.Errorf("%d lines of %s", n, c.kind)
		}
	}
}

// TestAskedWhoIsThere: a manager that is alone asks no port for SMInfo, and not its own either.
func TestAskedWhoIsThere(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1)
	v := all[0]
	v.step(&Event{Kind: Start})
	v.runUntil(2 * time.Second)
	v.step(&Event{Kind: Resweep})
	v.runUntil(4 * time.Second)
	if v.told(RoundEnds) != 2 || v.sent[mad.AttrSMInfo] > 0 {
		t.Errorf("%d questions in %d rounds", v.sent[mad.AttrSMInfo], v.told(RoundEnds))
	}
}

// TestSilentManager: beside a port that says that a manager runs there, and that answers nothing, a master gives the subnet up.
func TestSilentManager(t *testing.T) {
	sub, all := managers(t, "rlft(4,2)", emulator.Options{}, 1)
	v := all[0]
	v.step(&Event{Kind: Start})
	v.runUntil(2 * time.Second)
	id, err := sub.Attach(emulator.Client{At: fabric.End{Node: find(sub.Fabric(), fabric.CA, 5), Port: 1}, Deliver: func(*wire.Datagram) {}})
	if err != nil {
		t.Fatal(err)
	}
	sub.SetIsSM(id, true)
	v.step(&Event{Kind: Resweep})
	v.runUntil(v.now + 5*time.Second)
	if v.manager.Result().Report.State != OtherMaster || v.manager.inForce != nil || v.manager.state() != mad.SMStateStandby {
		t.Errorf("%s, state %d", v.manager.Result().Report.State, v.manager.state())
	}
	sub.SetIsSM(id, false)
	if v.runUntil(v.now + time.Minute); v.manager.state() != mad.SMStateMaster {
		t.Errorf("state %d: %v", v.manager.state(), v.entries)
	}
}

// TestHandedToWhom: the subnet is handed over to one that stands by and goes before us, and to no other.
func TestHandedToWhom(t *testing.T) {
	for name, c := range map[string]struct {
		other otherManager
		want  bool
	}{
		"before us":       {otherManager{guid: 1, priority: 9, state: mad.SMStateStandby}, true},
		"behind us":       {otherManager{guid: 1, priority: 3, state: mad.SMStateStandby}, false},
		"switched off":    {otherManager{guid: 1, priority: 9, state: mad.SMStateNotActive}, false},
		"finding out":     {otherManager{guid: 1, priority: 9, state: mad.SMStateDiscovering}, false},
		"by its GUID":     {otherManager{guid: 1, priority: 5, state: mad.SMStateStandby}, true},
		"not by its GUID": {otherManager{guid: 9, priority: 5, state: mad.SMStateStandby}, false},
	} {
		m := NewManager(Config{Elect: true, Priority: 5}, UsualWatch)
		m.guid = 5
		m.result.Ledger.others = []otherManager{c.other}
		if m.handOver(); (m.election.handing != nil) != c.want {
			t.Errorf("%s: handed over: %v", name, !c.want)
		}
	}
}

// TestSentCounts: every attempt counts as one that was sent, of nodes that answer.
func TestSentCounts(t *testing.T) {
	var l lossCount
	for _, ev := range []Event{{Kind: Answer, Attempts: 4}, {Kind: Answer, Attempts: 1, Outcome: Refused}, {Kind: Answer, Attempts: 8, Outcome: Silent}, {Kind: Unasked, Attempts: 3}} {
		l.add(&ev)
	}
	if l != (lossCount{sent: 5, again: 3}) {
		t.Errorf("%+v", l)
	}
}

// TestOwnLinkIsSteady: our own link is never counted as one that came back.
func TestOwnLinkIsSteady(t *testing.T) {
	m := staying(t, "rlft(8,2)", emulator.Options{}, Config{}).manager
	own := m.inForce.peer[m.inForce.ownPort()]
	for range 20 {
		m.cameBack(m.now+time.Second, own)
	}
	if len(m.unsteady.links) > 0 {
		t.Errorf("%+v", m.unsteady.links[0])
	}
}

// TestRepeatedBlocks: blocks that were sent more than once are read again by the next light sweep.
func TestRepeatedBlocks(t *testing.T) {
	v, err := newVirtual(formula(t, "rlft(4,2)"), emulator.Options{}, Config{}, jobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	v.alter = func(ev *Event) {
		if k, _, _ := splitTag(ev.Tag); ev.Kind == Answer && k == setLFT {
			if n++; n%2 == 0 {
				ev.Attempts = 2
			}
		}
	}
	v.manager = NewManager(Config{}, UsualWatch)
	v.step(&Event{Kind: Start})
	v.runUntil(v.now + time.Second)
	if len(v.manager.inForce.rewritten) != n/2 || n < 4 {
		t.Errorf("%d of %d", len(v.manager.inForce.rewritten), n)
	}
}
