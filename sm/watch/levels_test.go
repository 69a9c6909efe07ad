package watch

import (
	"maps"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/levels"
	"weft/sm/clients"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

func readLevels(t smtest.Fataler, text string) levels.Levels {
	list, err := levels.Read("levels", []byte(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return list
}

// verifyTurns compares the VL arbitration of all ports with cables with the Plan.
func (v *virtual) verifyTurns(t smtest.Fataler) {
	t.Helper()
	c, f := v.manager.inForce, v.sub.Fabric()
	compare := func(e fabric.End, table *route.ArbTable) {
		low, high, limit := v.sub.VLArbitration(e)
		for _, list := range []struct {
			has  []byte
			want []route.ArbEntry
		}{{low, table.Low}, {high, table.High}} {
			var want []byte
			for _, e := range list.want {
				want = append(want, e.VL, e.Weight)
			}
			for len(want) < len(list.has) { // the rest is 0
				want = append(want, 0)
			}
			if !slices.Equal(list.has, want) {
				t.Fatalf("%s has turns %d, want %d", f.EndName(e), list.has, want)
			}
		}
		if limit != table.Limit {
			t.Fatalf("%s has VLHighLimit %d, want %d", f.EndName(e), limit, table.Limit)
		}
	}
	for slot := range c.Owner {
		id, ok := f.NodeByGUID(c.Nodes[c.Owner[slot]].GUID)
		if table := c.ArbTable(int32(slot)); ok && table != nil && c.Carries(int32(slot)) && c.Plan.VLs > 1 {
			compare(fabric.End{Node: id, Port: c.PortNumber(int32(slot))}, table)
		}
	}
}

// askPath returns the SL of the first path between two end ports, as a query with more in it gets
// it; false where there is none.
func (v *virtual) askPath(src, dst int32, more func(rec []byte) (mask uint64)) (sl uint8, ok bool) {
	c := v.manager.inForce
	q, _ := mad.Request{Method: mad.Get, Attr: mad.AttrPathRecord, TID: 1}.SA(make([]byte, mad.Size), 0)
	mask := mad.PathRecord.Mask(mad.PathRecordSLID) | mad.PathRecord.Mask(mad.PathRecordDLID)
	mad.PathRecordSLID.Put(q.Data(), uint64(c.Plan.Ends.Base[src]))
	mad.PathRecordDLID.Put(q.Data(), uint64(c.Plan.Ends.Base[dst]))
	mad.SAHeaderComponentMask.Put(q, mask|more(q.Data()))
	a := new(sa.Responder).Answer(clients.Administered(c, 0, 0, 0), q)
	return uint8(mad.PathRecordSL.Get(a.Data())), a.Status() == mad.StatusOK
}

// TestLevels: levels of service get lanes and turns, and hosts are told their SLs by partition,
// service, class or the SL that they ask for. Others that are told while the manager runs are in
// force after the next round, which moves no LID and writes no block of a forwarding table.
func TestLevels(t *testing.T) {
	p := smtest.Partitioning(t, `Default=0x7fff: ALL=full; storage=0x10,sl=5: ALL=full; other=0x11: ALL=full;`, true, true)
	list := readLevels(t, "default\nstorage share=3 sl=5\ncontrol priority=high service=0x100-0x1ff class=9 partition=other")
	f, err := gen.Parse("torus(4x3,hosts=2)")
	if err != nil {
		t.Fatal(err)
	}
	cfg := terms.Config{Partitions: p, Levels: list}
	v, err := newVirtual(f, emulator.Options{}, cfg, smtest.JobOf("torus", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(cfg, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 2*time.Second)
	if r := v.manager.Result().Report; r.State != terms.Up || len(v.manager.inForce.Plan.Levels) != 3 || v.manager.inForce.Plan.VLs < 3 {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	v.verify(t)
	v.verifyTurns(t)
	plan := v.manager.inForce.Plan
	// By what is asked for: the level.
	with := func(set ...mad.Field) func(rec []byte) uint64 {
		return func(rec []byte) (mask uint64) {
			for _, f := range set {
				mask |= mad.PathRecord.Mask(f)
			}
			return mask
		}
	}
	value := func(f mad.Field, n uint64, more ...mad.Field) func(rec []byte) uint64 {
		return func(rec []byte) uint64 {
			f.Put(rec, n)
			return mad.PathRecord.Mask(f) | with(more...)(rec)
		}
	}
	for _, c := range []struct {
		what  string
		more  func(rec []byte) uint64
		level int // -1 for no path
	}{
		{"nothing", with(), 0},
		{"partition storage", value(mad.PathRecordPKey, 0x8010), 1},
		{"partition other", value(mad.PathRecordPKey, 0x8011), 2},
		{"a service", value(mad.PathRecordServiceID, 0x1ff), 2},
		{"another service", value(mad.PathRecordServiceID, 0x200), 0},
		{"a class", value(mad.PathRecordQoSClass, 9), 2},
		{"another class", value(mad.PathRecordQoSClass, 8), 0},
		{"the SL of storage", value(mad.PathRecordSL, 5), 1},
		{"an SL that no level has", value(mad.PathRecordSL, 15), -1},
		{"the SL of storage in partition other", func(rec []byte) uint64 {
			return value(mad.PathRecordPKey, 0x8011)(rec) | value(mad.PathRecordSL, 5)(rec)
		}, -1},
		{"a service in partition storage", func(rec []byte) uint64 {
			return value(mad.PathRecordPKey, 0x8010)(rec) | value(mad.PathRecordServiceID, 0x100)(rec)
		}, 2},
	} {
		src, dst := int32(0), int32(13)
		sl, ok := v.askPath(src, dst, c.more)
		if ok != (c.level >= 0) {
			t.Errorf("%s: a path: %v", c.what, ok)
		} else if ok && sl != plan.Levels[c.level].SL[plan.SL.At(src, plan.Ends.Base[dst])] {
			t.Errorf("%s: SL %d, not that of level %s", c.what, sl, plan.Levels[c.level].Name)
		}
	}

	lids := v.lidsOf()
	written := map[mad.AttrID]int{}
	tell := func(text string) {
		cfg := v.manager.cfg
		clear(written)
		if cfg.Levels = nil; text != "" {
			cfg.Levels = readLevels(t, text)
		}
		v.onAction = func(a *terms.Action) {
			if a.Kind == terms.Send && a.Method == mad.Set {
				written[a.Attr]++
			}
		}
		v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: terms.UsualWatch, Routing: v.routing, What: "as the test says"}})
		v.runUntil(v.now + 3*time.Second)
		v.onAction = nil
		v.verify(t)
		v.verifyTurns(t)
		if !maps.Equal(lids, v.lidsOf()) || written[mad.AttrLinearForwardingTable] > 0 {
			t.Errorf("%q: written %v", text, written)
		}
	}
	tell("default share=1\nstorage share=7 sl=5\ncontrol priority=high service=0x100-0x1ff class=9 partition=other") // another share
	if written[mad.AttrVLArbitrationTable] == 0 {
		t.Errorf("written %v", written)
	}
	tell("default share=1\nstorage share=7 sl=5 class=3\ncontrol priority=high class=9") // other rules alone
	if written[mad.AttrVLArbitrationTable]+written[mad.AttrSLtoVLMappingTable] > 0 {
		t.Errorf("written %v", written)
	}
	if sl, ok := v.askPath(0, 13, value(mad.PathRecordQoSClass, 3)); !ok || sl != v.manager.inForce.Plan.Levels[1].SL[plan.SL.At(0, plan.Ends.Base[13])] {
		t.Errorf("class 3: SL %d, %v", sl, ok)
	}
	tell("all")
	tell("")
	if len(v.manager.inForce.Plan.Levels) > 0 || v.told(terms.NoLevel) == 0 {
		t.Error("levels that were taken away are there, or a partition's SL without a level is not told")
	}
	tell("default\nstorage share=3 sl=5")
}
