package round

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestBringUp: every kind of fabric comes up, and is found as it is.
func TestBringUp(t *testing.T) {
	for _, c := range []struct{ formula, chain string }{
		{"rlft(8,2)", "updn"},
		{"rlft(8,2)", "dor,updn"},
		{"torus(5x5,hosts=1)", "dor"},
		{"mesh(3x3,hosts=2)", "updn"},
		{"random(switches=12,hosts=3,links=30,seed=5)", "updn"},
		{"rlft(8,2)|ports(2)", "updn"},
	} {
		t.Run(c.formula+" "+c.chain, func(t *testing.T) {
			f := smtest.Formula(t, c.formula)
			w := newWorld(f, terms.Config{}, c.chain)
			r := w.run()
			if r.State != terms.Up || len(r.Incidents) > 0 {
				t.Fatalf("%s: %v", r.State, r.Incidents)
			}
			for what, n := range w.asked {
				// SwitchInfo before, after the sweep, and in the end: three facts.
				if n > 1 && (n > 3 || !strings.HasPrefix(what, "Get SwitchInfo")) {
					t.Errorf("%s was given out %d times", what, n)
				}
			}
			if r.Written.Tables != r.Found.Switches || r.Written.Active != 2*r.Found.Links {
				t.Errorf("%d tables, %d active", r.Written.Tables, r.Written.Active)
			}
			w.verify(t)
			smtest.Same(t, f, w.core.Result().Fabric())
		})
	}
}

func TestWarmStartWritesNothing(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	w := newWorld(f, terms.Config{}, "updn")
	w.run()
	again := newWorld(f, terms.Config{}, "updn")
	again.fake = w.fake
	r := again.run()
	if r.State != terms.Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	again.verify(t)
	for _, n := range r.SMPs.By {
		if n.Method == mad.Set.String() {
			t.Errorf("%d times Set(%s) in a subnet that is up", n.Requests, n.Attribute)
		}
	}
	if r.LIDs.Kept != r.LIDs.Total {
		t.Errorf("%d of %d LIDs kept", r.LIDs.Kept, r.LIDs.Total)
	}
}

// TestNothingUnprovenIsDistributed: a Plan with faults reaches a switch only with the option
// Unproven.
func TestNothingUnprovenIsDistributed(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	w := newWorld(f, terms.Config{}, "minhop")
	r := w.run()
	if r.State != terms.NotRouted || r.Find(terms.NotProven) == nil || r.Routing.Check == nil || r.Routing.Check.OK {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	for what := range w.asked {
		if strings.HasPrefix(what, "Set ") && !strings.HasPrefix(what, "Set SwitchInfo") { // that clears PortStateChange
			t.Errorf("%s was sent", what)
		}
	}
	w = newWorld(f, terms.Config{Unproven: true}, "minhop")
	if r = w.run(); r.State != terms.Up || r.Find(terms.NotProven) == nil {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	w.verify(t)
}

// TestChain: the report names the engines asked, the refusals and the engine that ran.
func TestChain(t *testing.T) {
	r := newWorld(smtest.Formula(t, "rlft(8,2)"), terms.Config{}, "dor,updn").run()
	if r.Routing.Engine != "updn" || len(r.Routing.Refused) != 1 || !strings.HasPrefix(r.Routing.Refused[0], "dor: ") {
		t.Fatalf("engine %s, refused %v", r.Routing.Engine, r.Routing.Refused)
	}
	r = newWorld(smtest.Formula(t, "rlft(8,2)"), terms.Config{}, "dor").run()
	if r.State != terms.NotRouted || r.Find(terms.NoPlan) == nil {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
}

// TestDiscoverWritesNothing: a read-only round sends no Set.
func TestDiscoverWritesNothing(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	w := newWorld(f, terms.Config{ReadOnly: true}, "updn")
	if r := w.run(); r.State != terms.Discovered || len(r.Incidents) > 0 {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	for what := range w.asked {
		if strings.HasPrefix(what, "Set") {
			t.Errorf("%s was sent", what)
		}
	}
	smtest.Same(t, f, w.core.Result().Fabric())
}

// TestDiscoverSeesChanges: a read-only round cannot clear PortStateChange. It sees changes during
// the sweep at switches whose bit was clear.
func TestDiscoverSeesChanges(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	w := newWorld(f, terms.Config{ReadOnly: true}, "updn")
	change := func(n int, to uint64) {
		mad.SwitchInfoPortStateChange.Put(w.fake.Nodes[smtest.Find(f, fabric.Switch, n)].Sw[:], to)
	}
	for n := range 6 {
		change(n, 0)
	}
	w.core.given.Limits.Pending = 1
	last := 0
	w.onSend = func(n int) {
		if last = n; n == 40 {
			change(2, 1)
		}
	}
	if r := w.run(); r.State != terms.Discovered || r.Sweeps != 2 || !slices.Equal(kindsOf(r), []terms.IncidentKind{terms.Changed}) || last < 80 {
		t.Errorf("%s after %d sweeps and %d SMPs: %v", r.State, r.Sweeps, last, r.Incidents)
	}
}

// TestLIDs: a port keeps its LID if possible, a stored LID takes precedence, and a clash is
// reported and resolved. The LID of an absent port stays reserved.
func TestLIDs(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	guid := func(n int) fabric.GUID { return f.Nodes[smtest.Find(f, fabric.CA, n)].Ports[1].GUID }
	w := newWorld(f, terms.Config{History: terms.History{Stored: terms.LIDMap{guid(3): {Base: 40}, guid(6): {Base: 60}, 0x9999: {Base: 1}}}}, "updn")
	lid := func(n int, to uint64) {
		mad.PortInfoLID.Put(w.fake.Nodes[smtest.Find(f, fabric.CA, n)].Info[1][:], to)
	}
	lid(0, 20)
	lid(1, 30)
	lid(2, 30) // a clash
	lid(3, 50) // another LID is stored
	lid(4, 40) // the stored LID
	lid(5, 60) // the LID of a later port
	r := w.run()
	if r.State != terms.Up || !slices.Equal(kindsOf(r), []terms.IncidentKind{terms.DuplicateLID}) || r.LIDs.Kept != 2 {
		t.Fatalf("%s, %d kept: %v", r.State, r.LIDs.Kept, r.Incidents)
	}
	w.verify(t)
	var file bytes.Buffer
	if err := w.core.Result().WriteLIDs(&file); err != nil {
		t.Fatal(err)
	}
	got, err := terms.ReadLIDs("lids", file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	at := func(n int) fabric.LID { return got[guid(n)].Base }
	if at(0) != 20 || at(3) != 40 || at(6) != 60 || at(4) == 40 || at(5) == 60 || (at(1) == 30) == (at(2) == 30) {
		t.Errorf("LIDs %d %d %d %d %d %d %d", at(0), at(1), at(2), at(3), at(4), at(5), at(6))
	}
	for guid, l := range got {
		if (l.Base == 1) != (guid == 0x9999) {
			t.Errorf("%s has LID %d", guid, l.Base)
		}
	}
}

func TestReadLIDs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0x10 0x5 0x5\n", ""},
		{"# none\n\n0x10 5\n", ""},
		{"x 1 1\n", "f:1: "},
		{"\n0x10\n", "f:2: port 0x0000000000000010 has no LID"},
		{"0x10 0 0\n", "f:1: \"0\" is not a unicast LID"},
		{"0x10 0xC000\n", "f:1: \"0xC000\" is not a unicast LID"},
		{"0x10 5 6\n", "f:1: LIDs 5 to 6: a port has 1, 2, 4"},
		{"0x10 4 6\n", "f:1: LIDs 4 to 6: "},
		{"0x10 5 4\n", "f:1: LIDs 5 to 4: "},
		{"0x10 256 511\n", "f:1: LIDs 256 to 511: "},
		{"0x10 1\n0x10 2\n", "f:2: port 0x0000000000000010 is named twice"},
	} {
		m, err := terms.ReadLIDs("f", []byte(c.text))
		if c.want == "" {
			if err != nil || m[0x10].Base != 5 {
				t.Errorf("%q: %v, %v", c.text, m, err)
			}
		} else if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzReadLIDs(f *testing.F) {
	f.Add([]byte("0x10 0x5 0x5\n# remark\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := terms.ReadLIDs("f", data)
		for guid, p := range m {
			if err != nil || !p.Valid() {
				t.Fatalf("%s has LIDs %d to %d, error %v", guid, p.Base, p.Last(), err)
			}
		}
	})
}

// TestDeadRoot: a missing switch that an option names is left out, and an event says so.
func TestDeadRoot(t *testing.T) {
	w := newWorld(smtest.Formula(t, "rlft(4,2)"), terms.Config{}, "updn,roots=gone,nue")
	if r := w.run(); r.State != terms.Up || r.Routing.Engine != "updn" || len(r.Routing.Refused) != 0 || len(r.Incidents) != 1 || !strings.Contains(r.Incidents[0].Text, `no switch that is up is called "gone": it is left out`) {
		t.Errorf("%s by %s: %s", r.State, r.Routing.Engine, fmt.Sprint(r.Routing.Refused, r.Incidents))
	}
}

// BenchmarkStep measures the round alone: a sweep from prepared answers.
func BenchmarkStep(b *testing.B) {
	f := smtest.Formula(b, "rlft(36,3)")
	s := smtest.NewFake(f)
	var actions []terms.Action
	var queue []pending
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		c := roundOf(terms.Config{ReadOnly: true})
		ev := terms.Event{Kind: terms.Start}
		queue = queue[:0]
		n = 0
		for head := 0; ; head++ {
			actions = c.Step(&ev, actions[:0])
			for i := range actions {
				if a := &actions[i]; a.Kind == terms.Send {
					n++
					p := pending{tag: a.Tag}
					s.Do(a.Path, a.Method, a.Attr, a.Modifier, &p.data)
					queue = append(queue, p)
				}
			}
			if c.phase == finished {
				break
			}
			ev = terms.Event{Kind: terms.Answer, Tag: queue[head].tag, Attempts: 1, Data: queue[head].data}
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "SMPs/s")
}
