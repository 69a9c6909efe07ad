package sm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/internal/racing"
	"weft/route"
	"weft/wire/mad"
)

var errFull = errors.New("the disk is full")

// disk is a file of state in memory, which can be full.
type disk struct {
	full    bool
	lids    LIDMap
	records int
}

func (d *disk) store(r *Record) error {
	if d.full {
		return errFull
	}
	d.lids = maps.Clone(r.LIDs)
	d.records++
	return nil
}

// withDisk makes a Manager that stays and stores its LIDs, without starting it.
func withDisk(t fataler, sub *emulator.Subnet, d *disk, cfg Config) *virtual {
	t.Helper()
	at, err := sub.DefaultEnd()
	if err != nil {
		t.Fatalf("%v", err)
	}
	cfg.Store, cfg.Stored = true, maps.Clone(d.lids)
	if cfg.Stored == nil {
		cfg.Stored = LIDMap{}
	}
	v, err := newVirtualAt(sub, at, cfg, jobOf("auto", 0))
	if err != nil {
		t.Fatalf("%v", err)
	}
	v.manager, v.store = NewManager(cfg, UsualWatch), d.store
	return v
}

func emulated(t fataler, text string, opt emulator.Options) *emulator.Subnet {
	t.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		t.Fatalf("%v", err)
	}
	sub, err := emulator.New(f, opt)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return sub
}

// given lists the LIDs that ports of the subnet have, by GUID.
func given(t fataler, sub *emulator.Subnet) LIDMap {
	t.Helper()
	out, f := LIDMap{}, sub.Fabric()
	for i := range f.Nodes {
		for p := range f.Nodes[i].Ports {
			if (f.Nodes[i].Type == fabric.Switch) != (p == 0) {
				continue
			}
			info, err := sub.PortInfo(fabric.End{Node: fabric.NodeID(i), Port: uint8(p)})
			if err != nil {
				t.Fatalf("%v", err)
			}
			if lid := mad.PortInfoLID.Get(info); lid != 0 {
				out[f.Nodes[i].Ports[p].GUID] = PortLIDs{fabric.LID(lid), uint8(mad.PortInfoLMC.Get(info))}
			}
		}
	}
	return out
}

// TestStoredFirst: no port has a LID before it is stored. Where nothing can be stored from the beginning, nothing is given;
// it is tried again, and comes up.
func TestStoredFirst(t *testing.T) {
	d := &disk{full: true}
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	v := withDisk(t, sub, d, Config{})
	v.step(&Event{Kind: Start})
	v.runUntil(time.Second)
	if r := v.manager.Result().Report; r.State != NotRouted || r.Find(NotStored) == nil || len(given(t, sub)) > 0 || r.Written.Blocks > 0 {
		t.Fatalf("%s, %d blocks, LIDs %v: %v", r.State, r.Written.Blocks, given(t, sub), r.Incidents)
	}
	d.full = false
	v.runUntil(v.now + time.Minute)
	if r := v.manager.Result().Report; r.State != Up || !maps.Equal(given(t, sub), d.lids) || d.records == 0 {
		t.Errorf("%s: LIDs %v, stored %v", r.State, given(t, sub), d.lids)
	}
	v.verify(t)
}

// TestRepairNotDelayed: a repair is written while a slow disk stores its Plan, since no LID has changed; the round ends when it is
// stored. A new port waits for the disk.
func TestRepairNotDelayed(t *testing.T) {
	for _, full := range []bool{false, true} {
		d := &disk{}
		sub := emulated(t, "rlft(4,2)", emulator.Options{})
		f := sub.Fabric()
		host := find(f, fabric.CA, 5)
		if err := sub.SetNodeDown(host, true); err != nil {
			t.Fatal(err)
		}
		v := withDisk(t, sub, d, Config{})
		v.step(&Event{Kind: Start})
		v.runUntil(5 * time.Second)
		lids := maps.Clone(d.lids)
		v.storeTime, d.full = 10*time.Second, full
		link := fabric.LinkID(slices.IndexFunc(f.Links, func(l fabric.Link) bool {
			return f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch
		}))
		if err := sub.SetLinkDown(link, true); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 5*time.Second)
		if c := v.manager.core; !v.manager.inRound || c.phase != verifying || v.told(RoundEnds) != 1 || v.storedAt == never {
			t.Fatalf("full %v: %s: %v", full, phaseNames[c.phase], v.entries)
		}
		v.verify(t)
		v.storeTime = 0
		v.runUntil(v.now + 8*time.Second)
		v.storeTime = 10 * time.Second
		if r := v.manager.Result().Report; v.manager.inRound || r.State != Up || (r.Find(NotStored) != nil) != full || !maps.Equal(given(t, sub), lids) {
			t.Fatalf("full %v: %s: %v", full, r.State, v.entries)
		}
		if err := sub.SetNodeDown(host, false); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 5*time.Second)
		if c := v.manager.core; c.phase != storing || given(t, sub)[f.Nodes[host].Ports[1].GUID].Base != 0 {
			t.Fatalf("full %v: %s: %v", full, phaseNames[c.phase], v.entries)
		}
		v.step(&Event{Kind: Stop})
		if v.runUntil(never); !v.manager.ended {
			t.Error("it does not end")
		}
	}
}

// TestFullDisk: a manager whose disk is full repairs what breaks, and keeps LIDs; a port that is new gets none, and no open
// link, until it can be stored.
func TestFullDisk(t *testing.T) {
	d := &disk{}
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	f := sub.Fabric()
	host := find(f, fabric.CA, 5)
	if err := sub.SetNodeDown(host, true); err != nil {
		t.Fatal(err)
	}
	v := withDisk(t, sub, d, Config{})
	v.step(&Event{Kind: Start})
	v.runUntil(10 * time.Second)
	lids := maps.Clone(d.lids)
	if r := v.manager.Result().Report; r.State != Up || len(lids) == 0 {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	d.full = true
	link := fabric.LinkID(slices.IndexFunc(f.Links, func(l fabric.Link) bool {
		return f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch
	}))
	if err := sub.SetLinkDown(link, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 20*time.Second)
	if r := v.manager.Result().Report; r.State != Up || r.Find(NotStored) == nil || !strings.HasPrefix(r.Routing.Kept, "repaired") || !maps.Equal(given(t, sub), lids) {
		t.Fatalf("%s, %s: %v", r.State, r.Routing.Kept, r.Incidents)
	}
	if err := sub.SetNodeDown(host, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 5*time.Second)
	info, err := sub.PortInfo(fabric.End{Node: host, Port: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r := v.manager.Result().Report; r.State != UpInPart || !maps.Equal(given(t, sub), lids) || mad.PortInfoPortState.Get(info) == mad.PortActive {
		t.Fatalf("%s: LIDs %v, stored %v: %v", r.State, given(t, sub), lids, v.entries)
	}
	d.full = false
	v.runUntil(v.now + time.Minute)
	if r := v.manager.Result().Report; r.State != Up || len(given(t, sub)) != len(lids)+1 || !maps.Equal(given(t, sub), d.lids) {
		t.Fatalf("%s: LIDs %v, stored %v: %v", r.State, given(t, sub), d.lids, r.Incidents)
	}
	v.verify(t)
}

// TestNotMovedUnstored: a Plan by which a stored LID moves is not distributed where it cannot be stored.
func TestNotMovedUnstored(t *testing.T) {
	d := &disk{}
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	v := withDisk(t, sub, d, Config{})
	v.step(&Event{Kind: Start})
	v.runUntil(10 * time.Second)
	lids, now := given(t, sub), v.now
	sub.Detach(v.id)
	d.full = true
	v = withDisk(t, sub, d, Config{})
	v.now, v.routing = now, jobOf("auto", 2)
	v.step(&Event{Kind: Start})
	v.runUntil(v.now + 5*time.Second)
	if r := v.manager.Result().Report; r.State != NotRouted || r.Find(NotStored) == nil || r.Written.Blocks > 0 || !maps.Equal(given(t, sub), lids) {
		t.Errorf("%s, LIDs %v, had %v: %v", r.State, given(t, sub), lids, v.entries)
	}
}

// TestNotMovedByLast: the same where only one port would get other LIDs, by the last Plan.
func TestNotMovedByLast(t *testing.T) {
	d := &disk{}
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	v := withDisk(t, sub, d, Config{})
	v.step(&Event{Kind: Start})
	v.runUntil(10 * time.Second)
	f, now := sub.Fabric(), v.now
	host := find(f, fabric.CA, 5)
	sub.Detach(v.id)
	if err := errors.Join(sub.SetNodeDown(host, true), sub.SetNodeDown(host, false)); err != nil {
		t.Fatal(err)
	}
	d.lids[f.Nodes[host].Ports[1].GUID] = PortLIDs{Base: 300}
	d.full = true
	v = withDisk(t, sub, d, Config{Last: v.manager.next.Last})
	v.now = now
	v.step(&Event{Kind: Start})
	v.runUntil(v.now + 5*time.Second)
	if r := v.manager.Result().Report; r.State != NotRouted || r.Find(NotStored) == nil || given(t, sub)[f.Nodes[host].Ports[1].GUID].Base != 0 {
		t.Errorf("%s, LIDs %v: %v", r.State, given(t, sub), r.Incidents)
	}
}

// TestOnlyStoredLIDs: whatever breaks, and however often the disk is full, ports have the LIDs that are stored, and no other
// ones; after a restart, at any time, no LID moves.
func TestOnlyStoredLIDs(t *testing.T) {
	racing.SkipLong(t)
	full, restarts := 0, 0
	draws.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"rlft(4,2)", "torus(4x4,hosts=1)"}).Draw(t, "fabric")
		d, sub := &disk{}, emulated(t, text, emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")})
		v := withDisk(t, sub, d, Config{})
		v.step(&Event{Kind: Start})
		ever := LIDMap{}
		check := func() {
			for guid, p := range given(t, sub) {
				if had, ok := ever[guid]; ok && had != p {
					t.Fatalf("port %s has LID %d, and had %d", guid, p.Base, had.Base)
				}
				if ever[guid] = p; d.lids[guid] != p {
					t.Fatalf("port %s has LID %d, and %v is stored", guid, p.Base, d.lids[guid])
				}
			}
		}
		faults := &faults{v: v, rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 0))}
		for range rapid.IntRange(1, 6).Draw(t, "things") {
			for range rapid.IntRange(1, 40).Draw(t, "50 ms") {
				v.runUntil(v.now + 50*time.Millisecond)
				check()
			}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				d.full = !d.full
				full++
			case 1: // killed, and started again
				restarts++
				now := v.now
				sub.Detach(v.id)
				v = withDisk(t, sub, d, Config{})
				v.now = now
				faults.v = v
				v.step(&Event{Kind: Start})
			default:
				faults.next(t)
			}
		}
		v.runUntil(v.now + time.Second)
		d.full = false
		faults.settle(t)
		v.runUntil(v.now + 3*time.Minute)
		check()
	}, func() string {
		if full == 0 || restarts == 0 {
			return fmt.Sprintf("%d times full, %d restarts", full, restarts)
		}
		return ""
	})
}

// TestReturning: a port that was away when the manager started finds its stored LID, also in a round that repairs.
func TestReturning(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	f := sub.Fabric()
	host := find(f, fabric.CA, 5)
	guid := f.Nodes[host].Ports[1].GUID
	if err := sub.SetNodeDown(host, true); err != nil {
		t.Fatal(err)
	}
	d := &disk{lids: LIDMap{guid: {Base: 100}}}
	v := withDisk(t, sub, d, Config{})
	v.step(&Event{Kind: Start})
	v.runUntil(time.Second)
	if err := sub.SetNodeDown(host, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 20*time.Second)
	if r := v.manager.Result().Report; r.State != Up || !strings.HasPrefix(r.Routing.Kept, "repaired") || given(t, sub)[guid].Base != 100 || d.lids[guid].Base != 100 {
		t.Errorf("%s, %s: LID %d, stored %d", r.State, r.Routing.Kept, given(t, sub)[guid].Base, d.lids[guid].Base)
	}
}

// TestAfter: a port that is not there keeps its LIDs, all of them, unless somebody got one.
func TestAfter(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	v := withDisk(t, sub, &disk{}, Config{})
	v.step(&Event{Kind: Start})
	v.runUntil(10 * time.Second)
	c := v.manager.core
	top := c.plan.Ends.Top()
	before := LIDMap{1: {Base: 4, LMC: 2}, 2: {Base: 1}, 3: {Base: 128, LMC: 7}, 4: {Base: top + 1}, c.ownGUID(): {Base: 500}}
	after := before.After(c.graph, &c.plan.Ends)
	if after[1].Base != 0 || after[2].Base != 0 || after[3] != before[3] || after[4] != before[4] || after[c.ownGUID()].Base != c.prog.smLID {
		t.Errorf("%v", after)
	}
	for p, want := range map[PortLIDs]bool{
		{0, 0}: false, {1, 0}: true, {1, 1}: false, {2, 1}: true, {0xBFFF, 0}: true, {0xC000, 0}: false, {0xBF80, 7}: true, {0x4000, 8}: false,
	} {
		if p.Valid() != want {
			t.Errorf("%v is valid: %v", p, p.Valid())
		}
	}
}

// TestRunnerStores: the runner stores beside the loop, before the first port has its LID, and waits for it in the end.
func TestRunnerStores(t *testing.T) {
	s := newFake(formula(t, "rlft(4,2)"))
	r, calls := runner("updn"), 0
	r.Store = func(rec *Record) error {
		calls++
		for i := range s.nodes {
			for p := range s.nodes[i].info {
				if lid := mad.PortInfoLID.Get(s.nodes[i].info[p][:]); lid != 0 {
					t.Errorf("a port has LID %d", lid)
				}
			}
		}
		if len(rec.LIDs) != 14 || rec.Engine != "updn" || !strings.HasPrefix(rec.Verdict, "yes") {
			t.Errorf("%+v", rec)
		}
		return nil
	}
	core, err := r.Run(t.Context(), attach(s))
	if err != nil || core.Report.State != Up || calls != 1 {
		t.Errorf("%v: %s, stored %d times", err, core.Report.State, calls)
	}

	ctx, cancel := context.WithCancel(t.Context())
	stored := false
	r.Store = func(*Record) error {
		cancel()
		time.Sleep(50 * time.Millisecond)
		stored = true
		return nil
	}
	core, err = r.Run(ctx, attach(newFake(formula(t, "rlft(4,2)"))))
	if !errors.Is(err, context.Canceled) || core.Report.State != Interrupted || !stored {
		t.Errorf("%v: %s, stored: %v", err, core.Report.State, stored)
	}
}

// TestOthersLIDs: ports keep the LIDs that another manager has given them while ours was away, whatever is stored; LIDs of ports
// that are not there stay stored where nobody got them.
func TestOthersLIDs(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	d := &disk{}
	v := withDisk(t, sub, d, Config{})
	v.step(&Event{Kind: Start})
	v.runUntil(10 * time.Second)
	lids, now := given(t, sub), v.now
	sub.Detach(v.id)

	host, f := find(sub.Fabric(), fabric.CA, 5), sub.Fabric()
	guid := f.Nodes[host].Ports[1].GUID
	d.lids[0x99], d.lids[0x98] = PortLIDs{Base: lids[guid].Base}, PortLIDs{Base: 500}
	d.lids[guid] = PortLIDs{Base: 300}
	v = withDisk(t, sub, d, Config{})
	v.now = now
	v.step(&Event{Kind: Start})
	v.runUntil(v.now + 10*time.Second)
	r := v.manager.Result().Report
	if r.State != Up || v.told(OthersLIDs) != 1 || !maps.Equal(given(t, sub), lids) {
		t.Errorf("%s: LIDs %v, had %v: %v", r.State, given(t, sub), lids, v.entries)
	}
	lids[0x98] = PortLIDs{Base: 500}
	if !maps.Equal(d.lids, lids) {
		t.Errorf("stored %v, want %v", d.lids, lids)
	}
}

// TestTwinsStored: ports that cannot be told from others by their GUID are no sign of another manager.
func TestTwinsStored(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	for n, guid := range map[int]fabric.GUID{3: 0x77, 5: 0x77, 6: 0} {
		f.Nodes[find(f, fabric.CA, n)].Ports[1].GUID = guid
	}
	w := newWorld(f, Config{Store: true, Stored: LIDMap{}}, "updn")
	if r := w.run(); r.State != Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	lids := w.core.record.LIDs
	if _, ok := lids[0]; ok || len(lids) != 14-2 {
		t.Errorf("stored: %v", lids)
	}
	w.core = roundOf(Config{Store: true, Stored: lids})
	if r := w.run(); r.State != Up || r.Find(OthersLIDs) != nil {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestAddStored: LIDs that are stored come to ports that hold none, unless another one holds them; those of ports that are not there
// wait for them, once.
func TestAddStored(t *testing.T) {
	g := formula(t, "rlft(4,2)").Compile()
	guid := func(end int) fabric.GUID { return g.EndGUID[end] }
	h := &route.Held{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}, Absent: []route.Absent{{Node: 7, Port: 1, Base: 40}}}
	h.Ends.Base[0], h.Ends.LMC[0] = 4, 1
	addStored(h, g, LIDMap{
		guid(0): {Base: 30}, guid(1): {Base: 5}, guid(2): {Base: 20, LMC: 2}, guid(3): {Base: 2, LMC: 2}, // up to LID 5
		0x98: {Base: 50, LMC: 1}, 0x99: {Base: 40},
	})
	if got := h.Ends.Base[:5]; !slices.Equal(got, []fabric.LID{4, 0, 20, 0, 0}) || h.Ends.LMC[2] != 2 {
		t.Errorf("LIDs %v, LMCs %v", got, h.Ends.LMC[:5])
	}
	if want := []route.Absent{{Node: 7, Port: 1, GUID: 0x99, Base: 40}, {GUID: 0x98, Base: 50, LMC: 1}}; !slices.Equal(h.Absent, want) {
		t.Errorf("absent: %v", h.Absent)
	}
}

// TestStoredReturns: a port of which the manager knows the LIDs alone is missed until it is there, and keeps them then.
func TestStoredReturns(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	host := find(sub.Fabric(), fabric.CA, 5)
	guid := sub.Fabric().Nodes[host].Ports[1].GUID
	if err := sub.SetNodeDown(host, true); err != nil {
		t.Fatal(err)
	}
	v := withDisk(t, sub, &disk{lids: LIDMap{guid: {Base: 99}}}, Config{})
	v.manager.watch.KeepAbsent = 3
	v.step(&Event{Kind: Start})
	v.runUntil(10 * time.Second)
	if m := v.manager.missing[guid]; m == nil || m.rounds != 1 || !strings.Contains(m.name, guid.String()) {
		t.Fatalf("%+v", v.manager.missing)
	}
	if err := sub.SetNodeDown(host, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 20*time.Second)
	for range 5 {
		v.step(&Event{Kind: Resweep})
		v.runUntil(v.now + 20*time.Second)
	}
	if v.told(NodeReturned) != 1 || v.told(NodeForgotten) > 0 || len(v.manager.missing) > 0 || v.manager.next.Stored[guid].Base != 99 || v.lidsOf()[guid] != 99 {
		t.Errorf("%v", v.entries)
	}
}

// TestReconfiguredStores: a manager that is told other options goes on storing.
func TestReconfiguredStores(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	host, d := find(sub.Fabric(), fabric.CA, 5), &disk{}
	if err := sub.SetNodeDown(host, true); err != nil {
		t.Fatal(err)
	}
	v := withDisk(t, sub, d, Config{})
	v.step(&Event{Kind: Start})
	v.runUntil(10 * time.Second)
	v.step(&Event{Kind: Reconfigure, Settings: &Settings{Watch: UsualWatch, What: "nothing has changed"}})
	if err := sub.SetNodeDown(host, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 20*time.Second)
	if lids := given(t, sub); len(lids) != 14 || !maps.Equal(lids, d.lids) {
		t.Errorf("LIDs %v, stored %v", lids, d.lids)
	}
}
