package watch

import (
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
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

var errFull = errors.New("the disk is full")

// disk is a file of state in memory, which can be full.
type disk struct {
	full    bool
	lids    terms.LIDMap
	records int
}

func (d *disk) store(r *terms.Record) error {
	if d.full {
		return errFull
	}
	d.lids = maps.Clone(r.LIDs)
	d.records++
	return nil
}

// withDisk makes a Manager that stays and stores its LIDs, without starting it.
func withDisk(t smtest.Fataler, sub *emulator.Subnet, d *disk, cfg terms.Config) *virtual {
	t.Helper()
	at, err := sub.DefaultEnd()
	if err != nil {
		t.Fatalf("%v", err)
	}
	cfg.Store, cfg.Stored = true, maps.Clone(d.lids)
	if cfg.Stored == nil {
		cfg.Stored = terms.LIDMap{}
	}
	v, err := newVirtualAt(sub, at, cfg, smtest.JobOf("auto", 0))
	if err != nil {
		t.Fatalf("%v", err)
	}
	v.manager, v.store = NewManager(cfg, terms.UsualWatch), d.store
	return v
}

func emulated(t smtest.Fataler, text string, opt emulator.Options) *emulator.Subnet {
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
func given(t smtest.Fataler, sub *emulator.Subnet) terms.LIDMap {
	t.Helper()
	out, f := terms.LIDMap{}, sub.Fabric()
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
				out[f.Nodes[i].Ports[p].GUID] = terms.PortLIDs{Base: fabric.LID(lid), LMC: uint8(mad.PortInfoLMC.Get(info))}
			}
		}
	}
	return out
}

// TestStoredFirst: no port has a LID before it is stored. Where nothing can be stored from the
// beginning, nothing is given; it is tried again, and comes up.
func TestStoredFirst(t *testing.T) {
	d := &disk{full: true}
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	v := withDisk(t, sub, d, terms.Config{})
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(time.Second)
	if r := v.manager.Result().Report; r.State != terms.NotRouted || r.Find(terms.NotStored) == nil || len(given(t, sub)) > 0 || r.Written.Blocks > 0 {
		t.Fatalf("%s, %d blocks, LIDs %v: %v", r.State, r.Written.Blocks, given(t, sub), r.Incidents)
	}
	d.full = false
	v.runUntil(v.now + time.Minute)
	if r := v.manager.Result().Report; r.State != terms.Up || !maps.Equal(given(t, sub), d.lids) || d.records == 0 {
		t.Errorf("%s: LIDs %v, stored %v", r.State, given(t, sub), d.lids)
	}
	v.verify(t)
}

// TestRepairNotDelayed: a repair is written while a slow disk stores its Plan, since no LID has
// changed; the round ends when it is stored. A new port waits for the disk.
func TestRepairNotDelayed(t *testing.T) {
	for _, full := range []bool{false, true} {
		d := &disk{}
		sub := emulated(t, "rlft(4,2)", emulator.Options{})
		f := sub.Fabric()
		host := smtest.Find(f, fabric.CA, 5)
		if err := sub.SetNodeDown(host, true); err != nil {
			t.Fatal(err)
		}
		v := withDisk(t, sub, d, terms.Config{})
		v.step(&terms.Event{Kind: terms.Start})
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
		if c := v.manager.current; !v.manager.inRound || c.Phase() != "verify" || v.told(terms.RoundEnds) != 1 || v.storedAt == terms.Never {
			t.Fatalf("full %v: %s: %v", full, c.Phase(), v.entries)
		}
		v.verify(t)
		v.storeTime = 0
		v.runUntil(v.now + 8*time.Second)
		v.storeTime = 10 * time.Second
		if r := v.manager.Result().Report; v.manager.inRound || r.State != terms.Up || (r.Find(terms.NotStored) != nil) != full || !maps.Equal(given(t, sub), lids) {
			t.Fatalf("full %v: %s: %v", full, r.State, v.entries)
		}
		if err := sub.SetNodeDown(host, false); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 5*time.Second)
		if c := v.manager.current; c.Phase() != "store" || given(t, sub)[f.Nodes[host].Ports[1].GUID].Base != 0 {
			t.Fatalf("full %v: %s: %v", full, c.Phase(), v.entries)
		}
		v.step(&terms.Event{Kind: terms.Stop})
		if v.runUntil(terms.Never); !v.manager.ended {
			t.Error("it does not end")
		}
	}
}

// TestFullDisk: a manager whose disk is full repairs what breaks, and keeps LIDs; a port that is
// new gets none, and no open link, until it can be stored.
func TestFullDisk(t *testing.T) {
	d := &disk{}
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	f := sub.Fabric()
	host := smtest.Find(f, fabric.CA, 5)
	if err := sub.SetNodeDown(host, true); err != nil {
		t.Fatal(err)
	}
	v := withDisk(t, sub, d, terms.Config{})
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(10 * time.Second)
	lids := maps.Clone(d.lids)
	if r := v.manager.Result().Report; r.State != terms.Up || len(lids) == 0 {
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
	if r := v.manager.Result().Report; r.State != terms.Up || r.Find(terms.NotStored) == nil || !isKept(r) || !maps.Equal(given(t, sub), lids) {
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
	if r := v.manager.Result().Report; r.State != terms.UpInPart || !maps.Equal(given(t, sub), lids) || mad.PortInfoPortState.Get(info) == mad.PortActive {
		t.Fatalf("%s: LIDs %v, stored %v: %v", r.State, given(t, sub), lids, v.entries)
	}
	d.full = false
	v.runUntil(v.now + time.Minute)
	if r := v.manager.Result().Report; r.State != terms.Up || len(given(t, sub)) != len(lids)+1 || !maps.Equal(given(t, sub), d.lids) {
		t.Fatalf("%s: LIDs %v, stored %v: %v", r.State, given(t, sub), d.lids, r.Incidents)
	}
	v.verify(t)
}

// TestNotMovedUnstored: a Plan that moves a stored LID is not distributed if the LID cannot be
// stored.
func TestNotMovedUnstored(t *testing.T) {
	d := &disk{}
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	v := withDisk(t, sub, d, terms.Config{})
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(10 * time.Second)
	lids, now := given(t, sub), v.now
	sub.Detach(v.id)
	d.full = true
	v = withDisk(t, sub, d, terms.Config{})
	v.now, v.routing = now, smtest.JobOf("auto", 2)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 5*time.Second)
	if r := v.manager.Result().Report; r.State != terms.NotRouted || r.Find(terms.NotStored) == nil || r.Written.Blocks > 0 || !maps.Equal(given(t, sub), lids) {
		t.Errorf("%s, LIDs %v, had %v: %v", r.State, given(t, sub), lids, v.entries)
	}
}

// TestNotMovedByLast: the same where only one port would get other LIDs, by the last Plan.
func TestNotMovedByLast(t *testing.T) {
	d := &disk{}
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	v := withDisk(t, sub, d, terms.Config{})
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(10 * time.Second)
	f, now := sub.Fabric(), v.now
	host := smtest.Find(f, fabric.CA, 5)
	sub.Detach(v.id)
	if err := errors.Join(sub.SetNodeDown(host, true), sub.SetNodeDown(host, false)); err != nil {
		t.Fatal(err)
	}
	d.lids[f.Nodes[host].Ports[1].GUID] = terms.PortLIDs{Base: 300}
	d.full = true
	v = withDisk(t, sub, d, terms.Config{History: terms.History{Last: v.manager.next.Last}})
	v.now = now
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 5*time.Second)
	if r := v.manager.Result().Report; r.State != terms.NotRouted || r.Find(terms.NotStored) == nil || given(t, sub)[f.Nodes[host].Ports[1].GUID].Base != 0 {
		t.Errorf("%s, LIDs %v: %v", r.State, given(t, sub), r.Incidents)
	}
}

// TestOnlyStoredLIDs: whatever breaks, and however often the disk is full, ports have the LIDs that
// are stored, and no other ones; after a restart, at any time, no LID moves.
func TestOnlyStoredLIDs(t *testing.T) {
	racing.SkipLong(t)
	full, restarts := 0, 0
	draws.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"rlft(4,2)", "torus(4x4,hosts=1)"}).Draw(t, "fabric")
		d, sub := &disk{}, emulated(t, text, emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")})
		v := withDisk(t, sub, d, terms.Config{})
		v.step(&terms.Event{Kind: terms.Start})
		ever := terms.LIDMap{}
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
				v = withDisk(t, sub, d, terms.Config{})
				v.now = now
				faults.v = v
				v.step(&terms.Event{Kind: terms.Start})
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

// TestReturning: a port that was away when the manager started finds its stored LID, also in a
// round that repairs.
func TestReturning(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	f := sub.Fabric()
	host := smtest.Find(f, fabric.CA, 5)
	guid := f.Nodes[host].Ports[1].GUID
	if err := sub.SetNodeDown(host, true); err != nil {
		t.Fatal(err)
	}
	d := &disk{lids: terms.LIDMap{guid: {Base: 100}}}
	v := withDisk(t, sub, d, terms.Config{})
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(time.Second)
	if err := sub.SetNodeDown(host, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 20*time.Second)
	if r := v.manager.Result().Report; r.State != terms.Up || !isKept(r) || given(t, sub)[guid].Base != 100 || d.lids[guid].Base != 100 {
		t.Errorf("%s, %s: LID %d, stored %d", r.State, r.Routing.Kept, given(t, sub)[guid].Base, d.lids[guid].Base)
	}
}

// TestAfter: a missing port keeps all its LIDs, unless another port got one.
func TestAfter(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	v := withDisk(t, sub, &disk{}, terms.Config{})
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(10 * time.Second)
	c := v.manager.found()
	top := c.Plan.Ends.Top()
	before := terms.LIDMap{1: {Base: 4, LMC: 2}, 2: {Base: 1}, 3: {Base: 128, LMC: 7}, 4: {Base: top + 1}, c.OwnGUID(): {Base: 500}}
	after := before.After(c.Graph, &c.Plan.Ends)
	if after[1].Base != 0 || after[2].Base != 0 || after[3] != before[3] || after[4] != before[4] || after[c.OwnGUID()].Base != c.Prog.SMLID {
		t.Errorf("%v", after)
	}
	for p, want := range map[terms.PortLIDs]bool{
		{Base: 0, LMC: 0}: false, {Base: 1, LMC: 0}: true, {Base: 1, LMC: 1}: false, {Base: 2, LMC: 1}: true, {Base: 0xBFFF, LMC: 0}: true, {Base: 0xC000, LMC: 0}: false, {Base: 0xBF80, LMC: 7}: true, {Base: 0x4000, LMC: 8}: false,
	} {
		if p.Valid() != want {
			t.Errorf("%v is valid: %v", p, p.Valid())
		}
	}
}

// TestOthersLIDs: ports keep the LIDs that another manager has given them while ours was away,
// whatever is stored; LIDs of ports that are not there stay stored where nobody got them.
func TestOthersLIDs(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	d := &disk{}
	v := withDisk(t, sub, d, terms.Config{})
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(10 * time.Second)
	lids, now := given(t, sub), v.now
	sub.Detach(v.id)

	host, f := smtest.Find(sub.Fabric(), fabric.CA, 5), sub.Fabric()
	guid := f.Nodes[host].Ports[1].GUID
	d.lids[0x99], d.lids[0x98] = terms.PortLIDs{Base: lids[guid].Base}, terms.PortLIDs{Base: 500}
	d.lids[guid] = terms.PortLIDs{Base: 300}
	v = withDisk(t, sub, d, terms.Config{})
	v.now = now
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 10*time.Second)
	r := v.manager.Result().Report
	if r.State != terms.Up || v.told(terms.OthersLIDs) != 1 || !maps.Equal(given(t, sub), lids) {
		t.Errorf("%s: LIDs %v, had %v: %v", r.State, given(t, sub), lids, v.entries)
	}
	lids[0x98] = terms.PortLIDs{Base: 500}
	if !maps.Equal(d.lids, lids) {
		t.Errorf("stored %v, want %v", d.lids, lids)
	}
}

// TestStoredReturns: a port known only by its stored LIDs is missing until it appears, and then
// keeps them.
func TestStoredReturns(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	host := smtest.Find(sub.Fabric(), fabric.CA, 5)
	guid := sub.Fabric().Nodes[host].Ports[1].GUID
	if err := sub.SetNodeDown(host, true); err != nil {
		t.Fatal(err)
	}
	v := withDisk(t, sub, &disk{lids: terms.LIDMap{guid: {Base: 99}}}, terms.Config{})
	v.manager.watch.KeepAbsent = 3
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(10 * time.Second)
	if m := v.manager.missing[guid]; m == nil || m.rounds != 1 || !strings.Contains(m.name, guid.String()) {
		t.Fatalf("%+v", v.manager.missing)
	}
	if err := sub.SetNodeDown(host, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 20*time.Second)
	for range 5 {
		v.step(&terms.Event{Kind: terms.Resweep})
		v.runUntil(v.now + 20*time.Second)
	}
	if v.told(terms.NodeReturned) != 1 || v.told(terms.NodeForgotten) > 0 || len(v.manager.missing) > 0 || v.manager.next.Stored[guid].Base != 99 || v.lidsOf()[guid] != 99 {
		t.Errorf("%v", v.entries)
	}
}

// TestReconfiguredStores: a manager that is told other options goes on storing.
func TestReconfiguredStores(t *testing.T) {
	sub := emulated(t, "rlft(4,2)", emulator.Options{})
	host, d := smtest.Find(sub.Fabric(), fabric.CA, 5), &disk{}
	if err := sub.SetNodeDown(host, true); err != nil {
		t.Fatal(err)
	}
	v := withDisk(t, sub, d, terms.Config{})
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(10 * time.Second)
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Watch: terms.UsualWatch, What: "nothing has changed"}})
	if err := sub.SetNodeDown(host, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 20*time.Second)
	if lids := given(t, sub); len(lids) != 14 || !maps.Equal(lids, d.lids) {
		t.Errorf("LIDs %v, stored %v", lids, d.lids)
	}
}
