package bill

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
)

// TestLengths: cables are as long as by hand: all in one rack; racks in one row, spines between the
// leaves; two rows, the second walked back; servers of several ports below their first switch, and
// the other switches of their rails beside them; two planes in one room.
func TestLengths(t *testing.T) {
	for _, c := range []struct {
		formula, floor string
		want           map[int]int
	}{
		{"rlft(4,2)", "", map[int]int{2: 16}},
		{"rlft(4,2)", "rack 6", map[int]int{2: 10, 5: 6}},
		{"rlft(4,2)", "rack 5", map[int]int{2: 10, 5: 4, 6: 2}},
		{"torus(3x3,hosts=3)", "rack 4", map[int]int{2: 27, 5: 5, 6: 5, 7: 5, 8: 2, 9: 1}},
		{"fullmesh(2,hosts=2)", "rack 21\nhost 10", map[int]int{2: 4, 5: 1}},
		{"rail(2,3,1,spines=3)", "rack 6", map[int]int{2: 8, 5: 4}},
		{"rlft(4,2)|planes(2)", "rack 8", map[int]int{2: 20, 5: 12}},
		{"rlft(4,2)|aggregation()|fail(links=2,seed=1)", "", map[int]int{2: 16}},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ReadPrices("p", []byte("switch 36 1000\ncable 3m 1\ncable 9m 10\n"+c.floor))
		if err != nil {
			t.Fatal(err)
		}
		b, err := Of(f, 0)
		if err != nil {
			t.Fatal(err)
		}
		if p.Measure(b, f); !maps.Equal(b.Metres, c.want) {
			t.Errorf("%s, %q: %v, want %v", c.formula, c.floor, b.Metres, c.want)
		}
		cost, err := p.Cost(b)
		want := float64(1000 * b.Switches)
		for metres, n := range c.want {
			if want += float64(n); metres > 3 {
				want += float64(9 * n)
			}
		}
		if err != nil || cost != want {
			t.Errorf("%s, %q: cost %g, want %g (%v)", c.formula, c.floor, cost, want, err)
		}
	}
}

// TestAllCablesAreLong: every cable has a length, hosts stand with their switch, and one that is
// longer than any in the list has no price.
func TestAllCablesAreLong(t *testing.T) {
	for _, formula := range []string{"tree(36,2000)", "dragonfly(8,4,4)", "dragonflyplus(8,8,8,4)", "rail(8,32,4,spines=16,width=2)", "hyperx(6x6,hosts=6)", "slimfly(5)", "deimos"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		all := 0
		for _, n := range usualFloor.lengths(f) {
			all += n
		}
		if b, err := Of(f, 0); err != nil || all != b.Between+b.Below {
			t.Errorf("%s: %d of %d cables have a length (%v)", formula, all, b.Between+b.Below, err)
		}
	}
	f, _ := gen.Parse("tree(36,2000)")
	p, _ := ReadPrices("p", []byte("switch 36 1000\ncable 3m 1\n"))
	b, _ := Of(f, 0)
	p.Measure(b, f)
	if _, err := p.Cost(b); err == nil || !strings.Contains(err.Error(), "the prices have no cable of 5 m or more") {
		t.Errorf("%v", err)
	}
	if text := b.String(); !strings.Contains(text, " m in all, the longest ") {
		t.Error(text)
	}
}

// adapters returns a fabric of servers with an adapter for each of several switches, without cables
// between these.
func adapters(t *testing.T, switches, servers int) *fabric.Fabric {
	t.Helper()
	f := fabric.New("adapters")
	node := func(kind fabric.NodeType, ports int, name string) fabric.NodeID {
		id, err := f.AddNode(kind, fabric.GUID(len(f.Nodes)+1), ports, name)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for s := range switches {
		node(fabric.Switch, servers, fmt.Sprint("switch ", s))
	}
	for i := range servers {
		for s := range switches {
			id := node(fabric.CA, 2, fmt.Sprintf("n%d mlx5_%d", i, s))
			if _, err := f.Connect(fabric.End{Node: fabric.NodeID(s), Port: uint8(i + 1)}, fabric.End{Node: id, Port: 1}, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f
}

// TestServersStandOnce: a server with four adapters takes rack units once, and all its cables begin
// in its rack. By hand: rack 1 holds switch 0 and the two servers of 2 units, rack 2 the other
// switches.
func TestServersStandOnce(t *testing.T) {
	f := adapters(t, 4, 2)
	b, err := Of(f, 0)
	if err != nil {
		t.Fatal(err)
	}
	if b.Hosts != 8 || b.Servers != 2 || b.HostPorts != 8 || !strings.HasPrefix(b.String(), "2 servers of 8 host ports; switches: 4 of 2 ports;") {
		t.Errorf("%d hosts, %d servers, %d host ports: %s", b.Hosts, b.Servers, b.HostPorts, b)
	}
	if got, want := (floor{5, 2}).lengths(f), (map[int]int{2: 2, 5: 6}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestPlanesShareARoom: all planes stand around the servers that they share: four planes take few
// more racks than one, and the cables of a server lead to its rack, the next one, or one across the
// aisle.
func TestPlanesShareARoom(t *testing.T) {
	longest := func(formula string) (below, racks int) {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		hosts := f.Without(nil, f.IsSwitchLink) // cables to servers alone, and the same row
		_, racks = usualFloor.racks(f)
		return slices.Max(slices.Collect(maps.Keys(usualFloor.lengths(hosts)))), racks
	}
	_, one := longest("rlft(36,2)")
	below, four := longest("rlft(36,2)|planes(4)")
	if one != 19 || four != 26 {
		t.Errorf("%d racks for one plane, %d for four", one, four)
	}
	if below > 7 {
		t.Errorf("a cable to a server is %d m long", below)
	}
}
