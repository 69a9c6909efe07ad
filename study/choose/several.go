package choose

import (
	"fmt"
	"math"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/subnets"
)

// subnetLIDs is the number of unicast LIDs of a subnet.
const subnetLIDs = 49151

// Subnets says how a network is cut into equal subnets, which routers join.
type Subnets struct {
	Number  int     `json:"number"`
	Routers int     `json:"routers"`          // each joined to all subnets; the bill counts them as switches
	Cables  int     `json:"cables"`           // of a router into each subnet
	Ratio   float64 `json:"oversubscription"` // between subnets: hosts that share the bandwidth of one

	one smallest
}

// moreSubnets is how many more subnets than necessary are tried, to find free ports for routers.
const moreSubnets = 3

// several cuts a network that is too large for a subnet, or says why it cannot. It takes the fewest
// subnets between which the oversubscription is accepted, or the ones with the lowest.
func (w *Want) several(k kind, n need, lids, planes int) (best *Subnets, reason string) {
	reason = fmt.Sprintf("takes %d LIDs of the %d of a subnet", lids, subnetLIDs)
	switch {
	case planes > 1:
		return nil, reason + ", and planes are one subnet each"
	case w.OnPlane > 0 || w.Now > 0:
		return nil, reason + "; several subnets go neither with growth nor with a plane of storage"
	}
	least := ceilDiv(lids, subnetLIDs)
	for number := max(2, least); number <= least+moreSubnets && number <= n.radix; number++ {
		s := w.cut(k, n, number)
		if s != nil && (best == nil || s.Ratio < best.Ratio) {
			best = s
		}
		if best != nil && best.Ratio <= n.pods+1e-9 {
			break
		}
	}
	return best, reason + ", and no ports are left for routers between several"
}

// cut cuts a network into so many equal subnets. It returns nil if one is still too large or has no
// free ports for routers.
func (w *Want) cut(k kind, n need, number int) *Subnets {
	m := n
	m.hosts = ceilDiv(n.hosts, number)
	s := &Subnets{Number: number, Cables: n.radix / number, one: k.shape(m)}
	if s.one.formula == "" {
		return nil
	}
	if k.name != "tree" {
		s.one.formula += fmt.Sprintf("|radix(%d)", n.radix)
	}
	f, err := gen.Parse(s.one.formula)
	if err != nil {
		return nil
	}
	g := f.Compile()
	crossing := float64(m.hosts*m.rails) * quotient(number-1, number)
	s.Routers = min(int(math.Ceil(crossing/n.pods/float64(s.Cables)-1e-9)), freeOnTop(g, f)/s.Cables)
	if s.Routers == 0 || g.NumEnds+s.Routers*s.Cables > subnetLIDs {
		return nil
	}
	s.Ratio = crossing / float64(s.Routers*s.Cables)
	return s
}

// freeOnTop counts the free ports of the switches to which a formula of subnets cables routers: the
// ones farthest from hosts.
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
	open := func(one string) (subnets.Opened, error) {
		f, err := gen.Parse(one)
		return subnets.Opened{Fabric: f, Made: true}, err
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
