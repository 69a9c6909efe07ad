package survey

import (
	"math"
	"testing"

	"weft/mapping"
	"weft/mapping/internal/graph"
	"weft/mapping/mappingtest"
)

// TestEarlyReplies: hosts that answer messages with turns left are never taken for the target, in
// traffic of any kind or none.
func TestEarlyReplies(t *testing.T) {
	hardware := mapping.Myrinet
	hardware.Early = true
	for seed := range uint64(15) {
		n := mappingtest.Random(seed, 20)
		for kind, traffic := range mappingtest.Traffics() {
			opt := Options{Self: n.Hosts[0], Radix: n.Radix(), Limit: 30_000}
			if kind != "none" {
				opt.Error = 1e-6
			}
			switch seed % 3 {
			case 1:
				opt.Hint = n
			case 2:
				opt.Hint = mappingtest.Random(seed+1, 20)
			}
			m := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, hardware), 0, mapping.Conditions{Traffic: traffic, Seed: seed})
			r, err := Run(t.Context(), m, &opt)
			if err != nil || r.Contradiction != nil {
				t.Errorf("network %d, traffic %s: %v, %v", seed, kind, err, r.Contradiction)
				continue
			}
			if err := mappingtest.Embeds(r.Map, n, n.Hosts[0]); err != nil {
				t.Errorf("network %d, traffic %s: %v", seed, kind, err)
			}
			if r.Certain() {
				right(t, kind, seed, r, n)
			}
		}
	}
}

// chain returns a network of switches one behind the other: host 0 on the first, host 1 on
// the last, and so many wires from each to the next.
func chain(t *testing.T, switches, wires int32) *mapping.Network {
	t.Helper()
	last := 1 + switches
	all := []mapping.Wire{{{Node: 0}, {Node: 2, Port: 7}}, {{Node: 1}, {Node: last, Port: 6}}}
	degree := []int32{8}
	for s := int32(3); s <= last; s++ {
		degree = append(degree, 8)
		for i := range wires {
			all = append(all, mapping.Wire{{Node: s - 1, Port: i}, {Node: s, Port: (i + 3) % 6}})
		}
	}
	return mappingtest.New(t, []mapping.Host{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}, degree, all)
}

// explored returns an Explorer that has mapped a network.
func explored(t *testing.T, n *mapping.Network) *Explorer {
	t.Helper()
	m := mapping.NewMapper(mapping.NewModel(n, mapping.Packet, mapping.Myrinet), 0, mapping.Conditions{})
	e := NewExplorer(t.Context(), graph.New(8), m, n.Hosts[0])
	if _, err := e.Finish(10); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestCrossing: silence on a way that crosses itself proves nothing. One member of a group
// probed a port of switch B by the way A, B, A, B, in vain, as messages collide there. When
// that way is known to cross, the port is probed again.
func TestCrossing(t *testing.T) {
	n := chain(t, 3, 2)
	g := graph.New(8)
	host := g.Host(n.Hosts[0])
	a, b, a2, b2 := g.AddSwitch(0), g.AddSwitch(0), g.AddSwitch(0), g.AddSwitch(0)
	g.Connect(host, 0, a, 0)
	g.Connect(a, -7, b, 0) // port 0 of A to port 3 of B
	g.Connect(b, 1, a2, 0) // port 4 of B to port 1 of A
	g.Connect(a2, -1, b2, 0)
	g.AddWay(b2, []int32{a, b, a2, b2})
	for _, kind := range []graph.Kind{graph.ForHost, graph.ForSwitch} {
		g.AddSilence(b2, -3, kind) // port 0 of B, which leads to C
		g.AddSilence(b2, -2, kind) // and port 1
	}
	m := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, mapping.Myrinet), 0, mapping.Conditions{})
	e := NewExplorer(t.Context(), g, m, n.Hosts[0])
	r, err := e.Finish(10)
	if err != nil {
		t.Fatal(err)
	}
	right(t, "crossing", 0, r, n)
	if e.crosses([]int32{a, b, b}) != true || e.crosses([]int32{a, b}) != false {
		t.Error("a way that comes to a switch twice crosses itself, another does not")
	}
}

// TestShares: for any allowed error, a survey without a limit ends certain: it counts the silent
// ports again before it stops.
func TestShares(t *testing.T) {
	for seed := range uint64(60) {
		n := mappingtest.Random(seed, 20)
		for _, allowed := range []float64{0.9, 0.5, 0.1, 0.01} {
			r, err := survey(n, mapping.Packet, mapping.Conditions{}, Options{Error: allowed})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Certain() {
				t.Errorf("network %d, error %v: %d places in doubt", seed, allowed, len(r.Uncertain))
			}
		}
	}
}

// TestWorstLoss: the loss of a wire is what the way to its far switch loses more than the
// way to its near one.
func TestWorstLoss(t *testing.T) {
	e := explored(t, chain(t, 4, 1))
	e.evidence = newEvidence(1e-6, 0.01)
	passes := 1.0
	for k, v := range e.Tree().Order {
		if e.Map.IsHost(v) {
			continue
		}
		if k > 1 {
			passes *= 0.9
		}
		e.evidence.add(v, 1e6*passes, 1e6*(1-passes))
	}
	if worst := e.worstLoss(); math.Abs(worst-0.1) > 0.001 {
		t.Errorf("the worst of wires that lose a tenth loses %.4f", worst)
	}
	e.evidence = newEvidence(1e-6, 0.25)
	if worst := e.worstLoss(); worst != 0.25 {
		t.Errorf("a wire loses %.4f at worst, want what was asked for", worst)
	}
}

// TestChance: with many probes seen, the chance that n are lost is that of n independent
// ones; the loss of an unknown wire comes on top.
func TestChance(t *testing.T) {
	for _, c := range []struct{ loss, worst float64 }{{0.3, 0}, {0.1, 0.2}, {0.5, 0.5}} {
		d := newEvidence(1e-6, 0)
		d.add(3, 1e7*(1-c.loss), 1e7*c.loss)
		d.worst = c.worst
		for n := 1; n < 6; n++ {
			want := math.Pow(1-(1-c.loss)*(1-c.worst), float64(n))
			if got := d.chance(3, n); math.Abs(got/want-1) > 0.001 {
				t.Errorf("loss %v and %v, %d probes: %.6f, want %.6f", c.loss, c.worst, n, got, want)
			}
		}
	}
	// Of few probes, it is the moment of a Beta distribution.
	few := newEvidence(1e-6, 0)
	few.add(3, 1, 1)
	if got, want := few.chance(3, 3), 2./4*3/5*4/6; math.Abs(got-want) > 1e-9 {
		t.Errorf("3 probes after 1 of 2 was lost: %.4f, want %.4f", got, want)
	}
	// Of a switch where nothing was seen, the others say what to expect.
	d := newEvidence(1e-6, 0)
	d.add(3, 9e6, 1e6)
	if got := d.chance(4, 1); math.Abs(got-0.1) > 0.001 {
		t.Errorf("%.4f of a switch that nothing is known of, want the mean", got)
	}
}

// TestPlaces: a survey that ran out of probes names each port that it did not hear, with
// the turns that lead there.
func TestPlaces(t *testing.T) {
	for seed := range uint64(30) {
		n := mappingtest.Random(seed, 12)
		cond := mapping.Conditions{Traffic: mapping.Traffic{Loss: 0.2}, Seed: seed}
		r, err := survey(n, mapping.Packet, cond, Options{Error: 1e-6, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		if r.Certain() || r.Contradiction != nil {
			t.Errorf("network %d: certain after 100 probes: %v", seed, r.Contradiction)
		}
		for _, p := range r.Uncertain {
			in, _ := n.Peer(mapping.End{})
			for _, turn := range p.Route[:max(0, len(p.Route)-1)] {
				in, _ = n.Peer(mapping.End{Node: in.Node, Port: in.Port + int32(turn)})
			}
			if n.IsHost(in.Node) || p.Tries < 0 || p.Chance < 0 || p.Chance > 1 {
				t.Errorf("network %d: %+v", seed, p)
			}
		}
	}
}

// TestAllowed: the allowed error is shared among all silences: a host and a switch behind each port
// without a wire, each compared pair, and the whole map.
func TestAllowed(t *testing.T) {
	e := explored(t, chain(t, 2, 1))
	ports := 0
	for _, v := range e.Tree().Order {
		if low, high := e.Map.Window(v); !e.Map.IsHost(v) {
			ports += high - low + 1 - e.degree(v)
		}
	}
	e.compared.pairs = map[pair]int{{1, 2, 0}: 1, {1, 2, 1}: 1}
	e.evidence = newEvidence(0.5, 0)
	e.startPass()
	if want := 0.5 / float64(1+2+2*ports); ports < 12 || e.evidence.allowed != want {
		t.Errorf("%v is allowed with %d silent ports, want %v", e.evidence.allowed, ports, want)
	}
}

// TestEarlyComparison: a comparison that comes back to its host with turns left proves no
// wire. Switch S has the host in port 0, and two wires to T; U is on port 6.
func TestEarlyComparison(t *testing.T) {
	hosts := []mapping.Host{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}
	n := mappingtest.New(t, hosts, []int32{8, 8, 8}, []mapping.Wire{
		{{Node: 0}, {Node: 2}},
		{{Node: 2, Port: 1}, {Node: 3, Port: 2}},
		{{Node: 2, Port: 4}, {Node: 3, Port: 5}},
		{{Node: 2, Port: 6}, {Node: 4, Port: 1}},
		{{Node: 1}, {Node: 4, Port: 3}},
	})
	hardware := mapping.Myrinet
	hardware.Early = true
	m := mapping.NewMapper(mapping.NewModel(n, mapping.Packet, hardware), 0, mapping.Conditions{})
	e := NewExplorer(t.Context(), graph.New(8), m, hosts[0])
	s, u, v := e.root(), e.Map.AddSwitch(0), e.Map.AddSwitch(0)
	e.Map.Connect(s, 6, u, 0)
	e.Map.Connect(s, 1, v, 0)
	at := &visit{v, e.Tree().Turns(v), e.Tree().Entry(v)}
	if e.proveWire(at, 3, u, 4) {
		t.Error("port 5 of T leads to S, and was taken to lead to U")
	}
	if !e.proveWire(&visit{s, nil, 0}, 4, v, 3) {
		t.Error("port 4 of S leads to T, and was not")
	}
}

// TestPairs: switches on one way that may be one are compared until the chance that all
// comparisons were lost is small enough, and each comparison counted was sent.
func TestPairs(t *testing.T) {
	pairs := 0
	for seed := range uint64(40) {
		n := mappingtest.Random(seed, 20)
		m := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, mapping.Myrinet), 0, mapping.Conditions{Traffic: mapping.Traffic{Loss: 0.1}, Seed: seed})
		e := NewExplorer(t.Context(), graph.New(n.Radix()), m, n.Hosts[0])
		e.evidence = newEvidence(1e-6, 0)
		if _, err := e.Finish(255); err != nil {
			t.Fatal(err)
		}
		counted := 0
		for p, tries := range e.compared.pairs {
			counted += tries
			if pairs++; tries < 2 && e.Map.IsRoot(p.x) && e.Map.IsRoot(p.y) {
				t.Errorf("network %d: %+v was compared %d times where a tenth is lost", seed, p, tries)
			}
		}
		if counted > e.Probes.Compare.Sent {
			t.Errorf("network %d: %d comparisons were counted, %d sent", seed, counted, e.Probes.Compare.Sent)
		}
	}
	if pairs < 20 {
		t.Errorf("only %d pairs were compared", pairs)
	}
}
