package watch

import (
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// TestLateSwept: an answer to a light sweep that was dropped, which comes after all answers to the
// next one, ends that one.
func TestLateSwept(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	m, now := v.manager, v.now
	m.beginLightSweep()
	late := terms.Event{Kind: terms.Answer, Outcome: terms.Silent, Tag: terms.SweepTag<<56 | uint64(m.sweep.number&0xFFFFFF)<<32}
	m.out = nil
	m.sweep.drop()
	m.sweep.due = now
	for _, a := range m.Step(now, &terms.Event{Kind: terms.Tick}, nil) {
		if a.Kind == terms.Send {
			ev := terms.Event{Kind: terms.Answer, Tag: a.Tag}
			if a.Attr == mad.AttrPortInfo {
				ev.Data = m.inForce.Info[m.inForce.OwnPort()]
				mad.PortInfoMasterSMLID.Put(ev.Data[:], uint64(m.inForce.Prog.SMLID))
			}
			m.Step(now, &ev, nil)
		}
	}
	if m.Step(now, &late, nil); m.sweep.under || m.sweep.due == terms.Never {
		t.Errorf("the next light sweep is due at %v", m.sweep.due)
	}
}

// TestStandByWhileSwept: a manager that gives the subnet away in the middle of a light sweep ends
// that.
func TestStandByWhileSwept(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{MaxPending: 1})
	m := v.manager
	m.election.handing, m.election.agreed = &ledger.OtherManager{Name: "another"}, true
	m.toManagers++
	m.beginLightSweep()
	swept := terms.Event{Kind: terms.Answer, Tag: terms.SweepTag<<56 | uint64(m.sweep.number&0xFFFFFF)<<32}
	takes := terms.Event{Kind: terms.Answer, Tag: terms.ElectionTag<<56 | askedTaker<<32}
	mad.SMInfoSMState.Put(takes.Data[:], mad.SMStateDiscovering)
	m.Step(v.now, &takes, nil)
	m.Step(v.now, &swept, nil)
	if m.state() != mad.SMStateStandby || m.sweep.under {
		t.Errorf("state %d, a light sweep is under way: %v", m.state(), m.sweep.under)
	}
}

// TestStopBeforeClaimed: a manager that is stopped before IsSM is set at its port sends nothing any
// more.
func TestStopBeforeClaimed(t *testing.T) {
	m := NewManager(terms.Config{Elect: true}, terms.UsualWatch)
	m.Step(0, &terms.Event{Kind: terms.Start}, nil)
	m.Step(0, &terms.Event{Kind: terms.Stop}, nil)
	if out := m.Step(0, &terms.Event{Kind: terms.Claimed}, nil); len(out) > 0 || m.inRound || !m.ended {
		t.Errorf("%d actions after the end", len(out))
	}
}

// TestAskedAtOnce: a manager whose medium tells its port answers another manager as soon as IsSM is
// set at that port, before any device has answered. OpenSM on ibsim never asks twice: it waits for
// ever.
func TestAskedAtOnce(t *testing.T) {
	const own = fabric.GUID(7)
	m := NewManager(terms.Config{Elect: true, OwnPort: own, Priority: 3}, terms.UsualWatch)
	m.Step(0, &terms.Event{Kind: terms.Start}, nil)
	m.Step(0, &terms.Event{Kind: terms.Claimed}, nil)
	d, err := mad.Request{Method: mad.Get, Attr: mad.AttrSMInfo, TID: 7}.Routed(make([]byte, mad.Size))
	if err != nil {
		t.Fatal(err)
	}
	out := m.Step(0, &terms.Event{Kind: terms.Unasked, Datagram: &wire.Datagram{Addr: wire.Address{DLID: 1, SLID: 9}, MAD: d}}, nil)
	if !slices.ContainsFunc(out, func(a terms.Action) bool { return a.Kind == terms.Reply }) {
		t.Fatal("no answer")
	}
	info := d.Data()
	guid, state, priority := fabric.GUID(mad.SMInfoGUID.Get(info)), mad.SMInfoSMState.Get(info), mad.SMInfoPriority.Get(info)
	if guid != own || state != mad.SMStateDiscovering || priority != 3 {
		t.Errorf("the answer tells GUID %s, state %d, priority %d", guid, state, priority)
	}
}

// TestLongRetry: a long time between rounds that fail does not pass the end of the numbers when it
// is doubled.
func TestLongRetry(t *testing.T) {
	w := terms.Watch{Retry: 3 * time.Hour, MostRetry: 24 * time.Hour}
	for failed, want := range map[int]time.Duration{0: 3 * time.Hour, 2: 12 * time.Hour, 20: 24 * time.Hour, 1000: 24 * time.Hour} {
		if got := w.RetryAfter(failed); got != want {
			t.Errorf("%v after %d failures, want %v", got, failed, want)
		}
	}
}

// TestHandedOverInSilence: a master that has handed the subnet over, and has no answer yet, begins
// no round; one that took it says so again to who asks again.
func TestHandedOverInSilence(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	m, now := v.manager, v.now+time.Minute
	m.election.handing = &ledger.OtherManager{GUID: 7, Name: "another", State: mad.SMStateStandby}
	m.noteChange(v.now, "a trap")
	if m.Step(now, &terms.Event{Kind: terms.Tick}, nil); m.inRound {
		t.Error("a round begins while the other one may write")
	}
	m.toManagers++
	m.Step(now, &terms.Event{Kind: terms.Answer, Tag: terms.ElectionTag<<56 | mad.SMSetHandover<<32, Outcome: terms.Silent}, nil)
	if !m.inRound {
		t.Fatal("no round begins when the other one has not taken the subnet")
	}
	m.election.handed = 7
	d, err := mad.Request{Method: mad.Set, Attr: mad.AttrSMInfo, Modifier: mad.SMSetHandover, TID: 7}.Routed(make([]byte, mad.Size))
	if err != nil {
		t.Fatal(err)
	}
	mad.SMInfoGUID.Put(d.Data(), 7)
	m.Step(now, &terms.Event{Kind: terms.Unasked, Datagram: &wire.Datagram{Addr: wire.Address{DLID: 1, SLID: 9}, MAD: d}}, nil)
	if d.Status() != mad.StatusOK {
		t.Errorf("a handover that comes again is answered with %v", d.Status())
	}
}
