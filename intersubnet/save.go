package intersubnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"weft/fabric/subnets"
	"weft/route"
)

// saved is the document that Save writes: all of a Plan except the local Plans, which have files of
// their own (route/planfile). Router ports are numbers of Network.Ports, except gateways, which are
// places in Subnet.Ports. Rows are runs of equal values.
type saved struct {
	Format    string        `json:"format"`
	Subnets   []string      `json:"subnets"`
	Routers   []string      `json:"routers"`
	SLs       int           `json:"sls_of_a_layer"`
	Layers    int           `json:"layers"`
	SumOfLIDs bool          `json:"sum_of_lids"`
	Down      []int32       `json:"ports_down"`
	LayerMap  []savedLayers `json:"layer_map"` // pairs of subnets where not all stay on the first layer
	Gateways  []savedRow    `json:"gateways"`
	BySwitch  []savedRow    `json:"gateways_by_switch,omitempty"` // by switch of the subnet and end port
	Egress    []savedEgress `json:"egress"`
}

const savedFormat = "weft between subnets 2"

type savedRow struct {
	From  int32 `json:"from"`
	To    int32 `json:"to"`
	Ports []run `json:"places"` // by end port of the target subnet
}

type savedLayers struct {
	From   int32               `json:"from"`
	To     int32               `json:"to"`
	Layers [route.NumSLs]uint8 `json:"layers"`
}

type savedEgress struct {
	Router int32   `json:"router"`
	To     int32   `json:"to"`
	Ports  []int32 `json:"ports"`
	Pick   []run   `json:"pick,omitempty"` // absent: hashed
}

// run is a value and the number of its repetitions.
type run [2]int32

func runsOf[T int32 | uint8](row []T) (runs []run) {
	for _, v := range row {
		if n := len(runs); n > 0 && runs[n-1][0] == int32(v) {
			runs[n-1][1]++
		} else {
			runs = append(runs, run{int32(v), 1})
		}
	}
	return runs
}

// rowOf expands runs into a row of a length; values are from least to below most.
func rowOf[T int32 | uint8](runs []run, length, least, most int) ([]T, error) {
	row := make([]T, 0, length)
	for _, r := range runs {
		if int(r[0]) < least || int(r[0]) >= most || r[1] < 1 || int(r[1]) > length-len(row) {
			return nil, fmt.Errorf("a run of %d times %d: want values from %d to %d, %d in all", r[1], r[0], least, most-1, length)
		}
		for range r[1] {
			row = append(row, T(r[0]))
		}
	}
	if len(row) != length {
		return nil, fmt.Errorf("%d values for %d end ports", len(row), length)
	}
	return row, nil
}

// Save writes the gateways, routers and layers of the Plan.
func (p *Plan) Save(w io.Writer) error {
	s := saved{Format: savedFormat, SLs: p.SLs, Layers: p.Layers, SumOfLIDs: p.SumOfLIDs, Down: []int32{}}
	s.Subnets, s.Routers = namesOf(p.Net)
	for port, down := range p.Down {
		if down {
			s.Down = append(s.Down, int32(port))
		}
	}
	for from := range p.Gateway {
		for to, row := range p.Gateway[from] {
			if p.LayerMap[from][to] != [route.NumSLs]uint8{} {
				s.LayerMap = append(s.LayerMap, savedLayers{int32(from), int32(to), p.LayerMap[from][to]})
			}
			if row != nil {
				s.Gateways = append(s.Gateways, savedRow{int32(from), int32(to), runsOf(row)})
			}
			if row := p.bySwitch(int32(from), int32(to)); row != nil {
				s.BySwitch = append(s.BySwitch, savedRow{int32(from), int32(to), runsOf(row)})
			}
		}
	}
	for r := range p.Egress {
		for to, e := range p.Egress[r] {
			if len(e.Ports) > 0 {
				s.Egress = append(s.Egress, savedEgress{int32(r), int32(to), e.Ports, runsOf(e.Pick)})
			}
		}
	}
	out := json.NewEncoder(w)
	return out.Encode(&s)
}

func namesOf(n *subnets.Network) (subs, routers []string) {
	for s := range n.Subnets {
		subs = append(subs, n.Subnets[s].Prefix.String())
	}
	for r := range n.Routers {
		routers = append(routers, n.Routers[r].GUID.String())
	}
	return subs, routers
}

// Load reads a Plan that Save wrote, for the same Network and its local Plans.
func Load(r io.Reader, n *subnets.Network, local []*route.Plan) (*Plan, error) {
	var s saved
	in := json.NewDecoder(r)
	in.DisallowUnknownFields()
	if err := in.Decode(&s); err != nil {
		return nil, fmt.Errorf("intersubnet: %w", err)
	}
	if s.Format != savedFormat {
		return nil, fmt.Errorf("intersubnet: the format is %q, want %q", s.Format, savedFormat)
	}
	subs, routers := namesOf(n)
	if fmt.Sprint(subs) != fmt.Sprint(s.Subnets) || fmt.Sprint(routers) != fmt.Sprint(s.Routers) {
		return nil, errors.New("intersubnet: the plan is for another network: prefixes or routers differ")
	}
	if s.SLs < 1 || s.Layers < 1 || s.SLs*s.Layers > route.NumSLs {
		return nil, fmt.Errorf("intersubnet: %d layers of %d SLs", s.Layers, s.SLs)
	}
	p := &Plan{Net: n, Local: local, SumOfLIDs: s.SumOfLIDs, Down: make([]bool, len(n.Ports))}
	p.clearWays()
	p.SLs, p.Layers = s.SLs, s.Layers
	for _, port := range s.Down {
		if port < 0 || int(port) >= len(p.Down) {
			return nil, fmt.Errorf("intersubnet: no router port %d", port)
		}
		p.Down[port] = true
	}
	for _, m := range s.LayerMap {
		if !p.isPair(m.From, m.To) || slices.ContainsFunc(m.Layers[:s.Layers], func(l uint8) bool { return int(l) >= s.Layers }) {
			return nil, fmt.Errorf("intersubnet: layers from subnet %d to %d: %v", m.From, m.To, m.Layers)
		}
		p.LayerMap[m.From][m.To] = m.Layers
	}
	one := func(savedRow) int { return 1 }
	if err := p.loadGateways(p.Gateway, s.Gateways, one); err != nil {
		return nil, err
	}
	if len(s.BySwitch) > 0 {
		p.BySwitch = noneBySwitch(len(n.Subnets))
		each := func(g savedRow) int { return n.Graph(g.From).NumSwitches }
		if err := p.loadGateways(p.BySwitch, s.BySwitch, each); err != nil {
			return nil, err
		}
	}
	return p, p.loadEgress(s.Egress)
}

// isPair reports whether two numbers name two different subnets.
func (p *Plan) isPair(from, to int32) bool {
	n := int32(len(p.Net.Subnets))
	return from >= 0 && from < n && to >= 0 && to < n && from != to
}

// loadGateways reads rows of gateways; times is the number of gateways for each end port of the
// target.
func (p *Plan) loadGateways(into [][][]int32, rows []savedRow, times func(savedRow) int) error {
	var known shared[int32]
	for _, g := range rows {
		if !p.isPair(g.From, g.To) {
			return fmt.Errorf("intersubnet: gateways from subnet %d to %d", g.From, g.To)
		}
		row, err := rowOf[int32](g.Ports, p.Net.Graph(g.To).NumEnds*times(g), -1, len(p.Net.Subnets[g.From].Ports))
		if err != nil {
			return fmt.Errorf("intersubnet: gateways from subnet %d to %d: %w", g.From, g.To, err)
		}
		into[g.From][g.To] = known.row(row)
	}
	return nil
}

func (p *Plan) loadEgress(list []savedEgress) error {
	var known shared[uint8]
	for _, e := range list {
		if e.Router < 0 || int(e.Router) >= len(p.Net.Routers) || e.To < 0 || int(e.To) >= len(p.Net.Subnets) || len(e.Ports) == 0 {
			return fmt.Errorf("intersubnet: egress of router %d to subnet %d", e.Router, e.To)
		}
		for _, port := range e.Ports {
			if port < p.Net.Routers[e.Router].First || port >= p.Net.Routers[e.Router].End {
				return fmt.Errorf("intersubnet: router %d has no port %d", e.Router, port)
			}
		}
		out := Egress{Ports: e.Ports}
		if e.Pick != nil {
			row, err := rowOf[uint8](e.Pick, p.Net.Graph(e.To).NumEnds, 0, len(e.Ports))
			if err != nil {
				return fmt.Errorf("intersubnet: egress of router %d to subnet %d: %w", e.Router, e.To, err)
			}
			out.Pick = known.row(row)
		}
		p.Egress[e.Router][e.To] = out
	}
	return nil
}
