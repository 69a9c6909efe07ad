package choose

import (
	"fmt"
	"strings"

	"weft/fabric/bill"
)

// Plane is the plane of storage and service: a tree of its own that all servers are on.
type Plane struct {
	Formula string     `json:"formula"`
	Ratio   float64    `json:"oversubscription"`
	Ports   int        `json:"host_ports"` // of all servers on it
	Bill    *bill.Bill `json:"bill"`       // part of the bill of the whole
}

// storagePlane returns the plane for so many compute servers.
func (w *Want) storagePlane(compute int) (*Plane, error) {
	groups := []Group{{compute, w.OnPlane, 0}, w.Storage, w.Service}
	p := &Plane{Ratio: w.StorageRatio}
	var texts []string
	several := false
	for _, g := range groups {
		switch p.Ports += g.Servers * g.Ports; {
		case g.Servers > 0 && g.Ports > 1:
			several = true
			texts = append(texts, fmt.Sprintf("%dx%d", g.Servers, g.Ports))
		case g.Servers > 0:
			texts = append(texts, fmt.Sprint(g.Servers))
		}
	}
	t := tree(need{hosts: p.Ports, radix: w.Radix, rails: 1, limit: limit{p.Ratio, p.Ratio}})
	switch {
	case t.formula == "":
		return nil, fmt.Errorf("the plane of storage and service: no tree of three levels of switches of %d ports holds its %d host ports at %g:1", w.Radix, p.Ports, p.Ratio)
	case t.switches+p.Ports > w.subnetLIDs():
		return nil, fmt.Errorf("the plane of storage and service takes %d LIDs, and a subnet has %d", t.switches+p.Ports, w.subnetLIDs())
	}
	if p.Formula = t.formula; several {
		p.Formula += "|servers(" + strings.Join(texts, ",") + ")"
	}
	return p, nil
}

// whole returns the formula of all planes of a shape.
func (s *Shape) whole(p *Plane) string {
	text := s.Formula
	if s.Planes > 1 {
		text += fmt.Sprintf("|planes(%d)", s.Planes)
	}
	if p != nil {
		text += fmt.Sprintf("|plane(%s,name=storage)", p.Formula)
	}
	return text
}
