package sm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// runManager makes a host of a fake subnet say that a subnet manager runs there.
func (s *fake) runManager(host fabric.NodeID, state, priority uint64) {
	mad.PortInfoCapabilityMask.Put(s.nodes[host].info[1][:], mad.CapIsSM)
	var data [64]byte
	mad.SMInfoGUID.Put(data[:], uint64(s.f.Nodes[host].Ports[1].GUID))
	mad.SMInfoSMState.Put(data[:], state)
	mad.SMInfoPriority.Put(data[:], priority)
	s.nodes[host].tables[[2]uint32{uint32(mad.AttrSMInfo), 0}] = data
}

// sets lists the Sets that a world was asked for.
func (w *world) sets() (out []string) {
	for what := range w.asked {
		if strings.HasPrefix(what, "Set ") {
			out = append(out, what)
		}
	}
	return out
}

// TestOtherManager: beside a master nothing is written, in a subnet that is up and in one
// that is cold, unless the subnet is to be taken over; the master is named. Managers that
// are no masters are named, and stop nothing. One that only looks asks none.
func TestOtherManager(t *testing.T) {
	for _, c := range []struct {
		name   string
		host   int // where it runs; 0 is our own port
		state  uint64
		silent bool
		cfg    Config
		want   State
		text   string
	}{
		{"master", 5, mad.SMStateMaster, false, Config{}, OtherMaster, "is the master (LID 77, GUID 0x0200004800000601, priority 9): nothing is written"},
		{"master at our port", 0, mad.SMStateMaster, false, Config{}, OtherMaster, "is the master (LID"},
		{"master that is taken over", 5, mad.SMStateMaster, false, Config{TakeOver: true}, Up, "as told"},
		{"almost a master", 5, mad.SMStateDiscovering, false, Config{}, OtherMaster, "about to become the master"},
		{"standby", 5, mad.SMStateStandby, false, Config{}, Up, "is not the master (LID 77"},
		{"not active", 5, mad.SMStateNotActive, false, Config{}, Up, "is not the master"},
		{"silent", 5, mad.SMStateStandby, true, Config{}, OtherMaster, "may be the master"},
		{"silent, taken over", 5, mad.SMStateStandby, true, Config{TakeOver: true}, Up, "as told"},
		{"silent at our port", 0, mad.SMStateStandby, true, Config{}, Up, ""},
		{"master, only looking", 5, mad.SMStateMaster, false, Config{ReadOnly: true}, Discovered, ""},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(c.name+map[bool]string{true: ", warm"}[warm], func(t *testing.T) {
				f := formula(t, "rlft(4,2)")
				first := newWorld(f, Config{}, "updn")
				if warm {
					first.run()
				}
				w := newWorld(f, c.cfg, "updn")
				w.fake = first.fake
				host := find(f, fabric.CA, c.host)
				for i := range w.fake.nodes { // other changes that the master has not seen yet
					mad.SwitchInfoPortStateChange.Put(w.fake.nodes[i].sw[:], 1)
				}
				if warm { // our own port was cabled a moment ago: only switches show that they are managed
					w.routing = jobOf("updn", 1)
					mad.PortInfoMasterSMLID.Put(w.fake.nodes[w.fake.at.Node].info[1][:], 0)
				} else if c.want == OtherMaster { // somebody has programmed our own port
					mad.PortInfoMasterSMLID.Put(w.fake.nodes[w.fake.at.Node].info[1][:], 77)
				}
				if c.host != 0 {
					mad.PortInfoLID.Put(w.fake.nodes[host].info[1][:], 77)
				}
				w.fake.runManager(host, c.state, 9)
				if c.silent {
					w.fake.nodes[host].deaf = mad.AttrSMInfo
				}
				r := w.run()
				if r.State != c.want || (r.Find(OtherManager) == nil) != (c.text == "") {
					t.Fatalf("%s: %v", r.State, r.Incidents)
				}
				if c.text != "" && !strings.Contains(r.Find(OtherManager).Text, c.text) {
					t.Errorf("%s, want %s", r.Find(OtherManager).Text, c.text)
				}
				if got := w.sets(); (len(got) > 0) != (r.State == Up) || slices.Contains(w.log, "-- claim") != (r.State == Up) {
					t.Errorf("%s with %d Sets, such as %v", r.State, len(got), got[:min(1, len(got))])
				}
				if r.State == Up {
					w.verify(t)
				}
			})
		}
	}
}

// TestClaim: IsSM is set once, when no master was found, and where it cannot be set
// nothing is written.
func TestClaim(t *testing.T) {
	s := newFake(formula(t, "rlft(4,2)"))
	tr := &noManager{attach(s), nil}
	core, err := runner("updn").Run(t.Context(), tr)
	if err != nil || core.Report.State != Up || !slices.Equal(tr.claims, []bool{true}) {
		t.Fatalf("%v, %s, claims %v", err, core.Report.State, tr.claims)
	}
	for what, fails := range map[string]Config{"no": {}, "only looks": {ReadOnly: true}} {
		s := newFake(formula(t, "rlft(4,2)"))
		tr := &noManager{attach(s), []bool{false}}
		r := runner("updn")
		r.Config = fails
		core, err := r.Run(t.Context(), tr)
		if fails.ReadOnly {
			if err != nil || len(tr.claims) > 1 {
				t.Errorf("%s: %v, claims %v", what, err, tr.claims)
			}
			continue
		}
		if !errors.Is(err, errNoManager) || core.Report.State != Interrupted {
			t.Errorf("%s: %v, %s", what, err, core.Report.State)
		}
		for i := range s.nodes {
			if len(s.nodes[i].lft) > 0 {
				t.Errorf("%s: tables were written", what)
			}
		}
	}
}

var errNoManager = errors.New("no manager here")

// noManager is a Transport that records what IsSM is set to, and refuses it when a
// false comes first.
type noManager struct {
	wire.Transport
	claims []bool
}

func (n *noManager) SetIsSM(_ context.Context, on bool) error {
	n.claims = append(n.claims, on)
	if !n.claims[0] {
		return errNoManager
	}
	return nil
}

// TestUnclearedChange: where switches are programmed and PortStateChange is set when the
// sweep begins, a cable that is moved at any moment is found where it is; without one no
// change is told.
func TestUnclearedChange(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	first := newWorld(f, Config{}, "updn")
	first.run()
	sweep := newWorld(f, Config{ReadOnly: true}, "updn")
	sweep.run()
	for at := 0; at <= sweep.n; at++ {
		f := formula(t, "rlft(4,2)")
		first := newWorld(f, Config{}, "updn")
		first.run()
		w := newWorld(f, Config{}, "updn")
		w.fake = first.fake
		for i := range w.fake.nodes {
			mad.SwitchInfoPortStateChange.Put(w.fake.nodes[i].sw[:], 1)
		}
		w.onSend = func(n int) {
			if n == at {
				swap(w.fake, f.Nodes[find(f, fabric.CA, 3)].Ports[1].Link, f.Nodes[find(f, fabric.CA, 6)].Ports[1].Link)
			}
		}
		if r := w.run(); r.State != Up || r.Sweeps < 2 || at == 0 && len(r.Incidents) > 0 {
			t.Fatalf("moved at %d: %s after %d sweeps: %v", at, r.State, r.Sweeps, r.Incidents)
		}
		w.verify(t)
		same(t, f, w.core.Result().Fabric())
	}
}

// TestBackToBack: two channel adapters cabled to each other get a clear no.
func TestBackToBack(t *testing.T) {
	f := fabric.New("pair")
	for i := range 2 {
		id, err := f.AddNode(fabric.CA, fabric.GUID(0x100*(i+1)), 1, "host")
		if err != nil {
			t.Fatal(err)
		}
		f.Nodes[id].Ports[1].GUID = f.Nodes[id].GUID + 1
	}
	if _, err := f.Connect(fabric.End{Node: 0, Port: 1}, fabric.End{Node: 1, Port: 1}, 4, fabric.EDR); err != nil {
		t.Fatal(err)
	}
	w := newWorld(f, Config{}, "updn")
	r := w.run()
	if r.State != NotRouted || !slices.Equal(kindsOf(r), []IncidentKind{NotAddressed}) || !strings.Contains(r.Incidents[0].Text, "no switch") || len(w.sets()) > 0 {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestMasterStays: a master that meets a manager which has just begun to look, and will find us, goes on.
func TestMasterStays(t *testing.T) {
	for _, was := range []bool{false, true} {
		cfg := Config{Elect: true}
		first := newWorld(formula(t, "rlft(4,2)"), cfg, "updn")
		first.run()
		w := newWorld(first.fake.f, cfg, "updn")
		w.fake = first.fake
		if was {
			given := NewManager(cfg, Watch{}).give(askAll)
			given.Before, given.Claimed = first.core.ledger, true
			w.core = Begin(&given)
		}
		w.fake.runManager(find(w.fake.f, fabric.CA, 5), mad.SMStateDiscovering, 9)
		if s := w.run().State; (s == Up) != was {
			t.Errorf("was the master %v: %s", was, s)
		}
	}
}

// tellMaster has the port of a manager told that the master is at a LID.
func (v *virtual) tellMaster(t fataler, lid uint64) {
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

// TestSilentStandby: a manager that stands by says nothing when a cable fails. The master repairs all the same, and stays the master; it does not hand over to one
// that is silent. Where the port of the silent one has another master by then, it may be that itself, and is given way to.
func TestSilentStandby(t *testing.T) {
	for _, priority := range []uint8{0, 2} {
		sub, all := managers(t, "rlft(6,2)", emulator.Options{}, 1, priority)
		all[0].step(&Event{Kind: Start})
		runTogether(all[0].now+time.Second, all...)
		master, other := all[0], all[1]
		if master.manager.cfg.Replicates = true; priority > 1 { // so that it does not hand over yet
			master.manager.settled = nil
		}
		other.step(&Event{Kind: Start})
		runTogether(all[0].now+5*time.Second, all...)
		if master.manager.state() != mad.SMStateMaster || other.manager.state() != mad.SMStateStandby {
			t.Fatal(journals(all))
		}
		other.deaf = true
		for turn := range 3 {
			master.step(newsEvent(&News{MayTakeOver: []fabric.GUID{}}))
			l, id := master.switchLink(t, turn)
			if err := sub.SetLinkDown(id, true); err != nil {
				t.Fatal(err)
			}
			told := master.told(RoundEnds)
			if runTogether(all[0].now+120*time.Millisecond, all...); turn == 0 && priority == 0 && master.told(RoundEnds) == told {
				t.Error("a repair waits for one that stands by as long as for one that may be the master")
			}
			runTogether(all[0].now+3*time.Second, all...)
			if master.manager.state() != mad.SMStateMaster || master.told(RoundEnds) == told || len(master.manager.found().others) != 1 {
				t.Fatalf("cable %v has failed: %s", l, journals(all))
			}
			master.verify(t)
			master.step(newsEvent(&News{MayTakeOver: []fabric.GUID{master.manager.found().others[0].guid}}))
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
		if master.manager.state() == mad.SMStateMaster {
			t.Fatalf("it reigns on beside one that may be the master: %s", journals(all))
		}
	}
}
