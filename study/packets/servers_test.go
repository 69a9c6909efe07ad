package packets

import (
	"testing"
	"time"

	"weft/sim/traffic"
	"weft/study/flows"
	"weft/study/studytest"
)

// Packets between servers with several ports: none is lost between planes or goes within a server,
// and with ranks on servers all stay on their rails.
func TestServers(t *testing.T) {
	for _, formula := range []string{"rlft(4,2)|planes(2)", "rail(4,4,2,spines=2,width=2)", "rail(2,4,1,spines=0)"} {
		g, routing := studytest.Routed(t, formula, "updn")
		s := traffic.ServersOf(g)
		for _, pattern := range []string{Uniform, "bisect", "recdbl", "hotspot:2"} {
			for _, on := range []string{"ports", flows.OnServers} {
				r := usualRequest()
				r.Pattern, r.RanksOn, r.CountFlows, r.Duration = pattern, on, true, 20*time.Microsecond
				if pattern == "recdbl" {
					r.Message.Least, r.Duration = 4096, time.Millisecond
				}
				if err := r.Validate(); err != nil {
					t.Fatal(err)
				}
				if err := r.Check(g); err != nil {
					t.Fatal(err)
				}
				out, err := Simulate(t.Context(), g, routing, r)
				if err != nil {
					t.Fatalf("%s, %s on %s: %v", formula, pattern, on, err)
				}
				ranks := len(s.Of)
				if on == flows.OnServers {
					ranks = len(s.Ports)
				}
				if out.Rows[0].Lost > 0 || len(out.Flows) == 0 || out.Servers != len(s.Ports) || out.HostPorts != len(s.Of) || out.RanksOn != on || out.Ranks != ranks {
					t.Errorf("%s, %s on %s: %d packets lost, %d flows, %+v", formula, pattern, on, out.Rows[0].Lost, len(out.Flows), out.Settings)
				}
				for _, f := range out.Flows {
					a, b := g.FindEnd(f.From.GUID, f.From.Port), g.FindEnd(f.To.GUID, f.To.Port)
					if !s.Meet(a, b) || on == flows.OnServers && s.Rail[a] != s.Rail[b] {
						t.Fatalf("%s, %s on %s: from %v to %v", formula, pattern, on, f.From, f.To)
					}
				}
			}
		}
	}
}

// The benchmark's ranks are servers on one plane, where the planes have no way to each other.
func TestBEffOfServers(t *testing.T) {
	g, routing := studytest.Routed(t, "rlft(4,2)|plane(rlft(6,2))", "updn")
	r := usualRequest()
	r.Pattern, r.Message.Least = "b_eff:1,5", 4096
	if _, err := Simulate(t.Context(), g, routing, r); err == nil {
		t.Error("host ports of two planes all send to each other")
	}
	r.RanksOn = flows.OnServers
	out, err := Simulate(t.Context(), g, routing, r)
	if err != nil || out.BEff == nil || out.Ranks != 18 {
		t.Errorf("%v, %+v", err, out)
	}
}

func TestRanksOn(t *testing.T) {
	g, _ := studytest.Routed(t, "rlft(4,2)|planes(2)", "updn")
	r := usualRequest()
	for _, c := range []struct {
		on    string
		ranks int
		ok    bool
	}{{"", 16, true}, {"ports", 17, false}, {"servers", 8, true}, {"servers", 9, false}} {
		r.Pattern, r.RanksOn, r.Ranks = "bisect", c.on, c.ranks
		if err := r.Check(g); (err == nil) != c.ok {
			t.Errorf("%d ranks on %q: %v", c.ranks, c.on, err)
		}
	}
	r.RanksOn = "hosts"
	if r.Validate() == nil {
		t.Error("ranks on hosts")
	}
	r.RanksOn, r.Messages = flows.OnServers, "file"
	if r.Validate() == nil {
		t.Error("a file of messages names ports")
	}
}
