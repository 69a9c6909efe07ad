package check

import (
	"fmt"
	"math"

	"weft/fabric"
	"weft/route"
)

// ShapeError says that a Plan does not fit the Graph.
type ShapeError struct {
	Part   string // ends, tables, choice, sl, levels, multicast, sl2vl, arbitration, ports or service
	Detail string
}

func (e *ShapeError) Error() string {
	return "check: the plan does not fit the fabric: " + e.Part + ": " + e.Detail
}

// shape makes sure that every index the judge follows is inside its array.
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
	for i := range p.Levels {
		for _, sl := range p.Levels[i].SL {
			if sl >= route.NumSLs {
				return wrong("levels", "level %d has SL %d", i, sl)
			}
		}
	}
	for _, part := range []struct {
		name string
		fits func(*fabric.Graph) error
	}{{"multicast", p.Multicast.Fits}, {"sl2vl", p.SL2VL.Fits}, {"arbitration", p.Arbitration.Fits}, {"ports", p.Ports.Fits}} {
		if err := part.fits(g); err != nil {
			return wrong(part.name, "%v", err)
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
		return fmt.Sprintf("%d source classes and %d destination classes: too many", m.NumSrc, m.NumDst)
	}
	row := m.NumSrc/2 + m.NumSrc%2
	if row > 0 && len(m.Cells)/row < m.NumDst {
		return fmt.Sprintf("%d bytes for %d x %d classes", len(m.Cells), m.NumSrc, m.NumDst)
	}
	return ""
}
