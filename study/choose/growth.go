package choose

import (
	"fmt"

	"weft/fabric"
	"weft/fabric/bill"
	"weft/fabric/gen"
)

// Step is a step of growth. What stands keeps its cables in the next step: they are the same cables
// in the same ports.
type Step struct {
	Servers  int        `json:"servers"` // that compute
	Formula  string     `json:"formula"`
	Bill     *bill.Bill `json:"bill"` // of all that stands then
	Cost     float64    `json:"cost,omitempty"`
	Stays    int        `json:"cables_that_stay"`  // cables of the step before, all of which stay
	Reserved int        `json:"ports_reserved"`    // free ports of switches that later steps use
	Missing  []string   `json:"misses,omitempty"`  // what the step misses of the need
	Uniform  float64    `json:"uniform,omitempty"` // as in the proposal
}

// steps adds the steps of growth to a proposal. The last one is the whole.
func (p *Proposal) steps(w *Want, whole *fabric.Fabric, prices *bill.Prices, compute int) error {
	suffix := fmt.Sprintf("later(from=%d)", w.Now)
	if w.others() > 0 {
		suffix = fmt.Sprintf("later(from=%d,to=%d)", w.Now, compute-1)
	}
	f, err := gen.Apply(whole, suffix)
	if err != nil {
		return err
	}
	b, cost, err := billOf(f, w.Radix, prices)
	if err != nil {
		return err
	}
	now := Step{Servers: w.Now, Formula: p.Whole + "|" + suffix, Bill: b, Cost: cost, Reserved: reserved(f, whole)}
	load := p.found.loadAt(w.Now, compute)
	if now.Uniform = min(1, 1/load); load > max(p.Ratio, p.Pods)+1e-9 {
		now.Missing = append(now.Missing, fmt.Sprintf("%.2g:1 between groups until more stand", load))
	}
	p.Steps = []Step{now, {Servers: w.Hosts, Formula: p.Whole, Bill: p.Bill, Cost: p.Cost, Stays: len(f.Links), Uniform: p.Uniform}}
	return nil
}

// loadAt returns the load of the busiest channel when only the first of all hosts stand: each group
// has cables to groups that are yet to come. Between the first two groups the traffic of a host is
// spread over fewer hosts; the second group may stand in part.
func (s *smallest) loadAt(now, hosts int) float64 {
	if s.groups == 0 {
		return s.load
	}
	second := min(1, quotient(now*s.groups, hosts)-1)
	return max(s.load, s.between*second*quotient(hosts, now))
}

// reserved counts the free ports of the switches of a step that have cables in the whole.
func reserved(step, whole *fabric.Fabric) (ports int) {
	for i := range step.Nodes {
		n := &step.Nodes[i]
		if n.Type != fabric.Switch {
			continue
		}
		id, _ := whole.NodeByGUID(n.GUID)
		for p := range n.Ports {
			if n.Ports[p].Link == fabric.NoLink && whole.Nodes[id].Ports[p].Link != fabric.NoLink {
				ports++
			}
		}
	}
	return ports
}
