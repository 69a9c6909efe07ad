package survey

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"weft/internal/par"
	"weft/mapping"
	"weft/mapping/mappingtest"
	"weft/mapping/theory"
)

var networks, drawSeed = mappingtest.Flags(100)

// survey maps a network from its first host.
func survey(n *mapping.Network, rule mapping.Collision, cond mapping.Conditions, opt Options) (*Result, error) {
	m := mapping.NewMapper(mapping.NewModel(n, rule, mapping.Myrinet), 0, cond)
	opt.Self, opt.Radix = n.Hosts[0], n.Radix()
	return Run(context.Background(), m, &opt)
}

// each runs body for many random networks.
func each(t *testing.T, count int, body func(seed uint64, n *mapping.Network)) {
	t.Helper()
	err := par.For(context.Background(), runtime.GOMAXPROCS(0), count, func(_, i int) error {
		seed := *drawSeed<<32 + uint64(i)
		body(seed, mappingtest.Random(seed, 60))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// right says whether a result is the core of a network, and certain of it.
func right(t *testing.T, what string, seed uint64, r *Result, n *mapping.Network) {
	t.Helper()
	if !r.Certain() {
		t.Errorf("network %d, %s: uncertain: %v %v", seed, what, r.Uncertain, r.Contradiction)
		return
	}
	if err := theory.Same(r.Map, theory.Core(n)); err != nil {
		t.Errorf("network %d, %s: %v", seed, what, err)
	}
	if err := theory.Same(r.Whole, n); err != nil {
		t.Errorf("network %d, %s, whole: %v", seed, what, err)
	}
}

// TestQuiet: without traffic the map is right, under every collision rule, with no hint, the right
// hint, another network's, and a hint with changes.
func TestQuiet(t *testing.T) {
	each(t, *networks/2, func(seed uint64, n *mapping.Network) {
		for _, rule := range mapping.Collisions() {
			for _, h := range []struct {
				name string
				hint *mapping.Network
			}{{"no hint", nil}, {"right hint", n}, {"wrong hint", mappingtest.Random(seed+1, 60)}, {"old hint", changed(n, seed)}} {
				r, err := survey(n, rule, mapping.Conditions{}, Options{Hint: h.hint, Limit: 500_000})
				if err != nil {
					t.Error(seed, err)
					continue
				}
				right(t, string(rule)+", "+h.name, seed, r, n)
			}
		}
	})
}

// changed returns a network in which some wires are gone and some were moved.
func changed(n *mapping.Network, seed uint64) *mapping.Network {
	r := rand.New(rand.NewPCG(seed, 77))
	wires := n.Wires()
	for range 1 + r.IntN(3) {
		i := r.IntN(len(wires))
		wires = slices.Delete(wires, i, i+1)
	}
	m, err := mapping.New(n.Hosts, n.Degree, wires)
	if err != nil {
		panic(err)
	}
	return m
}

// TestNOW counts probes of a remap of the NOW networks: that one probe a wire and two a
// silent port are enough.
func TestNOW(t *testing.T) {
	most := map[string][2]int{"now-c": {394, 104}, "now-ca": {856, 208}, "now-cab": {1841, 318}, "karytree(4,3)": {1904, 422}}
	for formula, most := range most {
		n := mappingtest.Network(t, formula)
		for k, hint := range []*mapping.Network{nil, n} {
			r, err := survey(n, mapping.Circuit, mapping.Conditions{}, Options{Hint: hint})
			if err != nil {
				t.Fatal(err)
			}
			right(t, formula, 0, r, n)
			if sent := r.Probes.Total().Sent; sent > most[k] {
				t.Errorf("%s, hint %v: %d probes (%+v), want at most %d", formula, hint != nil, sent, r.Probes, most[k])
			}
		}
	}
}

// TestTraffic: whatever is lost, the map is right or names where it may not be.
func TestTraffic(t *testing.T) {
	var certain, doubtful atomic.Int32
	each(t, *networks, func(seed uint64, n *mapping.Network) {
		r := rand.New(rand.NewPCG(seed, 5))
		loss := 0.001 + 0.3*r.Float64()*r.Float64()
		cond := mapping.Conditions{Traffic: mapping.Traffic{Loss: loss / 2, Late: loss / 3, Corrupt: loss / 6}, Seed: seed}
		opt := Options{Error: 1e-6}
		switch r.IntN(3) {
		case 0:
			opt.Hint = n
		case 1:
			opt.Hint = changed(n, seed)
		}
		if r.IntN(3) == 0 {
			opt.Limit = 50 + r.IntN(3000)
		}
		rule := mapping.Collisions()[r.IntN(3)]
		res, err := survey(n, rule, cond, opt)
		if err != nil {
			t.Error(seed, err)
			return
		}
		if res.Contradiction != nil {
			t.Errorf("network %d: %v", seed, res.Contradiction)
			return
		}
		if res.Certain() {
			certain.Add(1)
			right(t, "traffic", seed, res, n)
			return
		}
		doubtful.Add(1)
		if opt.Limit == 0 {
			t.Errorf("network %d, loss %.3f: uncertain after %d probes", seed, loss, res.Probes.Total().Sent)
		}
		if err := named(res, n); err != "" {
			t.Errorf("network %d: %s", seed, err)
		}
	})
	t.Logf("%d certain, %d in doubt", certain.Load(), doubtful.Load())
}

// TestBusy is the same where some wires lose much more than others, and the host that
// maps does not know how much.
func TestBusy(t *testing.T) {
	certain := atomic.Int32{}
	each(t, *networks/4, func(seed uint64, n *mapping.Network) {
		cond := mapping.Conditions{Traffic: mapping.Traffic{Busy: 0.1}, Seed: seed}
		opt := Options{Error: 1e-6}
		if seed%2 == 0 {
			opt.Hint = n
		}
		res, err := survey(n, mapping.Circuit, cond, opt)
		if err != nil {
			t.Error(seed, err)
			return
		}
		if res.Certain() {
			certain.Add(1)
			right(t, "busy wires", seed, res, n)
		} else if err := named(res, n); err != "" {
			t.Errorf("network %d: %s", seed, err)
		}
	})
	if int(certain.Load()) < *networks/8 {
		t.Errorf("only %d maps are certain", certain.Load())
	}
}

// TestError: with a large allowed error, the errors hardly exceed it. Busy wires are the hard case,
// since an unknown one may lose more than all known ones. Of 1,192 maps certain at an error of 1 %,
// 13 were wrong; with unknown wires counted as no worse than the mean, 126 of 5,595 were.
// Options.Error excepts such wires, so the test allows half as much again.
func TestError(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const allowed = 0.01
	var certain, wrong atomic.Int32
	each(t, 4**networks, func(seed uint64, n *mapping.Network) {
		cond := mapping.Conditions{Traffic: mapping.Traffic{Busy: 0.05}, Seed: seed}
		res, err := survey(n, mapping.Circuit, cond, Options{Error: allowed})
		if err != nil {
			t.Error(seed, err)
			return
		}
		if res.Certain() {
			certain.Add(1)
			if theory.Same(res.Map, theory.Core(n)) != nil {
				wrong.Add(1)
			}
		}
	})
	if float64(wrong.Load()) > 1.5*allowed*float64(certain.Load()) {
		t.Errorf("%d of %d maps that are certain are wrong", wrong.Load(), certain.Load())
	}
	t.Logf("%d certain, %d of them wrong", certain.Load(), wrong.Load())
}

// TestSilenceBelieved: who believes silence in traffic is wrong and does not know; this
// is what the error is for, and that the tests above can fail.
func TestSilenceBelieved(t *testing.T) {
	var wrong atomic.Int32
	each(t, 20, func(seed uint64, n *mapping.Network) {
		cond := mapping.Conditions{Traffic: mapping.Traffic{Loss: 0.1}, Seed: seed}
		res, err := survey(n, mapping.Circuit, cond, Options{Limit: 100_000})
		if err == nil && res.Certain() && theory.Same(res.Map, theory.Core(n)) != nil {
			wrong.Add(1)
			if named(res, n) == "" {
				t.Errorf("network %d: wrong, and the walk did not notice", seed)
			}
		}
	})
	if wrong.Load() == 0 {
		t.Error("10 % of all probes were lost, and no map was wrong")
	}
}

// TestRefusals: shares are shares.
func TestRefusals(t *testing.T) {
	for _, opt := range []Options{{Error: -1}, {Error: 1}, {Worst: 1}, {Error: math.NaN()}} {
		if _, err := survey(mappingtest.Random(1, 5), mapping.Packet, mapping.Conditions{}, opt); err == nil {
			t.Errorf("%+v was taken", opt)
		}
	}
}

// TestContradiction: a network that changes while it is mapped is noticed, or its map
// is that of one moment.
func TestContradiction(t *testing.T) {
	noticed := 0
	for seed := range uint64(100) {
		n := mappingtest.Random(seed, 20)
		p := changing(n, func(sent int) *mapping.Network {
			if sent != 40 {
				return nil
			}
			return mappingtest.Random(seed+1000, 20)
		})
		res, err := Run(t.Context(), p, &Options{Self: n.Hosts[0], Radix: 8, Limit: 5000})
		if err != nil {
			t.Fatal(err)
		}
		if !res.Certain() || res.Restarts > 0 {
			noticed++
		}
		if !res.Certain() && res.Restarts < mostRestarts && res.Contradiction != nil {
			t.Errorf("network %d: it did not begin again: %v", seed, res.Contradiction)
		}
	}
	if noticed < 30 {
		t.Errorf("noticed in %d of 100 networks", noticed)
	}
}

// TestIdentities: in traffic, switches that identify themselves save probes, and the map is
// right all the same.
func TestIdentities(t *testing.T) {
	var sent [2]int
	for seed := range uint64(30) {
		n := mappingtest.Random(seed, 30)
		for k, self := range []bool{false, true} {
			cond := mapping.Conditions{Traffic: mapping.Traffic{Loss: 0.05, Late: 0.05}, Seed: seed, SelfIdentifying: self}
			r, err := survey(n, mapping.Collisions()[seed%3], cond, Options{Error: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			right(t, "identities", seed, r, n)
			sent[k] += r.Probes.Total().Sent
		}
	}
	if 10*sent[1] > 6*sent[0] {
		t.Errorf("%d probes with identities, %d without", sent[1], sent[0])
	}
	t.Logf("%d probes with identities, %d without", sent[1], sent[0])
}

// TestDied: a cable that is pulled in the middle of a survey in traffic ends it, and it
// begins again: its cost is that of a few surveys, not of proving that switches which are
// gone are only hard to hear.
func TestDied(t *testing.T) {
	died := 0
	for seed := range uint64(40) {
		n := mappingtest.Random(seed, 20)
		cond := mapping.Conditions{Traffic: mapping.Traffic{Loss: 0.05}, Seed: seed}
		opt := Options{Self: n.Hosts[0], Radix: n.Radix(), Error: 1e-6, Limit: 300_000}
		quiet, err := Run(t.Context(), mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, mapping.Myrinet), 0, cond), &opt)
		if err != nil {
			t.Fatal(err)
		}
		pulled := changed(n, seed)
		if theory.Reached(pulled, 0).NumHosts() < 2 {
			continue
		}
		at := quiet.Probes.Total().Sent / 2
		m, sent := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, mapping.Myrinet), 0, cond), 0
		res, err := Run(t.Context(), mapping.ProbeFunc(func(turns []mapping.Turn) (mapping.Reply, time.Duration) {
			if sent++; sent == at {
				m.Reconnect(mapping.NewModel(pulled, mapping.Circuit, mapping.Myrinet), 0)
			}
			return m.Probe(turns)
		}), &opt)
		if err != nil {
			t.Fatal(err)
		}
		if res.Restarts > 0 {
			died++
		}
		if most := 6*quiet.Probes.Total().Sent + 2000; res.Probes.Total().Sent > most {
			t.Errorf("network %d: %d probes in %d attempts, without the change %d", seed, res.Probes.Total().Sent, res.Restarts+1, quiet.Probes.Total().Sent)
		}
	}
	if died < 5 {
		t.Errorf("%d surveys began again", died)
	}
}

// TestManyChanges: answers that contradict each other at any moment end the survey, and
// nothing worse, with a hint and with losses to weigh too.
func TestManyChanges(t *testing.T) {
	noticed := 0
	for seed := range uint64(1200) {
		n := mappingtest.Random(seed, 15)
		every := 1 + rand.New(rand.NewPCG(seed, 9)).IntN(300)
		p := changing(n, func(sent int) *mapping.Network {
			if sent%every > 0 {
				return nil
			}
			return mappingtest.Random(seed+uint64(sent)*1000, 15)
		})
		opt := Options{Self: n.Hosts[0], Radix: 8, Limit: 3000, Error: float64(seed%2) * 1e-3}
		if seed%3 == 0 {
			opt.Hint = mappingtest.Random(seed+77, 15)
		}
		res, err := Run(t.Context(), p, &opt)
		if err != nil {
			t.Fatal(seed, err)
		}
		if res.Contradiction != nil {
			noticed++
		}
	}
	if noticed < 300 {
		t.Errorf("noticed in %d of 1,200 networks", noticed)
	}
}

// named walks a map and the network side by side, from the host that maps. Each wire of
// the network that the map lacks must be at a place in doubt; every wire of the map
// must be there.
func named(r *Result, n *mapping.Network) string {
	type at struct{ x, y mapping.End } // the same wire-end of map and network
	doubt := map[mapping.End]bool{}
	elsewhere := false
	for _, p := range r.Uncertain {
		doubt[mapping.End{Node: p.Node, Port: p.Port}] = true
		elsewhere = elsewhere || p.Node < 0
	}
	self, _ := r.Map.FindHost(n.Hosts[0].Name)
	seen := map[mapping.End]bool{}
	queue := []at{{mapping.End{Node: self}, mapping.End{}}}
	cross := func(a at) string {
		x, mapped := r.Map.Peer(a.x)
		y, real := n.Peer(a.y)
		switch {
		case mapped && !real:
			return "a wire that is not there"
		case mapped:
			if !seen[x] {
				seen[x] = true
				queue = append(queue, at{x, y})
			}
		case real && !doubt[a.x] && !elsewhere && theory.Kept(n)[y.Node]:
			return "a wire is missed without a word: " + n.NodeName(a.y.Node)
		}
		return ""
	}
	if err := cross(queue[0]); err != "" {
		return err
	}
	for queue = queue[1:]; len(queue) > 0; {
		a := queue[0]
		queue = queue[1:]
		if r.Map.IsHost(a.x.Node) {
			if r.Map.Hosts[a.x.Node] != n.Hosts[a.y.Node] {
				return "another host"
			}
			continue
		}
		for p := range n.Ports(a.y.Node) {
			here := at{mapping.End{Node: a.x.Node, Port: a.x.Port + p - a.y.Port}, mapping.End{Node: a.y.Node, Port: p}}
			if here.x.Port < 0 || here.x.Port >= r.Map.Ports(a.x.Node) {
				if _, real := n.Peer(here.y); real && !doubt[here.x] && !elsewhere {
					return "a wire is missed without a word beyond the ports of " + n.NodeName(a.y.Node)
				}
				continue
			}
			if err := cross(here); err != "" {
				return err
			}
		}
	}
	return ""
}
