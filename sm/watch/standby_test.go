package watch

import (
	"errors"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// tellMaster has the port of a manager told that the master is at a LID.
func (v *virtual) tellMaster(t smtest.Fataler, lid uint64) {
	t.Helper()
	info, err := v.sub.PortInfo(v.at)
	m, wrong := mad.Request{Method: mad.Set, Attr: mad.AttrPortInfo, Modifier: uint32(v.at.Port)}.Directed(make([]byte, mad.Size), nil)
	if err = errors.Join(err, wrong); err != nil {
		t.Fatalf("%v", err)
	}
	copy(m.Data(), info)
	mad.PortInfoPortState.Put(m.Data(), 0)
	mad.PortInfoPhysicalState.Put(m.Data(), 0)
	mad.PortInfoMasterSMLID.Put(m.Data(), lid)
	v.sub.Send(v.id, &wire.Datagram{Addr: wire.Directed(), MAD: m})
	if info, _ = v.sub.PortInfo(v.at); mad.PortInfoMasterSMLID.Get(info) != lid {
		t.Fatalf("its port was told of the master at LID %d", mad.PortInfoMasterSMLID.Get(info))
	}
}

// TestSilentStandby: a manager that stands by says nothing when a cable fails. The master repairs
// all the same, and stays the master; it does not hand over to one that is silent. So it does where
// the port of the silent one says by then that it has another master.
func TestSilentStandby(t *testing.T) {
	for _, priority := range []uint8{0, 2} {
		sub, all := managers(t, "rlft(6,2)", emulator.Options{}, 1, priority)
		all[0].step(&terms.Event{Kind: terms.Start})
		runTogether(all[0].now+time.Second, all...)
		master, other := all[0], all[1]
		if master.manager.cfg.Replicates = true; priority > 1 { // so that it does not hand over yet
			master.manager.settled = nil
		}
		other.step(&terms.Event{Kind: terms.Start})
		runTogether(all[0].now+5*time.Second, all...)
		if master.manager.state() != mad.SMStateMaster || other.manager.state() != mad.SMStateStandby {
			t.Fatal(journals(all))
		}
		other.deaf = true
		for turn := range 3 {
			master.step(terms.NewsEvent(&terms.News{MayTakeOver: []fabric.GUID{}}))
			l, id := master.switchLink(t, turn)
			if err := sub.SetLinkDown(id, true); err != nil {
				t.Fatal(err)
			}
			told := master.told(terms.RoundEnds)
			if runTogether(all[0].now+120*time.Millisecond, all...); turn == 0 && priority == 0 && master.told(terms.RoundEnds) == told {
				t.Error("a repair waits for one that stands by as long as for one that may be the master")
			}
			runTogether(all[0].now+3*time.Second, all...)
			if master.manager.state() != mad.SMStateMaster || master.told(terms.RoundEnds) == told || len(master.manager.found().Others) != 1 {
				t.Fatalf("cable %v has failed: %s", l, journals(all))
			}
			master.verify(t)
			master.step(terms.NewsEvent(&terms.News{MayTakeOver: []fabric.GUID{master.manager.found().Others[0].GUID}}))
			if master.manager.election.handing != nil {
				t.Fatal("the subnet is handed over to one that is silent")
			}
		}
		other.tellMaster(t, 99)
		_, id := master.switchLink(t, 4)
		if err := sub.SetLinkDown(id, true); err != nil {
			t.Fatal(err)
		}
		runTogether(all[0].now+3*time.Second, all...)
		if master.manager.state() != mad.SMStateMaster {
			t.Fatalf("it gives way to one that is silent: %s", journals(all))
		}
		master.verify(t)
	}
}

// TestToldOnce: a manager beside a silent one looks at it again and again, and tells that once. It
// tells again when the silent one answers.
func TestToldOnce(t *testing.T) {
	_, all := managers(t, "rlft(6,2)", emulator.Options{}, 5, 7)
	master, other := all[0], all[1]
	master.step(&terms.Event{Kind: terms.Start})
	runTogether(master.now+5*time.Second, all...)
	master.deaf = true
	other.step(&terms.Event{Kind: terms.Start})
	runTogether(master.now+40*time.Second, all...)
	rounds := other.manager.round.Number
	for _, kind := range []terms.IncidentKind{terms.OtherManager, terms.RoundBegun, terms.RoundEnds} {
		if n := other.told(kind); n != 1 || rounds < 4 {
			t.Errorf("%s is told %d times in %d rounds: %s", kind, n, rounds, journals(all))
		}
	}
	master.deaf = false
	runTogether(master.now+20*time.Second, all...)
	if n, begun, ended := other.told(terms.OtherManager), other.told(terms.RoundBegun), other.told(terms.RoundEnds); n < 2 || begun != ended || begun < 2 {
		t.Errorf("other managers are told %d times, %d rounds begin and %d end: %s", n, begun, ended, journals(all))
	}
}
