package job

import (
	"time"

	"weft/mapping"
	"weft/mapping/internal/change"
	"weft/mapping/internal/survey"
	"weft/mapping/probe"
)

// Report is a Result for programs. Times are modelled, in milliseconds.
type Report struct {
	Algorithm string `json:"algorithm"` // or "parallel"
	Collision string `json:"collision"`
	Mapper    string `json:"mapper"`
	Size
	Facts
	Probes   ProbeCounts    `json:"probes"`
	Answered ProbeCounts    `json:"answered"`
	Outcomes map[string]int `json:"outcomes"` // probes by outcome
	Cost
	Verdict
	Routes  *RoutesReport `json:"routes,omitempty"`
	Mode    Mode          `json:"mode"`
	Certain bool          `json:"certain"`
	InDoubt []Doubt       `json:"in_doubt,omitempty"`
	ModeReports
}

// Size counts the parts of a map.
type Size struct {
	Hosts    int `json:"hosts"`
	Switches int `json:"switches"`
	Wires    int `json:"wires"`
}

// Facts are the paper's numbers of the network.
type Facts struct {
	Q int `json:"q"`
	D int `json:"d"`
	F int `json:"f"` // nodes
}

// Cost is the cost of a map besides probes.
type Cost struct {
	Explorations int     `json:"explorations"`
	Unexplored   int     `json:"unexplored"` // switches found but not explored because of the depth limit
	ModelPeak    int     `json:"model_peak"` // most nodes of the model graph
	ModelledMS   float64 `json:"modelled_ms"`
}

// Verdict compares a map with the network.
type Verdict struct {
	Isomorphic bool   `json:"isomorphic"`
	Difference string `json:"difference,omitempty"`
}

// ModeReports holds reports that only some modes have.
type ModeReports struct {
	Survey   *SurveyReport   `json:"survey,omitempty"`
	Election *ElectionReport `json:"election,omitempty"`
	Parallel *ParallelReport `json:"parallel,omitempty"`
}

// OK reports whether the map is the network, a survey left nothing in doubt, and any requested
// routes work.
func (r *Report) OK() bool {
	return r.Isomorphic && (r.Survey == nil || r.Certain) && r.Routes.OK()
}

// ProbeCounts counts probes by kind.
type ProbeCounts struct {
	Host    int `json:"host"`
	Switch  int `json:"switch"`
	Loop    int `json:"loop"`
	Compare int `json:"compare"`
	Total   int `json:"total"`
}

// Doubt is a place where a map may be wrong.
type Doubt struct {
	Where  string  `json:"where"`
	Route  []int8  `json:"route"` // turns from the mapping host
	Tries  int     `json:"tries"`
	Chance float64 `json:"chance_of_loss"`
}

// SurveyReport is the cost of a survey.
type SurveyReport struct {
	Probes     int     `json:"probes"`
	Passes     int     `json:"passes"`
	ModelledMS float64 `json:"modelled_ms"`
	GaveUp     int     `json:"algorithm_gave_up_after,omitempty"` // number of probes
}

// ElectionReport is the cost of an election.
type ElectionReport struct {
	ElectedMS float64 `json:"elected_ms"` // when the last loser stopped
	Messages  int     `json:"messages"`
	Probes    int     `json:"probes"` // of all mappers
	Late      int     `json:"late"`
	Waited    int     `json:"waited"`
}

// ParallelReport is the cost of parallel mapping.
type ParallelReport struct {
	Rounds   int `json:"rounds"`
	Hosts    int `json:"hosts"`
	Messages int `json:"messages"` // with copies and acknowledgements
	// Resent counts the copies, and Unheard the messages without any copy that arrived.
	Resent  int `json:"resent,omitempty"`
	Unheard int `json:"unheard,omitempty"`
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Report returns the report of a result, without routes.
func (r *Result) Report() *Report {
	rep := &Report{
		Algorithm: r.Algorithm.Name, Collision: string(r.Collision), Mapper: r.Mapper.Name,
		Size: sizeOf(r.Map), Facts: Facts{r.Facts.Q, r.Facts.D, len(r.Facts.F)},
		Probes:   countProbes(&r.Probes, func(t probe.Tally) int { return t.Sent }),
		Answered: countProbes(&r.Probes, func(t probe.Tally) int { return t.Answered }),
		Outcomes: map[string]int{}, Cost: Cost{r.Explorations, r.Unexplored, r.Peak, milliseconds(r.Elapsed)},
		Verdict: verdictOf(r.Differs), Mode: r.Mode, Certain: r.IsCertain(),
	}
	for o, n := range r.Sender.Outcomes {
		rep.Outcomes[mapping.Outcome(o).String()] = n
	}
	if s := r.Survey; s != nil {
		rep.Survey = &SurveyReport{s.Probes.Total().Sent, s.Passes, milliseconds(s.Elapsed), r.GaveUp}
		rep.InDoubt = doubts(s)
	}
	if e := r.Election; e != nil {
		rep.Election = &ElectionReport{milliseconds(e.Elected), e.Messages, e.Probes, e.Late, e.Waited}
	}
	if p := r.Parallel; p != nil {
		rep.Algorithm = string(Parallel)
		rep.Parallel = &ParallelReport{len(p.Rounds), r.Network.NumHosts(), p.Messages, p.Resent, p.Unheard}
	}
	return rep
}

func sizeOf(n *mapping.Network) Size { return Size{n.NumHosts(), n.NumSwitches(), n.NumWires()} }

// verdictOf returns the verdict on a map, given its difference from the network.
func verdictOf(differs error) Verdict {
	if differs == nil {
		return Verdict{Isomorphic: true}
	}
	return Verdict{Difference: differs.Error()}
}

func countProbes(c *probe.Counts, of func(probe.Tally) int) ProbeCounts {
	return ProbeCounts{of(c.Host), of(c.Switch), of(c.Loop), of(c.Compare), of(c.Total())}
}

// doubts lists the places that a survey leaves in doubt.
func doubts(s *survey.Result) (out []Doubt) {
	for _, p := range s.Uncertain {
		where := "a switch that is left out, as no host is known behind it"
		if p.Node >= 0 {
			where = change.EndName(s.Map, mapping.End{Node: p.Node, Port: p.Port})
		}
		out = append(out, Doubt{where, p.Route, p.Tries, p.Chance})
	}
	return out
}
