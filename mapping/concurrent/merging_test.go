package concurrent

import (
	"math"
	"reflect"
	"testing"

	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/mappingtest"
	"weft/mapping/theory"
)

var networks, drawSeed = mappingtest.Flags(100)

// TestFormulas: all hosts together find the map that one master finds, in less time.
func TestMerge(t *testing.T) {
	formulas := []string{"now-c", "now-ca", "now-cab", "karytree(4,3)", "torus(4x4,hosts=1)"}
	if !testing.Short() {
		formulas = append(formulas, "karytree(4,4)") // once out of reach
	}
	for _, formula := range formulas {
		n := mappingtest.Network(t, formula)
		res, err := Merge(t.Context(), n, &MergeOptions{Rule: mapping.Circuit, Hardware: mapping.Myrinet})
		if err != nil {
			t.Fatal(formula, err)
		}
		if len(res.Maps) != 1 || !res.Maps[0].Certain() {
			t.Fatalf("%s: %d maps", formula, len(res.Maps))
		}
		if err := theory.Same(res.Maps[0].Map, theory.Core(n)); err != nil {
			t.Errorf("%s: %v", formula, err)
		}
		a, _ := algorithm.Find("coupon")
		m := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, mapping.Myrinet), 0, mapping.Conditions{})
		alone, err := a.Run(t.Context(), m, &algorithm.Options{Self: n.Hosts[0], Radix: n.Radix()})
		if err != nil {
			t.Fatal(err)
		}
		if res.Elapsed >= alone.Elapsed {
			t.Errorf("%s: %v together, %v alone", formula, res.Elapsed, alone.Elapsed)
		}
		t.Logf("%s: %v and %d probes together (%d messages, %d rounds), %v and %d alone", formula, res.Elapsed, res.Probes.Total().Sent, res.Messages, len(res.Rounds), alone.Elapsed, alone.Probes.Total().Sent)
	}
}

// TestMergeCost: what hosts do at one time happens in one order, so that the cost is the
// same on any machine.
func TestMergeCost(t *testing.T) {
	for formula, want := range map[string][3]int{
		"now-c": {455, 10, 138}, "torus(4x4,hosts=1)": {354, 8, 100}, "kautz(3,3)": {784, 7, 186}, "dragonfly(4,2,2)": {977, 5, 295},
	} {
		res, err := Merge(t.Context(), mappingtest.Network(t, formula), &MergeOptions{Rule: mapping.Circuit, Hardware: mapping.Myrinet})
		if err != nil {
			t.Fatal(formula, err)
		}
		if got := [3]int{res.Probes.Total().Sent, len(res.Rounds), res.Messages}; got != want {
			t.Errorf("%s: probes, rounds and messages %v, want %v", formula, got, want)
		}
	}
}

// TestMergeFarFromHosts: together hosts map whatever one of them can, even where nearly all
// switches are far from any host.
func TestMergeFarFromHosts(t *testing.T) {
	alone := 0
	for _, formula := range []string{"torus(8x8,hosts=1)", "mesh(6x6,hosts=1)", "hypercube(5,hosts=1)"} {
		n := mappingtest.Network(t, formula)
		keep := make([]bool, n.NumNodes())
		for v := range keep {
			keep[v] = !n.IsHost(int32(v)) || v == 0 || v == n.NumHosts()/2
		}
		n = n.Keep(keep)
		res, err := Merge(t.Context(), n, &MergeOptions{Rule: mapping.Circuit, Hardware: mapping.Myrinet})
		if err != nil {
			t.Fatal(formula, err)
		}
		if res.Alone {
			alone++
		}
		if len(res.Maps) != 1 || !res.Maps[0].Certain() || theory.Same(res.Maps[0].Whole, n) != nil {
			t.Errorf("%s: %d maps: %v", formula, len(res.Maps), theory.Same(res.Maps[0].Whole, n))
		}
		t.Logf("%s: alone %v, %d probes in %d rounds", formula, res.Alone, res.Probes.Total().Sent, len(res.Rounds))
	}
	if alone == 0 {
		t.Error("no host had to go on alone")
	}
}

// TestMergeInTraffic: what traffic does reaches hosts that map together: their maps have
// nothing that the network has not, and lack something.
func TestMergeInTraffic(t *testing.T) {
	lacking := 0
	for seed := range uint64(12) {
		n := mappingtest.Random(seed, 15)
		for name, traffic := range mappingtest.Traffics() {
			res, err := Merge(t.Context(), n, &MergeOptions{Rule: mapping.Circuit, Hardware: mapping.Myrinet, Traffic: traffic, Seed: seed})
			if err != nil {
				t.Fatalf("network %d, %s: %v", seed, name, err)
			}
			for _, m := range res.Maps {
				if err := mappingtest.Embeds(m.Whole, n, n.Hosts[m.Leader]); err != nil {
					t.Errorf("network %d, %s: %v", seed, name, err)
				}
				if theory.Same(m.Whole, n) != nil {
					if lacking++; traffic.Quiet() {
						t.Errorf("network %d: a map without traffic lacks something", seed)
					}
				}
			}
		}
	}
	if lacking == 0 {
		t.Error("no map lacks anything")
	}
}

// TestMergeLoss: whatever share of the messages between members is lost, their map is the map that
// they make without a loss.
func TestMergeLoss(t *testing.T) {
	count := *networks
	if testing.Short() {
		count /= 4
	}
	resent, unheard := 0, 0
	for i := range count {
		seed := *drawSeed<<32 + uint64(i)
		n := mappingtest.Random(seed, 25)
		loss := []float64{0.02, 0.3, 0.7, 0.95}[i%4]
		opt := MergeOptions{Rule: mapping.Collisions()[i%3], Hardware: mapping.Myrinet, Seed: seed}
		quiet, err := Merge(t.Context(), n, &opt)
		if err != nil {
			t.Fatalf("network %d: %v", seed, err)
		}
		opt.MessageLoss = loss
		res, err := Merge(t.Context(), n, &opt)
		if err != nil {
			t.Fatalf("network %d, %v lost: %v", seed, loss, err)
		}
		resent, unheard = resent+res.Resent, unheard+res.Unheard
		if len(res.Maps) != len(quiet.Maps) {
			t.Errorf("network %d, %v lost: %d maps, want %d", seed, loss, len(res.Maps), len(quiet.Maps))
			continue
		}
		if m := res.Maps[0]; !m.Certain() || theory.Same(m.Whole, quiet.Maps[0].Whole) != nil || theory.Same(m.Whole, n) != nil {
			t.Errorf("network %d, %v lost: certain %v; %v", seed, loss, m.Certain(), theory.Same(m.Whole, n))
		}
	}
	if resent == 0 || unheard == 0 {
		t.Errorf("%d messages sent again, %d never heard", resent, unheard)
	}
	t.Logf("%d messages sent again, %d never heard", resent, unheard)
}

// TestMail: a message is taken once, however many copies arrive, and the tries end.
func TestMail(t *testing.T) {
	for _, loss := range []float64{0, 0.3, 0.9} {
		m := newMail(&MergeOptions{MessageLoss: loss, Seed: 3})
		arrived := 0
		for range 1000 {
			taken := 0
			took, there := m.send(5, func() { taken++ })
			if there != (taken == 1) || taken > 1 || took <= 0 {
				t.Fatalf("loss %v: taken %d times, arrived %v after %v", loss, taken, there, took)
			}
			arrived += taken
		}
		// A copy is lost with the probability loss, independent of the others.
		want := 1000 * (1 - math.Pow(loss, mostTries))
		if math.Abs(float64(arrived)-want) > 60 || m.failed != 1000-arrived || (loss == 0) != (m.again == 0) || loss == 0 && m.sent != 1000 {
			t.Errorf("loss %v: %d arrived, want about %.0f; %d sent, %d again, %d failed", loss, arrived, want, m.sent, m.again, m.failed)
		}
	}
	if _, err := Merge(t.Context(), mappingtest.Network(t, "now-c"), &MergeOptions{MessageLoss: 1}); err == nil {
		t.Error("a loss of all messages is taken")
	}
}

// TestMeet: of two groups that meet, the one with the higher leader ends its round.
func TestMeet(t *testing.T) {
	s := newMerging(t.Context(), mappingtest.Network(t, "now-c"), &MergeOptions{})
	for _, pair := range [][2]int32{{3, 5}, {5, 3}} {
		g, other := s.groupOf[pair[0]], s.groupOf[pair[1]]
		g.ended, other.ended = false, false
		low, high := s.groupOf[3], s.groupOf[5]
		if s.isLower(high, low) {
			low, high = high, low
		}
		if !s.meet(nil, g, other) || s.meet(nil, g, g) || low.ended || !high.ended {
			t.Errorf("hosts %v met: the lower ended %v, the higher %v", pair, low.ended, high.ended)
		}
	}
	if len(s.met) != 2 {
		t.Errorf("%d groups met, want 2", len(s.met))
	}
}

// TestRandomNetworks: the map is the network, under every rule.
func TestMergeRandomNetworks(t *testing.T) {
	for i := range *networks {
		seed := *drawSeed<<32 + uint64(i)
		n := mappingtest.Random(seed, 40)
		for _, rule := range mapping.Collisions() {
			opt := &MergeOptions{Rule: rule, Hardware: mapping.Myrinet, Limit: 1000 * n.NumSwitches()}
			res, err := Merge(t.Context(), n, opt)
			if err != nil {
				t.Fatalf("network %d, %s: %v", seed, rule, err)
			}
			if len(res.Maps) != 1 {
				t.Errorf("network %d, %s: %d maps", seed, rule, len(res.Maps))
				continue
			}
			if r := res.Maps[0]; !r.Certain() {
				t.Errorf("network %d, %s: %v %v", seed, rule, r.Uncertain, r.Contradiction)
			} else if err := theory.Same(r.Whole, n); err != nil {
				t.Errorf("network %d, %s: %v", seed, rule, err)
			}
			if i < 3 {
				if again, err := Merge(t.Context(), n, opt); err != nil || !reflect.DeepEqual(again.Rounds, res.Rounds) {
					t.Errorf("network %d: not the same again: %v", seed, err)
				}
			}
		}
	}
}
