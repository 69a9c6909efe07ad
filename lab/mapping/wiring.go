package mapping

import (
	"fmt"

	model "weft/mapping"
)

// rewiredHow says what rewired changes.
const rewiredHow = "both roots of A on one root of C, and B like A with three roots in place of two joining switches"

// rewired is C with A, or with A and B, joined in another way: the same numbers of
// hosts, switches and links. B has seven switches of level 1 with 30 hosts, four of
// level 2 and three roots, of which one is joined to C3.1 and two to C3.2.
func rewired(withB bool) (*model.Network, error) {
	w := wiring{used: map[string]int32{}, of: map[string]int32{}, total: 70}
	if withB {
		w.total = 100
	}
	w.subcluster("C", []int{5, 5, 5, 5, 5, 5, 5}, 2)
	w.subcluster("A", []int{5, 5, 5, 5, 5, 5, 4}, 2)
	w.join("A3.1", "C3.1")
	w.join("A3.2", "C3.1")
	if withB {
		w.subcluster("B", []int{5, 4, 4, 4, 4, 4, 5}, 3)
		w.join("B3.1", "C3.1")
		w.join("B3.2", "C3.2")
		w.join("B3.3", "C3.2")
	}
	return model.New(w.hosts, w.degree, w.wires)
}

type wiring struct {
	total  int32 // hosts
	hosts  []model.Host
	degree []int32
	wires  []model.Wire
	of     map[string]int32
	used   map[string]int32
}

// end takes the lowest free port of a switch.
func (w *wiring) end(name string) model.End {
	s, known := w.of[name]
	if !known {
		s = w.total + int32(len(w.degree))
		w.of[name] = s
		w.degree = append(w.degree, 8)
	}
	w.used[name]++
	return model.End{Node: s, Port: w.used[name] - 1}
}

func (w *wiring) join(x, y string) { w.wires = append(w.wires, model.Wire{w.end(x), w.end(y)}) }

func (w *wiring) hang(name string) {
	h := int32(len(w.hosts))
	w.hosts = append(w.hosts, model.Host{ID: uint64(h) + 1, Name: fmt.Sprintf("host %d", h)})
	w.wires = append(w.wires, model.Wire{{Node: h}, w.end(name)})
}

// subcluster builds three levels with the uplinks of C; C has the utility host.
func (w *wiring) subcluster(name string, hosts []int, roots int) {
	at := func(level, i int) string { return fmt.Sprintf("%s%d.%d", name, level, i) }
	for i, n := range hosts {
		for range n {
			w.hang(at(1, i+1))
		}
	}
	if name == "C" {
		w.hang(at(3, 1))
	}
	for i, up := range [][]int{{1, 2, 3}, {2, 3, 4}, {3, 4, 1}, {4, 1}, {1, 2, 3}, {2, 3, 4}, {4, 1, 2}} {
		for _, j := range up {
			w.join(at(1, i+1), at(2, j))
		}
	}
	for j := range 4 {
		for r := range roots {
			w.join(at(2, j+1), at(3, r+1))
		}
	}
}
