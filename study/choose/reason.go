package choose

import (
	"fmt"
	"sort"

	"weft/internal/fold"
)

// reason says why no network of a kind holds the hosts, with the number that rules it out: the most
// hosts that it holds, the fewest that it starts at, or the ports that its switches would need.
func (k kind) reason(n need) string {
	holds := func(hosts int) bool {
		m := n
		m.hosts, m.first = hosts, min(n.first, hosts)
		return k.shape(m).formula != ""
	}
	with := fmt.Sprintf("at %g:1 with switches of %d ports", n.ratio, n.radix)
	if most := mostHeld(n.hosts, holds); most > 0 {
		return fmt.Sprintf("holds at most %s %s%s", fold.Count(most, n.unit(), n.unit()+"s"), with, k.portsNeeded(n))
	}
	for hosts := 2 * n.hosts; hosts <= mostHosts; hosts *= 2 {
		if holds(hosts) {
			least := n.hosts + 1 + sort.Search(hosts-n.hosts-1, func(i int) bool { return holds(n.hosts + 1 + i) })
			return fmt.Sprintf("starts at %s %s", fold.Count(least, n.unit(), n.unit()+"s"), with)
		}
	}
	return fmt.Sprintf("none %s%s", with, k.portsNeeded(n))
}

// unit returns the word for the hosts of a need.
func (n need) unit() string {
	if n.rails > 1 {
		return "server"
	}
	return "host"
}

// mostHeld returns the largest number of hosts, below a given one, that a network exists for; 0 for
// none.
func mostHeld(hosts int, holds func(int) bool) int {
	for low := hosts / 2; low >= 2; low /= 2 {
		if holds(low) {
			return low + sort.Search(hosts-low, func(i int) bool { return i > 0 && !holds(low+i) }) - 1
		}
	}
	return 0
}

// portsNeeded names the fewest ports of a switch with which a kind holds the hosts.
func (k kind) portsNeeded(n need) string {
	holds := func(radix int) bool {
		m := n
		m.radix = radix
		return k.shape(m).formula != ""
	}
	if !holds(mostRadix) {
		return fmt.Sprintf("; no switch of up to %d ports is enough", mostRadix)
	}
	return fmt.Sprintf("; %d need switches of %d ports", n.hosts, n.radix+1+sort.Search(mostRadix-n.radix-1, func(i int) bool { return holds(n.radix + 1 + i) }))
}
