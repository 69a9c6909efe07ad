package routes

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/mapping"
	"weft/mapping/mappingtest"
	"weft/mapping/theory"
)

// TestRoutes tries every route in the network, and has the judge look for a cycle
// among the wires that messages hold and wait for.
func TestRoutes(t *testing.T) {
	for seed := range uint64(60) {
		n := mappingtest.Random(seed, 30)
		table := Compute(n, &Options{Utility: -1, Seed: seed})
		if trial := table.Try(n, mapping.NewModel(n, mapping.Circuit, mapping.Myrinet)); !trial.OK() {
			t.Errorf("network %d: %+v", seed, trial)
		}
		judge(t, n, table)
		if cycle(n, table) {
			t.Errorf("network %d: the routes can wait for each other", seed)
		}
	}
}

// TestNOWRoutes is the same on the NOW networks, whose parallel wires and joining
// switches the paper's own routes had.
func TestNOWRoutes(t *testing.T) {
	for _, formula := range []string{"now-c", "now-ca", "now-cab"} {
		n := mappingtest.Network(t, formula)
		table := Compute(n, &Options{Utility: 35, Seed: 1})
		if trial := table.Try(n, mapping.NewModel(n, mapping.Circuit, mapping.Myrinet)); !trial.OK() {
			t.Errorf("%s: %+v", formula, trial)
		}
		judge(t, n, table)
	}
}

// judged has the routes judged as a Plan.
func judged(t *testing.T, n *mapping.Network, table *Table) *quality.Report {
	t.Helper()
	f, err := n.ToFabric("map", 4, fabric.SDR)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	plan, err := table.Plan(context.Background(), n, g)
	if err != nil {
		t.Fatal(err)
	}
	report, err := quality.Judge(context.Background(), g, plan, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// judge has the routes judged: all of them intended, none different, no cycle of
// dependencies among the pairs of hosts.
func judge(t *testing.T, n *mapping.Network, table *Table) {
	t.Helper()
	report := judged(t, n, table)
	pairs := int64(n.NumHosts() * (n.NumHosts() - 1))
	if report.HostOnly.DeadlockFree != check.Yes {
		t.Errorf("the judge on pairs of hosts: %v", report.HostOnly.DeadlockFree)
	}
	if report.HostPairs.Pairs != pairs || report.HostPairs.Unreachable != 0 || report.IntendedPaths != pairs || report.DifferingPaths != 0 {
		t.Errorf("judged %d pairs of %d, %d unreachable, %d intended, %d different",
			report.HostPairs.Pairs, pairs, report.HostPairs.Unreachable, report.IntendedPaths, report.DifferingPaths)
	}
}

// TestJudgeSeesCycle: the judge itself must find the cycle. Each host of a ring of four switches
// sends two switches clockwise.
func TestJudgeSeesCycle(t *testing.T) {
	hosts := []mapping.Host{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}}
	var wires []mapping.Wire
	for i := range int32(4) {
		wires = append(wires, mapping.Wire{{Node: i}, {Node: 4 + i, Port: 1}}, mapping.Wire{{Node: 4 + i, Port: 2}, {Node: 4 + (i+1)%4, Port: 0}})
	}
	n, err := mapping.New(hosts, []int32{8, 8, 8, 8}, wires)
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{Turns: make([][][]mapping.Turn, 4)}
	for i := range table.Turns {
		table.Turns[i] = make([][]mapping.Turn, 4)
		table.Turns[i][(i+2)%4] = []mapping.Turn{1, 2, 1}
	}
	if !cycle(n, table) {
		t.Error("the test's own search sees no cycle")
	}
	if report := judged(t, n, table); report.HostOnly.DeadlockFree != check.No {
		t.Errorf("the judge on a ring: %v", report.HostOnly.DeadlockFree)
	}
}

// cycle says whether the dependencies between directions of wires have a cycle.
func cycle(n *mapping.Network, table *Table) bool {
	after := map[mapping.End]map[mapping.End]bool{}
	for a := range table.Turns {
		for _, turns := range table.Turns[a] {
			out := mapping.End{Node: int32(a)}
			for _, turn := range turns {
				in, _ := n.Peer(out)
				next := mapping.End{Node: in.Node, Port: in.Port + int32(turn)}
				if after[out] == nil {
					after[out] = map[mapping.End]bool{}
				}
				after[out][next] = true
				out = next
			}
		}
	}
	state := map[mapping.End]int{}
	var visit func(e mapping.End) bool
	visit = func(e mapping.End) bool {
		switch state[e] {
		case 1:
			return true
		case 2:
			return false
		}
		state[e] = 1
		for next := range after[e] {
			if visit(next) {
				return true
			}
		}
		state[e] = 2
		return false
	}
	for e := range after {
		if visit(e) {
			return true
		}
	}
	return false
}

// TestRoot is the natural root of subcluster C: a switch of the third level.
func TestRoot(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	if root := n.NodeName(Root(n, 35)); root != "C3.1" && root != "C3.2" {
		t.Errorf("root %s", root)
	}
	if root := n.NodeName(Root(n, -1)); root != "C3.2" {
		t.Errorf("root %s when the utility host counts", root)
	}
}

// diamond returns a root in the middle of four switches with hosts, and a fifth switch joined to
// two of them, whose wires all lead up.
func diamond(t *testing.T) *mapping.Network {
	t.Helper()
	// Nodes: hosts 0 to 3, switches 4 to 7 with one host each, root 8 above the middle
	// switches 9 and 10, and 11, which joins 4 and 5.
	end := func(node, port int32) mapping.End { return mapping.End{Node: node, Port: port} }
	n, err := mapping.New([]mapping.Host{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}, {ID: 3, Name: "c"}, {ID: 4, Name: "d"}},
		[]int32{8, 8, 8, 8, 8, 8, 8, 8}, []mapping.Wire{
			{end(0, 0), end(4, 0)},
			{end(1, 0), end(5, 0)},
			{end(2, 0), end(6, 0)},
			{end(3, 0), end(7, 0)},
			{end(4, 1), end(9, 0)},
			{end(6, 1), end(9, 1)},
			{end(5, 1), end(10, 0)},
			{end(7, 1), end(10, 1)},
			{end(9, 2), end(8, 0)},
			{end(10, 2), end(8, 1)},
			{end(4, 2), end(11, 0)},
			{end(5, 2), end(11, 1)},
		})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRelabelled: without a new label no route could go through the fifth switch; with
// it, routes between a and b do, and they stay free of deadlock.
func TestRelabelled(t *testing.T) {
	n := diamond(t)
	table := Compute(n, &Options{Utility: -1})
	if n.NodeName(table.Root) != "switch 5" || !slices.Equal(table.Relabelled, []int32{11}) {
		t.Fatalf("root %s, relabelled %v", n.NodeName(table.Root), table.Relabelled)
	}
	if got := table.Turns[0][1]; !slices.Equal(got, []mapping.Turn{2, 1, -2}) {
		t.Errorf("a to b: %v, not by the fifth switch", got)
	}
	judge(t, n, table)
	o := order{n: n, level: n.Distances(table.Root)}
	if routes := o.routesFrom(0, rand.New(rand.NewPCG(1, 1))); len(routes[1]) != 5 {
		t.Errorf("a to b with the old labels: %v, want five switches", routes[1])
	}
}

// TestNoneDominant: after relabelling no switch without hosts has only wires that lead up,
// however often others had to be relabelled before.
func TestNoneDominant(t *testing.T) {
	networks := []*mapping.Network{mappingtest.Network(t, "karytree(4,3)"), mappingtest.Network(t, "hypercube(5)")}
	for seed := range uint64(200) {
		networks = append(networks, mappingtest.Random(seed, 40))
	}
	some := 0
	for k, n := range networks {
		o := order{n: n, level: n.Distances(Root(n, -1))}
		some += len(o.relabel())
		for v := int32(n.NumHosts()); int(v) < n.NumNodes(); v++ {
			if o.isDominant(v) {
				t.Errorf("network %d: switch %d is dominant", k, v)
			}
		}
	}
	if some == 0 {
		t.Error("no network had a locally dominant switch")
	}
}

// TestAllUsed: in a k-ary tree routes use every switch.
func TestAllUsed(t *testing.T) {
	n := mappingtest.Network(t, "karytree(4,3)")
	used := map[int32]bool{}
	for src, row := range Compute(n, &Options{Utility: -1, Seed: 1}).Turns {
		for _, turns := range row {
			at, _ := n.Peer(mapping.End{Node: int32(src)})
			for _, turn := range turns {
				used[at.Node] = true
				at, _ = n.Peer(mapping.End{Node: at.Node, Port: at.Port + int32(turn)})
			}
		}
	}
	if len(used) != n.NumSwitches() {
		t.Errorf("routes use %d of %d switches", len(used), n.NumSwitches())
	}
}

// TestPartWithoutHosts: switches that no host reaches are not relabelled, which would not
// end.
func TestPartWithoutHosts(t *testing.T) {
	hosts := []mapping.Host{{ID: 1}, {ID: 2}}
	n, err := mapping.New(hosts, []int32{4, 4, 4}, []mapping.Wire{{{Node: 0}, {Node: 2}}, {{Node: 1}, {Node: 2, Port: 1}}, {{Node: 3}, {Node: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	if relabelled := Compute(n, &Options{Utility: -1}).Relabelled; len(relabelled) > 0 {
		t.Errorf("relabelled %v", relabelled)
	}
}

// TestParallelWires: routes are spread over parallel wires by the seed, and by nothing
// else.
func TestParallelWires(t *testing.T) {
	var wires []mapping.Wire
	var hosts []mapping.Host
	for h := range int32(8) {
		hosts = append(hosts, mapping.Host{ID: uint64(h) + 1})
		wires = append(wires, mapping.Wire{{Node: h}, {Node: 8 + h/4, Port: h % 4}})
	}
	for p := int32(4); p < 8; p++ {
		wires = append(wires, mapping.Wire{{Node: 8, Port: p}, {Node: 9, Port: 11 - p}})
	}
	n, err := mapping.New(hosts, []int32{8, 8}, wires)
	if err != nil {
		t.Fatal(err)
	}
	used := map[mapping.Turn]int{}
	one, same, other := Compute(n, &Options{Utility: -1, Seed: 1}), Compute(n, &Options{Utility: -1, Seed: 1}), Compute(n, &Options{Utility: -1, Seed: 2})
	differ := 0
	for b := 4; b < 8; b++ {
		for a := range 4 {
			used[one.Turns[a][b][0]+mapping.Turn(a)]++
			if !slices.Equal(one.Turns[a][b], same.Turns[a][b]) {
				t.Errorf("%d to %d differs between runs of one seed", a, b)
			}
			if !slices.Equal(one.Turns[a][b], other.Turns[a][b]) {
				differ++
			}
		}
	}
	if len(used) != 4 || differ == 0 {
		t.Errorf("wires used %v, %d routes differ with another seed", used, differ)
	}
}

// TestShortest: routes are as short as legal ones can be, by Floyd and Warshall over
// states, which is how the paper finds them.
func TestShortest(t *testing.T) {
	for seed := range uint64(30) {
		n := mappingtest.Random(seed, 12)
		table := Compute(n, &Options{Utility: -1})
		o := order{n: n, level: n.Distances(table.Root)}
		o.relabel()
		dist := floydWarshall(&o)
		for a := range n.NumHosts() {
			for b := range n.NumHosts() {
				if a == b {
					continue
				}
				if want := dist[2*a][2*b+1]; len(table.Turns[a][b])+1 != want {
					t.Errorf("network %d, %d to %d: %d wires, the least is %d", seed, a, b, len(table.Turns[a][b])+1, want)
				}
			}
		}
	}
}

// floydWarshall is the distances between states (node, went down).
func floydWarshall(o *order) [][]int {
	n := o.n
	const far = 1 << 20
	dist := make([][]int, 2*n.NumNodes())
	for i := range dist {
		dist[i] = make([]int, len(dist))
		for j := range dist {
			dist[i][j] = far
		}
		dist[i][i] = 0
	}
	for _, w := range n.Wires() {
		for _, way := range [][2]int32{{w[0].Node, w[1].Node}, {w[1].Node, w[0].Node}} {
			if way[0] == way[1] {
				continue
			}
			if o.leadsUp(way[0], way[1]) {
				dist[2*way[0]][2*way[1]] = 1
				continue
			}
			dist[2*way[0]][2*way[1]+1] = 1
			dist[2*way[0]+1][2*way[1]+1] = 1
		}
	}
	for k := range dist {
		for i := range dist {
			for j := range dist {
				dist[i][j] = min(dist[i][j], dist[i][k]+dist[k][j])
			}
		}
	}
	return dist
}

// TestDistribute: every host but the master gets its table and answers, under the
// rule that forgives nothing; a cut cable shows.
func TestDistribute(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	table := Compute(n, &Options{Utility: 35, Seed: 1})
	m := mapping.NewModel(n, mapping.Circuit, mapping.Myrinet)
	d := table.Distribute(n, 35, m, mapping.MyrinetClock)
	if d.Messages != 35 || d.Unheard != 0 || d.Elapsed <= 0 || m.Hardware != mapping.Myrinet {
		t.Errorf("%+v", d)
	}
	bytes := 0
	for h := range 35 {
		bytes += 4
		for _, turns := range table.Turns[h] {
			if turns != nil {
				bytes += 7 + len(turns)
			}
		}
	}
	if d.Bytes != bytes {
		t.Errorf("%d bytes, want %d", d.Bytes, bytes)
	}
	wires := n.Wires()
	cut, err := mapping.New(n.Hosts, n.Degree, slices.DeleteFunc(wires, func(w mapping.Wire) bool { return w[0].Node == 3 }))
	if err != nil {
		t.Fatal(err)
	}
	broken := mapping.NewModel(cut, mapping.Circuit, mapping.Myrinet)
	if d := table.Distribute(n, 35, broken, mapping.MyrinetClock); d.Unheard != 1 {
		t.Errorf("%d hosts unheard with one cable cut", d.Unheard)
	}
	if trial := table.Try(n, broken); trial.OK() || trial.Pairs-trial.Delivered != 70 {
		t.Errorf("with one cable cut: %+v", trial)
	}
}

// TestOnMap: routes computed on a map whose switches and ports are numbered otherwise
// work in the network.
func TestOnMap(t *testing.T) {
	n := mappingtest.Network(t, "now-cab")
	shift := func(e mapping.End) mapping.End {
		if !n.IsHost(e.Node) {
			e.Port += 3
			e.Node = int32(n.NumHosts()) + (e.Node-int32(n.NumHosts())+17)%int32(n.NumSwitches())
		}
		return e
	}
	var wires []mapping.Wire
	for _, w := range n.Wires() {
		wires = append(wires, mapping.Wire{shift(w[0]), shift(w[1])})
	}
	degree := make([]int32, n.NumSwitches())
	for i := range degree {
		degree[i] = 11
	}
	m, err := mapping.New(n.Hosts, degree, wires)
	if err != nil {
		t.Fatal(err)
	}
	if err := theory.Same(m, n); err != nil {
		t.Fatal(err)
	}
	table := Compute(m, &Options{Utility: 35, Seed: 1})
	if trial := table.Try(m, mapping.NewModel(n, mapping.Circuit, mapping.Myrinet)); !trial.OK() {
		t.Errorf("%+v", trial)
	}
}
