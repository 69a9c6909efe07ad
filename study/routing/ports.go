package routing

import (
	"fmt"
	"slices"
	"strings"

	"weft/route"
)

// Ports describes port settings other than LIDs and lanes.
type Ports struct {
	PacketLife  float64       `json:"packet_life_seconds"` // of a packet in a switch; 0: without end
	Parameters  []PortSet     `json:"parameters"`
	Arbitration []Arbitration `json:"vl_arbitration"`
}

// PortSet are ports with the same parameters.
type PortSet struct {
	Ports      int     `json:"ports"`
	MTU        int     `json:"mtu,omitempty"` // bytes; absent: as large as both ends can
	VLs        int     `json:"vls,omitempty"` // operational data VLs; absent: as many as both ends can
	HOQLife    float64 `json:"hoq_life_seconds"`
	StallCount int     `json:"stall_count"`
}

// Arbitration is a VL arbitration table and the number of its ports.
type Arbitration struct {
	Ports int    `json:"ports"`
	High  []Turn `json:"high"`
	Low   []Turn `json:"low"`
	Limit int    `json:"limit"` // of high priority, in 4,096 bytes; 0: a packet; 255: without end
}

// Turn is an entry of a VL arbitration table.
type Turn struct {
	VL     uint8 `json:"vl"`
	Weight uint8 `json:"weight"` // in 64 bytes
}

// portsOf returns nil for a Plan without port settings.
func portsOf(p *route.Plan) *Ports {
	if p.Ports == nil || p.Arbitration == nil {
		return nil
	}
	out := &Ports{PacketLife: lifetime(p.Ports.PacketLife), Parameters: []PortSet{}, Arbitration: []Arbitration{}}
	users := usersOf(len(p.Ports.Pool), p.Ports.Host, p.Ports.Switch)
	for i, s := range p.Ports.Pool {
		set := PortSet{Ports: users[i], VLs: int(s.VLs), HOQLife: lifetime(s.HOQLife), StallCount: int(s.StallCount)}
		if s.MTU > 0 {
			set.MTU = 128 << s.MTU
		}
		out.Parameters = append(out.Parameters, set)
	}
	users = usersOf(len(p.Arbitration.Pool), p.Arbitration.Host, p.Arbitration.Switch)
	for i := range p.Arbitration.Pool {
		t := &p.Arbitration.Pool[i]
		out.Arbitration = append(out.Arbitration, Arbitration{users[i], turnsOf(t.High), turnsOf(t.Low), int(t.Limit)})
	}
	return out
}

// usersOf counts how many ports use each entry of a pool.
func usersOf(pool int, ports ...[]uint16) []int {
	users := make([]int, pool)
	for _, i := range slices.Concat(ports...) {
		users[i]++
	}
	return users
}

func turnsOf(entries []route.ArbEntry) []Turn {
	turns := []Turn{}
	for _, e := range entries {
		turns = append(turns, Turn{e.VL, e.Weight})
	}
	return turns
}

// lifetime returns the seconds of a code of time, 0 for one without end.
func lifetime(code uint8) float64 {
	if code >= 20 {
		return 0
	}
	return 4.096e-6 * float64(uint32(1)<<code)
}

// rows returns the rows of the report: each set of parameters, and arbitration by lane.
func (p *Ports) rows() (rows [][]string) {
	if p == nil {
		return nil
	}
	seconds := func(s float64) string {
		if s == 0 {
			return "for ever"
		}
		return fmt.Sprintf("%.3g s", s)
	}
	rows = append(rows, []string{"packet lifetime", seconds(p.PacketLife) + " in a switch"})
	for _, s := range p.Parameters {
		if s.Ports == 0 {
			continue
		}
		text := fmt.Sprintf("%d ports: head-of-queue lifetime %s, stall count %d", s.Ports, seconds(s.HOQLife), s.StallCount)
		if s.MTU > 0 {
			text += fmt.Sprintf(", MTU %d", s.MTU)
		}
		if s.VLs > 0 {
			text += fmt.Sprintf(", VLs %d", s.VLs)
		}
		rows = append(rows, []string{"parameters", text})
	}
	for _, a := range p.Arbitration {
		if a.Ports > 0 {
			rows = append(rows, []string{"VL arbitration", fmt.Sprintf("%d ports: %s", a.Ports, a.text())})
		}
	}
	return rows
}

// text lists the entries as VL:weight.
func (a *Arbitration) text() string {
	list := func(turns []Turn) string {
		words := make([]string, len(turns))
		for i, t := range turns {
			words[i] = fmt.Sprintf("%d:%d", t.VL, t.Weight)
		}
		return strings.Join(words, ",")
	}
	text := "low priority VL:weight " + list(a.Low)
	if len(a.High) > 0 {
		text += fmt.Sprintf(", high priority %s, limit %d", list(a.High), a.Limit)
	}
	return text
}
