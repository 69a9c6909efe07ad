package mapping

import (
	"fmt"

	model "weft/mapping"
)

// rewiredReading is the reading that joins A and B differently.
const rewiredReading = "rewired"

// rewiredText describes that reading.
const rewiredText = "the same hosts, switches and links joined in another way (A by two switches of its second level to the roots of C; B like A with one joining switch). " +
	"The wiring of A and B is not printed; this one was looked for among some thousand random ones, with the figures of the paper as the measure, and with the utility host as the mapper."

// rewired returns C with A, or with A and B, joined differently: the same numbers of hosts,
// switches and links. B has the shape of A. Its fourteenth switch joins a root of A and a root of B
// to the roots of C, to one of them by three parallel cables; the same root of B has a cable of its
// own to the other root of C.
func rewired(withB bool) (*model.Network, error) {
	w := wiring{used: map[string]int32{}, of: map[string]int32{}, total: 70}
	if withB {
		w.total = 100
	}
	w.subcluster("C", []int{5, 5, 5, 5, 5, 5, 5})
	w.subcluster("A", []int{5, 5, 5, 5, 5, 5, 4})
	w.join("A2.1", "C3.2")
	w.join("A2.4", "C3.1")
	if withB {
		w.subcluster("B", []int{5, 4, 4, 4, 4, 4, 5})
		w.join("X", "A3.2")
		w.join("B3.2", "C3.1")
		w.join("X", "B3.2")
		w.join("X", "C3.1")
		for range 3 {
			w.join("X", "C3.2")
		}
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

func (w *wiring) addHost(name string) {
	h := int32(len(w.hosts))
	w.hosts = append(w.hosts, model.Host{ID: uint64(h) + 1, Name: fmt.Sprintf("host %d", h)})
	w.wires = append(w.wires, model.Wire{{Node: h}, w.end(name)})
}

// subcluster builds three levels with the uplinks of C; C has the utility host.
func (w *wiring) subcluster(name string, hosts []int) {
	at := func(level, i int) string { return fmt.Sprintf("%s%d.%d", name, level, i) }
	for i, n := range hosts {
		for range n {
			w.addHost(at(1, i+1))
		}
	}
	if name == "C" {
		w.addHost(at(3, 1))
	}
	for i, up := range [][]int{{1, 2, 3}, {2, 3, 4}, {3, 4, 1}, {4, 1}, {1, 2, 3}, {2, 3, 4}, {4, 1, 2}} {
		for _, j := range up {
			w.join(at(1, i+1), at(2, j))
		}
	}
	for j := range 4 {
		for r := range 2 {
			w.join(at(2, j+1), at(3, r+1))
		}
	}
}
