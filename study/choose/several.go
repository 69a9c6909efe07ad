package choose

import (
	"fmt"
	"math"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/subnets"
)

// Subnets says how a network is cut into equal subnets, which routers join.
type Subnets struct {
	Number  int     `json:"number"`
	Routers int     `json:"routers"`          // each joined to all subnets; the bill counts them as switches
	Cables  int     `json:"cables"`           // of a router into each subnet
	Ratio   float64 `json:"oversubscription"` // between subnets: hosts that share the bandwidth of one

	one smallest
}

// moreSubnets is the number of tries with more subnets than necessary, to find free ports for
// routers.
const moreSubnets = 1

// several cuts a network that is too large for a subnet, or says why it cannot. It takes the fewest
// subnets with an accepted oversubscription between them, or else the least oversubscribed ones.
func (w *Want) several(k kind, n need, lids, planes int) (best *Subnets, reason string) {
	most := w.subnetLIDs()
	reason = fmt.Sprintf("takes %d LIDs, and a subnet has %d", lids, most)
	switch {
	case planes > 1:
		return nil, reason + "; a plane is one subnet"
	case w.OnPlane > 0 || w.Now > 0:
		return nil, reason + "; several subnets go neither with growth nor with a plane of storage"
	}
	least := max(2, ceilDiv(lids, most))
	for number := least; number <= min(least+moreSubnets, n.radix); number++ {
		s := cut(k, n, number, most)
		if s != nil && (best == nil || s.Ratio < best.Ratio) {
			best = s
		}
		if best != nil && best.Ratio <= n.pods+1e-9 {
			break
		}
	}
	return best, reason + "; its switches have no free ports for routers between several"
}

// cut cuts a network into so many equal subnets. It returns nil if one is still too large or has no
// free ports for routers. A subnet has most LIDs.
func cut(k kind, n need, number, most int) *Subnets {
	n.hosts = ceilDiv(n.hosts, number)
	s := &Subnets{Number: number, Cables: n.radix / number}
	crossing := func(ports int) float64 { return float64(ports) * quotient(number-1, number) }
	routers := func(ports int) int { return int(math.Ceil(crossing(ports)/n.pods/float64(s.Cables) - 1e-9)) }
	if k.name == "tree" {
		s.one = roomyTree(n, routers(n.hosts)*s.Cables)
	} else if s.one = k.shape(n); s.one.formula != "" {
		s.one.formula += fmt.Sprintf("|radix(%d)", n.radix)
	}
	if s.one.formula == "" || s.one.switches+n.hosts*n.rails+s.Cables > most {
		return nil
	}
	f, err := gen.Parse(s.one.formula)
	if err != nil {
		return nil
	}
	g := f.Compile()
	s.Routers = min(routers(g.NumHosts), freeOnTop(g, f)/s.Cables)
	if s.Routers == 0 || g.NumEnds+s.Routers*s.Cables > most {
		return nil
	}
	s.Ratio = crossing(g.NumHosts) / float64(s.Routers*s.Cables)
	return s
}

// roomyTree returns a tree whose roots have free ports for so many cables of routers: the tree for
// as many more hosts, without these and their pods.
func roomyTree(n need, cables int) smallest {
	m := n
	m.hosts += cables
	s := tree(m)
	if s.formula == "" {
		return tree(n)
	}
	s.formula += fmt.Sprintf("|later(from=%d)", n.hosts)
	return s
}

// freeOnTop counts the free ports of the top switches, which a formula of subnets cables to
// routers. The top switches are farthest from hosts.
func freeOnTop(g *fabric.Graph, f *fabric.Fabric) (free int) {
	var leaves []int32
	for s := range int32(g.NumSwitches) {
		if g.HostCount(s) > 0 {
			leaves = append(leaves, s)
		}
	}
	search := g.NewSearch(nil)
	search.From(leaves...)
	farthest := int32(0)
	for _, hops := range search.Hops {
		farthest = max(farthest, hops)
	}
	for s, hops := range search.Hops {
		if hops != farthest {
			continue
		}
		id, _ := f.NodeByGUID(g.SwitchGUID[s])
		for p := 1; p <= f.Nodes[id].NumPorts(); p++ {
			if f.Nodes[id].Ports[p].Link == fabric.NoLink {
				free++
			}
		}
	}
	return free
}

// severalSubnets makes a shape one of several subnets.
func (s *Shape) severalSubnets() {
	u := s.Subnets
	s.Formula = fmt.Sprintf("subnets(%d,%s,routers=%d,cables=%d)", u.Number, u.one.formula, u.Routers, u.Cables)
	s.Uniform = min(s.Uniform, 1/u.Ratio)
}

// openSubnets builds all subnets of a formula. In the fabric of the whole, routers are switches.
func openSubnets(formula string) (f *fabric.Fabric, lids int, err error) {
	built := map[string]*fabric.Fabric{}
	open := func(one string) (o subnets.Opened, err error) {
		if built[one] == nil {
			built[one], err = gen.Parse(one)
		}
		return subnets.Opened{Fabric: built[one], Made: true}, err
	}
	file, err := subnets.Expand(formula, open)
	if err != nil {
		return nil, 0, err
	}
	n, err := file.Build(formula, open)
	if err != nil {
		return nil, 0, err
	}
	for i := range n.Kinds {
		lids = max(lids, n.Kinds[i].Graph.NumEnds)
	}
	f, err = subnets.Whole(n)
	return f, lids, err
}
