package routes

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/mapping"
	"weft/route"
	"weft/route/names"
	"weft/route/paths"
)

// Paths returns the routes as a path set on the graph of the map (Network.ToFabric), so that the
// judge can look for cycles of waiting messages.
func (t *Table) Paths(n *mapping.Network, g *fabric.Graph) (*paths.Set, error) {
	if g.NumHosts != n.NumHosts() {
		return nil, fmt.Errorf("routes: %d hosts in the graph, %d in the map", g.NumHosts, n.NumHosts())
	}
	host := make(map[fabric.GUID]int32, g.NumHosts)
	for end := range int32(g.NumHosts) {
		host[g.EndNodeGUID[end]] = end
	}
	b := paths.NewBuilder(g)
	for src := range t.Turns {
		for dst, turns := range t.Turns[src] {
			if turns == nil {
				continue
			}
			from, to := host[fabric.GUID(n.Hosts[src].ID)], host[fabric.GUID(n.Hosts[dst].ID)]
			at := g.EndSwitch[from]
			in := mapping.Turn(g.EndPort[from])
			var channels []int32
			for _, turn := range turns[:len(turns)-1] {
				c, _ := g.At(at, uint8(in+turn))
				if c < 0 {
					return nil, fmt.Errorf("routes: the route from %q to %q leaves the graph", n.Hosts[src].Name, n.Hosts[dst].Name)
				}
				channels = append(channels, c)
				at, in = g.To[c], mapping.Turn(g.ToPort[c])
			}
			b.Add(from, to, channels)
		}
	}
	return b.Build()
}

// Plan returns a Plan with exactly these routes. Each destination gets as many LIDs as its routes
// need, since a forwarding table has one port for each. From the Plan the judge proves that no
// messages on the routes can wait for each other in a circle.
func (t *Table) Plan(ctx context.Context, n *mapping.Network, g *fabric.Graph) (*route.Plan, error) {
	set, err := t.Paths(n, g)
	if err != nil {
		return nil, err
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	scheme, err := names.ByName("color-l")
	if err != nil {
		return nil, err
	}
	assigned, ends, err := names.AssignStable(ctx, set, scheme, names.Options{Workers: 1}, route.Seen(g))
	if err != nil {
		return nil, err
	}
	plan, _, err := assigned.Realise(ctx, ends)
	if err != nil {
		return nil, err
	}
	plan.Intended = assigned.Intended(ends)
	return plan, nil
}
