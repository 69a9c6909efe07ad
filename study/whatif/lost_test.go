package whatif

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
)

// ask measures a fabric and asks for changes.
func ask(t *testing.T, f *fabric.Fabric, changes ...Change) *Answer {
	t.Helper()
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	today, err := New(t.Context(), f, nil, Options{Request: planner.Request{Chain: chain, Seed: 1, Workers: 1}, Pace: UsualPace, Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, err := today.Ask(t.Context(), changes)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// splitServers makes of each server of two ports one with two adapters, called as drivers call
// them.
func splitServers(t *testing.T, f *fabric.Fabric) *fabric.Fabric {
	t.Helper()
	out := f.Without(func(id fabric.NodeID) bool { return f.Nodes[id].Type != fabric.Switch }, nil)
	for id := range f.Nodes {
		for p, l := range f.Cabled(fabric.NodeID(id), nil) {
			n := &f.Nodes[id]
			if n.Type == fabric.Switch {
				break
			}
			guid := n.GUID + 16*fabric.GUID(p)
			made, err := out.AddNode(fabric.CA, guid, 1, fmt.Sprintf("%s mlx5_%d", strings.ReplaceAll(n.Desc, "host ", "n"), p-1))
			if err != nil {
				t.Fatal(err)
			}
			out.Nodes[made].Ports[1].GUID = guid + 1
			there := f.Peer(fabric.End{Node: fabric.NodeID(id), Port: p})
			there.Node, _ = out.NodeByGUID(f.Nodes[there.Node].GUID)
			if _, err := out.Connect(fabric.End{Node: made, Port: 1}, there, f.Links[l].Width, f.Links[l].Speed); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// A server that is lost, cut off or degraded is named once, by whatever name it is called, however
// many adapters it has.
func TestServers(t *testing.T) {
	f := splitServers(t, parse(t, "rail(2,3,2,spines=2)"))
	for _, c := range []struct {
		changes                       string // "kind part; kind part"
		ok                            bool
		lost, cutOff, degraded, hosts int
		text                          string
	}{
		{"fail server=n1", true, 1, 0, 0, 0, `fails    server "n1" (2 ports)` + "\n\n"},
		{"fail N1", true, 1, 0, 0, 0, `fails    server "n1" (2 ports)` + "\n\n"},
		{"fail n1 mlx5_1", true, 0, 0, 1, 0, `fails    CA "n1 mlx5_1"`},
		{"fail server=n1,n2", true, 2, 0, 0, 0, "fails    server \"n1\" (2 ports)\n         server \"n2\" (2 ports)\n\n"},
		{"fail pod 0 rail 1", true, 0, 0, 3, 3, "; 3 servers\n     keep 1 of 2 ports\n"},
		{"fail pod 0 rail 1; fail pod 0 rail 0", false, 0, 3, 0, 6, "NO: 3 servers are cut off: n0, n1, n2\n"},
		{"fail pod 0 rail 1; fail n1 mlx5_0", false, 0, 1, 2, 3, "NO: 1 server is cut off: n1\n"},
		{"drain n1", true, 1, 0, 0, 2, `drained  server "n1" (2 ports)` + "\n\n"},
		{"drain servers=2", true, 2, 0, 0, 4, "drained  server"},
		{"drain link=n1 mlx5_0", true, 0, 0, 1, 1, `drained  cable "n1 mlx5_0"`},
		{"drain n1 mlx5_0[1]; drain n1 mlx5_1[1]", false, 0, 1, 0, 2, "NO: 1 server is cut off: n1\n"},
		{"move n1 mlx5_0 to spine 0", true, 0, 0, 0, 0, "moved    cable"},
	} {
		g := f
		var changes []Change
		for part := range strings.SplitSeq(c.changes, "; ") {
			kind, what, _ := strings.Cut(part, " ")
			changes = append(changes, Change{kind, what})
			if kind == "move" {
				g = extended(t, f, "radix(20)")
			}
		}
		a := ask(t, g, changes...)
		var text strings.Builder
		if err := a.Write(&text); err != nil {
			t.Fatal(err)
		}
		if a.OK != c.ok || len(a.ServersLost) != c.lost || len(a.ServersCutOff) != c.cutOff || len(a.Degraded) != c.degraded || len(a.CutOff) != c.hosts || !strings.Contains(text.String(), c.text) {
			t.Errorf("%s: %v %+v\n%s", c.changes, a.OK, a.HostsLost, text.String())
		}
		if a.Servers != 6 || a.HostPorts != 12 {
			t.Errorf("%s: %d servers with %d host ports", c.changes, a.Servers, a.HostPorts)
		}
	}
	if _, err := Apply(f, []Change{{"move", "n1 to spine 0"}}); err == nil || !strings.Contains(err.Error(), `"n1" has 2 cables, and each is moved by itself`) {
		t.Error(err)
	}
	if _, err := Apply(f, []Change{{"fail", "n"}}); err == nil || !strings.Contains(err.Error(), "could be any of") {
		t.Error(err)
	}
}

func extended(t *testing.T, f *fabric.Fabric, suffix string) *fabric.Fabric {
	t.Helper()
	g, err := gen.Apply(f, suffix)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The losses of servers are those that a count from server to server finds.
func TestServersCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 1))
	lost, cutOff, degraded := 0, 0, 0
	for range 60 {
		f := parse(t, []string{"rail(3,4,2,spines=2)", "rlft(4,2)|planes(2)", "rail(2,3,2,spines=1)"}[rng.IntN(3)])
		if f.Nodes[len(f.Nodes)-1].NumPorts() == 2 && rng.IntN(2) == 0 {
			f = splitServers(t, f)
		}
		after := f.Clone()
		for range 1 + rng.IntN(12) {
			if rng.IntN(3) == 0 {
				after.SetLinkDown(fabric.LinkID(rng.IntN(len(f.Links))), true)
			} else {
				after.SetNodeDown(fabric.NodeID(rng.IntN(len(f.Nodes))), true)
			}
		}
		before := f.Compile()
		l := LostHosts(before, before.Servers(), after, after.Compile(), nil)
		servers := f.Servers()
		var want HostsLost
		for i := range servers.List {
			s, all, left, up := &servers.List[i], 0, 0, false
			for _, adapter := range s.Adapters {
				up = up || !after.Nodes[adapter].Down
				for _, cable := range f.Cabled(fabric.NodeID(adapter), nil) {
					if all++; after.LinkUp(cable) {
						left++
					}
				}
			}
			switch {
			case left == all:
			case left > 0:
				want.Degraded = append(want.Degraded, Degraded{s.Name, left, all})
			case up:
				want.ServersCutOff = append(want.ServersCutOff, s.Name)
			default:
				want.ServersLost = append(want.ServersLost, s.Name)
			}
		}
		if !slices.Equal(l.ServersLost, want.ServersLost) || !slices.Equal(l.ServersCutOff, want.ServersCutOff) || !slices.Equal(l.Degraded, want.Degraded) {
			t.Fatalf("%s: %+v, counted %+v", f.Name, l, want)
		}
		lost, cutOff, degraded = lost+len(l.ServersLost), cutOff+len(l.ServersCutOff), degraded+len(l.Degraded)
	}
	if lost == 0 || cutOff == 0 || degraded == 0 {
		t.Errorf("%d lost, %d cut off, %d degraded", lost, cutOff, degraded)
	}
}

// No pair of ports in two planes is lost, before or after a plane grows; a plane that is torn
// apart loses its own.
func TestPlanes(t *testing.T) {
	f := parse(t, "rlft(4,2)|planes(2)|radix(8)")
	torn := Change{"fail", "switch=plane 1 spine 0,plane 1 spine 1"}
	for _, c := range []struct {
		changes []Change
		ok      bool
		apart   int64 // after the change
		cutOff  int64
	}{
		{[]Change{{"add", "rack 9"}}, true, 2 * 10 * 10, 0},
		{[]Change{{"fail", "plane 1 leaf 0"}}, true, 2 * 6 * 8, 0},
		{[]Change{torn}, false, 2 * 8 * 8, 8 * 6},
		{[]Change{{"add", "rack 9"}, torn}, false, 2 * 10 * 10, 10 * 8},
		{[]Change{{"drain", "host 3"}}, true, 2 * 7 * 7, 0},
	} {
		a := ask(t, f, c.changes...)
		s := a.Repaired
		if s == nil {
			s = a.Fresh
		}
		if a.Today.Apart != 2*8*8 || a.Today.lost() != 0 || a.Today.Losing != 0 || a.OK != c.ok || s.Apart != c.apart || s.cutOff() != c.cutOff || s.lost() != c.cutOff {
			t.Errorf("%v: %v %s; today %+v, then %+v", c.changes, a.OK, a.Reason, a.Today, s)
		}
	}
}

// What a text counts it calls by the right name: hosts where each has one port.
func TestDegradedText(t *testing.T) {
	l := HostsLost{Degraded: []Degraded{{"a", 7, 8}, {"b", 7, 8}, {"c", 1, 2}}}
	if got := l.DegradedText(); got != "2 servers keep 7 of 8 ports, 1 server keeps 1 of 2 ports" {
		t.Error(got)
	}
}
