package browse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"weft/internal/endpoints"
	"weft/lab/report"
	"weft/lab/sweep"
)

// picked names a point of a chart.
type picked struct {
	asked
	Series string `json:"series"`
	At     string `json:"at"`
}

// rowList lists the rows of a point.
type rowList struct {
	Rows []listedRow `json:"rows"` // at most 200
	More int         `json:"more"` // that are not listed
}

// listedRow is a row in a list.
type listedRow struct {
	Row     int    `json:"row"` // its number in the sweep, from 0
	Case    string `json:"case"`
	Fabric  string `json:"fabric"`
	Value   string `json:"value"`   // of y
	Differs string `json:"differs"` // what the other rows do not share: seeds, and others
}

// mostListed is the maximum number of rows of a point in an answer.
const mostListed = 200

// rows returns the endpoint for the rows of a point.
func (b *Browser) rows() endpoints.Endpoint {
	e := endpoints.Endpoint{Path: sweepPath + "/rows", About: "The rows of a point of a chart.", Parameters: []endpoints.Parameter{idParameter}, Needs: endpoints.MayCompute}
	return endpoints.Asking(b.opt.Questions, e, "use weft lab export", func(w http.ResponseWriter, r *http.Request, p *picked) func(context.Context) (*rowList, error) {
		h := b.held(w, r)
		if h == nil {
			return nil
		}
		return func(context.Context) (*rowList, error) {
			s, err := h.choose(&p.asked)
			if err != nil {
				return nil, err
			}
			at := slices.IndexFunc(s.groups, func(g *group) bool { return g.series == p.Series && g.place == p.At })
			if at < 0 {
				return nil, errors.New("the chart has no such point")
			}
			return s.listed(s.groups[at]), nil
		}
	})
}

// listed lists the rows of a point.
func (s *sample) listed(g *group) *rowList {
	var differ []*column
	for i := range s.columns {
		c := &s.columns[i]
		if c.of != nil && (c.of.Made || c.of.Optional()) || slices.Contains(identities, c.name) || c == s.y {
			continue
		}
		if s.several(g, c) {
			differ = append(differ, c)
		}
	}
	out := &rowList{Rows: []listedRow{}}
	for _, row := range g.rows {
		if len(out.Rows) == mostListed {
			out.More = len(g.rows) - mostListed
			break
		}
		var texts []string
		for _, c := range differ {
			texts = append(texts, c.name+" "+s.text(c, row))
		}
		r := &s.held.rows[row]
		out.Rows = append(out.Rows, listedRow{row, r.Case, r.Fabric, s.text(s.y, row), strings.Join(texts, ", ")})
	}
	return out
}

// wholeRow is a row of a sweep.
type wholeRow struct {
	Row     int    `json:"row"`
	Case    string `json:"case"`
	Cells   []cell `json:"cells"`             // of the columns with a value
	Command string `json:"command,omitempty"` // that makes the row again
	Does    string `json:"does"`              // what the command does, or why there is none
}

// cell is a cell of a row.
type cell struct {
	Column string `json:"column"`
	About  string `json:"about,omitempty"` // in words, with the unit
	Value  string `json:"value"`
}

// row returns the endpoint for a row.
func (b *Browser) row() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodGet, Path: sweepPath + "/row", About: "A row with all its columns, and the command that makes it again.",
		Parameters: []endpoints.Parameter{idParameter, {Name: "number", Kind: endpoints.Number, About: "the row, from 0", Needed: true}},
		Answer:     reflect.TypeFor[wholeRow](), Media: endpoints.JSON, Status: http.StatusOK,
		Serve: func(w http.ResponseWriter, r *http.Request) {
			h := b.held(w, r)
			if h == nil {
				return
			}
			n, err := strconv.Atoi(r.URL.Query().Get("number"))
			if err != nil || n < 0 || n >= len(h.rows) {
				endpoints.Refuse(w, http.StatusNotFound, fmt.Sprintf("the sweep has no such row: it has %d, from 0", len(h.rows)))
				return
			}
			endpoints.Answer(w, http.StatusOK, h.row(n))
		},
	}
}

// row describes a row.
func (h *held) row(n int) *wholeRow {
	out := &wholeRow{Row: n, Case: h.rows[n].Case, Cells: []cell{}}
	for i := range h.columns {
		c := &h.columns[i]
		text := h.text(c, n)
		if text == "" {
			continue
		}
		cell := cell{Column: c.name, Value: text}
		if words := report.Label(c.name); words != c.name {
			cell.About = words
		}
		out.Cells = append(out.Cells, cell)
	}
	out.Command, out.Does = h.command(&h.rows[n])
	return out
}

// shortCase is the number of characters of a case in a command.
const shortCase = 12

// command returns the command that makes a row again, and a sentence about its effect. Without such
// a command it returns "" and the reason.
func (h *held) command(row *sweep.Row) (command, does string) {
	if h.store != "" && row.Identity != "" {
		name := row.Case[:min(len(row.Case), shortCase)]
		return "weft lab show " + name + " " + sweep.Quoted(h.store), "It prints the row, computes it again and compares."
	}
	text, err := sweep.Alone(row)
	if err != nil {
		return "", "No command: " + err.Error() + "."
	}
	const file, end = "row.yaml", "END"
	if strings.Contains(string(text), "\n"+end+"\n") {
		return "", "No command: the row has a line " + end + "."
	}
	return fmt.Sprintf("cat > %s <<'%s'\n%s%s\nweft lab sweep %s", file, end, text, end, file),
		"It runs a sweep of this case alone. If the sweep names files of roles, kinds or levels, add them. The figures are the same if the sources of weft are."
}
