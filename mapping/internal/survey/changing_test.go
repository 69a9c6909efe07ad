package survey

import (
	"time"

	"weft/mapping"
)

// changing returns the prober of the first host of a network. Before each probe, next may
// return another network, which takes its place.
func changing(n *mapping.Network, next func(sent int) *mapping.Network) mapping.Prober {
	m := mapping.NewMapper(mapping.NewModel(n, mapping.Packet, mapping.Myrinet), 0, mapping.Conditions{})
	sent := 0
	return mapping.ProbeFunc(func(turns []mapping.Turn) (mapping.Reply, time.Duration) {
		sent++
		if other := next(sent); other != nil {
			m.Reconnect(mapping.NewModel(other, mapping.Packet, mapping.Myrinet), 0)
		}
		return m.Probe(turns)
	})
}
