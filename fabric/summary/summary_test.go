package summary_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/rails"
	"weft/fabric/source"
	"weft/fabric/summary"
)

func open(t *testing.T, formula string) *source.Source {
	src, err := source.Open(formula, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestKeys: programs read these keys of `weft show --json`, each on the one level.
func TestKeys(t *testing.T) {
	src := open(t, "fat648|fail(links=3,seed=1)")
	s, err := summary.Of(t.Context(), src, src.Fabric.Compile())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("aggregation_nodes cas components diameter end_ports format host_ports lids_seen links links_down links_drained name planes rails rates routers server_signs servers servers_by_ports switch_links switch_ports switches warnings")
	if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
		t.Errorf("keys %q\nwant %q", got, want)
	}
	if object["warnings"] == nil {
		t.Error("no warnings are null, want an empty list")
	}
}

// TestAggregation: CAs inside switches are counted apart from hosts, with what speaks for them.
func TestAggregation(t *testing.T) {
	src, plain := open(t, "rlft(6,2)|aggregation()"), open(t, "rlft(6,2)")
	s, err := summary.Of(t.Context(), src, src.Fabric.Compile())
	if err != nil {
		t.Fatal(err)
	}
	without, err := summary.Of(t.Context(), plain, plain.Fabric.Compile())
	if err != nil {
		t.Fatal(err)
	}
	if s.Aggregation != s.Switches || s.CAs != without.CAs || s.EndPorts != without.EndPorts {
		t.Errorf("%d aggregation nodes, %d CAs, %d end ports; without them %d CAs, %d end ports", s.Aggregation, s.CAs, s.EndPorts, without.CAs, without.EndPorts)
	}
	for evidence, n := range s.AggregationEvidence {
		if n != s.Switches || !strings.Contains(evidence, "device 0xcf09") || !strings.Contains(evidence, "last port") {
			t.Errorf("%d by %q", n, evidence)
		}
	}
}

// TestServers: servers, their ports, rails and planes, and a swapped pair of cables.
func TestServers(t *testing.T) {
	src := open(t, "rail(4,8,2)")
	f := src.Fabric
	host := slices.IndexFunc(f.Nodes, func(n fabric.Node) bool { return n.Type == fabric.CA })
	one, two := f.Nodes[host].Ports[1].Link, f.Nodes[host].Ports[2].Link
	a, b := &f.Links[one], &f.Links[two]
	for _, l := range []*fabric.Link{a, b} {
		if l.A.Node == fabric.NodeID(host) {
			l.A, l.B = l.B, l.A // the switch first
		}
	}
	a.A, b.A = b.A, a.A
	f.Nodes[a.A.Node].Ports[a.A.Port].Link, f.Nodes[b.A.Node].Ports[b.A.Port].Link = one, two
	s, err := summary.Of(t.Context(), src, f.Compile())
	if err != nil {
		t.Fatal(err)
	}
	n := &s.Servers
	if n.Servers != 16 || n.HostPorts != 64 || n.Planes != 1 || n.Rails != 4 || !n.Several() ||
		!maps.Equal(n.ServersByPorts, map[int]int{4: 16}) || !maps.Equal(n.ServerSigns, map[fabric.ServerSign]int{fabric.BySelf: 16}) ||
		!maps.Equal(n.RailSigns, map[rails.Sign]int{rails.ByPort: 62, rails.ByWiring: 2}) {
		t.Errorf("%+v", n)
	}
	var texts []string
	for i := range n.OddRails {
		texts = append(texts, n.OddRails[i].Text)
	}
	want := []string{
		"host 0[1] at pod 0 rail 1[1]: on rail 1, expected on rail 0; its cable and that of host 0[2] are swapped",
		"host 0[2] at pod 0 rail 0[1]: on rail 0, expected on rail 1; its cable and that of host 0[1] are swapped",
	}
	if !slices.Equal(texts, want) || n.OddRails[0].With == nil || n.OddRails[0].With.Port != 2 {
		t.Errorf("%q, want %q", texts, want)
	}
}

// TestCounts holds every count of a real dump against the file.
func TestCounts(t *testing.T) {
	f, warnings, err := netfile.Read("psmn", examples.PSMNX5, netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	node := fabric.NodeID(slices.IndexFunc(f.Nodes, func(n fabric.Node) bool { return n.Type == fabric.CA }))
	f.SetNodeDown(node, true)
	link := slices.IndexFunc(f.Links, func(l fabric.Link) bool { return f.Nodes[l.A.Node].Type == f.Nodes[l.B.Node].Type })
	f.Links[link].Drained = true
	g := f.Compile()
	s, err := summary.Of(t.Context(), &source.Source{Fabric: f, Format: "ibnetdiscover", Warnings: warnings}, g)
	if err != nil {
		t.Fatal(err)
	}
	text := string(examples.PSMNX5)
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"switches", s.Switches, strings.Count(text, "\nSwitch\t")},
		{"CAs", s.CAs, strings.Count(text, "\nCa\t") - 1},
		{"routers", s.Routers, 0},
		{"links", s.Links.Links, 158},
		{"links between switches", s.SwitchLinks, 70},
		{"links down", s.Down, 1},
		{"links drained", s.Drained, 1},
		{"end ports", s.EndPorts, 88},
		{"end ports with LIDs", s.LIDs, 88 + 11},
		{"components", s.Components, 1},
		{"warnings", len(s.Warnings), len(warnings)},
	} {
		if c.got != c.want {
			t.Errorf("%d %s, want %d", c.got, c.what, c.want)
		}
	}
	if want := map[int]int{36: 11}; !maps.Equal(s.SwitchPorts, want) {
		t.Errorf("ports of switches %v, want %v", s.SwitchPorts, want)
	}
	total := 0
	for _, n := range s.Rates {
		total += n
	}
	if total != s.Links.Links {
		t.Errorf("rates %v of %d links", s.Rates, s.Links.Links)
	}
}

func TestOfEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	src := open(t, "kautz(3,4)")
	if s, err := summary.Of(ctx, src, src.Fabric.Compile()); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestCompare(t *testing.T) {
	a, b := open(t, "rlft(4,2)"), open(t, "rlft(4,2)|fail(links=1,seed=3)")
	if d, err := summary.Compare(a, a); err != nil || !d.Equal || d.Changes == nil || len(d.Changes) != 0 {
		t.Errorf("a fabric and itself: %+v", d)
	}
	if d, err := summary.Compare(a, b); err != nil || d.Equal || len(d.Changes) != 1 {
		t.Errorf("one link failed: %+v", d)
	}
}
