package watch

import (
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestDuplicateWhileStaying: a node appears with the GUID of another one while the manager runs. It
// is left out and named, wherever it is, and the known node keeps its LID and place. When the new
// node gets another GUID it comes up.
func TestDuplicateWhileStaying(t *testing.T) {
	for _, c := range []struct{ holder, intruder int }{{5, 12}, {12, 5}, {12, 3}, {5, 4}, {20, 1}} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
		lids, f := v.lidsOf(), v.manager.inForce.Fabric
		holder, intruder := smtest.Find(f, fabric.CA, c.holder), smtest.Find(f, fabric.CA, c.intruder)
		at := f.Peer(fabric.End{Node: holder, Port: 1})
		emu := v.emulated(t, f.Nodes[intruder].GUID)
		restart := func(guid fabric.GUID) {
			t.Helper()
			if err := v.sub.SetNodeDown(emu, true); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + time.Second)
			if err := v.sub.SetGUID(emu, guid); err != nil {
				t.Fatal(err)
			}
			if err := v.sub.SetNodeDown(emu, false); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + 5*time.Second)
		}
		restart(f.Nodes[holder].GUID)
		now := v.manager.inForce
		found, ok := now.Fabric.NodeByGUID(f.Nodes[holder].GUID)
		if r := v.manager.Result().Report; r.State != terms.UpInPart || r.Find(terms.DuplicateGUID) == nil || !ok {
			t.Fatalf("%+v: %s: %v", c, r.State, v.entries)
		}
		if peer := now.Fabric.Peer(fabric.End{Node: found, Port: 1}); now.Fabric.Nodes[peer.Node].GUID != f.Nodes[at.Node].GUID || peer.Port != at.Port {
			t.Errorf("%+v: the GUID belongs to the node at %s now, and did to that at %s", c, now.Fabric.EndName(peer), f.EndName(at))
		}
		if port := f.Nodes[holder].Ports[1].GUID; v.lidsOf()[port] != lids[port] {
			t.Errorf("%+v: its LID was %d and is %d", c, lids[port], v.lidsOf()[port])
		}
		restart(f.Nodes[intruder].GUID)
		if v.runUntil(v.now + terms.UsualWatch.MostRetry); v.manager.Result().Report.State != terms.Up {
			t.Errorf("%+v: %v", c, v.entries)
		}
		v.verify(t)
	}
}
