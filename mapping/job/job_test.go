package job

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"weft/fabric/gen"
	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/mappingtest"
	"weft/mapping/probe"
)

// TestTraffic: in every mode, by every algorithm and in traffic of every kind, a map that
// is certain is the network, and every other one says where it may be wrong.
func TestTraffic(t *testing.T) {
	certain, doubtful := 0, 0
	for seed := range uint64(6) {
		n := mappingtest.Random(seed, 10)
		for kind, traffic := range mappingtest.Traffics() {
			for _, o := range modes() {
				o.Traffic, o.Seed, o.Early, o.Limit = traffic, seed, seed%2 == 1 && o.Algorithm != "vazirani", 20_000
				o.Collision = mapping.Collisions()[seed%2]
				r, err := Run(t.Context(), n, &o)
				if err != nil {
					t.Fatalf("network %d, %s %s, traffic %s: %v", seed, o.Mode, o.Algorithm, kind, err)
				}
				rep := r.Report()
				switch {
				case rep.Certain != (len(rep.InDoubt) == 0):
					t.Errorf("network %d, %s %s, traffic %s: certain %v, %d places in doubt", seed, o.Mode, o.Algorithm, kind, rep.Certain, len(rep.InDoubt))
				case !rep.Certain:
					doubtful++
				case !rep.OK():
					t.Errorf("network %d, %s %s, traffic %s: %s", seed, o.Mode, o.Algorithm, kind, rep.Difference)
				default:
					certain++
				}
				if (rep.Survey != nil) != (kind != "none") {
					t.Errorf("traffic %s: survey %v", kind, rep.Survey)
				}
			}
		}
	}
	if certain < 10*doubtful {
		t.Errorf("%d maps are certain, %d are not", certain, doubtful)
	}
}

// modes lists all ways to map a quiet network.
func modes() (all []Options) {
	o := Defaults()
	o.Network = "random"
	for _, a := range algorithm.All() {
		if a.Name == "berkeley-labels" {
			continue
		}
		for _, o.Mode = range []Mode{Master, Election} {
			o.Algorithm = a.Name
			all = append(all, o)
		}
	}
	o.Mode, o.Algorithm = Parallel, ""
	return append(all, o)
}

// TestCertain: a map is certain only if the mapper itself knows that it is right: not with
// too small a depth, and not where silence is believed in traffic.
func TestCertain(t *testing.T) {
	said := 0
	for seed := range uint64(10) {
		n := mappingtest.Random(seed, 20)
		for _, o := range modes() {
			for depth := range 6 {
				o.Depth = 0
				if o.Algorithm == "berkeley" {
					o.Depth = depth
				}
				for _, o.Traffic.Loss = range []float64{0, 0.1} {
					if o.Error = Defaults().Error; o.Traffic.Loss > 0 {
						o.Error = 0
					}
					r, err := Run(t.Context(), n, &o)
					if err != nil {
						t.Fatal(err)
					}
					if rep := r.Report(); rep.Certain {
						said++
						if !rep.Isomorphic || o.Traffic.Loss > 0 {
							t.Errorf("network %d, %s %s, depth %d, loss %v: certain, %s", seed, o.Mode, o.Algorithm, o.Depth, o.Traffic.Loss, rep.Difference)
						}
					}
				}
			}
		}
	}
	if said < 100 {
		t.Errorf("%d maps were certain", said)
	}
}

// TestNoOptionIsIgnored: in every mode and by every algorithm an option is refused, or makes
// a difference to the report.
func TestNoOptionIsIgnored(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	run := func(o Options) (string, error) {
		r, err := Run(t.Context(), n, &o)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(r.Report())
		return string(text), err
	}
	taken := map[string]int{}
	for _, base := range modes() {
		for name, change := range map[string]func(*Options){
			"collision": func(o *Options) { o.Collision, o.Payload = mapping.Packet, o.Payload+1 },
			"mapper":    func(o *Options) { o.Mapper = "host 0" },
			"depth":     func(o *Options) { o.Depth = 1 },
			"stop":      func(o *Options) { o.Stop = Known },
			"retries":   func(o *Options) { o.Retries = 2 },
			"loss":      func(o *Options) { o.Traffic.Loss = 0.1 },
			"error":     func(o *Options) { o.Error = 1e-3 },
			"worst":     func(o *Options) { o.Worst = 0.5 },
			"limit":     func(o *Options) { o.Limit = 50 },
			"payload":   func(o *Options) { o.Payload = 10_000 },
			"early":     func(o *Options) { o.Early = true },
		} {
			o := base
			plain, err := run(o)
			if err != nil {
				t.Fatal(err)
			}
			change(&o)
			with, err := run(o)
			if same := err == nil && with == plain; same && name != "stop" && !(name == "early" && o.Algorithm == "vazirani") {
				t.Errorf("%s %s: --%s makes no difference", o.Mode, o.Algorithm, name)
			}
			if err == nil {
				taken[name]++
			}
		}
		if o := base; o.Draws() {
			plain, _ := run(o)
			o.Seed++
			if with, _ := run(o); with == plain {
				t.Errorf("%s %s: --seed makes no difference", o.Mode, o.Algorithm)
			}
		}
	}
	if taken["error"] > 0 || taken["worst"] > 0 || taken["depth"] == 0 || taken["retries"] == 0 {
		t.Errorf("taken: %v", taken)
	}
}

// TestGaveUp: an algorithm that is lost in traffic gives up, and the survey begins with
// nothing.
func TestGaveUp(t *testing.T) {
	o := Defaults()
	o.Traffic.Loss, o.Limit = 0.1, 400
	r, err := Run(t.Context(), mappingtest.Network(t, "now-c"), &o)
	if err != nil {
		t.Fatal(err)
	}
	if rep := r.Report(); r.GaveUp != 400 || rep.Survey.GaveUp != 400 || rep.Certain || rep.OK() {
		t.Errorf("%+v", rep.Survey)
	}
}

// TestRoutes: routes on a map work in the network.
func TestRoutes(t *testing.T) {
	o := Defaults()
	r, err := Run(t.Context(), mappingtest.Network(t, "now-c"), &o)
	if err != nil {
		t.Fatal(err)
	}
	table, rep, err := r.Routes(t.Context(), -1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !rep.OK() || rep.Pairs != 36*35 || rep.DeadlockFree != "yes" || len(table.Turns) != 36 {
		t.Errorf("%+v", rep)
	}
	if rep.Delivered--; rep.OK() {
		t.Error("a route that fails is good")
	}
}

// TestWatch: what happens is named, and a host that is cut off ends the watch.
func TestWatch(t *testing.T) {
	f, err := gen.Parse("now-c")
	if err != nil {
		t.Fatal(err)
	}
	const events = "250ms link C1.1 8 down\n1200ms node \"host 0\" down\n"
	watch := func(o *Options, each func(*RoundReport) error) (*WatchReport, error) {
		return Watch(t.Context(), f, "events", strings.NewReader(events), o, each)
	}
	o := Defaults()
	w, err := watch(&o, func(*RoundReport) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(w)
	if !w.OK() || !strings.Contains(string(text), "cable vanished") || !strings.Contains(string(text), "host vanished: host 0") {
		t.Errorf("%s", text)
	}
	if round := &w.Rounds[0]; round.Certain {
		if round.Isomorphic = false; w.OK() {
			t.Error("a wrong map is good")
		}
	}
	o.Mapper = "host 0"
	if w, err = watch(&o, func(*RoundReport) error { return nil }); err != nil || w.OK() || w.End == "" {
		t.Errorf("%+v, %v", w, err)
	}
	stop := errors.New("enough")
	if _, err = watch(&o, func(*RoundReport) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// TestRefusals: options that make no sense are refused, by name.
func TestRefusals(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	for want, change := range map[string]func(*Options){
		"no algorithm is called":          func(o *Options) { o.Algorithm = "guess" },
		"unknown collision model":         func(o *Options) { o.Collision = "guess" },
		`--mode "both"`:                   func(o *Options) { o.Mode = "both" },
		"must not be negative":            func(o *Options) { o.Depth = -1 },
		"a probe has 1048576 bytes":       func(o *Options) { o.Payload = 1<<20 + 1 },
		"is not a share":                  func(o *Options) { o.Traffic.Loss = 1 },
		"--error and --worst":             func(o *Options) { o.Worst = 1 },
		"leave out --algorithm":           func(o *Options) { o.Mode, o.Algorithm = Parallel, "coupon" },
		"no host is called":               func(o *Options) { o.Mapper = "nobody" },
		"--error and --worst must be at ": func(o *Options) { o.Error = -1 },
	} {
		o := Defaults()
		change(&o)
		if _, err := Run(t.Context(), n, &o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	f, _ := gen.Parse("now-c")
	for _, o := range []Options{{Mode: Parallel, Collision: mapping.Packet, Every: 1}, {Mode: Master, Collision: mapping.Packet}} {
		if _, err := Watch(t.Context(), f, "", strings.NewReader(""), &o, nil); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, o := range modes() {
		if _, err := Run(ctx, n, &o); !errors.Is(err, context.Canceled) || errors.Is(err, probe.ErrLimit) {
			t.Errorf("%s %s: %v", o.Mode, o.Algorithm, err)
		}
	}
}

// TestUnused: an option that was given and does nothing is refused, even if it is the default.
func TestUnused(t *testing.T) {
	for _, c := range []struct {
		given, want string
		change      func(*Options)
	}{
		{"stop", "needs no bound", func(o *Options) { o.Algorithm = "myricom" }},
		{"depth", "needs no bound", func(o *Options) { o.Algorithm = "coupon" }},
		{"stop", "--mode parallel has a method of its own", func(o *Options) { o.Mode = Parallel }},
		{"early-reply", "leave out --early-reply", func(o *Options) { o.Algorithm = "vazirani" }},
		{"retries", "--retries 0 does nothing in traffic", func(o *Options) { o.Traffic.Loss = 0.01 }},
		{"error", "need --loss", func(*Options) {}},
		{"stop", "", func(*Options) {}},
		{"early-reply", "", func(*Options) {}},
		{"retries", "", func(*Options) {}},
		{"retries", "", func(o *Options) { o.Traffic.Loss, o.Retries = 0.01, 2 }},
		{"error", "", func(o *Options) { o.Traffic.Loss = 0.01 }},
	} {
		o := Defaults()
		c.change(&o)
		if err := o.Check(); err != nil {
			t.Errorf("--%s, as by default: %v", c.given, err)
		}
		err := o.CheckUnused(func(option string) bool { return option == c.given })
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("--%s: %v, want %q", c.given, err, c.want)
		}
	}
}

// TestRetriesInTraffic: where silence is weighed, an algorithm sends a silent probe again.
func TestRetriesInTraffic(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	o := Defaults()
	o.Retries = 1
	quiet, err := Run(t.Context(), n, &o)
	if err != nil {
		t.Fatal(err)
	}
	o.Retries, o.Traffic.Loss = 0, 1e-12
	busy, err := Run(t.Context(), n, &o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := busy.Probes.Total().Sent-busy.Survey.Probes.Total().Sent, quiet.Probes.Total().Sent; got != want {
		t.Errorf("the algorithm sent %d probes, want %d", got, want)
	}
}
