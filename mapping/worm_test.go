package mapping_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weft/mapping"
	"weft/mapping/mappingtest"
)

// worm moves a message byte by byte along a way: each wire carries a byte a tick, each
// port behind a wire buffers so many, and a wire belongs to the worm from its first byte
// to its last. It says whether the message gets through, and which wires it holds if not.
func worm(path []int32, bytes, buffer int) (through bool, holds []int32) {
	held := make([]int, len(path))    // bytes behind each wire
	crossed := make([]int, len(path)) // bytes that crossed it
	owner := map[int32]int{}          // by wire-end: the step that holds it
	for moved := true; moved; {
		moved = false
		for k := len(path) - 1; k >= 0; k-- {
			toCross := bytes - k // each switch takes off the turn that is for it
			if crossed[k] == toCross {
				continue
			}
			if k > 0 && held[k-1] == 0 || k < len(path)-1 && held[k] == buffer {
				continue
			}
			if by, taken := owner[path[k]]; taken && by != k {
				continue
			}
			owner[path[k]] = k
			moved = true
			if k > 0 {
				held[k-1]--
			}
			if crossed[k]++; crossed[k] > 1 || k == len(path)-1 {
				held[k]++ // the first byte is the turn, but at the end
			}
			if crossed[k] == toCross {
				delete(owner, path[k])
			}
		}
	}
	return crossed[len(path)-1] == bytes-len(path)+1, slices.Sorted(maps.Keys(owner))
}

// TestWorm: whether a worm steps on its tail is computed as it happens byte by byte, and
// so are the wires that it then holds until it is destroyed.
func TestWorm(t *testing.T) {
	through, stuck := 0, 0
	for seed := range uint64(400) {
		n := mappingtest.Random(seed, 6)
		r := rand.New(rand.NewPCG(seed, 1))
		for range 20 {
			hw := mapping.Hardware{Buffer: 1 + r.IntN(30), Payload: 1 + r.IntN(100), Break: time.Second}
			m := mapping.NewModel(n, mapping.CutThrough, hw)
			turns := wander(n, r)
			outcome, _, _ := m.Send(0, turns)
			if outcome != mapping.Delivered && outcome != mapping.Collided {
				continue
			}
			want, holds := worm(m.Path(), hw.Payload+len(turns), hw.Buffer)
			if want != (outcome == mapping.Delivered) {
				t.Fatalf("network %d, %v, %+v: %s, byte by byte %v", seed, turns, hw, outcome, want)
			}
			wires := mapping.NewWires(n, mapping.MyrinetClock)
			wires.Cross(m, 0, len(turns))
			if held := wires.Held(time.Second / 2); !slices.Equal(held, holds) {
				t.Fatalf("network %d, %v, %+v: wires %v held, byte by byte %v", seed, turns, hw, held, holds)
			}
			if want {
				through++
			} else {
				stuck++
			}
		}
	}
	if through < 500 || stuck < 500 {
		t.Errorf("%d messages got through, %d were stuck: too few to tell", through, stuck)
	}
}

// wander is a way from the first host to some host, over switches at random.
func wander(n *mapping.Network, r *rand.Rand) []mapping.Turn {
	var turns []mapping.Turn
	in, _ := n.Peer(mapping.End{})
	for len(turns) < 60 && !n.IsHost(in.Node) {
		out := mapping.End{Node: in.Node, Port: r.Int32N(n.Ports(in.Node))}
		next, ok := n.Peer(out)
		if !ok || n.IsHost(next.Node) && len(turns) < 8 && r.IntN(8) > 0 {
			continue
		}
		turns = append(turns, mapping.Turn(out.Port-in.Port))
		in = next
	}
	return turns
}
