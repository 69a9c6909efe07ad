package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/internal/fold"
	"weft/lab/sweep"
)

// near is the share of the best mean within which an engine is as good.
const near = .01

// mostNames limits the engines in a cell of the table of choices.
const mostNames = 2

// choices makes the table of the best engines: a row for each network, a column for each damage. A
// cell has the best mean and the engines within 1 % of it, the best first; auto is named only if it
// is behind, or alone. An engine without a proof on some draws is left out there: perhaps it missed
// the hard ones, and its mean is of other fabrics.
func (m *maker) choices(s *sweep.Summary) table {
	of := map[place][]sweep.Cell{}
	for i := range s.Cells {
		at := placeOf(&s.Cells[i])
		of[at] = append(of[at], s.Cells[i])
	}
	t := table{Head: []string{"network"}}
	for _, damage := range m.damages {
		name := damage
		if share, is := sweep.FailedPercent(damage); is {
			name = fmt.Sprintf("%.3g %% failed", share)
		}
		if damage == sweep.NoDamage {
			name = "whole"
		}
		t.Head = append(t.Head, name)
	}
	for _, network := range m.networks {
		line := []string{network}
		for _, damage := range m.damages {
			line = append(line, choice(of[place{network, damage}], s.Better == "lower"))
		}
		t.add(line...)
	}
	return t
}

// choice prints the best of the means of a network with a damage.
func choice(cells []sweep.Cell, lower bool) string {
	if len(cells) == 0 {
		return "-"
	}
	cells = onAllDraws(cells)
	slices.SortStableFunc(cells, func(a, b sweep.Cell) int {
		if lower {
			a, b = b, a
		}
		return cmp.Compare(b.Mean, a.Mean)
	})
	best := cells[0].Mean
	var names []string
	behind := ""
	for _, c := range cells {
		share := c.Mean/best - 1 // of bandwidth; a cost is the other way round
		if lower {
			share = -share
		}
		switch {
		case best == 0 && c.Mean != 0 || share < -near:
			if c.Contestant == "auto" {
				behind = fmt.Sprintf("; auto %+.1f %%", 100*share)
			}
		case c.Contestant != "auto":
			names = append(names, c.Contestant)
		}
	}
	if len(names) == 0 {
		names = []string{"auto"} // no named engine is as good
	}
	more := ""
	if len(names) > mostNames {
		more = fmt.Sprintf(" and %d more", len(names)-mostNames)
		names = names[:mostNames]
	}
	return fmt.Sprintf("%.3g: %s%s%s", best, strings.Join(names, "; "), more, behind)
}

// onAllDraws returns the means of a place that are over the most draws.
func onAllDraws(cells []sweep.Cell) (list []sweep.Cell) {
	most := 0
	for i := range cells {
		most = max(most, cells[i].N)
	}
	for i := range cells {
		if cells[i].N == most {
			list = append(list, cells[i])
		}
	}
	return list
}

// WriteChoices writes the table of the best engines of the first figure as Markdown, and a sentence
// if it has cases of older sources.
func (p *Page) WriteChoices(w io.Writer) {
	p.choices.writeMarkdown(w)
	if p.older != "" {
		fmt.Fprintf(w, "\n%s\n", fold.Page("", p.older))
	}
}
