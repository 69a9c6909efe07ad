package main

import (
	"fmt"
	"time"

	"weft/mapping"
	"weft/mapping/change"
	"weft/mapping/survey"
)

// mapModes is what a report says of the mode and of what is in doubt.
type mapModes struct {
	Mode     string          `json:"mode"`
	Certain  bool            `json:"certain"`
	InDoubt  []mapDoubt      `json:"in_doubt,omitempty"`
	Survey   *surveyReport   `json:"survey,omitempty"`
	Election *electionReport `json:"election,omitempty"`
	Parallel *parallelReport `json:"parallel,omitempty"`
}

// mapDoubt is a place where a map may be wrong.
type mapDoubt struct {
	Where  string  `json:"where"`
	Route  []int8  `json:"route"` // from the host that maps
	Tries  int     `json:"tries"`
	Chance float64 `json:"chance_of_loss"`
}

type surveyReport struct {
	Probes     int     `json:"probes"`
	Passes     int     `json:"passes"`
	ModelledMS float64 `json:"modelled_ms"`
	GaveUp     int     `json:"algorithm_gave_up_after,omitempty"` // so many probes
}

type electionReport struct {
	ElectedMS float64 `json:"elected_ms"` // when the last loser stopped
	Messages  int     `json:"messages"`
	Probes    int     `json:"probes"` // of all mappers
	Late      int     `json:"late"`
	Waited    int     `json:"waited"`
}

type parallelReport struct {
	Rounds   int `json:"rounds"`
	Hosts    int `json:"hosts"`
	Messages int `json:"messages"`
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// modes reports on the mode.
func (r *mapRun) modes() mapModes {
	m := mapModes{Mode: r.mode, Certain: r.certain()}
	if s := r.survey; s != nil {
		m.Survey = &surveyReport{s.Probes.Total().Sent, s.Passes, milliseconds(s.Elapsed), r.gaveUp}
		m.InDoubt = doubts(s)
	}
	if e := r.election; e != nil {
		m.Election = &electionReport{milliseconds(e.Elected), e.Messages, e.Probes, e.Late, e.Waited}
	}
	if p := r.parallel; p != nil {
		m.Parallel = &parallelReport{len(p.Rounds), r.network.NumHosts(), p.Exchanged}
	}
	return m
}

// doubts names the places that a survey leaves in doubt.
func doubts(s *survey.Result) (out []mapDoubt) {
	for _, p := range s.Uncertain {
		where := "a switch that is left out, as no host is known behind it"
		if p.Node >= 0 {
			where = change.EndName(s.Map, mapping.End{Node: p.Node, Port: p.Port})
		}
		out = append(out, mapDoubt{where, p.Route, p.Tries, p.Chance})
	}
	return out
}

// doubtsShown is how many places in doubt are printed.
const doubtsShown = 10

// rows are the report as a table.
func (m *mapModes) rows() (rows [][]string) {
	if e := m.Election; e != nil {
		rows = append(rows, []string{"election", fmt.Sprintf("%.1f ms until one was left, %d probes of all hosts, %d messages", e.ElectedMS, e.Probes, e.Messages)})
	}
	if p := m.Parallel; p != nil {
		rows = append(rows, []string{"parallel", fmt.Sprintf("%d hosts, %d rounds, %d messages between them", p.Hosts, p.Rounds, p.Messages)})
	}
	if s := m.Survey; s != nil {
		text := fmt.Sprintf("%d probes in %d passes, %.1f ms", s.Probes, s.Passes, s.ModelledMS)
		if s.GaveUp > 0 {
			text += fmt.Sprintf(" (the algorithm gave up after %d: this began with nothing)", s.GaveUp)
		}
		rows = append(rows, []string{"survey", text})
		verdict := "yes"
		if !m.Certain {
			verdict = fmt.Sprintf("NO: %d places in doubt", len(m.InDoubt))
		}
		rows = append(rows, []string{"certain", verdict})
	}
	for i, d := range m.InDoubt {
		if i == doubtsShown {
			rows = append(rows, []string{"  in doubt", fmt.Sprintf("and %d more (--json prints all)", len(m.InDoubt)-i)})
			break
		}
		rows = append(rows, []string{"  in doubt", fmt.Sprintf("%s: %d probes silent, lost with a chance of %.2g", d.Where, d.Tries, d.Chance)})
	}
	return rows
}
