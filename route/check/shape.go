package check

import (
	"fmt"
	"math"

	"weft/fabric"
	"weft/route"
)

// ShapeError says that a Plan does not fit the Graph.
type ShapeError struct {
	Part   string // ends, tables, choice, sl, sl2vl, arbitration, ports or service
	Detail string
}

func (e *ShapeError) Error() string {
	return "check: the plan does not fit the fabric: " + e.Part + ": " + e.Detail
}

// shape makes sure that every index the judge will follow is inside its array.
func shape(g *fabric.Graph, p *route.Plan) error {
	wrong := func(part, format string, args ...any) error {
		return &ShapeError{part, fmt.Sprintf(format, args...)}
	}
	if len(p.Ends.Base) != g.NumEnds || len(p.Ends.LMC) != g.NumEnds {
		return wrong("ends", "%d base LIDs and %d LMCs for %d end ports", len(p.Ends.Base), len(p.Ends.LMC), g.NumEnds)
	}
	if p.Tables == nil {
		return wrong("tables", "there are none")
	}
	if n := p.Tables.NumSwitches(); n != g.NumSwitches {
		return wrong("tables", "%d switches, but the fabric has %d", n, g.NumSwitches)
	}
	if p.Service.Default >= route.NumSLs {
		return wrong("service", "default SL %d", p.Service.Default)
	}
	if err := choiceShape(g, &p.Choice); err != "" {
		return wrong("choice", "%s", err)
	}
	if err := slShape(g, p.SL); err != "" {
		return wrong("sl", "%s", err)
	}
	if err := sl2vlShape(g, p.SL2VL); err != "" {
		return wrong("sl2vl", "%s", err)
	}
	if a := p.Arbitration; a != nil {
		if err := poolShape(g, len(a.Pool), a.Host, a.Switch); err != "" {
			return wrong("arbitration", "%s", err)
		}
	}
	if q := p.Ports; q != nil {
		if err := poolShape(g, len(q.Pool), q.Host, q.Switch); err != "" {
			return wrong("ports", "%s", err)
		}
	}
	return nil
}

func choiceShape(g *fabric.Graph, c *route.Choice) string {
	if c.By > route.ListedLIDs {
		return fmt.Sprintf("sources choose LIDs by rule %d, which does not exist", c.By)
	}
	if c.By != route.ListedLIDs {
		return ""
	}
	if len(c.Start) != g.NumEnds+1 {
		return fmt.Sprintf("%d starts for %d end ports", len(c.Start), g.NumEnds)
	}
	if len(c.Target) != len(c.Offset) {
		return fmt.Sprintf("%d targets and %d offsets", len(c.Target), len(c.Offset))
	}
	if c.Start[0] != 0 || int(c.Start[g.NumEnds]) != len(c.Target) {
		return fmt.Sprintf("rows %d to %d of %d", c.Start[0], c.Start[g.NumEnds], len(c.Target))
	}
	for s := range g.NumEnds {
		if c.Start[s+1] < c.Start[s] || int(c.Start[s+1]) > len(c.Target) {
			return fmt.Sprintf("the rows of source %d end before they start", s)
		}
		for i := c.Start[s] + 1; i < c.Start[s+1]; i++ {
			if c.Target[i] < c.Target[i-1] {
				return fmt.Sprintf("the rows of source %d are not in order of target", s)
			}
		}
	}
	return ""
}

func slShape(g *fabric.Graph, m *route.SLs) string {
	if m == nil {
		return ""
	}
	if len(m.Src) != g.NumEnds {
		return fmt.Sprintf("classes of %d sources, but there are %d end ports", len(m.Src), g.NumEnds)
	}
	if m.NumSrc < 0 || m.NumSrc > math.MaxUint16+1 || m.NumDst < 0 || m.NumDst > math.MaxUint16+1 {
		return fmt.Sprintf("%d source classes and %d destination classes, more than there can be", m.NumSrc, m.NumDst)
	}
	row := m.NumSrc/2 + m.NumSrc%2
	if row > 0 && len(m.Cells)/row < m.NumDst {
		return fmt.Sprintf("%d bytes for %d x %d classes", len(m.Cells), m.NumSrc, m.NumDst)
	}
	return ""
}

func sl2vlShape(g *fabric.Graph, m *route.SL2VL) string {
	if m == nil {
		return ""
	}
	if len(m.Host) != g.NumHosts || len(m.Switch) != g.NumSwitches {
		return fmt.Sprintf("%d hosts and %d switches, but the fabric has %d and %d", len(m.Host), len(m.Switch), g.NumHosts, g.NumSwitches)
	}
	for i, t := range m.Pool {
		for sl, vl := range t {
			if vl > route.DropVL {
				return fmt.Sprintf("table %d maps SL %d to VL %d", i, sl, vl)
			}
		}
	}
	if !inPool(m.Host, len(m.Pool)) {
		return "a host has a table beyond the pool"
	}
	for s := range m.Switch {
		ports := int(g.SwitchPorts[s]) + 1
		want := map[route.SL2VLBy]int{route.ByNothing: 1, route.ByOut: ports, route.ByInOut: ports * ports}[m.Switch[s].By]
		if want == 0 || len(m.Switch[s].Index) != want {
			return fmt.Sprintf("%s has %d tables of kind %d", route.SwitchName(g, int32(s)), len(m.Switch[s].Index), m.Switch[s].By)
		}
		if !inPool(m.Switch[s].Index, len(m.Pool)) {
			return fmt.Sprintf("%s has a table beyond the pool", route.SwitchName(g, int32(s)))
		}
	}
	return ""
}

// poolShape checks parts of a pool that hosts and ports of switches have.
func poolShape(g *fabric.Graph, pool int, host, slots []uint16) string {
	switch {
	case len(host) != g.NumHosts || len(slots) != len(g.Attached):
		return fmt.Sprintf("%d hosts and %d ports of switches, but the fabric has %d and %d", len(host), len(slots), g.NumHosts, len(g.Attached))
	case !inPool(host, pool) || !inPool(slots, pool):
		return "a port has one beyond the pool"
	}
	return ""
}

// inPool reports whether all indices are of a pool.
func inPool(index []uint16, pool int) bool {
	for _, i := range index {
		if int(i) >= pool {
			return false
		}
	}
	return true
}
