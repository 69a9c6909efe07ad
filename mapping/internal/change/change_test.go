package change

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/mapping"
	"weft/mapping/internal/survey"
	"weft/mapping/mappingtest"
	"weft/mapping/theory"
)

// TestSameNetwork: a network does not differ from itself, whatever it calls its
// switches and ports.
func TestSameNetwork(t *testing.T) {
	for seed := range uint64(500) {
		n := mappingtest.Random(seed, 40)
		if d := Diff(n, mappingtest.Shuffled(t, n, seed, n.Wires())); len(d) > 0 {
			t.Errorf("network %d: %v", seed, d)
		}
	}
}

// TestEdits: after some edits Diff finds something, no more than was done, and nothing
// but what may follow from them.
func TestEdits(t *testing.T) {
	for seed := range uint64(500) {
		n := mappingtest.Random(seed, 40)
		r := rand.New(rand.NewPCG(seed, 9))
		wires := n.Wires()
		edits := 1 + r.IntN(2)
		for range edits {
			i := r.IntN(len(wires))
			wires = slices.Delete(wires, i, i+1)
		}
		m := mappingtest.Shuffled(t, n, seed, wires)
		d := Diff(n, m)
		// What is connected to no host cannot be told: the switch vanished and another
		// appeared.
		reached := theory.Same(n, n)
		if reached == nil && len(d) == 0 {
			t.Errorf("network %d: %d wires are gone, and nothing changed", seed, edits)
		}
		if connected(m) && len(d) != edits {
			t.Errorf("network %d: %d wires are gone: %v", seed, edits, d)
		}
		for _, c := range d {
			if connected(m) && c.Kind != Vanished {
				t.Errorf("network %d: %v", seed, c)
			}
		}
	}
}

// TestPulledCable: a cable that is pulled while a busy network is mapped costs a map begun
// again, also where it is the only way known to a switch that was never visited. The lost
// probes to it once made all unknown wires look so bad that no silence was enough.
func TestPulledCable(t *testing.T) {
	f, err := gen.Parse("now-cab")
	if err != nil {
		t.Fatal(err)
	}
	for events, most := range map[string]int{
		"500ms link A2.1 3 down": 15_000,
		"500ms link A2.1 3 down\n1.5s link B2.1 2 down\n2.5s link C2.1 4 down\n3.5s link A2.3 1 down\n4.5s link B2.2 5 down": 40_000,
	} {
		list, err := ReadEvents("x", strings.NewReader(events))
		if err != nil {
			t.Fatal(err)
		}
		epochs, err := Timeline(f, list)
		if err != nil {
			t.Fatal(err)
		}
		n := epochs[0].Network
		opt := WatchOptions{
			Rule: mapping.Circuit, Hardware: mapping.Myrinet, Conditions: mapping.Conditions{Seed: 1, Traffic: mapping.Traffic{Loss: 0.01}},
			Mapper: n.Hosts[n.NumHosts()-1].ID, Every: time.Second, Survey: survey.Options{Error: 1e-6},
		}
		err = Watch(t.Context(), epochs, &opt, func(r *Round) error {
			if sent := r.Result.Probes.Total().Sent; !r.Certain || r.Differs != nil || sent > most {
				t.Errorf("%q, round at %v: %d probes, certain %v, %v", events, r.Begin, sent, r.Certain, r.Differs)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// connected says whether everything can be reached from a host.
func connected(n *mapping.Network) bool {
	return theory.Reached(n, 0).NumNodes() == n.NumNodes()
}

// TestSentences has a change of each kind on subcluster C.
func TestSentences(t *testing.T) {
	f, err := gen.Parse("now-c")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		events string
		want   []string
	}{
		{"", nil},
		{"1s node C2.1 down", []string{"switch vanished: C2.1"}},
		{"1s node C2.1 down\n2s node C2.1 up", nil},
		{"1s link C1.1 1 down", []string{"host vanished: host 0 on host 1's switch, port -1"}},
		{"1s connect C1.1 1 C1.4 8", []string{"host vanished: host 0 on host 1's switch, port -1", "cable appeared: host 1's switch, port -1 - host 15's switch, port +7"}},
		{"1s host new 0x99 C1.4 8", []string{"host appeared: new on host 15's switch, port +7"}},
		{"1s connect \"host 0\" 1 C1.4 8", []string{"host moved: host 0 - host 1's switch, port -1 -> host 0 - host 15's switch, port +7"}},
	} {
		events, err := ReadEvents("x", strings.NewReader(c.events))
		if err != nil {
			t.Fatal(err)
		}
		epochs, err := Timeline(f, events)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range Diff(epochs[0].Network, epochs[len(epochs)-1].Network) {
			got = append(got, d.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q:\n got %q\nwant %q", c.events, got, c.want)
		}
	}
}

// TestWatch maps subcluster C while things happen, some in the middle of a map.
func TestWatch(t *testing.T) {
	f, err := gen.Parse("now-c")
	if err != nil {
		t.Fatal(err)
	}
	events, err := ReadEvents("x", strings.NewReader(`# what happens
1.2s  link C1.1 8 down
2.2s  node C2.1 down      # a switch dies
3.2s  node C2.1 up
3.2s  host "new one" 0x1 C1.4 8
4.01s connect C3.1 8 C3.2 8
5.02s node "host 3" down
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []float64{0, 0.05} {
		epochs, err := Timeline(f, events)
		if err != nil {
			t.Fatal(err)
		}
		opt := &WatchOptions{Rule: mapping.Circuit, Hardware: mapping.Myrinet, Election: true, Every: time.Second}
		if loss > 0 {
			opt.Conditions.Loss, opt.Survey.Error = loss, 1e-6
		}
		var rounds []*Round
		if err := Watch(t.Context(), epochs, opt, func(r *Round) error { rounds = append(rounds, r); return nil }); err != nil {
			t.Fatal(err)
		}
		for i, r := range rounds {
			if !r.During && (!r.Result.Certain() || r.Differs != nil) {
				t.Errorf("loss %v, round %d: %v %v", loss, i, r.Result.Uncertain, r.Differs)
			}
			if i > 0 && loss == 0 && r.Result.Probes.Total().Sent > 450 {
				t.Errorf("round %d: %d probes", i, r.Result.Probes.Total().Sent)
			}
			t.Logf("loss %v, %v to %v by %s: %d probes, %v, during %v: %v", loss, r.Begin, r.End, r.By.Name, r.Result.Probes.Total().Sent, r.Changes, r.During, r.Differs)
		}
		last := rounds[len(rounds)-1]
		if last.By.ID != 1 || last.Differs != nil {
			t.Errorf("the last map is by %v: %v", last.By, last.Differs)
		}
	}
}

// TestCertainRounds: whenever cables are pulled, a round that is certain has the network as
// it was at the moment that it says, with and without losses. (One that is pulled and put
// back between two probes of it is never seen.)
func TestCertainRounds(t *testing.T) {
	certain, moved := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		n := mappingtest.Random(seed, 12)
		opt := &WatchOptions{Rule: mapping.Collisions()[seed%3], Hardware: mapping.Myrinet, Mapper: n.Hosts[0].ID, Every: 100 * time.Millisecond}
		if seed%2 == 1 {
			opt.Conditions = mapping.Conditions{Traffic: mapping.Traffic{Loss: 0.05}, Seed: seed}
			opt.Survey.Error = 1e-6
		}
		epochs := []Epoch{{Network: n}}
		for k := range 6 {
			wires := epochs[k].Network.Wires()
			if len(wires) > 2 {
				i := 1 + r.IntN(len(wires)-1)
				wires = slices.Delete(wires, i, i+1)
			}
			from := epochs[k].From + time.Duration(r.IntN(400))*time.Millisecond
			epochs = append(epochs, Epoch{From: from, Network: mappingtest.New(t, n.Hosts, n.Degree, wires)})
		}
		err := Watch(t.Context(), epochs, opt, func(round *Round) error {
			happened := func(before time.Duration) bool { // more than so long before the end
				return slices.ContainsFunc(epochs, func(e Epoch) bool { return e.From > round.Begin && e.From < round.End-before })
			}
			if happened(5*time.Millisecond) && !round.During || !happened(0) && round.During {
				t.Errorf("network %d, a round from %v to %v: something happened: %v", seed, round.Begin, round.End, round.During)
			}
			if !round.Certain {
				return nil
			}
			certain++
			if round.During {
				moved++
			}
			at := 0
			for at+1 < len(epochs) && epochs[at+1].From <= round.AsOf {
				at++
			}
			if err := theory.Same(round.Result.Map, theory.Core(theory.Reached(epochs[at].Network, 0))); err != nil || round.Differs != nil {
				t.Errorf("network %d, a round from %v to %v, certain as of %v: %v, %v", seed, round.Begin, round.End, round.AsOf, err, round.Differs)
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrCutOff) {
			t.Errorf("network %d: %v", seed, err)
		}
	}
	if certain < 60 || moved < 10 {
		t.Errorf("%d rounds were certain, in %d of them something moved", certain, moved)
	}
}

// watchHost35 has host 35 of subcluster C map every two seconds while things happen.
func watchHost35(t *testing.T, happens string) ([]*Round, error) {
	t.Helper()
	f, err := gen.Parse("now-c")
	if err != nil {
		t.Fatal(err)
	}
	events, err := ReadEvents("x", strings.NewReader(happens))
	if err != nil {
		t.Fatal(err)
	}
	epochs, err := Timeline(f, events)
	if err != nil {
		t.Fatal(err)
	}
	n := epochs[0].Network
	host, err := n.FindHost("host 35")
	if err != nil {
		t.Fatal(err)
	}
	var rounds []*Round
	opt := &WatchOptions{Rule: mapping.Circuit, Hardware: mapping.Myrinet, Mapper: n.Hosts[host].ID, Every: 2 * time.Second}
	err = Watch(t.Context(), epochs, opt, func(r *Round) error { rounds = append(rounds, r); return nil })
	return rounds, err
}

// TestCutOff: a host that is left on no switch, but on another host, maps no more.
func TestCutOff(t *testing.T) {
	rounds, err := watchHost35(t, "1s connect \"host 35\" 1 \"host 3\" 1")
	if !errors.Is(err, ErrCutOff) || len(rounds) != 1 {
		t.Errorf("%d rounds, %v", len(rounds), err)
	}
}

// TestMute: a host that is cut off in the middle of a round gets no answer, and is not
// certain of anything.
func TestMute(t *testing.T) {
	rounds, err := watchHost35(t, "100ms node \"host 35\" down\n20s node \"host 35\" up")
	if err != nil || len(rounds) < 2 || rounds[0].Certain || !rounds[len(rounds)-1].Certain {
		t.Errorf("%d rounds, %v, the first %+v", len(rounds), err, rounds[0])
	}
}

// TestBack: a host that was cut off for a while maps again when it is back.
func TestBack(t *testing.T) {
	rounds, err := watchHost35(t, "1s node \"host 35\" down\n5s link C1.1 8 down\n9s node \"host 35\" up")
	if err != nil {
		t.Fatal(err)
	}
	if len(rounds) != 2 || rounds[1].Begin != 9*time.Second || rounds[1].Differs != nil || len(rounds[1].Changes) != 1 {
		t.Errorf("%d rounds, the last %+v", len(rounds), rounds[len(rounds)-1])
	}
}

// TestBadEvents: errors name the line.
func TestBadEvents(t *testing.T) {
	f, err := gen.Parse("now-c")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"soon link C1.1 1 down", `x:1: "soon" is not a time`},
		{"-1s link C1.1 1 down", `x:1: "-1s" is not a time`},
		{"1s", `x:1: no event`},
		{"\n1s fly", `x:2: "fly" is not an event`},
		{"1s link C1.1 1", `x:1: want "link NODE PORT down|up"`},
		{"1s link C1.1 0 down", `x:1: "0" is not a port`},
		{"1s link C1.1 999 down", `x:1: "999" is not a port`},
		{"1s link C1.1 1 off", `x:1: want down or up`},
		{`1s node "host 0 down`, `x:1: a quote is not closed`},
		{"1s host a b C1.1 1", `x:1: "b" is not an address`},
		{"1s node nobody down", `x:1: `},
		{"1s link C1.1 9 down", `x:1: C1.1 has 8 ports, not 9`},
		{"1s link C1.4 8 down", `x:1: port 8 of C1.4 has no cable`},
		{"1s connect C1.1 1 C1.1 1", `x:1: port 1 of `},
	} {
		events, err := ReadEvents("x", strings.NewReader(c.text))
		if err == nil {
			_, err = Timeline(f, events)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// FuzzEvents: any text is events that can be applied, or an error with its line.
func FuzzEvents(f *testing.F) {
	f.Add("1s link a 1 down\n2s connect a 1 b 2\n3s host \"x y\" 0x5 a 3 # new\n4s node b up\n")
	f.Fuzz(func(t *testing.T, text string) {
		events, err := ReadEvents("x", strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x:") {
				t.Error(err)
			}
			return
		}
		fab := fabric.New("x")
		for i, name := range []string{"a", "b"} {
			if _, err := fab.AddNode(fabric.Switch, fabric.GUID(i+1), 4, name); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Timeline(fab, events); err != nil && !strings.HasPrefix(err.Error(), "x:") {
			t.Error(err)
		}
	})
}

// TestExchanged: if one of two hosts takes the port of the other, both were moved, for any order in
// the maps.
func TestExchanged(t *testing.T) {
	a, b, c, d := mapping.Host{ID: 1, Name: "a"}, mapping.Host{ID: 2, Name: "b"}, mapping.Host{ID: 3, Name: "c"}, mapping.Host{ID: 4, Name: "d"}
	of := func(hosts []mapping.Host, first, second mapping.End) *mapping.Network {
		return mappingtest.New(t, hosts, []int32{8, 8}, []mapping.Wire{
			{{Node: 0}, first},
			{{Node: 1}, second},
			{{Node: 2}, {Node: 4, Port: 2}},
			{{Node: 3}, {Node: 5, Port: 2}},
			{{Node: 4, Port: 7}, {Node: 5, Port: 7}},
		})
	}
	old := of([]mapping.Host{a, b, c, d}, mapping.End{Node: 4, Port: 1}, mapping.End{Node: 5, Port: 3})
	now := of([]mapping.Host{b, a, c, d}, mapping.End{Node: 4, Port: 1}, mapping.End{Node: 5, Port: 5})
	changes := Diff(old, now)
	if len(changes) != 2 {
		t.Fatalf("%v", changes)
	}
	for i, host := range []string{"a - ", "b - "} {
		if c := changes[i]; c.Kind != Moved || c.What != "host" || !strings.HasPrefix(c.From, host) || !strings.HasPrefix(c.To, host) {
			t.Errorf("%v, want that %swas moved", c, host)
		}
	}
}

// TestOneTime: what happens at one time makes one network.
func TestOneTime(t *testing.T) {
	f, err := gen.Parse("now-c")
	if err != nil {
		t.Fatal(err)
	}
	events, err := ReadEvents("events", strings.NewReader("2s node C2.1 down\n1s link C1.1 1 down\n1s link C1.1 2 down\n"))
	if err != nil {
		t.Fatal(err)
	}
	epochs, err := Timeline(f, events)
	if err != nil || len(epochs) != 3 {
		t.Fatalf("%d networks, %v", len(epochs), err)
	}
	for i, want := range []struct {
		from          time.Duration
		events, hosts int
	}{{0, 0, 36}, {time.Second, 2, 34}, {2 * time.Second, 1, 34}} {
		if e := &epochs[i]; e.From != want.from || len(e.Events) != want.events || e.Network.NumHosts() != want.hosts {
			t.Errorf("network %d: from %v by %d events, %d hosts, want %+v", i, e.From, len(e.Events), e.Network.NumHosts(), want)
		}
	}
}
