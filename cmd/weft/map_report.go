package main

import (
	"fmt"
	"io"
	"time"

	"weft/mapping"
	"weft/mapping/probe"
)

// probeCounts is what was sent, by kind.
type probeCounts struct {
	Host    int `json:"host"`
	Switch  int `json:"switch"`
	Loop    int `json:"loop"`
	Compare int `json:"compare"`
	Total   int `json:"total"`
}

// mapReport is what `weft map --json` prints.
type mapReport struct {
	Algorithm    string         `json:"algorithm"`
	Collision    string         `json:"collision"`
	Mapper       string         `json:"mapper"`
	Hosts        int            `json:"hosts"`
	Switches     int            `json:"switches"`
	Wires        int            `json:"wires"`
	Q            int            `json:"q"`
	D            int            `json:"d"`
	F            int            `json:"f"`
	Probes       probeCounts    `json:"probes"`
	Answered     probeCounts    `json:"answered"`
	Outcomes     map[string]int `json:"outcomes"`
	Explorations int            `json:"explorations"`
	ModelPeak    int            `json:"model_peak"`
	ModelledMS   float64        `json:"modelled_ms"`
	Isomorphic   bool           `json:"isomorphic"`
	Difference   string         `json:"difference,omitempty"`
	Routes       *routesReport  `json:"routes,omitempty"`
	mapModes
}

// method is the algorithm, or what hosts do that map together.
func (r *mapRun) method() string {
	if r.parallel != nil {
		return "parallel"
	}
	return r.algorithm.Name
}

func (r *mapRun) report() *mapReport {
	p := &r.result.Probes
	count := func(of func(probe.Tally) int) probeCounts {
		return probeCounts{of(p.Host), of(p.Switch), of(p.Loop), of(p.Compare), of(p.Total())}
	}
	rep := &mapReport{
		Algorithm: r.method(), Collision: string(r.collision), Mapper: r.mapper.Name,
		Hosts: r.result.Map.NumHosts(), Switches: r.result.Map.NumSwitches(), Wires: r.result.Map.NumWires(),
		Q: r.facts.Q, D: r.facts.D, F: len(r.facts.F),
		Probes:   count(func(t probe.Tally) int { return t.Sent }),
		Answered: count(func(t probe.Tally) int { return t.Answered }),
		Outcomes: map[string]int{}, Explorations: r.result.Explorations, ModelPeak: r.result.Peak,
		ModelledMS: float64(r.result.Elapsed) / float64(time.Millisecond), Isomorphic: r.differs == nil, Routes: r.routes,
	}
	for o, n := range r.sent.Outcomes {
		rep.Outcomes[mapping.Outcome(o).String()] = n
	}
	if r.differs != nil {
		rep.Difference = r.differs.Error()
	}
	rep.mapModes = r.modes()
	return rep
}

func (r *mapRun) write(w io.Writer) error {
	rep := r.report()
	rows := [][]string{
		{"algorithm", rep.Algorithm + ", " + rep.Collision + " routing, from " + rep.Mapper},
		{"map", fmt.Sprintf("%d hosts, %d switches, %d wires", rep.Hosts, rep.Switches, rep.Wires)},
		{"network", fmt.Sprintf("Q %d, D %d, F %d nodes", rep.Q, rep.D, rep.F)},
		{"probes", fmt.Sprintf("%d sent, %d answered", rep.Probes.Total, rep.Answered.Total)},
	}
	for _, k := range []struct {
		name string
		t    probe.Tally
	}{
		{"host", r.result.Probes.Host}, {"switch", r.result.Probes.Switch}, {"loop", r.result.Probes.Loop}, {"compare", r.result.Probes.Compare},
	} {
		if k.t.Sent > 0 {
			rows = append(rows, []string{"  " + k.name, fmt.Sprintf("%d sent, %d answered (%d %%)", k.t.Sent, k.t.Answered, 100*k.t.Answered/k.t.Sent)})
		}
	}
	for o, n := range r.sent.Outcomes {
		if n > 0 && mapping.Outcome(o) != mapping.Delivered {
			rows = append(rows, []string{"  " + mapping.Outcome(o).String(), fmt.Sprint(n)})
		}
	}
	verdict := "yes"
	if r.differs != nil {
		verdict = "NO: " + r.differs.Error()
	}
	if rep.Explorations > 0 {
		rows = append(rows, []string{"explorations", fmt.Sprintf("%d, model graph up to %d nodes", rep.Explorations, rep.ModelPeak)})
	}
	rows = append(rows, rep.rows()...)
	rows = append(rows,
		[]string{"time", fmt.Sprintf("%.1f ms (modelled)", rep.ModelledMS)},
		[]string{"isomorphic", verdict})
	return table(w, append(rows, r.routes.rows()...))
}
