package watch

import (
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// reigning starts a manager of priority 5 and SM_Key 7 that has brought its subnet up.
func reigning(t smtest.Fataler, keys terms.Keys) *virtual {
	t.Helper()
	v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{Elect: true, Priority: 5, SMKey: 7, Keys: keys})
	if v.runUntil(v.now + 10*time.Second); v.manager.state() != mad.SMStateMaster {
		t.Fatalf("state %d", v.manager.state())
	}
	return v
}

// pull has a cable fail, and returns how long its repair takes. The manager must stay the master.
func (v *virtual) pull(t *testing.T, n int) time.Duration {
	t.Helper()
	_, id := v.switchLink(t, n)
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	began, links := v.now, len(v.manager.inForce.Fabric.Links)
	for v.now < began+time.Minute {
		v.runUntil(v.now + 10*time.Millisecond)
		if v.manager.inForce == nil {
			t.Fatalf("the master has given up: %s", journals([]*virtual{v}))
		}
		if !v.manager.inRound && len(v.manager.inForce.Fabric.Links) < links {
			v.verify(t)
			return v.now - began
		}
	}
	t.Fatalf("no repair: %s", journals([]*virtual{v}))
	return 0
}

// stays lets time pass, in which the manager must stay the master at every moment.
func (v *virtual) stays(t *testing.T, long time.Duration) {
	t.Helper()
	if away := v.away(long); away > 0 {
		t.Fatalf("it was not the master for %v: %s", away, journals([]*virtual{v}))
	}
}

// away lets time pass, and returns for how long the manager was not the master.
func (v *virtual) away(long time.Duration) (away time.Duration) {
	const step = 10 * time.Millisecond
	for end := v.now + long; v.now < end; {
		if v.runUntil(v.now + step); v.manager.state() != mad.SMStateMaster {
			away += step
		}
	}
	return away
}

// TestLyingPeer: whatever a port that is none of this subnet's managers says, a master stays the
// master, repairs a cable within five seconds of its failure, and hands nothing over.
func TestLyingPeer(t *testing.T) {
	otherKey, otherGUID := uint64(8), func(p *peerManager) { p.guid++ }
	for _, c := range []struct {
		name       string
		keys       terms.Keys
		state, key uint64
		how        func(p *peerManager)
		want       string // in the event
	}{
		{"frozen", terms.Keys{}, mad.SMStateStandby, 7, func(p *peerManager) { p.silent = true }, ""},
		{"a master without the SM_Key", terms.Keys{}, mad.SMStateMaster, 0, nil, "SM_Key"},
		{"a master of another SM_Key", terms.Keys{}, mad.SMStateMaster, otherKey, nil, "SM_Key"},
		{"a standby without the SM_Key", terms.Keys{}, mad.SMStateStandby, 0, nil, "SM_Key"},
		{"a standby of another SM_Key", terms.Keys{}, mad.SMStateStandby, otherKey, nil, "SM_Key"},
		{"a master under another GUID", terms.Keys{}, mad.SMStateMaster, 7, otherGUID, "GUID"},
		{"a master that is locked out", smtest.SecretKeys, mad.SMStateMaster, 7, nil, "lock it out"},
		{"one that looks for ever", terms.Keys{}, mad.SMStateDiscovering, 7, nil, ""},
		{"one that refuses all", terms.Keys{}, mad.SMStateMaster, 7, func(p *peerManager) {
			p.alter = func(m mad.Datagram) { m.SetStatus(mad.StatusBadField) }
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := reigning(t, c.keys)
			p := newPeerManager(t, v, 5, 15, c.state, c.key)
			if c.how != nil {
				c.how(p)
			}
			v.stays(t, 15*time.Second)
			for n := range 3 {
				if took := v.pull(t, n); took > 5*time.Second {
					t.Errorf("a repair took %v", took)
				}
				v.stays(t, 3*time.Second)
			}
			told := v.told(terms.Disbelieved)
			v.stays(t, time.Minute)
			if p.asked == 0 || p.offered > 0 {
				t.Errorf("asked %d times, offered the subnet %d times", p.asked, p.offered)
			}
			if n := v.told(terms.Disbelieved); (n > 0) != (c.want != "") || n > told {
				t.Errorf("%d events, %d of them without a change: %s", n, n-told, journals([]*virtual{v}))
			}
			for _, e := range v.entries {
				if e.Kind == terms.Disbelieved && !strings.Contains(e.Text, c.want) {
					t.Errorf("%s, want %s", e.Text, c.want)
				}
			}
		})
	}
}

// TestIdlePeer: a manager of our SM_Key that is handed the subnet and does not take it, or takes it
// and writes nothing, is given it less and less often. If it did not even take it the master stays
// the master at every moment. What it says when it had its chance does not count.
func TestIdlePeer(t *testing.T) {
	becomes := func(state uint64) func(p *peerManager) {
		return func(p *peerManager) {
			p.takes, p.alter = true, func(m mad.Datagram) {
				if m.Modifier() == mad.SMSetHandover {
					p.state = state
				}
			}
		}
	}
	for _, c := range []struct {
		name  string
		how   func(p *peerManager)
		away  time.Duration // in an hour, at most
		offer int           // HANDOVERs in an hour, at most
	}{
		{"does not take it", func(*peerManager) {}, 0, 7},
		{"refuses it", func(p *peerManager) {
			p.alter = func(m mad.Datagram) {
				if m.Modifier() == mad.SMSetHandover {
					m.SetStatus(mad.StatusBadField)
				}
			}
		}, 0, 7},
		{"acknowledges, and stays a standby", func(p *peerManager) { p.takes = true }, 10 * time.Second, 7},
		{"acknowledges, and freezes", func(p *peerManager) {
			p.takes, p.alter = true, func(m mad.Datagram) { p.silent = m.Modifier() == mad.SMSetHandover }
		}, 5 * time.Second, 2},
		{"becomes a master that writes nothing", becomes(mad.SMStateMaster), 75 * time.Second, 1},
		{"is about to become the master for ever", becomes(mad.SMStateDiscovering), 75 * time.Second, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := reigning(t, terms.Keys{})
			p := newPeerManager(t, v, 5, 15, mad.SMStateStandby, 7)
			c.how(p)
			away := time.Duration(0)
			for range 60 { // as a standby it reminds the master, and so begins a round each time
				if v.manager.inForce != nil {
					v.manager.noteChange(v.now, "a reminder")
				}
				away += v.away(time.Minute)
			}
			if p.offered == 0 || p.offered > c.offer {
				t.Errorf("it was offered the subnet %d times in an hour, want at most %d: %s", p.offered, c.offer, journals([]*virtual{v}))
			}
			if away > c.away {
				t.Errorf("no master for %v of an hour, want at most %v: %s", away, c.away, journals([]*virtual{v}))
			}
			v.pull(t, 0)
		})
	}
}
