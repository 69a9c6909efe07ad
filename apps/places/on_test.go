package places

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/sim/traffic"
)

// world is a fabric with a Request for it.
type world struct {
	Request
	graph *fabric.Graph
}

// request returns a Request for a formula, for all its ports.
func request(t *testing.T, formula string, onPorts bool) *world {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	r := &world{Request{Servers: traffic.ServersOf(g), OnPorts: onPorts, Ranks: 1}, g}
	r.Names = Names{
		Leaf: func(h int32) int32 { return g.EndSwitch[h] },
		Port: func(h int32) int { return int(g.EndNum[h]) },
		Node: func(h int32) []string { return []string{g.EndDesc[h], g.EndNodeGUID[h].String()} },
	}
	for h := range int32(g.NumHosts) {
		r.Hosts = append(r.Hosts, h)
	}
	slices.SortFunc(r.Hosts, func(a, b int32) int {
		return int(g.EndSwitch[a])<<8 + int(g.EndPort[a]) - int(g.EndSwitch[b])<<8 - int(g.EndPort[b])
	})
	return r
}

func (r *world) nodes(p *Places) (names []string) {
	for _, ports := range p.Ports {
		name := r.graph.EndName(ports[0])
		names = append(names, name.Short())
	}
	return names
}

// TestRail: on ports, the ranks of a server follow each other, each on the next rail.
func TestRail(t *testing.T) {
	r := request(t, "rail(4,3,2)", true)
	r.By, r.Ranks = "rail", 24
	p, err := On(&r.Request)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Ports {
		if port := p.Ports[i][0]; p.Server[i] != p.Server[i/4*4] || r.Servers.Rail[port] != r.Servers.Rail[p.Ports[i%4][0]] {
			t.Errorf("rank %d on server %d, rail %d", i, p.Server[i], r.Servers.Rail[port])
		}
	}
	seen := map[int32]bool{}
	for _, ports := range p.Ports {
		seen[ports[0]] = true
	}
	if len(seen) != 24 {
		t.Errorf("%d ports for 24 ranks", len(seen))
	}
}

// TestSpread: each leaf gets its second rank after all leaves have one.
func TestSpread(t *testing.T) {
	r := request(t, "rlft(4,2)", false)
	r.By, r.Ranks = "spread", len(r.Hosts)
	p, err := On(&r.Request)
	if err != nil {
		t.Fatal(err)
	}
	leaves := map[int32]bool{}
	for _, h := range r.Hosts {
		leaves[r.graph.EndSwitch[h]] = true
	}
	first := map[int32]bool{}
	for _, ports := range p.Ports[:len(leaves)] {
		first[r.graph.EndSwitch[ports[0]]] = true
	}
	if len(first) != len(leaves) {
		t.Errorf("%d leaves of %d have one of the first ranks", len(first), len(leaves))
	}
}

// TestFile: lines place ranks, in any order; what is wrong is named with its line.
func TestFile(t *testing.T) {
	r := request(t, "rlft(4,2)", false)
	r.By, r.Ranks = "file", 3
	r.File = "# three\n2 \"host 0\"\n0\t\"host 5\" 1 # a port\n\n1 " + r.graph.EndNodeGUID[3].String() + "\n"
	p, err := On(&r.Request)
	if err != nil {
		t.Fatal(err)
	}
	name3 := r.graph.EndName(3)
	if got := r.nodes(p); !slices.Equal(got, []string{"host 5[1]", name3.Short(), "host 0[1]"}) {
		t.Errorf("ranks on %q", got)
	}
	for text, want := range map[string]string{
		"0 \"host 1\"\n1 \"host 2\"": "rank 2 has no line",
		"0 \"host 1\"\n0 \"host 2\"": "line 2: rank 0 has a line already",
		"0 \"host 1":                 "line 1: ",
		"0 nowhere":                  `no host of the fabric is called "nowhere"`,
		"9 \"host 1\"":               "a number from 0 to 2",
		"0":                          "RANK NODE",
		"0 \"host 1\" 2":             "no connected port",
		"0 \"host 1\" 1 1":           "RANK NODE",
	} {
		r.File = text
		if _, err := On(&r.Request); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	// More ranks than places of a node share them.
	r.File = "0 \"host 1\"\n1 \"host 1\"\n2 \"host 2\"\n"
	if p, err = On(&r.Request); err != nil || p.Server[0] != p.Server[1] || p.Server[0] == p.Server[2] {
		t.Errorf("%v, %v", p, err)
	}
}

// TestFilePorts: ranks on ports take the ports of their node in turn.
func TestFilePorts(t *testing.T) {
	r := request(t, "rail(2,3)", true)
	for h := range r.Servers.Of {
		r.graph.EndDesc[h] = fmt.Sprintf("n%d", r.Servers.Of[h])
	}
	r.By, r.Ranks, r.File = "file", 3, "0 n1\n1 n1\n2 n0 1\n"
	p, err := On(&r.Request)
	if err != nil || p.Server[0] != 1 || p.Server[1] != 1 || p.Server[2] != 0 || p.Ports[0][0] == p.Ports[1][0] {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestSlurm: a node list places ranks as Slurm distributes tasks.
func TestSlurm(t *testing.T) {
	r := request(t, "rail(2,3)", true)
	for h := range r.graph.EndDesc {
		if h < r.graph.NumHosts {
			r.graph.EndDesc[h] = fmt.Sprintf("n%03d", r.Servers.Of[h]+1)
		}
	}
	for by, want := range map[string]string{
		"slurm:n[001-003]":         "0 0 1 1 2 2",
		"slurm-block:n003,n[1-1]":  "",
		"slurm-cyclic:n[001-003]":  "0 1 2 0 1 2",
		"slurm-cyclic:n[003,001]":  "2 0 2 0",
		"slurm-plane=2:n[001-002]": "0 0 1 1",
		"slurm-plane=0:n001":       "",
		"slurm:n001,n001":          "",
		"slurm-odd:n001":           "",
	} {
		r.By, r.Ranks = by, len(strings.Fields(want))
		p, err := On(&r.Request)
		if want == "" {
			if err == nil {
				t.Errorf("%s: no error", by)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", by, err)
			continue
		}
		if got := strings.Trim(fmt.Sprint(p.Server), "[]"); got != want {
			t.Errorf("%s: servers %s, want %s", by, got, want)
		}
	}
	r.By, r.Ranks = "slurm:n[001-002]", 5
	if _, err := On(&r.Request); err == nil || !strings.Contains(err.Error(), "5 ranks on 4 places") {
		t.Errorf("too few places: %v", err)
	}
}
