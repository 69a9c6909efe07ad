package concurrent

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/mappingtest"
	"weft/mapping/probe"
	"weft/mapping/theory"
)

func find(t *testing.T, name string) *algorithm.Algorithm {
	t.Helper()
	a, err := algorithm.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// addresses draws them, host by host.
func addresses(n *mapping.Network, seed uint64) []uint64 {
	out := make([]uint64, n.NumHosts())
	for h, a := range rand.New(rand.NewPCG(seed, 1)).Perm(len(out)) {
		out[h] = uint64(a) + 1
	}
	return out
}

// TestElection: the lowest address wins, its map is the same as made alone, and everybody else was
// stopped by a lower address before that.
func TestElection(t *testing.T) {
	for _, c := range []struct{ formula, algorithm string }{
		{"now-c", "berkeley"}, {"now-ca", "berkeley"}, {"now-cab", "berkeley"}, {"now-cab", "coupon"}, {"now-cab", "self-identifying"}, {"karytree(4,3)", "coupon"},
	} {
		n := mappingtest.Network(t, c.formula)
		for seed := range uint64(5) {
			opt := &ElectionOptions{
				Algorithm: find(t, c.algorithm), Rule: mapping.Circuit, Hardware: mapping.Myrinet,
				Address: addresses(n, seed), Spread: time.Duration(seed) * time.Millisecond, Seed: seed,
			}
			res, err := Elect(t.Context(), n, opt)
			if err != nil {
				t.Fatal(c, err)
			}
			if len(res.Winners) != 1 {
				t.Fatalf("%v: %d winners", c, len(res.Winners))
			}
			w := res.Winners[0]
			m := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, mapping.Myrinet), w.Host, mapping.Conditions{SelfIdentifying: opt.Algorithm.SelfIdentifying})
			alone, err := opt.Algorithm.Run(t.Context(), m, &algorithm.Options{Self: n.Hosts[w.Host], Radix: n.Radix(), Depth: theory.FactsOf(n, w.Host).Depth()})
			if err != nil {
				t.Fatal(err)
			}
			if opt.Address[w.Host] != 1 {
				t.Errorf("%v: address %d won", c, opt.Address[w.Host])
			}
			if err := theory.Same(w.Result.Map, n); err != nil {
				t.Errorf("%v: %v", c, err)
			}
			if alone.Probes != w.Result.Probes {
				t.Errorf("%v: %+v, alone %+v", c, w.Result.Probes, alone.Probes)
			}
			if w.Done < alone.Elapsed {
				t.Errorf("%v: done after %v, alone after %v", c, w.Done, alone.Elapsed)
			}
			for h, by := range res.By {
				if int32(h) != w.Host && (by < 0 || opt.Address[by] >= opt.Address[h] || res.Stopped[h] < 0 || res.Stopped[h] > w.Done) {
					t.Errorf("%v: host %d was stopped after %v by %d", c, h, res.Stopped[h], by)
				}
			}
			again, err := Elect(t.Context(), n, opt)
			if err != nil || !reflect.DeepEqual(res.Stopped, again.Stopped) || res.Elapsed != again.Elapsed {
				t.Errorf("%v: another election: %v", c, err)
			}
			if seed == 0 {
				t.Logf("%v: alone %v, election %v, elected after %v, %d messages, %d waited, %d late", c, alone.Elapsed, res.Elapsed, res.Elected, res.Messages, res.Waited, res.Late)
			}
		}
	}
}

// TestParts: two parts elect one host each.
func TestParts(t *testing.T) {
	n, err := mapping.New([]mapping.Host{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}, {ID: 3, Name: "c"}, {ID: 4, Name: "d"}}, []int32{8, 8}, []mapping.Wire{
		{{Node: 0}, {Node: 4, Port: 1}}, {{Node: 2}, {Node: 4, Port: 3}}, {{Node: 1}, {Node: 5, Port: 1}}, {{Node: 3}, {Node: 5, Port: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Elect(t.Context(), n, &ElectionOptions{Algorithm: find(t, "berkeley"), Rule: mapping.Circuit, Hardware: mapping.Myrinet})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Winners) != 2 || res.Winners[0].Host != 0 || res.Winners[1].Host != 1 || res.By[2] != 0 || res.By[3] != 1 {
		t.Errorf("%+v", res)
	}
}

// TestDepthOfParts: a part that needs a greater search depth than that of the lowest
// address gets it.
func TestDepthOfParts(t *testing.T) {
	hosts := []mapping.Host{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}, {ID: 3, Name: "c"}, {ID: 4, Name: "d"}}
	wires := []mapping.Wire{{{Node: 0}, {Node: 4}}, {{Node: 1}, {Node: 4, Port: 1}}, {{Node: 2}, {Node: 5}}, {{Node: 3}, {Node: 12}}}
	degree := []int32{8}
	for s := int32(5); s <= 12; s++ { // a chain from c to d
		degree = append(degree, 8)
		if s > 5 {
			wires = append(wires, mapping.Wire{{Node: s - 1, Port: 5}, {Node: s, Port: 2}})
		}
	}
	n, err := mapping.New(hosts, degree, wires)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Elect(t.Context(), n, &ElectionOptions{Algorithm: find(t, "berkeley"), Rule: mapping.Circuit, Hardware: mapping.Myrinet})
	if err != nil {
		t.Fatal(err)
	}
	for i, host := range []int32{0, 2} {
		if w := res.Winners[i]; w.Host != host || theory.Same(w.Result.Map, theory.Reached(n, host)) != nil {
			t.Errorf("winner %d is host %d, its map has %d switches", i, w.Host, w.Result.Map.NumSwitches())
		}
	}
}

// TestSpread: however far apart mappers start, the lowest address wins in the end. One
// that has not started stops nobody, so that who started before it leads meanwhile.
func TestSpread(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	for _, spread := range []time.Duration{time.Millisecond, time.Second, time.Minute, time.Hour} {
		for seed := range uint64(5) {
			res, err := Elect(t.Context(), n, &ElectionOptions{
				Algorithm: find(t, "berkeley"), Rule: mapping.Circuit, Hardware: mapping.Myrinet, Address: addresses(n, seed), Spread: spread, Seed: seed,
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Winners) != 1 || addresses(n, seed)[res.Winners[0].Host] != 1 {
				t.Fatalf("spread %v, seed %d: %+v", spread, seed, res.Winners)
			}
			if err := theory.Same(res.Winners[0].Result.Map, n); err != nil {
				t.Errorf("spread %v, seed %d: %v", spread, seed, err)
			}
			// Alone for minutes, the first to start sends as many probes as one master.
			if first := 400; spread == time.Hour && res.Probes < 2*first {
				t.Errorf("spread %v, seed %d: %d probes: the first to start waited for the lowest", spread, seed, res.Probes)
			}
		}
	}
}

// TestStopped: a context that ends ends all mappers.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Elect(ctx, mappingtest.Network(t, "now-c"), &ElectionOptions{Algorithm: find(t, "berkeley")}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Elect(t.Context(), mappingtest.Network(t, "now-c"), &ElectionOptions{Algorithm: find(t, "berkeley"), Limit: 10}); !errors.Is(err, probe.ErrLimit) {
		t.Error(err)
	}
}

// TestAddresses: as many as hosts, and no two alike.
func TestAddresses(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	for _, address := range [][]uint64{{1}, make([]uint64, n.NumHosts())} {
		if _, err := Elect(t.Context(), n, &ElectionOptions{Algorithm: find(t, "berkeley"), Address: address}); err == nil {
			t.Errorf("%v are addresses of %d hosts", address, n.NumHosts())
		}
	}
}

// TestRandomNetworks: the winner's map is the core.
func TestRandomNetworks(t *testing.T) {
	for seed := range uint64(60) {
		n := mappingtest.Random(seed, 30)
		res, err := Elect(t.Context(), n, &ElectionOptions{Algorithm: find(t, "coupon"), Rule: mapping.Circuit, Hardware: mapping.Myrinet, Address: addresses(n, seed), Seed: seed, Limit: 300_000})
		if err != nil {
			t.Fatal(seed, err)
		}
		if err := theory.Same(res.Winners[0].Result.Map, theory.Core(n)); err != nil || len(res.Winners) != 1 {
			t.Errorf("network %d: %d winners, %v", seed, len(res.Winners), err)
		}
	}
}

// TestImpatient: mappers whose timeout is hardly longer than an answer takes get late
// ones, start over, and are right in the end.
func TestImpatient(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	clock := mapping.MyrinetClock
	clock.Timeout = clock.Overhead/longer + 40*time.Microsecond
	late := 0
	for seed := range uint64(5) {
		res, err := Elect(t.Context(), n, &ElectionOptions{Algorithm: find(t, "berkeley"), Rule: mapping.Circuit, Hardware: mapping.Myrinet, Clock: clock, Address: addresses(n, seed), Limit: 300_000})
		if err != nil {
			t.Fatal(err)
		}
		late += res.Late
		if err := theory.Same(res.Winners[0].Result.Map, n); err != nil {
			t.Error(err)
		}
	}
	if late == 0 {
		t.Error("no answer was late")
	}
}

// TestElectionInTraffic: what traffic loses, delays and corrupts reaches the mappers of an
// election: nothing is on a map that the network has not, the lowest address always wins,
// and with losses it may take more than once.
func TestElectionInTraffic(t *testing.T) {
	late, lacking := map[string]int{}, 0
	for seed := range uint64(12) {
		n := mappingtest.Random(seed, 15)
		for name, traffic := range mappingtest.Traffics() {
			opt := &ElectionOptions{
				Algorithm: find(t, "coupon"), Rule: mapping.Circuit, Hardware: mapping.Myrinet, Spread: 20 * time.Millisecond,
				Seed: seed, Traffic: traffic, Limit: 100_000,
			}
			res, err := Elect(t.Context(), n, opt)
			if err != nil {
				t.Fatalf("network %d, %s: %v", seed, name, err)
			}
			late[name] += res.Late
			lowest := false
			for _, w := range res.Winners {
				lowest = lowest || w.Host == 0
				if err := mappingtest.Embeds(w.Result.Map, n, n.Hosts[w.Host]); err != nil {
					t.Errorf("network %d, %s: %v", seed, name, err)
				}
				if theory.Same(w.Result.Map, theory.Core(n)) != nil {
					if lacking++; traffic.Quiet() {
						t.Errorf("network %d: a map without traffic lacks something", seed)
					}
				}
			}
			if !lowest {
				t.Errorf("network %d, %s: the lowest address has not won", seed, name)
			}
		}
	}
	if late["late"] <= 2*late["none"]+10 || lacking == 0 {
		t.Errorf("%v answers were late, %d maps lack something", late, lacking)
	}
	t.Logf("late answers: %v", late)
}

// TestCompany: a host that another mapper probed just now waits longer for its own answers.
func TestCompany(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	s := newElection(t.Context(), n, &ElectionOptions{Algorithm: find(t, "berkeley"), Rule: mapping.Circuit, Hardware: mapping.Myrinet})
	defer s.stopAll()
	m := &s.hosts[1]
	if s.now = company; s.timeout(m) != s.clock.Timeout {
		t.Errorf("alone a host waits %v, want %v", s.timeout(m), s.clock.Timeout)
	}
	s.handle(&message{kind: arrives, host: 1, from: 2, hops: 3, turns: []mapping.Turn{1, -1}})
	if s.timeout(m) != longer*s.clock.Timeout {
		t.Errorf("in company it waits %v, want %v", s.timeout(m), longer*s.clock.Timeout)
	}
	if at, back := s.events.Take(); back.kind != returns || back.host != 2 || back.from != 1 || at <= s.now {
		t.Errorf("the answer is %+v at %v", back, at)
	}
}
