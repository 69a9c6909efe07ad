package routes

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"weft/mapping"
)

// pair is the route from one host to another, by their index.
type pair struct {
	from, to int
	turns    []mapping.Turn
}

// pairs lists the pairs of hosts that have a route.
func (t *Table) pairs() (all []pair) {
	for a := range t.Turns {
		for b, turns := range t.Turns[a] {
			if turns != nil {
				all = append(all, pair{a, b, turns})
			}
		}
	}
	return all
}

func address(h mapping.Host) string { return fmt.Sprintf("0x%016x", h.ID) }

// WriteText writes a line for each pair of hosts of a map: two addresses and the turns.
func (t *Table) WriteText(out io.Writer, n *mapping.Network) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "# source routes, up*/down* from %s: source, destination, turns\n", n.NodeName(t.Root))
	for _, h := range n.Hosts {
		fmt.Fprintf(w, "# %s %s\n", address(h), h.Name)
	}
	for _, p := range t.pairs() {
		fmt.Fprintf(w, "%s %s", address(n.Hosts[p.from]), address(n.Hosts[p.to]))
		for _, turn := range p.turns {
			fmt.Fprintf(w, " %+d", turn)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// WriteJSON writes the same as one JSON object.
func (t *Table) WriteJSON(w io.Writer, n *mapping.Network) error {
	type host struct {
		Address string `json:"address"`
		Name    string `json:"name"`
	}
	type route struct {
		From  string         `json:"from"`
		To    string         `json:"to"`
		Turns []mapping.Turn `json:"turns"`
	}
	all := struct {
		Root   string  `json:"root"`
		Hosts  []host  `json:"hosts"`
		Routes []route `json:"routes"`
	}{Root: n.NodeName(t.Root)}
	for _, h := range n.Hosts {
		all.Hosts = append(all.Hosts, host{address(h), h.Name})
	}
	for _, p := range t.pairs() {
		all.Routes = append(all.Routes, route{address(n.Hosts[p.from]), address(n.Hosts[p.to]), p.turns})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(all)
}
