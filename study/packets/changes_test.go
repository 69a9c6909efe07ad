package packets

import (
	"strings"
	"testing"
	"time"

	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
	"weft/study/studytest"
)

// changing simulates 32 hosts for 100 us while things happen.
func changing(t *testing.T, formula, name, changes string) (*Simulation, error) {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	g, routing := studytest.Routed(t, formula, name)
	r := usualRequest()
	r.Duration, r.Loads, r.Steps, r.CountFlows = 100*time.Microsecond, []float64{.4}, 10, true
	chain, err := engine.Parse(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Changes = Changes{File: "changes", Text: []byte(changes), Fabric: f, Routing: &planner.Request{Chain: chain}, BlockTime: time.Microsecond}
	if err := r.Check(g); err != nil {
		return nil, err
	}
	return Simulate(t.Context(), g, routing, r)
}

// TestChanges: a spine that fails loses packets until the tables lead around it, and costs nothing
// any more when it is back and they lead through it again.
func TestChanges(t *testing.T) {
	simulate := func(changes string) *Simulation {
		out, err := changing(t, "rlft(8,2)", "ftree", changes)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const fails = "20us down spine 1\n"
	whole := simulate("0us up spine 1") // it is
	never, repaired := simulate(fails), simulate("# late lines first\n60us up spine 1\n70us repair\n"+fails+"30us repair\n")
	if whole.Rows[0].Lost != 0 || len(whole.Warnings()) != 0 {
		t.Errorf("%d lost though nothing failed, %q", whole.Rows[0].Lost, whole.Warnings())
	}
	for _, out := range []*Simulation{never, repaired} {
		l := out.Rows[0].Losses
		if l.OnLink == 0 || l.NoLink == 0 || l.NoLane+l.NoEntry+l.WrongEnd+l.TooOld != 0 || out.Rows[0].Lost != l.OnLink+l.NoLink+l.Reboot || len(out.Warnings()) != 0 {
			t.Errorf("%d lost: %+v, %q", out.Rows[0].Lost, l, out.Warnings())
		}
	}
	// Of 80 us without the spine the tables lead to it for 10, and for the time in which they are
	// written.
	if never.Rows[0].Lost < 2*repaired.Rows[0].Lost {
		t.Errorf("%d lost without a repair, %d with one", never.Rows[0].Lost, repaired.Rows[0].Lost)
	}
	for step, m := range repaired.OverTime {
		got, want := m.Throughput, whole.OverTime[step].Throughput
		switch {
		case step < 2 && got != want, step == 2 && got > .95*want, step >= 4 && (got < .95*want || got > 1.05*want):
			t.Errorf("step %d: %.1f Gbit/s, %.1f where nothing fails", step, got, want)
		}
	}
	there, back := repaired.Changes[1], repaired.Changes[3]
	if there.What != "repair" || there.Blocks == 0 || back.Blocks != there.Blocks || there.Engine != "" {
		t.Errorf("%+v and %+v", there, back)
	}
	var text strings.Builder
	if err := repaired.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"20µs down switch \"spine 1\"", "30µs repair: ", "were on a link when it failed", "sent to a port whose link was down"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}

// TestRepairsInTurn: a repair that is asked for while another one writes begins when that is
// through, so that its tables are there in the end.
func TestRepairsInTurn(t *testing.T) {
	out, err := changing(t, "rlft(8,2)", "ftree", "10us down spine 1\n10us down spine 2\n20us repair\n21us up spine 1\n22us up spine 2\n23us repair")
	if err != nil {
		t.Fatal(err)
	}
	first, second := out.Changes[2], out.Changes[5]
	if first.Written != 20_000+1000*float64(first.Blocks) || second.Written != first.Written+1000*float64(second.Blocks) || second.Blocks != first.Blocks {
		t.Fatalf("%+v, %+v", first, second)
	}
	whole, err := changing(t, "rlft(8,2)", "ftree", "0us up spine 1")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.OverTime[9].Throughput, whole.OverTime[9].Throughput; got < .95*want || got > 1.05*want {
		t.Errorf("%.1f Gbit/s in the end, %.1f where nothing fails", got, want)
	}
}

// TestChangesOfAnyKind: a leaf with its hosts, a cable of a host, tables of several lanes: runs go
// on.
func TestChangesOfAnyKind(t *testing.T) {
	for _, x := range []struct{ formula, engine, changes string }{
		{"rlft(8,2)", "ftree", "10us down leaf 1\n20us repair\n50us up leaf 1\n60us repair"},
		{"rlft(8,2)", "updn", "10us down host 3[1]\n20us repair\n50us up host 3[1]\n60us repair"},
		{"rlft(8,2)", "minhop", "10us down leaf 1[5]\n10us down spine 3\n20us repair\n50us up leaf 1[5]\n60us repair"},
		{"torus(4x4,hosts=2)", "dfsssp", "10us down switch (0,0)\n20us repair\n50us up switch (0,0)\n60us repair"},
		{"torus(4x4,hosts=2)", "lash", "10us down switch (0,0)[1]\n20us repair\n50us up switch (0,0)[1]\n60us repair"},
		{"torus(4x4,hosts=2)", "dor", "10us down switch (1,1)[1]\n20us repair\n50us up switch (1,1)[1]\n60us repair"},
	} {
		out, err := changing(t, x.formula, x.engine, x.changes)
		if err != nil {
			t.Errorf("%s on %s: %v", x.engine, x.formula, err)
			continue
		}
		last := out.OverTime[len(out.OverTime)-1].Throughput
		if first := out.OverTime[0].Throughput; last < .9*first || out.Rows[0].Deadlocks > 0 {
			t.Errorf("%s on %s: %.1f Gbit/s in the end, %.1f at the start, %d deadlocks", x.engine, x.formula, last, first, out.Rows[0].Deadlocks)
		}
		for _, c := range out.Changes {
			if c.What == "repair" && c.Blocks == 0 {
				t.Errorf("%s on %s: a repair at %v writes nothing", x.engine, x.formula, c.At)
			}
		}
	}
}

// TestBadChanges: errors name the line.
func TestBadChanges(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "changes: no changes",
		"# nothing":                  "changes: no changes",
		"20us down spine 9":          `changes:1: no node is called "spine 9"`,
		"\n5 down spine 1":           `changes:2: "5" is no time, with its unit (20us)`,
		"-5us repair":                `changes:1: "-5us" is no time, with its unit (20us)`,
		"5us fail spine 1":           `changes:1: "fail": want down PART, up PART or repair`,
		"5us":                        `changes:1: "": want down PART, up PART or repair`,
		"5us down":                   "changes:1: down: name a switch or a cable",
		"5us repair all":             `changes:1: repair is for the whole network: leave out "all"`,
		"5us down host 3":            `changes:1: "host 3" (0x0200004800000400) is a CA: name its cable, as in host 3[1]`,
		"1ms repair":                 "changes:1: the run is over by then: give a --duration of more than 100µs",
		"5us down spine 0\n5us down": "changes:2: down: name a switch or a cable",
	} {
		if _, err := changing(t, "rlft(8,2)", "ftree", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := changing(t, "rlft(8,2)|fail(link=\"leaf 1\"[5])", "ftree", "5us up leaf 1[5]"); err == nil || !strings.Contains(err.Error(), "is no part of the network that packets pass") {
		t.Error(err)
	}
}

// TestHostsAndFlows: hosts take what flows bring, and that is the throughput of the run.
func TestHostsAndFlows(t *testing.T) {
	out := simulated(t, func(r *Request) { r.CountFlows = true })
	byFlows, byHosts := map[string]float64{}, 0.
	for _, f := range out.Flows {
		byFlows[f.To.Name] += f.Gbps
		if f.Latency < 420 || f.Packets < 1 || f.From == f.To {
			t.Errorf("%+v", f)
		}
	}
	for _, h := range out.Hosts {
		byHosts += h.Taken / 32
		if d := h.Taken - byFlows[h.Port.Name]; d > 1e-9 || d < -1e-9 || h.Sent < 1 {
			t.Errorf("%+v, flows bring %v", h, byFlows[h.Port.Name])
		}
	}
	if d := byHosts - out.Rows[0].Throughput.Mean; len(out.Hosts) != 32 || d > 1e-9 || d < -1e-9 {
		t.Errorf("%v of %d hosts, %v in the run", byHosts, len(out.Hosts), out.Rows[0].Throughput.Mean)
	}
	var hosts, flows strings.Builder
	if out.WriteHosts(&hosts) != nil || out.WriteFlows(&flows) != nil || strings.Count(hosts.String(), "\n") != 33 || strings.Count(flows.String(), "\n") != len(out.Flows)+1 {
		t.Errorf("%s%s", hosts.String(), flows.String())
	}
}

// FuzzChanges: any text is changes in the order of their times, or an error with the name of the
// file.
func FuzzChanges(f *testing.F) {
	for _, text := range []string{"20us down spine 1\n30us repair\n40us up spine 1", "# nothing\n0s down leaf 1[5]", "1us up \"leaf 1\"[5] - spine 0", "9us"} {
		f.Add(text)
	}
	fabric, err := gen.Parse("rlft(8,2)")
	if err != nil {
		f.Fatal(err)
	}
	g := fabric.Compile()
	f.Fuzz(func(t *testing.T, text string) {
		r := usualRequest()
		r.Changes = Changes{File: "changes", Text: []byte(text), Fabric: fabric}
		list, err := r.readChanges(g)
		if err != nil && !strings.HasPrefix(err.Error(), "changes:") || err == nil && len(list) == 0 {
			t.Fatalf("%d changes, %v", len(list), err)
		}
		last := 0.
		for _, c := range list {
			if c.At < last || c.At > float64(r.Duration) || c.What != "repair" && (c.sw < 0 || int(c.sw) >= g.NumSwitches || c.Part == "") {
				t.Fatalf("%+v", c)
			}
			last = c.At
		}
	})
}

// TestStreams: streams have their rates in their times, and what is left where they ask for more
// than there is.
func TestStreams(t *testing.T) {
	out := simulated(t, func(r *Request) {
		r.Duration, r.CountFlows, r.Message = 400*time.Microsecond, true, MessageSize{Least: 2048}
		r.Streams, r.Text = "streams", []byte("0 9 rate=20\n1 10 rate=40 bytes=512\n2 11\n3 12 rate=30 start=200us\n4 13 stop=100us")
	})
	full := 96.969 * 2048 / 2074
	want := []float64{20, 40, full, 15, full / 4}
	if len(out.Flows) != len(want) {
		t.Fatalf("%+v", out.Flows)
	}
	for i, f := range out.Flows {
		if f.Gbps < .85*want[i] || f.Gbps > 1.15*want[i] {
			t.Errorf("stream %d: %.1f Gbit/s, want %.1f", i, f.Gbps, want[i])
		}
	}
	if out.Pattern != "streams" || out.Seeds != 1 {
		t.Errorf("%+v", out.Settings)
	}
}
