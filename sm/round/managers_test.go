package round

import (
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// sets lists the Sets that a world was asked for.
func (w *world) sets() (out []string) {
	for what := range w.asked {
		if strings.HasPrefix(what, "Set ") {
			out = append(out, what)
		}
	}
	return out
}

// TestOtherManager: beside a master nothing is written, to a cold subnet or to one that is up,
// except with TakeOver; the master is reported. Other managers are reported, and do not matter. A
// read-only round asks none.
func TestOtherManager(t *testing.T) {
	for _, c := range []struct {
		name   string
		host   int // where it runs; 0 is our own port
		state  uint64
		silent bool
		cfg    terms.Config
		want   terms.State
		text   string
	}{
		{"master", 5, mad.SMStateMaster, false, terms.Config{}, terms.OtherMaster, "is the master (LID 77, GUID 0x0200004800000601, priority 9): nothing is written"},
		{"master at our port", 0, mad.SMStateMaster, false, terms.Config{}, terms.OtherMaster, "is the master (LID"},
		{"master that is taken over", 5, mad.SMStateMaster, false, terms.Config{TakeOver: true}, terms.Up, "as told"},
		{"almost a master", 5, mad.SMStateDiscovering, false, terms.Config{}, terms.OtherMaster, "about to become the master"},
		{"standby", 5, mad.SMStateStandby, false, terms.Config{}, terms.Up, "is not the master (LID 77"},
		{"not active", 5, mad.SMStateNotActive, false, terms.Config{}, terms.Up, "is not the master"},
		{"silent", 5, mad.SMStateStandby, true, terms.Config{}, terms.OtherMaster, "may be the master"},
		{"silent, taken over", 5, mad.SMStateStandby, true, terms.Config{TakeOver: true}, terms.Up, "as told"},
		{"silent at our port", 0, mad.SMStateStandby, true, terms.Config{}, terms.Up, ""},
		{"master, only looking", 5, mad.SMStateMaster, false, terms.Config{ReadOnly: true}, terms.Discovered, ""},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(c.name+map[bool]string{true: ", warm"}[warm], func(t *testing.T) {
				f := smtest.Formula(t, "rlft(4,2)")
				first := newWorld(f, terms.Config{}, "updn")
				if warm {
					first.run()
				}
				w := newWorld(f, c.cfg, "updn")
				w.fake = first.fake
				host := smtest.Find(f, fabric.CA, c.host)
				for i := range w.fake.Nodes { // other changes, which the master has not seen yet
					mad.SwitchInfoPortStateChange.Put(w.fake.Nodes[i].Sw[:], 1)
				}
				if warm { // our own port was just cabled: only switches show traces of a manager
					w.routing = smtest.JobOf("updn", 1)
					mad.PortInfoMasterSMLID.Put(w.fake.Nodes[w.fake.At.Node].Info[1][:], 0)
				} else if c.want == terms.OtherMaster { // somebody has programmed our own port
					mad.PortInfoMasterSMLID.Put(w.fake.Nodes[w.fake.At.Node].Info[1][:], 77)
				}
				if c.host != 0 {
					mad.PortInfoLID.Put(w.fake.Nodes[host].Info[1][:], 77)
				}
				w.fake.RunManager(host, c.state, 9)
				if c.silent {
					w.fake.Nodes[host].Deaf = mad.AttrSMInfo
				}
				r := w.run()
				if r.State != c.want || (r.Find(terms.OtherManager) == nil) != (c.text == "") {
					t.Fatalf("%s: %v", r.State, r.Incidents)
				}
				if c.text != "" && !strings.Contains(r.Find(terms.OtherManager).Text, c.text) {
					t.Errorf("%s, want %s", r.Find(terms.OtherManager).Text, c.text)
				}
				if got := w.sets(); (len(got) > 0) != (r.State == terms.Up) || slices.Contains(w.log, "-- claim") != (r.State == terms.Up) {
					t.Errorf("%s with %d Sets, such as %v", r.State, len(got), got[:min(1, len(got))])
				}
				if r.State == terms.Up {
					w.verify(t)
				}
			})
		}
	}
}

// TestUnclearedChange: switches are programmed, and PortStateChange is set as the sweep begins. A
// cable moved at any moment is found at its new place; if none moves, no change is reported.
func TestUnclearedChange(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	first := newWorld(f, terms.Config{}, "updn")
	first.run()
	sweep := newWorld(f, terms.Config{ReadOnly: true}, "updn")
	sweep.run()
	for at := 0; at <= sweep.n; at++ {
		f := smtest.Formula(t, "rlft(4,2)")
		first := newWorld(f, terms.Config{}, "updn")
		first.run()
		w := newWorld(f, terms.Config{}, "updn")
		w.fake = first.fake
		for i := range w.fake.Nodes {
			mad.SwitchInfoPortStateChange.Put(w.fake.Nodes[i].Sw[:], 1)
		}
		w.onSend = func(n int) {
			if n == at {
				swap(w.fake, f.Nodes[smtest.Find(f, fabric.CA, 3)].Ports[1].Link, f.Nodes[smtest.Find(f, fabric.CA, 6)].Ports[1].Link)
			}
		}
		if r := w.run(); r.State != terms.Up || r.Sweeps < 2 || at == 0 && len(r.Incidents) > 0 {
			t.Fatalf("moved at %d: %s after %d sweeps: %v", at, r.State, r.Sweeps, r.Incidents)
		}
		w.verify(t)
		smtest.Same(t, f, w.core.Result().Fabric())
	}
}

// TestBackToBack: two channel adapters cabled to each other get a clear refusal.
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
	w := newWorld(f, terms.Config{}, "updn")
	r := w.run()
	if r.State != terms.NotRouted || !slices.Equal(kindsOf(r), []terms.IncidentKind{terms.NotAddressed}) || !strings.Contains(r.Incidents[0].Text, "no switch") || len(w.sets()) > 0 {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestMasterStays: a master that meets a manager in state Discovering continues.
func TestMasterStays(t *testing.T) {
	for _, was := range []bool{false, true} {
		cfg := terms.Config{Elect: true}
		first := newWorld(smtest.Formula(t, "rlft(4,2)"), cfg, "updn")
		first.run()
		w := newWorld(first.fake.F, cfg, "updn")
		w.fake = first.fake
		if was {
			given := GivenBy(&cfg)
			given.Keys, given.Limits = ledger.NewKeyring(&cfg), first.core.given.Limits
			given.Before, given.Claimed = first.core.Ledger, true
			w.core = Begin(&given)
		}
		w.fake.RunManager(smtest.Find(w.fake.F, fabric.CA, 5), mad.SMStateDiscovering, 9)
		if s := w.run().State; (s == terms.Up) != was {
			t.Errorf("was the master %v: %s", was, s)
		}
	}
}
