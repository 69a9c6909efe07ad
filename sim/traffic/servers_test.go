package traffic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
)

func compiled(t testing.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// hostPorts lists all host ports.
func hostPorts(g *fabric.Graph) []int32 {
	return slices.DeleteFunc(fabric.Numbers(g.NumHosts), func(h int32) bool { return !g.IsHost(h) })
}

func TestServersOfOnePort(t *testing.T) {
	for _, formula := range []string{"rlft(4,2)", "torus(3x3,hosts=1)|aggregation()", "rlft(4,2)|fail(switches=2)"} {
		if s := ServersOf(compiled(t, formula)); s != nil {
			t.Errorf("%s: servers of several ports: %v", formula, s.Ports)
		}
	}
	// Then a pattern is what Parse makes, on all hosts.
	var none *Servers
	hosts := []int32{7, 3, 5}
	for _, place := range []func(string, []int32, int) (*Pattern, *Placement, error){none.OnPorts, none.OnServers} {
		p, at, err := place("gather", hosts, 2)
		if err != nil || text(p) != "1>0" || !slices.Equal(at.Units, hosts) || at.OnServers {
			t.Errorf("%v, %s on %v", err, text(p), at)
		}
		f := Flows{[]int32{1, 0}, []int32{0, 2}}
		if n := at.ToPorts(&f, at.Units); n != 2 || !slices.Equal(f.Src, []int32{3, 7}) || !slices.Equal(f.Dst, []int32{7, 5}) {
			t.Errorf("%d flows %v", n, f)
		}
	}
}

// placed are the flows of a pattern between host ports, by round.
func placed(t testing.TB, p *Pattern, at *Placement, shuffle bool) (rounds []Flows) {
	var rng rand.PCG
	units := slices.Clone(at.Units)
	if shuffle {
		Seed(&rng, 1, 0, -1)
		at.Shuffle(units, &rng)
	}
	for r := range p.Rounds {
		var f Flows
		Seed(&rng, 1, 0, r)
		p.Round(&f, r, &rng)
		at.ToPorts(&f, units)
		rounds = append(rounds, f)
	}
	return rounds
}

// Whatever the pattern and the network: no flow stays in a server or leaves its plane, and with
// ranks on servers every flow stays on its rail if the two servers have a common one.
func TestFlowsMeet(t *testing.T) {
	for _, formula := range []string{
		"rail(4,3,2,spines=3)", "rlft(4,2)|planes(3)", "rlft(4,2)|plane(rlft(6,2))", "rail(4,4,2,spines=2)|plane(rlft(8,2))", "mftree-fig2", "rail(3,4,1,spines=0)",
	} {
		g := compiled(t, formula)
		s := ServersOf(g)
		for _, kind := range Kinds() {
			arg := map[string]string{"neighbor": ":2", "recvs_all_src": ":2,.5", "recvs_one_src": ":2,.5", "ptrnvsptrn": ":2:ring::gather", "storage": ":2"}[kind.Name]
			for _, onServers := range []bool{false, true} {
				for _, shuffle := range []bool{false, true} {
					place := s.OnPorts
					if onServers {
						place = s.OnServers
					}
					p, at, err := place(kind.Name+arg, hostPorts(g), 0)
					if err != nil {
						t.Fatalf("%s: %s: %v", formula, kind.Name, err)
					}
					flows := 0
					for _, round := range placed(t, p, at, shuffle) {
						flows += round.Len()
						if text := misplaced(s, &round, onServers); text != "" {
							t.Fatalf("%s: %s, on servers %v: %s", formula, p.Name, onServers, text)
						}
					}
					// In natural order, neighbours in a bisection may be ports of one server.
					if flows == 0 && kind.Name != "null" && (shuffle || onServers || !strings.HasPrefix(kind.Name, "bisect")) {
						t.Errorf("%s: %s, on servers %v: nothing is sent", formula, p.Name, onServers)
					}
				}
			}
		}
	}
}

func misplaced(s *Servers, f *Flows, onServers bool) string {
	common := func(a, b int32) bool {
		for _, x := range s.Ports[s.Of[a]] {
			for _, y := range s.Ports[s.Of[b]] {
				if s.Rail[x] >= 0 && s.Rail[x] == s.Rail[y] && s.Plane[x] == s.Plane[y] {
					return true
				}
			}
		}
		return false
	}
	for i := range f.Src {
		a, b := f.Src[i], f.Dst[i]
		switch {
		case s.Of[a] == s.Of[b]:
			return fmt.Sprintf("ports %d and %d of one server", a, b)
		case s.Plane[a] != s.Plane[b]:
			return fmt.Sprintf("ports %d and %d of two planes", a, b)
		case onServers && s.Rail[a] != s.Rail[b] && common(a, b):
			return fmt.Sprintf("ports %d and %d of two rails", a, b)
		}
	}
	return ""
}

// Each plane has the pattern that it has alone; planes of different sizes end at different rounds.
func TestPatternOfEachPlane(t *testing.T) {
	g := compiled(t, "rlft(4,2)|plane(rlft(6,2))") // 8 servers, then 10 on the second plane alone
	s := ServersOf(g)
	p, at, err := s.OnPorts("shift", hostPorts(g), 0)
	if err != nil || p.Ranks != 26 || p.Rounds != 17 {
		t.Fatalf("%v, pattern %+v", err, p)
	}
	for r, round := range placed(t, p, at, false) {
		var got [2]int
		for i := range round.Src {
			plane := s.Plane[round.Src[i]]
			got[plane]++
			own := at.Units[:8]
			if plane == 1 {
				own = at.Units[8:]
			}
			if k := slices.Index(own, round.Src[i]); own[(k+r+1)%len(own)] != round.Dst[i] {
				t.Fatalf("round %d: %d > %d", r, round.Src[i], round.Dst[i])
			}
		}
		if want := [2]int{8, 18}; r >= 7 && got[0] != 0 || r < 7 && got != want || got[1] != 18 {
			t.Errorf("round %d: %v flows", r, got)
		}
	}
	if _, _, err := s.OnPorts("incast:9", hostPorts(g), 0); err == nil || !strings.Contains(err.Error(), "plane 0 of 2") {
		t.Errorf("a pattern that is too large for a plane: %v", err)
	}
	if _, _, err := s.OnServers("shift", hostPorts(g), 19); err == nil {
		t.Error("more ranks than servers")
	}
	_, at, err = s.OnServers("shift", hostPorts(g), 18)
	if err != nil || len(at.Units) != 18 {
		t.Errorf("%v, %d servers", err, len(at.Units))
	}
}

// A message between two servers takes all rails that both have; servers that share no plane send
// nothing.
func TestRailsOfMessages(t *testing.T) {
	g := compiled(t, "rail(4,3,2,spines=3)|plane(rlft(4,2))") // 6 servers of 5 ports, 2 of the second plane
	s := ServersOf(g)
	count := func(a, b int32) int {
		at := &Placement{OnServers: true, servers: s}
		f := Flows{[]int32{0}, []int32{1}}
		if n := at.ToPorts(&f, []int32{a, b}); n != min(f.Len(), 1) {
			t.Errorf("%d messages of %d flows", n, f.Len())
		}
		return f.Len()
	}
	var gpu, storage []int32
	for v, ports := range s.Ports {
		if len(ports) > 1 {
			gpu = append(gpu, int32(v))
		} else {
			storage = append(storage, int32(v))
		}
	}
	if len(gpu) != 6 || len(storage) != 2 {
		t.Fatalf("%d and %d servers", len(gpu), len(storage))
	}
	if n := count(gpu[0], gpu[5]); n != 4 {
		t.Errorf("%d flows between servers with rails", n)
	}
	if n := count(gpu[0], storage[1]); n != 1 {
		t.Errorf("%d flows to a server of the second plane", n)
	}
	apart := compiled(t, "rlft(4,2)|planes(2)")
	s = ServersOf(apart)
	for e := range s.Plane { // as if even servers had lost their second port, and odd ones the first
		if s.Plane[e] != s.Of[e]%2 {
			s.Plane[e] = 9 + int32(e)
		}
	}
	if n := count(0, 1); n != 0 {
		t.Errorf("%d flows between servers that share no plane", n)
	}
	if n := count(0, 2); n != 1 {
		t.Errorf("%d flows between servers that share a plane", n)
	}
}
