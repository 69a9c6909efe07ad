package watch

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// managers attaches managers of these priorities to the first hosts of a subnet, in the order of
// their GUIDs.
func managers(t smtest.Fataler, text string, opt emulator.Options, priorities ...uint8) (*emulator.Subnet, []*virtual) {
	t.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		t.Fatalf("%v", err)
	}
	sub, err := emulator.New(f, opt)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var all []*virtual
	for k, priority := range priorities {
		v, err := newVirtualAt(sub, fabric.End{Node: smtest.Find(f, fabric.CA, 3*k), Port: 1}, terms.Config{Elect: true, Priority: priority}, smtest.JobOf("auto", 0))
		if err != nil {
			t.Fatalf("%v", err)
		}
		v.manager, v.planTime = NewManager(v.manager.cfg, terms.UsualWatch), 10*time.Millisecond
		all = append(all, v)
	}
	return sub, all
}

// masters counts the managers that say that they are the master.
func masters(all []*virtual) (n int, last *virtual) {
	for _, v := range all {
		if v.manager.state() == mad.SMStateMaster {
			n, last = n+1, v
		}
	}
	return n, last
}

// TestElection: of managers that start in any order and at any distance there is never more than
// one master. In the end it is the one of the highest priority, of equal ones that of the lowest
// GUID: to one that goes before it a master hands over. When the master dies, the next one takes
// the subnet, and no LID moves.
func TestElection(t *testing.T) {
	handed := 0
	draws.Check(t, func(t *rapid.T) {
		priorities := rapid.SliceOfN(rapid.Uint8Range(0, 2), 2, 3).Draw(t, "priorities")
		opt := emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")}
		if rapid.Bool().Draw(t, "bad wire") {
			opt.Impairment = emulator.Impairment{Loss: 0.03, Duplicate: 0.03, Late: 0.05, LateBy: 50 * time.Millisecond}
		}
		sub, all := managers(t, "rlft(6,2)", opt, priorities...)
		alive := all
		for _, v := range all {
			v.onEvent = func() {
				if n, _ := masters(alive); n > 1 {
					t.Fatalf("%d masters at once: %s", n, journals(alive))
				}
			}
		}
		best := 0
		for k, p := range priorities {
			if p > priorities[best] {
				best = k
			}
		}
		for _, k := range rapid.Permutation(indices(len(all))).Draw(t, "order") {
			all[k].step(&terms.Event{Kind: terms.Start})
			pause := rapid.SampledFrom([]time.Duration{time.Microsecond, 100 * time.Microsecond, time.Millisecond, time.Second}).Draw(t, "unit")
			runTogether(all[0].now+pause*time.Duration(rapid.IntRange(0, 30).Draw(t, "pause")), all...)
		}
		end := all[0].now + 2*time.Minute
		runTogether(end, all...)
		n, master := masters(all)
		if n != 1 || master != all[best] {
			t.Fatalf("%d masters, priorities %v: %s", n, priorities, journals(all))
		}
		master.verify(t)
		for _, v := range all {
			handed += v.told(terms.Handover)
		}
		lids := master.lidsOf()

		sub.Detach(master.id)
		alive = append(append([]*virtual{}, all[:best]...), all[best+1:]...)
		runTogether(end+2*time.Minute, alive...)
		n, next := masters(alive)
		if n != 1 {
			t.Fatalf("%d masters after the first one has gone: %s", n, journals(alive))
		}
		next.verify(t)
		for guid, lid := range next.lidsOf() {
			if lids[guid] != lid {
				t.Fatalf("port %s has LID %d, and had %d", guid, lid, lids[guid])
			}
		}
	}, func() string {
		if handed == 0 {
			return "nothing was ever handed over"
		}
		return ""
	})
}

// TestHandoverUnseen: a manager that asks others while the master hands the subnet over finds two
// standbys and no master. It asks again before it takes the subnet. The wire and the times are of a
// case that TestElection has drawn.
func TestHandoverUnseen(t *testing.T) {
	bad := emulator.Impairment{Loss: 0.03, Duplicate: 0.03, Late: 0.05, LateBy: 50 * time.Millisecond}
	_, all := managers(t, "rlft(6,2)", emulator.Options{Seed: 0x1bf0966, Impairment: bad}, 0, 0, 0)
	for _, v := range all {
		v.onEvent = func() {
			if n, _ := masters(all); n > 1 {
				t.Fatalf("%d masters at once: %s", n, journals(all))
			}
		}
	}
	for _, begin := range []struct {
		manager int
		pause   time.Duration
	}{{2, 2 * time.Second}, {0, 9 * time.Second}, {1, time.Minute}} {
		all[begin.manager].step(&terms.Event{Kind: terms.Start})
		runTogether(all[0].now+begin.pause, all...)
	}
	if n, master := masters(all); n != 1 || master != all[0] {
		t.Fatalf("%d masters: %s", n, journals(all))
	}
}

// TestUnseenMaster: a manager that starts while the host of the master says nothing for a moment
// looks for it again, and stands by. Where the host stays silent it takes the subnet.
func TestUnseenMaster(t *testing.T) {
	for _, back := range []bool{true, false} {
		sub, all := managers(t, "rlft(6,2)", emulator.Options{}, 5, 5)
		all[0].step(&terms.Event{Kind: terms.Start})
		runTogether(time.Second, all[0])
		if n, _ := masters(all); n != 1 {
			t.Fatal(journals(all))
		}
		host := smtest.Find(sub.Fabric(), fabric.CA, 0)
		if err := sub.SetSilent(host, true); err != nil {
			t.Fatal(err)
		}
		sweeps := 0
		all[1].onEvent = func() {
			if n, _ := masters(all); back && n > 1 {
				t.Fatalf("%d masters at once: %s", n, journals(all))
			}
		}
		all[1].onPhase = func(name string) {
			if name == "discover" {
				sweeps++
			}
			if back && sweeps == 2 {
				if err := sub.SetSilent(host, false); err != nil {
					t.Fatal(err)
				}
			}
		}
		all[1].step(&terms.Event{Kind: terms.Start})
		runTogether(time.Minute, all[1])
		if state := all[1].manager.state(); sweeps < 2 || back != (state == mad.SMStateStandby) || !back && state != mad.SMStateMaster {
			t.Errorf("back %v: after %d sweeps state %d: %s", back, sweeps, state, journals(all))
		}
	}
}

func indices(n int) (list []int) {
	for k := range n {
		list = append(list, k)
	}
	return list
}

// journals prints what all managers have told.
func journals(all []*virtual) (text string) {
	for k, v := range all {
		text += fmt.Sprintf("\nmanager %d, state %d:", k, v.manager.state())
		for _, e := range v.entries {
			text += fmt.Sprintf("\n  %s: %s", e.Kind, e.Text)
		}
	}
	return text
}
