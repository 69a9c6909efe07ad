package watch

import (
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// TestBelievedInventory: a round that asks only what may have changed knows the same of all nodes
// and ports as one that asks everything. A description that did not come is asked for again.
func TestBelievedInventory(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	for i := range f.Links {
		f.Links[i].Speed = fabric.FDR10
	}
	for i := range f.Nodes {
		f.Nodes[i].VendorID, f.Nodes[i].DeviceID = 0x2c9, map[fabric.NodeType]uint32{fabric.CA: 4099, fabric.Switch: 51000}[f.Nodes[i].Type]
	}
	v, err := newVirtual(f, emulator.Options{}, terms.Config{}, smtest.JobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	nameless := 0
	v.alter = func(ev *terms.Event) {
		if k, index, _ := ledger.SplitTag(ev.Tag); ev.Kind == terms.Answer && k == ledger.GetDescription && index == 3 && nameless == 0 {
			nameless++
			ev.Outcome = terms.Silent
		}
	}
	v.manager = NewManager(terms.Config{}, terms.UsualWatch)
	v.still()
	v.step(&terms.Event{Kind: terms.Start})
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
	believed, askedAll := v.manager.found(), v.manager.given.AskAll
	v.step(&terms.Event{Kind: terms.Resweep})
	v.runUntil(v.now + time.Second)
	all := v.manager.found()
	if all == believed || !v.manager.given.AskAll || askedAll {
		t.Fatal("other rounds were wanted")
	}
	for i := range all.Nodes {
		n := &all.Nodes[i]
		old := &believed.Nodes[believed.ByGUID[n.GUID]]
		if n.Identity != old.Identity || n.Ports != old.Ports || n.PKeys != old.PKeys || n.Desc != old.Desc || n.Desc == "" {
			t.Errorf("%+v\nwas believed to be %+v", n, old)
		}
		for slot := range all.PortsOf(int32(i)) {
			before, _ := believed.SlotOf(n.GUID, all.PortNumber(slot))
			if (all.Flags[slot]^believed.Flags[before])&(ledger.PortKnown|ledger.PortFDR10) != 0 || all.Info[slot] != believed.Info[before] || all.GUID[slot] != believed.GUID[before] {
				t.Errorf("%s: flags %x and %x", all.PortName(slot), all.Flags[slot], believed.Flags[before])
			}
		}
	}
	if !slices.ContainsFunc(all.Flags, func(f ledger.PortFlags) bool { return f&ledger.PortFDR10 != 0 }) {
		t.Error("no port runs at FDR10")
	}
}

// TestOwnPortIsAsked: what another manager may have written to our own port is read in every round,
// also where that is port 0 of a switch.
func TestOwnPortIsAsked(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVirtualAt(sub, fabric.End{Node: smtest.Find(f, fabric.Switch, 1)}, terms.Config{}, smtest.JobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(terms.Config{}, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	own := 0
	v.onAction = func(a *terms.Action) {
		if k, slot, _ := ledger.SplitTag(a.Tag); a.Kind == terms.Send && k == ledger.GetPort && slot == v.manager.found().OwnPort() {
			own++
		}
	}
	_, id := v.switchLink(t, 5)
	if err := sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + time.Second)
	if own != v.told(terms.RoundBegun)-1 || own == 0 {
		t.Errorf("our own port is asked %d times in %d rounds", own, v.told(terms.RoundBegun)-1)
	}
	c, doubted := v.manager.found(), v.manager.Result().Doubted
	if v.manager.given.AskAll || !doubted[c.Nodes[0].GUID] || doubted[c.Nodes[c.Owner[c.Peer[c.Nodes[0].First+1]]].GUID] {
		t.Errorf("doubted: %v", doubted)
	}
}

// TestUnknownRates: a cable of unknown width or speed is no deviation.
func TestUnknownRates(t *testing.T) {
	expected, found := smtest.Formula(t, "rlft(4,2)"), smtest.Formula(t, "rlft(4,2)")
	expected.Links[0].Width, expected.Links[1].Speed, found.Links[2].Width, found.Links[3].Speed = 0, 0, 0, 0
	if list := ledger.Deviations(expected, found); len(list) > 0 {
		t.Error(list)
	}
	expected.Links[4].Width = 1
	if list := ledger.Deviations(expected, found); len(list) != 1 {
		t.Error(list)
	}
}

// trapFrom makes a trap that comes from a LID.
func trapFrom(t *testing.T, number uint64, lid fabric.LID) *terms.Event {
	t.Helper()
	m, err := mad.Request{Method: mad.Trap, Attr: mad.AttrNotice, TID: 7}.Routed(make([]byte, mad.Size))
	if err != nil {
		t.Fatal(err)
	}
	mad.NoticeIsGeneric.Put(m.Data(), 1)
	mad.NoticeTrapNumber.Put(m.Data(), number)
	return &terms.Event{Kind: terms.Unasked, Datagram: &wire.Datagram{Addr: wire.Address{DLID: 1, SLID: uint16(lid)}, MAD: m}}
}

// TestSilentAtTheEnd: a manager that ends answers nothing any more.
func TestSilentAtTheEnd(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	v.step(&terms.Event{Kind: terms.Resweep})
	if !v.manager.inRound {
		t.Fatal("no round")
	}
	v.step(&terms.Event{Kind: terms.Stop})
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.Reply {
			t.Error("it answers")
		}
	}
	v.step(trapFrom(t, mad.TrapLinkState, 3))
	if v.manager.tally.Dropped.Unheeded != 1 {
		t.Errorf("%+v", v.manager.tally.Dropped)
	}
}

// TestSweepInTurn: a light sweep has no more SMPs under way than it may, and blocks that were
// written more than once are read by the next one only.
func TestSweepInTurn(t *testing.T) {
	v, err := newVirtual(smtest.Formula(t, "rlft(8,2)"), emulator.Options{}, terms.Config{}, smtest.JobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(terms.Config{MaxPending: 4}, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	most := 0
	v.onEvent = func() { most = max(most, v.manager.sweep.outstanding) }
	sw := slices.IndexFunc(v.manager.inForce.Nodes, func(n ledger.Node) bool { return n.HasSwitch })
	v.manager.inForce.Rewritten = []uint64{ledger.MakeTag(ledger.SetLFT, int32(sw), 0)}
	read := v.sent[mad.AttrLinearForwardingTable]
	v.runUntil(v.now + 5*terms.UsualWatch.Interval)
	if most != 4 || v.manager.tally.LightSweeps < 4 {
		t.Errorf("%d under way, %d sweeps", most, v.manager.tally.LightSweeps)
	}
	audits := 4 * v.manager.inForce.Graph.NumSwitches / auditEvery
	if n := v.sent[mad.AttrLinearForwardingTable] - read; n != 1+audits {
		t.Errorf("the block is read %d times", n)
	}
	l := v.manager.inForce
	l.AddRewritten(&ledger.Ledger{Inventory: l.Inventory, Rewritten: []uint64{ledger.MakeTag(ledger.SetLFT, int32(sw), 0), ledger.MakeTag(ledger.SetLFT, int32(sw), l.TableBlocks())}})
	if len(l.Rewritten) != 1 {
		t.Errorf("%v: a block is above the table", l.Rewritten)
	}
}

// TestChangedMeanwhile: where something has changed while the subnet was brought up the next round
// begins at once, and not when one that failed is tried again. All its sweeps are counted.
func TestChangedMeanwhile(t *testing.T) {
	for _, phase := range []string{"verify", "settle"} {
		v, err := newVirtual(smtest.Formula(t, "rlft(8,2)"), emulator.Options{}, terms.Config{}, smtest.JobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		v.manager, v.deaf = NewManager(terms.Config{}, terms.UsualWatch), true
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
		v.onAction = func(a *terms.Action) {
			if a.Kind == terms.RoundEnded {
				sweeps += v.manager.Result().Report.Sweeps
			}
		}
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + 2*time.Second)
		if r := v.manager.Result().Report; r.State != terms.Up || v.manager.inRound || r.Found.Links != 63 {
			t.Errorf("%s: %s: %v", phase, r.State, v.entries)
		}
		if n := v.manager.tally.HeavySweeps; n != sweeps || n < 2 {
			t.Errorf("%s: %d heavy sweeps are counted, %d were made", phase, n, sweeps)
		}
	}
}

// TestReturnedOnce: that a node is there again is told once.
func TestReturnedOnce(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	host := smtest.Find(v.sub.Fabric(), fabric.CA, 5)
	if err := v.sub.Reboot(host, 2*time.Second); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 5*time.Second)
	for range 3 {
		v.step(&terms.Event{Kind: terms.Resweep})
		v.runUntil(v.now + time.Second)
	}
	if v.told(terms.NodeReturned) != 1 || len(v.manager.missing) > 0 {
		t.Errorf("%d times: %v", v.told(terms.NodeReturned), v.entries)
	}
}

// TestDisable: the master may switch off its standby, and nobody the master.
func TestDisable(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1, 0)
	for _, v := range all {
		v.step(&terms.Event{Kind: terms.Start})
		runTogether(v.now+2*time.Second, all...)
	}
	master, standby := all[0], all[1]
	if s := standby.manager.Snapshot(standby.now); s.Role != terms.StandBy || s.Other == "" || s.Other != standby.manager.election.master.Name {
		t.Fatalf("%+v", s)
	}
	for _, v := range all {
		m, err := mad.Request{Method: mad.Set, Attr: mad.AttrSMInfo, Modifier: mad.SMSetDisable, TID: 7}.Routed(make([]byte, mad.Size))
		if err != nil {
			t.Fatal(err)
		}
		mad.SMInfoGUID.Put(m.Data(), uint64(master.manager.guid))
		mad.SMInfoSMState.Put(m.Data(), mad.SMStateMaster)
		refused := false
		v.onAction = func(a *terms.Action) { refused = refused || a.Kind == terms.Reply && a.Datagram.MAD.Status() != 0 }
		from := master.lidsOf()[master.manager.guid]
		v.step(&terms.Event{Kind: terms.Unasked, Datagram: &wire.Datagram{Addr: wire.Address{DLID: 1, SLID: uint16(from)}, MAD: m}})
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
		m := NewManager(terms.Config{}, terms.UsualWatch)
		info := make([]byte, 64)
		mad.PortInfoLID.Put(info, c.lid)
		mad.PortInfoMasterSMLID.Put(info, c.master)
		if m.remind(info); len(m.out) != c.want {
			t.Errorf("LID %d, master %d: %d datagrams", c.lid, c.master, len(m.out))
		}
	}
}

// TestReleaseByName: a link in quarantine is used again when it is told so by the name of one of
// its ports. A trap of other changes from its switch begins a round meanwhile, one of a link does
// not.
func TestReleaseByName(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	link, id := v.switchLink(t, 3)
	name, sw := v.manager.inForce.Fabric.EndName(link.A), v.manager.inForce.Fabric.Nodes[link.A.Node].GUID
	v.flapFor(t, id, 30*time.Second, 5*time.Minute)
	if v.told(terms.Quarantined) != 1 || !v.manager.unsteady.watches(sw) {
		t.Fatal(v.entries)
	}
	lid := v.manager.inForce.Plan.Ends.Base[slices.Index(v.manager.inForce.Graph.EndNodeGUID, sw)]
	v.runUntil(v.now + 10*time.Second)
	for number, want := range map[uint64]int{mad.TrapLinkState: 0, mad.TrapLocalChanges: 1} {
		rounds := v.told(terms.RoundBegun)
		v.step(trapFrom(t, number, lid))
		if v.runUntil(v.now + terms.UsualWatch.MostQuiet + time.Second); v.told(terms.RoundBegun)-rounds != want {
			t.Errorf("trap %d: %d rounds begin", number, v.told(terms.RoundBegun)-rounds)
		}
	}
	if d := v.order(terms.UndrainPart, name); d.Err != nil || v.told(terms.Released) != 1 {
		t.Fatalf("%v: %v", d.Err, v.entries[len(v.entries)-5:])
	}
	v.runUntil(v.now + 5*time.Second)
	if len(v.manager.inForce.Fabric.Links) != 64 {
		t.Errorf("%d links", len(v.manager.inForce.Fabric.Links))
	}
	v.verify(t)
	if d := v.order(terms.UndrainPart, name); d.Err == nil {
		t.Error("it is released twice")
	}
}

// TestNoSuchPort: a node has the ports that it says, and no more.
func TestNoSuchPort(t *testing.T) {
	c := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{}).manager.inForce
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if slot, ok := c.SlotOf(n.GUID, n.Ports); !ok || c.Owner[slot] != int32(i) {
			t.Errorf("%s has no port %d", c.NodeName(int32(i)), n.Ports)
		}
		if _, ok := c.SlotOf(n.GUID, n.Ports+1); ok {
			t.Errorf("%s has a port %d", c.NodeName(int32(i)), n.Ports+1)
		}
	}
}

// TestRebalanceWaits: a round that comes before all is routed afresh puts that off.
func TestRebalanceWaits(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	_, id := v.switchLink(t, 2)
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 20*time.Second)
	due := v.manager.afresh
	if due == terms.Never {
		t.Fatal("nothing was repaired")
	}
	v.step(&terms.Event{Kind: terms.Resweep})
	v.runUntil(v.now + time.Second)
	if v.manager.Result().Moved > 0 || v.manager.afresh < due+15*time.Second || v.manager.afresh == terms.Never {
		t.Errorf("due at %v, then at %v", due, v.manager.afresh)
	}
}

// TestPollsSooner: a standby that is told a shorter interval polls the master by that at once.
func TestPollsSooner(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1, 0)
	for _, v := range all {
		v.manager.watch.Interval = time.Hour
		v.step(&terms.Event{Kind: terms.Start})
		runTogether(v.now+2*time.Second, all...)
	}
	v := all[1]
	polls := v.sent[mad.AttrSMInfo]
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: v.manager.cfg, Watch: terms.UsualWatch}})
	runTogether(v.now+terms.UsualWatch.Interval+time.Second, all...)
	if v.manager.state() != mad.SMStateStandby || v.sent[mad.AttrSMInfo] == polls {
		t.Errorf("state %d, %d polls", v.manager.state(), v.sent[mad.AttrSMInfo]-polls)
	}
}

// TestCameBackHost: a host whose link was down is asked for its P_Keys again, and no other is;
// where the link comes back during a round, all at that switch are, since any of them may have
// restarted.
func TestCameBackHost(t *testing.T) {
	for down, want := range map[time.Duration]int{5 * time.Millisecond: 5, 300 * time.Millisecond: 1} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
		f := v.manager.inForce.Fabric
		before := v.sent[mad.AttrPKeyTable]
		if err := v.sub.Flap(v.linkOf(t, f, f.Nodes[smtest.Find(f, fabric.CA, 9)].Ports[1].Link), down); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 2*time.Second)
		if n := v.sent[mad.AttrPKeyTable] - before; n != want || v.told(terms.RoundBegun) < 2 {
			t.Errorf("down for %v: %d P_Key tables are read in %d rounds, want %d", down, n, v.told(terms.RoundBegun)-1, want)
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
	v, err := newVirtualAt(sub, fabric.End{Node: id[0], Port: 1}, terms.Config{}, smtest.JobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(terms.Config{}, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	v.flapFor(t, between, 20*time.Second, 5*time.Minute)
	if v.told(terms.OnlyWay) == 0 || v.told(terms.Quarantined) > 0 {
		t.Errorf("%v", v.entries)
	}
}

// TestLooksEnd: a round ends the reading of ports that is under way, and what else was to be read.
func TestLooksEnd(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	m := v.manager
	ids := []int32{}
	for i := range m.inForce.Nodes {
		if m.inForce.Nodes[i].HasSwitch {
			ids = append(ids, int32(i))
		}
	}
	m.wantLook(v.now, ids[0], true)
	m.beginLook(v.now + time.Second)
	m.wantLook(v.now, ids[1], true)
	if !m.looks.under || len(m.looks.wanted) != 1 || !m.doubted[m.inForce.Nodes[ids[0]].GUID] {
		t.Fatalf("%+v", m.looks)
	}
	number := m.looks.number
	m.beginRound("a test", askAll)
	if m.looks.under || len(m.looks.wanted) > 0 || m.looks.number == number {
		t.Errorf("%+v", m.looks)
	}
}

// TestHandsOverWhole: a master that hands the subnet over routes nothing afresh any more, and
// forgets which links were not steady.
func TestHandsOverWhole(t *testing.T) {
	_, all := managers(t, "rlft(6,2)", emulator.Options{}, 1, 2)
	first, second := all[0], all[1]
	first.step(&terms.Event{Kind: terms.Start})
	first.runUntil(2 * time.Second)
	_, id := first.switchLink(t, 4)
	first.flapFor(t, id, 4*time.Second, 12*time.Second)
	if first.manager.afresh == terms.Never || len(first.manager.unsteady.links) == 0 {
		t.Fatalf("%v, %d unsteady links: %v", first.manager.afresh, len(first.manager.unsteady.links), first.entries)
	}
	second.now = first.now
	second.step(&terms.Event{Kind: terms.Start})
	runTogether(first.now+5*time.Second, all...)
	if m := first.manager; m.state() != mad.SMStateStandby || m.afresh != terms.Never || len(m.unsteady.links) > 0 || m.wanted.why != "" {
		t.Errorf("state %d, routed afresh at %v, %d unsteady links", m.state(), m.afresh, len(m.unsteady.links))
	}
	rounds := first.told(terms.RoundBegun)
	if runTogether(first.now+10*time.Minute, all...); first.told(terms.RoundBegun) > rounds {
		t.Error("a round begins beside the master")
	}
}

// TestOtherPortCount: the links of a switch that says that it has another number of ports are not
// compared with those before.
func TestOtherPortCount(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	m := v.manager
	link, _ := v.switchLink(t, 9)
	for name, ports := range map[string]uint8{"as before": 8, "another": 2} {
		before := *m.inForce
		before.Nodes = slices.Clone(m.inForce.Nodes)
		sw := before.ByGUID[before.Fabric.Nodes[link.A.Node].GUID]
		before.Nodes[sw].Ports = ports
		now := *m.inForce
		now.Flags = slices.Clone(now.Flags)
		for slot := range now.Flags {
			now.Flags[slot] &^= ledger.PortCame
		}
		now.Flags[now.Nodes[sw].First+int32(link.A.Port)] |= ledger.PortCame
		w := NewManager(terms.Config{}, terms.UsualWatch)
		w.result.Ledger, w.inForce = &now, &before
		if w.watchLinks(time.Second); (len(w.unsteady.links) == 1) != (ports == 8) {
			t.Errorf("%s: %d links came back", name, len(w.unsteady.links))
		}
	}
}

// TestApartIsNotMissing: a host behind a link in quarantine is not counted as missing.
func TestApartIsNotMissing(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	f := v.manager.inForce.Fabric
	v.flapFor(t, v.linkOf(t, f, f.Nodes[smtest.Find(f, fabric.CA, 9)].Ports[1].Link), 20*time.Second, 5*time.Minute)
	v.step(&terms.Event{Kind: terms.Resweep})
	v.runUntil(v.now + time.Second)
	if v.told(terms.Quarantined) != 1 || len(v.manager.missing) > 0 {
		t.Errorf("%d are missing: %v", len(v.manager.missing), v.entries)
	}
}

// TestForgetStored: the LIDs of a node are forgotten under its GUID and under its ports' GUIDs.
func TestForgetStored(t *testing.T) {
	stored := terms.LIDMap{1: {Base: 1}, 2: {Base: 2}, 3: {Base: 3}}
	m := NewManager(terms.Config{History: terms.History{Stored: stored}}, terms.UsualWatch)
	m.forgetStored(1, &missingNode{ports: []fabric.GUID{2}})
	if _, kept := m.next.Stored[3]; len(m.next.Stored) != 1 || !kept || len(stored) != 3 {
		t.Errorf("%v of %v", m.next.Stored, stored)
	}
}

// TestDownInBoth: a node that is down where it is expected to be down is no deviation.
func TestDownInBoth(t *testing.T) {
	expected, found := smtest.Formula(t, "rlft(4,2)"), smtest.Formula(t, "rlft(4,2)")
	expected.Nodes[2].Down, found.Nodes[2].Down = true, true
	if list := ledger.Deviations(expected, found); len(list) > 0 {
		t.Error(list)
	}
	expected.Nodes[2].Down = false
	if list := ledger.Deviations(expected, found); len(list) != 1 {
		t.Error(list)
	}
}

// TestManyDeviations: no more deviations are told one by one than are read.
func TestManyDeviations(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	m := v.manager
	for _, c := range []struct {
		expected *fabric.Fabric
		kind     terms.IncidentKind
	}{{smtest.Formula(t, "rlft(8,3)"), terms.Deviation}, {m.inForce.Fabric, terms.AsExpected}} {
		m.cfg.Expected, m.out = c.expected, nil
		m.watchExpected()
		n := 0
		for _, a := range m.out {
			if a.Kind == terms.Note && a.Incident.Kind == c.kind {
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
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(2 * time.Second)
	v.step(&terms.Event{Kind: terms.Resweep})
	v.runUntil(4 * time.Second)
	if v.told(terms.RoundEnds) != 2 || v.sent[mad.AttrSMInfo] > 0 {
		t.Errorf("%d questions in %d rounds", v.sent[mad.AttrSMInfo], v.told(terms.RoundEnds))
	}
}

// TestSilentManager: a manager that starts beside a port that says that a manager runs there, and
// that answers nothing, leaves the subnet alone.
func TestSilentManager(t *testing.T) {
	sub, all := managers(t, "rlft(4,2)", emulator.Options{}, 1)
	v := all[0]
	id, err := sub.Attach(emulator.Client{At: fabric.End{Node: smtest.Find(sub.Fabric(), fabric.CA, 5), Port: 1}, Deliver: func(*wire.Datagram) {}})
	if err != nil {
		t.Fatal(err)
	}
	sub.SetIsSM(id, true)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 5*time.Minute)
	if v.manager.Result().Report.State != terms.OtherMaster || v.manager.inForce != nil || v.manager.state() != mad.SMStateStandby {
		t.Errorf("%s, state %d", v.manager.Result().Report.State, v.manager.state())
	}
	sub.SetIsSM(id, false)
	if v.runUntil(v.now + time.Minute); v.manager.state() != mad.SMStateMaster {
		t.Errorf("state %d: %v", v.manager.state(), v.entries)
	}
}

// TestHandedToWhom: the subnet is handed over to one that stands by and goes before us, and to no
// other.
func TestHandedToWhom(t *testing.T) {
	for name, c := range map[string]struct {
		other ledger.OtherManager
		want  bool
	}{
		"before us":       {ledger.OtherManager{GUID: 1, Priority: 9, State: mad.SMStateStandby}, true},
		"behind us":       {ledger.OtherManager{GUID: 1, Priority: 3, State: mad.SMStateStandby}, false},
		"switched off":    {ledger.OtherManager{GUID: 1, Priority: 9, State: mad.SMStateNotActive}, false},
		"finding out":     {ledger.OtherManager{GUID: 1, Priority: 9, State: mad.SMStateDiscovering}, false},
		"by its GUID":     {ledger.OtherManager{GUID: 1, Priority: 5, State: mad.SMStateStandby}, true},
		"not by its GUID": {ledger.OtherManager{GUID: 9, Priority: 5, State: mad.SMStateStandby}, false},
	} {
		m := NewManager(terms.Config{Elect: true, Priority: 5}, terms.UsualWatch)
		m.guid = 5
		m.result.Ledger.Others = []ledger.OtherManager{c.other}
		if m.handOver(); (m.election.handing != nil) != c.want {
			t.Errorf("%s: handed over: %v", name, !c.want)
		}
	}
}

// TestOwnLinkIsSteady: our own link is never counted as one that came back.
func TestOwnLinkIsSteady(t *testing.T) {
	m := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{}).manager
	own := m.inForce.Peer[m.inForce.OwnPort()]
	for range 20 {
		m.cameBack(m.now+time.Second, own)
	}
	if len(m.unsteady.links) > 0 {
		t.Errorf("%+v", m.unsteady.links[0])
	}
}

// TestRepeatedBlocks: blocks that were sent more than once are read again by the next light sweep.
func TestRepeatedBlocks(t *testing.T) {
	v, err := newVirtual(smtest.Formula(t, "rlft(4,2)"), emulator.Options{}, terms.Config{}, smtest.JobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	v.alter = func(ev *terms.Event) {
		if k, _, _ := ledger.SplitTag(ev.Tag); ev.Kind == terms.Answer && k == ledger.SetLFT {
			if n++; n%2 == 0 {
				ev.Attempts = 2
			}
		}
	}
	v.manager = NewManager(terms.Config{}, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	if len(v.manager.inForce.Rewritten) != n/2 || n < 4 {
		t.Errorf("%d of %d", len(v.manager.inForce.Rewritten), n)
	}
}
