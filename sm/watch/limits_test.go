package watch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/share"
	"weft/planner"
	"weft/sm/clients"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// stayingOn makes a Manager that stays on an emulated subnet of a fabric, and brings it up.
func stayingOn(t smtest.Fataler, f *fabric.Fabric, opt emulator.Options, cfg terms.Config, req planner.Request) *virtual {
	t.Helper()
	v, err := newVirtual(f, opt, cfg, req)
	if err != nil {
		t.Fatalf("%v", err)
	}
	v.manager = NewManager(cfg, terms.UsualWatch)
	v.planTime = 30 * time.Millisecond
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	return v
}

// leftOut lists the places of what the last round left out.
func (v *virtual) leftOut() (list []string) {
	for _, i := range v.manager.Result().Report.Incidents {
		if i.Kind == terms.NoRoom {
			list = append(list, i.At.Name)
		}
	}
	slices.Sort(list)
	return list
}

// repairsPulled pulls a cable between switches. The routes must be proven and written within a
// second.
func (v *virtual) repairsPulled(t smtest.Fataler, n int) {
	t.Helper()
	rounds := v.manager.round.Number
	_, id := v.switchLink(t, n)
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatalf("%v", err)
	}
	v.runUntil(v.now + time.Second)
	if r := v.manager.Result().Report; v.manager.round.Number == rounds || r.State != terms.Up && r.State != terms.UpInPart || !r.Routing.Check.OK {
		t.Fatalf("a cable was pulled: %s, %v", r.State, v.entries)
	}
	v.verify(t)
}

// TestSmallForwardingTable: LIDs beyond the forwarding table of one switch do not stop the subnet.
// Some hosts are left out by name, or the switch itself if that costs less; all others are routed,
// and a failed cable is repaired.
func TestSmallForwardingTable(t *testing.T) {
	const ends = 12 + 32 // switches and hosts of rlft(8,2)
	for _, c := range []struct {
		name    string
		sw      string
		entries uint16
		left    int // parts that are named
		hosts   int // that are served
	}{
		{"all fit", "leaf 3", ends + 1, 0, 32},
		{"one LID too many", "leaf 3", ends, 1, 31},
		{"three LIDs too many", "spine 1", ends - 2, 1, 32}, // rather the spine
		{"a tiny leaf", "leaf 3", 2, 1 + 4, 28},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := smtest.Formula(t, "rlft(8,2)")
			id, err := f.FindSwitch(c.sw)
			if err != nil {
				t.Fatal(err)
			}
			f.Nodes[id].LinearFDBCap = c.entries
			v := stayingOn(t, f, emulator.Options{}, terms.Config{}, smtest.JobOf("auto", 0))
			r := v.manager.Result().Report
			state := terms.UpInPart
			if c.left == 0 {
				state = terms.Up
			}
			if r.State != state || v.manager.inForce == nil || v.manager.inForce.Graph.NumHosts != c.hosts {
				t.Fatalf("%s: %v", r.State, r.Incidents)
			}
			left := v.leftOut()
			for _, i := range r.Incidents {
				if i.Kind == terms.CutOff {
					left = append(left, i.At.Name)
				}
			}
			if len(left) != c.left {
				t.Errorf("left out: %v", left)
			}
			v.verify(t)
			lids, told := v.lidsOf(), v.told(terms.NoRoom)
			v.repairsPulled(t, 3)
			v.runUntil(v.now + 2*terms.UsualWatch.MostRetry)
			if !maps.Equal(lids, v.lidsOf()) || v.told(terms.NoRoom) != told {
				t.Errorf("LIDs have moved, or it is told again: %v", v.entries)
			}
			v.verify(t)
		})
	}
}

// TestSmallSwitchComes: a switch with a small forwarding table that joins a running subnet is left
// out, and no LID in service moves. A host too many is left out, and not one in service.
func TestSmallSwitchComes(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	leaf, _ := f.FindSwitch("leaf 3")
	f.Nodes[leaf].LinearFDBCap = 30
	v, err := newVirtual(f, emulator.Options{}, terms.Config{}, smtest.JobOf("auto", 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := v.sub.SetNodeDown(leaf, true); err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(terms.Config{}, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	lids := v.lidsOf()
	if s := v.manager.Result().Report.State; s != terms.Up || len(lids) != 11+28 {
		t.Fatalf("%s with %d LIDs", s, len(lids))
	}
	if err := v.sub.SetNodeDown(leaf, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 15*time.Second)
	if r := v.manager.Result().Report; r.State != terms.UpInPart || !slices.Contains(v.leftOut(), "leaf 3") || !maps.Equal(lids, v.lidsOf()) {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	v.repairsPulled(t, 2)
	if !maps.Equal(lids, v.lidsOf()) {
		t.Error("LIDs have moved")
	}
}

// TestSmallTableAndLMC: where the forwarding tables have no room for 2^LMC LIDs at every host,
// hosts get fewer, which is told, and none is left out.
func TestSmallTableAndLMC(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch {
			f.Nodes[i].LinearFDBCap = 100
		}
	}
	for _, chain := range []string{"auto", "ftree", "dfsssp"} {
		v := stayingOn(t, f, emulator.Options{}, terms.Config{}, smtest.JobOf(chain, 2))
		r := v.manager.Result().Report
		if i := r.Find(terms.NotEnough); r.State != terms.Up || i == nil || !strings.Contains(i.Text, "lmc 2") || v.manager.inForce.Graph.NumHosts != 32 {
			t.Fatalf("%s: %s: %v", chain, r.State, r.Incidents)
		}
		if n := v.manager.inForce.Plan.Ends.Top(); n >= 100 {
			t.Errorf("%s: LIDs up to %d", chain, n)
		}
		v.verify(t)
		v.repairsPulled(t, 3)
	}
}

// TestHostsOutgrowTable: hosts join until the forwarding tables are full: the last one is left out
// by name. Those in service keep their LIDs, even where new ones get fewer than 2^LMC.
func TestHostsOutgrowTable(t *testing.T) {
	for _, lmc := range []uint8{0, 1} {
		f := smtest.Formula(t, "rlft(8,2)")
		late := []fabric.NodeID{}
		for i := range f.Nodes {
			switch {
			case f.Nodes[i].Type == fabric.Switch:
				f.Nodes[i].LinearFDBCap = []uint16{42, 72}[lmc]
			case i%8 == 7:
				late = append(late, fabric.NodeID(i))
			}
		}
		v, err := newVirtual(f, emulator.Options{}, terms.Config{}, smtest.JobOf("auto", lmc))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range late {
			if err := v.sub.SetNodeDown(id, true); err != nil {
				t.Fatal(err)
			}
		}
		v.manager = NewManager(terms.Config{}, terms.UsualWatch)
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + time.Second)
		lids := v.lidsOf()
		for _, id := range late {
			if err := v.sub.SetNodeDown(id, false); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + 5*time.Second)
		}
		r, has := v.manager.Result().Report, v.lidsOf()
		for guid, lid := range lids {
			if has[guid] != lid {
				t.Errorf("LMC %d: LID %d of %s has moved", lmc, lid, guid)
			}
		}
		left := len(v.leftOut())
		if want := []int{3, 0}[lmc]; left != want || r.State != terms.UpInPart && r.State != terms.Up {
			t.Errorf("LMC %d: %s: %v", lmc, r.State, r.Incidents)
		}
		v.repairsPulled(t, 3)
	}
}

// TestNarrowLink: a cable between switches with fewer lanes than an engine needs is left out, so
// that the subnet has routes; one that comes later too.
func TestNarrowLink(t *testing.T) {
	for _, late := range []bool{false, true} {
		f := smtest.Formula(t, "torus(5x5,hosts=1)")
		narrow := fabric.NoLink
		for id := range f.Links {
			if f.IsSwitchLink(fabric.LinkID(id)) {
				narrow = fabric.LinkID(id)
			}
		}
		e := f.Links[narrow].A
		f.Nodes[e.Node].Ports[e.Port].VLCap = 1
		cfg := terms.Config{}
		v, err := newVirtual(f, emulator.Options{}, cfg, smtest.JobOf("dfsssp", 0))
		if err != nil {
			t.Fatal(err)
		}
		if late {
			if err := v.sub.SetLinkDown(narrow, true); err != nil {
				t.Fatal(err)
			}
		}
		v.manager = NewManager(cfg, terms.UsualWatch)
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + time.Second)
		if late {
			if err := v.sub.SetLinkDown(narrow, false); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + 15*time.Second)
		}
		r := v.manager.Result().Report
		if r.State != terms.UpInPart || len(v.leftOut()) != 1 || v.manager.inForce.Plan.VLs < 2 || len(v.manager.inForce.Fabric.Links) != len(f.Links)-1 {
			t.Fatalf("late %v: %s: %v", late, r.State, r.Incidents)
		}
		v.verify(t)
		v.repairsPulled(t, 3)
	}
}

// TestFewerLanesThanAsked: more lanes asked for than the links have do not stop the subnet.
func TestFewerLanesThanAsked(t *testing.T) {
	f := smtest.Formula(t, "torus(4x4,hosts=1)")
	for i := range f.Nodes {
		for p := range f.Nodes[i].Ports {
			f.Nodes[i].Ports[p].VLCap = 4
		}
	}
	req := smtest.JobOf("dfsssp", 0)
	req.MaxVLs = 8
	v := stayingOn(t, f, emulator.Options{}, terms.Config{}, req)
	if r := v.manager.Result().Report; r.State != terms.Up || r.Find(terms.NotEnough) == nil || v.manager.inForce.Plan.VLs > 4 {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	v.verify(t)
}

// TestSmallPKeyTables: hosts and switches without room for P_Keys do not stop the others.
func TestSmallPKeyTables(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	leaf, _ := f.FindSwitch("leaf 3")
	host := smtest.Find(f, fabric.CA, 9)
	parts := smtest.Partitioning(t, "Default=0x7fff, ipoib: ALL=full;\na=0x1: ALL=full;\nb=0x2: ALL=full;", true, true)
	v := stayingOn(t, f, emulator.Options{Small: map[fabric.NodeID]emulator.Small{
		host: {PKeys: new(uint16(2))}, leaf: {Enforced: new(uint16(1)), PKeys: new(uint16(0))},
	}}, terms.Config{Partitions: parts}, smtest.JobOf("auto", 0))
	r := v.manager.Result().Report
	if i := r.Find(terms.NotEnough); r.State != terms.UpInPart || i == nil || v.manager.inForce.Graph.NumHosts != 32 || !r.Routing.Check.OK {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	v.verify(t)
	v.repairsPulled(t, 3)
}

// TestSmallMTU: a device with a small MTU lowers that of its own links, and no others. It is named,
// since it cannot join groups; a switch lowers the MTU of groups.
func TestSmallMTU(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	host := smtest.Find(f, fabric.CA, 9)
	v := stayingOn(t, f, emulator.Options{Small: map[fabric.NodeID]emulator.Small{host: {MTU: new(uint8(2))}}}, terms.Config{}, smtest.JobOf("auto", 0))
	r := v.manager.Result().Report
	if i := r.Find(terms.NotEnough); r.State != terms.Up || i == nil || !strings.Contains(i.Text, "1 ports cannot join") {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	c := v.manager.inForce
	for slot, peer := range c.Peer {
		want := uint64(5)
		if n := f.Nodes[host].GUID; peer >= 0 && (c.Nodes[c.Owner[slot]].GUID == n || c.Nodes[c.Owner[peer]].GUID == n) {
			want = 2
		}
		if mtu := mad.PortInfoNeighborMTU.Get(c.Info[slot][:]); peer >= 0 && mtu != want {
			t.Errorf("%s: MTU %d, not %d", c.PortName(int32(slot)), mtu, want)
		}
	}
}

// TestSmallMulticastTable: a switch without a multicast table, or with a small one, carries no
// groups. Members elsewhere get all packets once, also through faults, and the number of groups is
// not limited by it.
func TestSmallMulticastTable(t *testing.T) {
	for _, mlids := range []uint16{0, 32} {
		f, err := gen.Parse("rlft(4,2)")
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := f.FindSwitch("leaf 1")
		if err != nil {
			t.Fatal(err)
		}
		spine, err := f.FindSwitch("spine 0")
		if err != nil {
			t.Fatal(err)
		}
		none := emulator.Small{MLIDs: &mlids}
		b := newCastBedOn(t, f, emulator.Options{Small: map[fabric.NodeID]emulator.Small{leaf: none, spine: none}}, "updn", 0, 0)
		if r := b.v.manager.Result().Report; r.State != terms.Up || !slices.Equal(b.v.leftOut(), []string{"leaf 1", "spine 0"}) {
			t.Fatalf("%s: %v", r.State, r.Incidents)
		}
		at := func(h int) bool {
			l := f.Nodes[b.hosts[h].Node].Ports[1].Link
			return f.Links[l].A.Node == leaf || f.Links[l].B.Node == leaf
		}
		joined := 0
		for h := range b.hosts {
			if !at(h) {
				joined++
				if s := b.ask(mad.Set, h, smtest.MgidOf(1), mad.JoinFull); s != mad.StatusOK {
					t.Fatal(s)
				}
			}
		}
		b.settle()
		if b.check() != joined {
			t.Fatal("nothing was sent")
		}
		for _, id := range f.Cabled(spine, nil) {
			if f.Links[id].A.Node == leaf || f.Links[id].B.Node == leaf {
				continue
			}
			if err := b.v.sub.SetLinkDown(id, true); err != nil {
				t.Fatal(err)
			}
			b.settle()
			b.check()
		}
		for h := range b.hosts {
			if at(h) {
				b.ask(mad.Set, h, smtest.MgidOf(1), mad.JoinFull)
			}
		}
		b.settle()
		b.m.Groups.All(func(g *sa.Group) {
			b.send(slices.IndexFunc(b.hosts, func(e fabric.End) bool { h := slices.Index(b.hosts, e); return !at(h) }), g.MLID, g.SL)
		})
		for h, n := range b.got[1:] {
			if want := map[bool]int{false: 1}[at(h+1)]; n != want {
				t.Errorf("host %d gets %d copies, not %d", h+1, n, want)
			}
		}
		if n := b.v.told(terms.NotSpread); n > 0 {
			t.Errorf("%d times a table was refused: %v", n, b.v.entries)
		}
		if m := sa.MLIDs([]int{4096, int(mlids), 1024}); m != 1024 {
			t.Errorf("%d groups", m)
		}
	}
}

// TestFailedRoundsTell: after a failed cable, and rounds that made no Plan, the last report says
// what the switches hold: how many pairs of hosts have no path by the old tables.
func TestFailedRoundsTell(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	lost := v.manager.inForce
	many := "default\n"
	for i := range 12 {
		many += fmt.Sprintf("more%d sl=%d\n", i, i+1)
	}
	tooMany := readLevels(t, many)
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.Route { // every engine refuses, and so does the repair
			a.Request.Levels = tooMany
		}
	}
	_, id := v.switchLink(t, 3)
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 12*time.Second)
	s := v.manager.Snapshot(v.now)
	if s.InForce == nil || s.Last.Number <= s.InForce.Number || s.Last.Report.State != terms.NotRouted || v.manager.inForce != lost {
		t.Fatalf("last round %+v: %v", s.Last, v.entries)
	}
	if h := s.Last.Report.Routing.Held; h == nil || h.OK || h.HostPairs.Unreachable == 0 || s.Last.Report.Found.Links != len(lost.Fabric.Links)-1 {
		t.Fatalf("held: %+v", h)
	}
	v.onAction = nil
	v.runUntil(v.now + terms.UsualWatch.MostRetry)
	if s := v.manager.Snapshot(v.now); s.InForce != s.Last || s.Last.Report.State != terms.Up {
		t.Errorf("%v", v.entries)
	}
	v.verify(t)
}

// TestGroupOfTwoParts: a group whose members are in parts without a tree in common reaches the
// larger part.
func TestGroupOfTwoParts(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	b := newCastBed(t, f, "updn", 0, 0)
	for h := range b.hosts {
		b.ask(mad.Set, h, smtest.MgidOf(1), mad.JoinFull)
	}
	b.settle()
	b.check()
	none := make([]bool, 6)
	none[4], none[5] = true, true // both spines
	b.v.onAction = func(a *terms.Action) {
		if b.takenFirst(a); a.Kind == terms.Route {
			a.Request.NoGroups, a.Request.Afresh = none, true
		}
	}
	b.v.step(&terms.Event{Kind: terms.Rebalance})
	b.settle()
	b.m.Groups.All(func(g *sa.Group) {
		if len(g.Members) > 0 {
			b.send(0, g.MLID, g.SL)
		}
	})
	got := 0
	for _, n := range b.got {
		got += n
	}
	if got != 1 || b.v.told(terms.NotSpread) == 0 {
		t.Errorf("%d hosts of the same leaf got it: %v", got, b.v.entries)
	}
}

// TestSmallMTUOfSwitch: groups get the MTU that all cables between switches carry, so that none of
// their packets is dropped on the way.
func TestSmallMTUOfSwitch(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	spine, err := f.FindSwitch("spine 1")
	if err != nil {
		t.Fatal(err)
	}
	v := stayingOn(t, f, emulator.Options{Small: map[fabric.NodeID]emulator.Small{spine: {MTU: new(uint8(3))}}}, terms.Config{}, smtest.JobOf("auto", 0))
	r := v.manager.Result().Report
	if i := r.Find(terms.NotEnough); r.State != terms.Up || i == nil || !strings.Contains(i.Text, "1024 bytes instead of 2048") {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	m := clients.NewMembers(share.Rule{})
	m.Follow(clients.Administered(v.manager.inForce, 0, 0, 0), clients.StandingGroups(nil))
	m.Groups.All(func(g *sa.Group) {
		if g.MTU != 3 {
			t.Errorf("group 0x%X has MTU %d", g.MLID, g.MTU)
		}
	})
}

// TestOwnFaults: a request that this host could not send says nothing of a device: nothing is left
// out, no LID moves, and the manager tries again. It is told as a fault of this host.
func TestOwnFaults(t *testing.T) {
	for _, phase := range []string{"discover", "settle", "tables", "arm"} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
		lids, now, answers, faults := v.lidsOf(), "", 0, 0
		v.onPhase = func(name string) { now = name }
		v.alter = func(ev *terms.Event) {
			if ev.Kind == terms.Answer && ev.Tag>>56 < terms.PortTag && now == phase && faults < 3 {
				if answers++; answers < 6 && phase == "discover" { // our own port answers
					return
				}
				faults++
				*ev = terms.Event{Kind: terms.Answer, Tag: ev.Tag, Outcome: terms.Cancelled}
			}
		}
		_, id := v.switchLink(t, 3)
		if err := v.sub.SetLinkDown(id, true); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 100*time.Millisecond)
		if phase == "arm" && faults == 0 { // there was nothing to arm
			if err := v.sub.SetLinkDown(id, false); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + 15*time.Second)
		}
		if !maps.Equal(lids, v.lidsOf()) {
			t.Errorf("%s: LIDs have changed: %v", phase, v.entries)
		}
		if faults == 0 || v.told(terms.NotSent) == 0 || v.told(terms.NoAnswer)+v.told(terms.CutOff)+v.told(terms.Unanswered) > 0 {
			t.Fatalf("%s: %d requests not sent: %v", phase, faults, v.entries)
		}
		v.runUntil(v.now + time.Minute)
		if s := v.manager.Result().Report.State; s != terms.Up || v.told(terms.NodeMissing) > 0 || !maps.Equal(lids, v.lidsOf()) {
			t.Errorf("%s: %s: %v", phase, s, v.entries)
		}
		v.verify(t)
	}
}

// TestFaultyEngine: a fault of the planner when everything is to be routed afresh does not keep a
// failed cable from being repaired.
func TestFaultyEngine(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	v.routing.Chain = nil // an error that is no refusal
	_, id := v.switchLink(t, 3)
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	v.step(&terms.Event{Kind: terms.Rebalance})
	v.runUntil(v.now + time.Second)
	if r := v.manager.Result().Report; r.State != terms.Up || !strings.HasPrefix(r.Routing.Kept, "repaired") || len(r.Routing.Refused) == 0 {
		t.Fatalf("%s, %+v: %v", r.State, r.Routing, v.entries)
	}
	v.verify(t)
}
