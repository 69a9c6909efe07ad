package watch

import (
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
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

// requests counts the rounds that a Set of SMInfo begins in a time, sent every second.
func (p *peerManager) requests(t *testing.T, v *virtual, modifier uint32, times int) (rounds int) {
	t.Helper()
	lid := uint64(v.lidsOf()[v.manager.guid])
	rounds = v.told(terms.RoundBegun)
	for range times {
		p.setAt(lid, modifier)
		v.runUntil(v.now + time.Second)
	}
	return v.told(terms.RoundBegun) - rounds
}

// TestForgedRequest: requests to change our state that are not what they seem begin no round, and
// none keeps a master busy.
func TestForgedRequest(t *testing.T) {
	for _, c := range []struct {
		name string
		how  func(p *peerManager, v *virtual)
		most int // rounds in 5 minutes
	}{
		{"from a port that is not there", func(p *peerManager, _ *virtual) { p.guid++ }, 0},
		{"from one that no round has found", func(p *peerManager, v *virtual) {
			v.sub.SetIsSM(p.id, false)
			v.runUntil(v.now + 20*time.Second)
		}, 3},
		{"with another SM_Key", func(p *peerManager, _ *virtual) { p.key = 8 }, 0},
		{"without the SM_Key", func(p *peerManager, _ *virtual) { p.key = 0 }, 0},
		{"from one that is no master", func(p *peerManager, _ *virtual) { p.state = mad.SMStateStandby }, 0},
		{"from one that precedes us", func(p *peerManager, _ *virtual) { p.priority = 15 }, 0},
		{"in the name of ours", func(p *peerManager, v *virtual) { p.guid = v.manager.guid }, 0},
		{"again and again from one that may", func(*peerManager, *virtual) {}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := reigning(t, terms.Keys{})
			p := newPeerManager(t, v, 5, 1, mad.SMStateMaster, 7)
			v.stays(t, 20*time.Second) // it is known
			c.how(p, v)
			n := p.requests(t, v, mad.SMSetHandover, 300)
			if n > c.most || c.most > 0 && n == 0 {
				t.Errorf("%d rounds, want at most %d: %s", n, c.most, journals([]*virtual{v}))
			}
			for _, other := range []uint32{mad.SMSetDisable, mad.SMSetStandby, mad.SMSetDiscover, mad.SMSetAcknowledge} {
				if n := p.requests(t, v, other, 5); n > 0 {
					t.Errorf("Set %d begins %d rounds", other, n)
				}
			}
			if v.manager.state() != mad.SMStateMaster || len(p.status) == 0 {
				t.Errorf("state %d, answers %v", v.manager.state(), p.status)
			}
		})
	}
}

// TestForgedToStandby: a standby does what its master asks, and nothing that another port asks in
// the master's name.
func TestForgedToStandby(t *testing.T) {
	for _, modifier := range []uint32{mad.SMSetHandover, mad.SMSetDisable, mad.SMSetStandby, mad.SMSetDiscover, mad.SMSetAcknowledge} {
		_, all := managers(t, "rlft(6,2)", emulator.Options{}, 5, 7)
		all[0].manager.cfg.Replicates = true // so that it does not hand over
		for _, v := range all {
			v.step(&terms.Event{Kind: terms.Start})
			runTogether(all[0].now+10*time.Second, all...)
		}
		master, standby := all[0], all[1]
		p := newPeerManager(t, standby, 5, 0, mad.SMStateMaster, 0)
		runTogether(all[0].now+5*time.Second, all...)
		lid := uint64(master.lidsOf()[standby.manager.guid])
		if lid == 0 || standby.manager.state() != mad.SMStateStandby {
			t.Fatal(journals(all))
		}
		for _, guid := range []fabric.GUID{p.own, master.manager.guid, 0x77} {
			p.guid = guid
			rounds := standby.told(terms.RoundBegun)
			for range 20 {
				p.setAt(lid, modifier)
				runTogether(all[0].now+time.Second, all...)
			}
			if n := standby.told(terms.RoundBegun) - rounds; n > 2 || n > 0 && guid != p.own || standby.manager.state() != mad.SMStateStandby {
				t.Fatalf("Set %d from %s: %d rounds, state %d: %s", modifier, guid, n, standby.manager.state(), journals(all))
			}
		}
	}
}

// TestContested: another manager writes to our ports, whether it answers or not. One round repairs
// that; then the subnet is contested, and only failures are repaired, until a person asks for a
// round, or the other manager is gone.
func TestContested(t *testing.T) {
	for _, c := range []struct {
		name   string
		silent bool
		key    uint64
		end    func(v *virtual, p *peerManager)
	}{
		{"a silent one, and a person asks for a round", true, 0, func(v *virtual, _ *peerManager) { v.step(&terms.Event{Kind: terms.Resweep}) }},
		{"one of another SM_Key that goes", false, 8, func(v *virtual, p *peerManager) { v.sub.Detach(p.id) }},
		{"one of another SM_Key, and a person reloads the settings", false, 8, func(v *virtual, _ *peerManager) {
			v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: v.manager.cfg, Watch: terms.UsualWatch, Routing: v.routing, What: "again"}})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := reigning(t, terms.Keys{})
			p := newPeerManager(t, v, 5, 15, mad.SMStateMaster, c.key)
			p.silent = c.silent
			v.stays(t, 20*time.Second)
			repairs, writes := 0, 0
			v.onAction = func(a *terms.Action) {
				if a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrPortInfo && len(a.Path) == 0 {
					repairs++
				}
			}
			// The other manager writes whenever it does not find its LID.
			fight := func(long time.Duration) {
				for end := v.now + long; v.now < end; {
					if info, _ := v.sub.PortInfo(v.at); mad.PortInfoMasterSMLID.Get(info) != p.ownInfo(mad.PortInfoLID) {
						p.write(t, v.at, 0)
						writes++
					}
					v.stays(t, time.Second)
				}
			}
			fight(3 * time.Minute)
			if v.told(terms.Contested) != 1 || repairs != 1 || writes != 2 {
				t.Errorf("%d events, %d repairs of %d writes: %s", v.told(terms.Contested), repairs, writes, journals([]*virtual{v}))
			}
			if s := v.manager.Snapshot(v.now); s.Contested == "" {
				t.Error("the snapshot does not say it")
			}
			if took := v.pull(t, 0); took > 5*time.Second {
				t.Errorf("a repair took %v", took)
			}
			fight(2 * time.Minute)
			if repairs != 1 || v.told(terms.Contested) != 1 || v.manager.Result().Report.Routing.Kept == "" {
				t.Errorf("%d repairs, %d events: %s", repairs, v.told(terms.Contested), journals([]*virtual{v}))
			}
			c.end(v, p)
			v.stays(t, 20*time.Second)
			info, err := v.sub.PortInfo(v.at)
			if v.told(terms.Contested) != 1 || v.told(terms.Uncontested) != 1 {
				t.Errorf("%d begin, %d ends are told", v.told(terms.Contested), v.told(terms.Uncontested))
			}
			if lid := v.lidsOf()[v.manager.guid]; err != nil || mad.PortInfoMasterSMLID.Get(info) != uint64(lid) || v.manager.Snapshot(v.now).Contested != "" {
				t.Errorf("MasterSMLID %d, ours is %d: %s", mad.PortInfoMasterSMLID.Get(info), lid, journals([]*virtual{v}))
			}
		})
	}
}

// TestWrittenOnce: another manager writes once, to all ports but ours, and a round asks one of them
// only. The others are repaired too, at once, and nothing is contested.
func TestWrittenOnce(t *testing.T) {
	v := reigning(t, terms.Keys{})
	p := newPeerManager(t, v, 5, 15, mad.SMStateMaster, 8)
	ends := func(yield func(fabric.End) bool) {
		for id, n := range v.sub.Fabric().Nodes {
			if at := (fabric.End{Node: fabric.NodeID(id), Port: 1}); n.Type == fabric.CA && at != v.at && !yield(at) {
				return
			}
		}
	}
	for at := range ends {
		p.write(t, at, 0)
	}
	v.stays(t, 3*time.Second)
	for at := range ends {
		if info, err := v.sub.PortInfo(at); err != nil || mad.PortInfoMasterSMLID.Get(info) != uint64(v.lidsOf()[v.manager.guid]) {
			t.Fatalf("MasterSMLID %d at node %d, ours is %d: %s", mad.PortInfoMasterSMLID.Get(info), at.Node, v.lidsOf()[v.manager.guid], journals([]*virtual{v}))
		}
	}
	v.step(&terms.Event{Kind: terms.Resweep})
	if v.stays(t, time.Minute); v.told(terms.Contested) > 0 {
		t.Errorf("it is contested: %s", journals([]*virtual{v}))
	}
}

// TestRightfulMaster: beside all these rules a manager of our SM_Key that precedes us, says that it
// is the master and writes is given way to, even after it had its chance and did nothing.
func TestRightfulMaster(t *testing.T) {
	for _, idle := range []bool{false, true} {
		v := reigning(t, terms.Keys{})
		p := newPeerManager(t, v, 5, 15, mad.SMStateStandby, 7)
		if p.takes = true; idle {
			v.runUntil(v.now + 2*time.Minute)
		}
		if v.manager.state() != mad.SMStateMaster && idle {
			t.Fatal(journals([]*virtual{v}))
		}
		p.state = mad.SMStateMaster
		for _, e := range []fabric.End{v.at, {Node: smtest.Find(v.sub.Fabric(), fabric.CA, 9), Port: 1}} {
			p.write(t, e, 0)
		}
		if v.runUntil(v.now + 12*time.Second); v.manager.state() != mad.SMStateStandby || v.manager.election.master == nil {
			t.Fatalf("idle %v: state %d: %s", idle, v.manager.state(), journals([]*virtual{v}))
		}
		v.runUntil(v.now + 10*time.Minute)
		if v.manager.state() != mad.SMStateStandby {
			t.Errorf("idle %v: it does not stay a standby: %s", idle, journals([]*virtual{v}))
		}
	}
}

// TestSilentMaster: the standby of a master that falls silent takes the subnet after some time,
// though the port of that master still says IsSM. If the old master then writes, the two do not
// write in turn for ever.
func TestSilentMaster(t *testing.T) {
	v := reigning(t, terms.Keys{})
	p := newPeerManager(t, v, 5, 15, mad.SMStateMaster, 7)
	p.write(t, v.at, 0)
	p.write(t, fabric.End{Node: smtest.Find(v.sub.Fabric(), fabric.CA, 9), Port: 1}, 0)
	if v.runUntil(v.now + 30*time.Second); v.manager.state() != mad.SMStateStandby {
		t.Fatal(journals([]*virtual{v}))
	}
	p.silent = true
	v.runUntil(v.now + 30*time.Second)
	if v.manager.state() != mad.SMStateStandby || v.told(terms.Disbelieved) > 0 {
		t.Errorf("it does not wait: %s", journals([]*virtual{v}))
	}
	if v.runUntil(v.now + 40*time.Second); v.manager.state() != mad.SMStateMaster || v.told(terms.Disbelieved) != 1 {
		t.Fatalf("it waits for ever: %s", journals([]*virtual{v}))
	}
	v.verify(t)
	for range 10 {
		p.write(t, v.at, 0)
		v.stays(t, 15*time.Second)
	}
	if v.told(terms.Contested) != 1 {
		t.Errorf("%d times contested: %s", v.told(terms.Contested), journals([]*virtual{v}))
	}
}

// TestFlappingMaster: a manager that says it is the master, then that it is not, and writes
// nothing, does not keep the subnet from its managers.
func TestFlappingMaster(t *testing.T) {
	v := reigning(t, terms.Keys{})
	p := newPeerManager(t, v, 5, 15, mad.SMStateMaster, 7)
	away := time.Duration(0)
	for k := range 360 {
		p.state = []uint64{mad.SMStateMaster, mad.SMStateStandby, mad.SMStateDiscovering}[k%3]
		if v.manager.inForce != nil {
			v.manager.noteChange(v.now, "a reminder")
		}
		away += v.away(5 * time.Second)
	}
	if away > 75*time.Second {
		t.Errorf("no master for %v of half an hour: %s", away, journals([]*virtual{v}))
	}
}

// TestIdleAtStart: a manager that starts where our own port still names us as the master waits a
// minute for another one that says that it is the master, or that is silent.
func TestIdleAtStart(t *testing.T) {
	for _, silent := range []bool{false, true} {
		v := reigning(t, terms.Keys{})
		next := v.successor(t, v.manager.cfg)
		p := newPeerManager(t, next, 5, 15, mad.SMStateMaster, 8)
		p.silent = silent
		if next.runUntil(next.now + 50*time.Second); next.manager.state() != mad.SMStateStandby {
			t.Errorf("silent %v: it is not cautious: %s", silent, journals([]*virtual{next}))
		}
		next.runUntil(next.now + 30*time.Second)
		next.stays(t, 5*time.Minute)
		next.verify(t)
	}
}

// TestHandoverBehindKeys: managers with M_Keys, which hide the SM_Key from strangers, still know
// each other and hand the subnet over.
func TestHandoverBehindKeys(t *testing.T) {
	_, all := managers(t, "rlft(6,2)", emulator.Options{}, 5, 7)
	for _, v := range all {
		cfg := v.manager.cfg
		cfg.SMKey, cfg.Keys = 7, smtest.SecretKeys
		v.manager = NewManager(cfg, terms.UsualWatch)
		v.step(&terms.Event{Kind: terms.Start})
		runTogether(all[0].now+15*time.Second, all...)
	}
	if n, master := masters(all); n != 1 || master != all[1] || all[0].told(terms.Handover) != 1 || all[0].told(terms.Disbelieved) > 0 {
		t.Error(journals(all))
	}
	p := newPeerManager(t, all[0], 5, 1, mad.SMStateStandby, 0)
	shown := []uint64{}
	p.heard = func(d mad.Datagram) { shown = append(shown, mad.SMInfoSMKey.Get(d.Data())) }
	for _, v := range all {
		p.get(uint64(all[1].lidsOf()[v.manager.guid]))
	}
	runTogether(all[0].now+time.Second, all...)
	if len(shown) != 2 || shown[0] != 0 || shown[1] != 0 {
		t.Errorf("a stranger is shown the SM_Keys %x", shown)
	}
}
