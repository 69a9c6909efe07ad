package survey

import (
	"context"
	"slices"
	"testing"
	"time"

	"weft/mapping"
	"weft/mapping/internal/graph"
	"weft/mapping/mappingtest"
)

// on returns an Explorer whose probes are all answered in one way, and the visit of the
// switch that its host is wired to.
func on(t *testing.T, reply mapping.Reply) (*Explorer, *visit) {
	t.Helper()
	p := mapping.ProbeFunc(func([]mapping.Turn) (mapping.Reply, time.Duration) { return reply, 0 })
	e := NewExplorer(t.Context(), graph.New(8), p, mapping.Host{ID: 1})
	return e, &visit{vertex: e.root()}
}

// TestProbeSwitch: what answers a switch-probe is a host where it answers early, a switch
// when the probe came back, and nothing when it came to another host.
func TestProbeSwitch(t *testing.T) {
	other := mapping.Host{ID: 2, Name: "b"}
	for _, c := range []struct {
		name       string
		reply      mapping.Reply
		found      bool
		isHost     bool
		seen, lost float64
	}{
		{"early", mapping.Reply{Answered: true, Host: other, Early: true}, true, true, 1, 2},
		{"own", mapping.Reply{Answered: true, Host: mapping.Host{ID: 1}}, true, false, 1, 0},
		{"another's", mapping.Reply{Answered: true, Host: other}, false, false, 0, 0},
		{"silence", mapping.Reply{}, false, false, 0, 0},
	} {
		e, v := on(t, c.reply)
		for range 2 {
			e.Map.AddSilence(v.vertex, 3, graph.ForHost)
		}
		found := e.probeSwitch(v, 3)
		to := e.Map.At(v.vertex, 3).To
		if found != c.found || (to != graph.None) != c.found || found && e.Map.IsHost(to) != c.isHost {
			t.Errorf("%s: found %v, vertex %d", c.name, found, to)
		}
		if got := e.evidence.all; got != (losses{c.seen, c.lost}) {
			t.Errorf("%s: %+v were counted", c.name, got)
		}
	}
}

// TestControl: the probe of a switch that is there counts as seen, where silence is weighed.
// Those that were lost before count when one was answered, and not sooner.
func TestControl(t *testing.T) {
	own := mapping.Reply{Answered: true, Host: mapping.Host{ID: 1}}
	for _, c := range []struct {
		reply       mapping.Reply
		before      int // silent ones
		want        losses
		leftUnheard int
	}{
		{own, 0, losses{1, 0}, 0},
		{own, 2, losses{1, 2}, 0},
		{mapping.Reply{}, 0, losses{}, 1},
		{mapping.Reply{}, 2, losses{}, 3},
	} {
		e, v := on(t, c.reply)
		e.sendControl(v.vertex, nil)
		if e.Probes.Switch.Sent != 0 {
			t.Error("a probe was sent for an evidence that nobody weighs")
		}
		e.evidence = newEvidence(0.1, 0)
		if c.before > 0 {
			e.evidence.unheard[v.vertex] = unheard{lost: c.before}
		}
		if !e.sendControl(v.vertex, nil) || e.evidence.all != c.want || e.evidence.unheard[v.vertex].lost != c.leftUnheard {
			t.Errorf("%+v: %+v were counted, %+v", c, e.evidence.all, e.evidence.unheard)
		}
		if e.isUnheard(v.vertex) != (c.leftUnheard > 0) {
			t.Errorf("%+v: unheard %v", c, e.isUnheard(v.vertex))
		}
	}
}

// TestNeverHeard: a switch that never answers by its way is taken for gone, and where the
// map was begun again too often it is left in doubt and named.
func TestNeverHeard(t *testing.T) {
	for _, patient := range []bool{false, true} {
		e, v := on(t, mapping.Reply{})
		e.evidence = newEvidence(0.1, 0)
		e.evidence.patient = patient
		e.startPass()
		sent := 0
		for e.sendControl(v.vertex, nil) && sent < 2*fewestDead {
			sent++
		}
		if sent != fewestDead-1 || e.evidence.dead == patient || e.IsOpen(v.vertex) {
			t.Errorf("patient %v: %d more probes, dead %v, open %v", patient, sent, e.evidence.dead, e.IsOpen(v.vertex))
		}
		_, nodes, err := e.Map.Network()
		if err != nil {
			t.Fatal(err)
		}
		if places := e.places(nodes, []int32{0, 1}); patient && (len(places) != 1 || places[0].Tries != fewestDead) {
			t.Errorf("in doubt: %+v", places)
		}
	}
}

// TestDoubtOfWay: a switch that was given up by one way is asked again when another way
// leads there.
func TestDoubtOfWay(t *testing.T) {
	e, v := on(t, mapping.Reply{})
	e.evidence = newEvidence(0.1, 0)
	e.evidence.patient = true
	e.startPass()
	g, s := e.Map, v.vertex
	a, b := g.AddSwitch(0), g.AddSwitch(0)
	g.Connect(s, 1, a, 0)
	g.Connect(a, 1, b, 0)
	for e.IsOpen(b) {
		e.sendControl(b, e.Tree().Turns(b))
	}
	g.Connect(s, 2, b, 3)
	if !e.IsOpen(b) {
		t.Error("it is given up by a way that nothing was sent by")
	}
	_, nodes, err := g.Network()
	if err != nil {
		t.Fatal(err)
	}
	if places := e.places(nodes, []int32{0, 1, 2, 3}); !slices.ContainsFunc(places, func(p Place) bool { return p.Tries == 0 && slices.Equal(p.Route, e.Tree().Turns(b)) }) {
		t.Errorf("no place without a try by the new way: %+v", places)
	}
	if e.sendControl(b, e.Tree().Turns(b)); !e.isUnheard(b) || e.evidence.unheard[b].lost != 1 {
		t.Errorf("by the new way: %+v", e.evidence.unheard[b])
	}
}

// TestAnsweredWay: a self-identifying switch is found again over another path. The path over which
// it answered is kept, unless the other is the current one. Then it no longer counts as unheard
// over the current path; if it never answered over that, it still does.
func TestAnsweredWay(t *testing.T) {
	for _, c := range []struct {
		longer bool // the way by which it is found again
		known  bool // it answered before
		want   []mapping.Turn
	}{{true, true, []mapping.Turn{1, 1}}, {false, true, []mapping.Turn{4}}, {true, false, []mapping.Turn{1, 2, 4}}} {
		e, v := on(t, mapping.Reply{Answered: true, Host: mapping.Host{ID: 1}, Switch: mapping.ID{Number: 7, Port: 3, Ports: 8}})
		g := e.Map
		a, b, far := g.AddSwitch(0), g.AddSwitch(0), g.AddSwitch(0)
		g.Connect(v.vertex, 1, a, 0)
		g.Connect(a, 1, b, 0)
		g.Connect(a, 2, far, 0)
		e.identify(b, 0, mapping.ID{Number: 7, Port: 2, Ports: 8})
		if c.known {
			e.evidence.way[b] = e.Tree().Turns(b)
		}
		e.evidence.unheard[b] = unheard{way: e.Tree().Turns(b), lost: 1}
		at := v.vertex
		if c.longer {
			at = far
		}
		if !e.probeSwitch(&visit{at, e.Tree().Turns(at), e.Tree().Entry(at)}, 4) {
			t.Fatal("nothing answered")
		}
		if got := e.evidence.way[b]; !slices.Equal(got, c.want) {
			t.Errorf("found again, by a longer way %v: %v, want %v", c.longer, got, c.want)
		}
		if _, open := e.evidence.unheard[b]; open != c.longer {
			t.Errorf("found again, by a longer way %v: unheard %v", c.longer, open)
		}
	}
}

// TestUnheardNamed: a switch that never answered by its way is named when the probes run out,
// though all of its ports were silent often enough.
func TestUnheardNamed(t *testing.T) {
	e, v := on(t, mapping.Reply{})
	e.evidence = newEvidence(0.1, 0)
	e.evidence.add(v.vertex, 1e6, 0)
	low, high := e.Map.Window(v.vertex)
	for i := low; i <= high; i++ {
		for _, kind := range []graph.Kind{graph.ForHost, graph.ForSwitch} {
			e.Map.AddSilence(v.vertex, i, kind)
		}
	}
	_, nodes, err := e.Map.Network()
	if err != nil {
		t.Fatal(err)
	}
	if places := e.places(nodes, []int32{0, 1}); len(places) != 0 {
		t.Errorf("in doubt without a control probe: %+v", places)
	}
	e.sendControl(v.vertex, e.Tree().Turns(v.vertex))
	if places := e.places(nodes, []int32{0, 1}); len(places) != 1 || places[0].Node != 1 || places[0].Port != 0 || places[0].Tries != 1 || len(places[0].Route) != 0 {
		t.Errorf("in doubt: %+v", places)
	}
}

// TestNoSilenceAfterEnd: when the context ends while a probe waits, its silence says nothing.
func TestNoSilenceAfterEnd(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	p := mapping.ProbeFunc(func([]mapping.Turn) (mapping.Reply, time.Duration) {
		end()
		return mapping.Reply{}, 0
	})
	e := NewExplorer(ctx, graph.New(8), p, mapping.Host{ID: 1})
	if v := (&visit{vertex: e.root()}); e.visitPort(v, 3) || e.Map.At(v.vertex, 3).IsSilent() {
		t.Error("a probe that was not sent was silent")
	}
}

// TestMayBeOne: two switches whose wires together span 8 ports may be one switch of 8 ports; if
// they span 9, they may not.
func TestMayBeOne(t *testing.T) {
	for shift, want := range map[int]bool{7: true, 8: false, -7: true, -8: false} {
		e, _ := on(t, mapping.Reply{})
		g := e.Map
		x, y := g.AddSwitch(0), g.AddSwitch(0)
		g.Connect(x, 0, g.AddSwitch(0), 0)
		g.Connect(y, 0, g.AddSwitch(0), 0)
		if got := e.mayBeOne(x, y, shift); got != want {
			t.Errorf("wires %d ports apart: %v, want %v", shift, got, want)
		}
	}
}

// TestFreeGuess: a node of the hint is guessed for one vertex until it is set anew.
func TestFreeGuess(t *testing.T) {
	g := graph.New(8)
	a, b := g.AddSwitch(0), g.AddSwitch(0)
	h := &hint{guess: map[int32]guess{}, vertex: map[int32]int32{}}
	at := mapping.End{Node: 7, Port: 2}
	h.setIfFree(g, a, 1, at)
	h.setIfFree(g, b, 1, at)
	if h.guess[a] != (guess{7, 1}) || h.knows(g, b) || h.vertex[7] != a {
		t.Errorf("%v %v", h.guess, h.vertex)
	}
	h.set(g, b, 4, at)
	if h.guess[b] != (guess{7, -2}) || h.vertex[7] != b {
		t.Errorf("%v %v", h.guess, h.vertex)
	}
}

// TestRoutesToPlaces: the path to a switch may enter by another port than the one where it was
// found; the routes to its ports begin there. The tries of a place are those of the less tried
// kind.
func TestRoutesToPlaces(t *testing.T) {
	e, v := on(t, mapping.Reply{})
	g := e.Map
	far, b := g.AddSwitch(0), g.AddSwitch(0)
	g.Connect(v.vertex, 1, far, 0)
	g.Connect(far, 1, b, 0)
	g.Connect(v.vertex, 2, b, 3) // the short way
	g.Connect(b, -1, g.Host(mapping.Host{ID: 2}), 0)
	for range 3 {
		g.AddSilence(b, 5, graph.ForHost)
	}
	g.AddSilence(b, 5, graph.ForSwitch)
	e.evidence = newEvidence(1e-9, 0)
	whole, nodes, err := g.Network()
	if err != nil {
		t.Fatal(err)
	}
	index := make([]int32, whole.NumNodes())
	for i := range index {
		index[i] = int32(i)
	}
	places := e.places(nodes, index)
	i := slices.IndexFunc(places, func(p Place) bool {
		return p.Node == nodes[b].Index && p.Port == int32(5+nodes[b].Shift)
	})
	if i < 0 || !slices.Equal(places[i].Route, []mapping.Turn{2, 5 - 3}) || places[i].Tries != 1 {
		t.Errorf("port 5 is at place %d of %+v", i, places)
	}
}

// TestComparison: a switch found from two sides is recognised by a comparison, and not where
// another one answers.
func TestComparison(t *testing.T) {
	n := mappingtest.New(t, []mapping.Host{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}, []int32{8, 8, 8}, []mapping.Wire{
		{{Node: 0}, {Node: 2}},
		{{Node: 2, Port: 1}, {Node: 3, Port: 2}},
		{{Node: 2, Port: 4}, {Node: 3, Port: 6}},
		{{Node: 3, Port: 5}, {Node: 4, Port: 1}},
		{{Node: 1}, {Node: 4, Port: 3}},
	})
	m := mapping.NewMapper(mapping.NewModel(n, mapping.Packet, mapping.Myrinet), 0, mapping.Conditions{})
	e := NewExplorer(t.Context(), graph.New(8), m, n.Hosts[0])
	g, s := e.Map, e.root()
	w, v := g.AddSwitch(0), g.AddSwitch(0)
	g.Connect(s, 1, w, 0)
	g.Connect(s, 4, v, 0) // both are the second switch, whose ports 2 and 6 they are entered by
	e.compareWith(&visit{v, e.Tree().Turns(v), 0}, 100, 0)
	root, shift := g.Find(v)
	if other, _ := g.Find(w); root != other {
		t.Fatal("the switch was not recognised")
	}
	if wRoot, wShift := g.Find(w); wRoot != root || shift-wShift != 4 {
		t.Errorf("port 0 of one is port %d of the other, want 4", shift-wShift)
	}
}
