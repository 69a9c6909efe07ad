package pathfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/route"
)

// WriteChoice writes an H table: the LIDs that hosts use for each other.
func WriteChoice(w io.Writer, g *fabric.Graph, plan *route.Plan) error {
	b := bufio.NewWriter(w)
	n := newNamer(g)
	fmt.Fprint(b, "# source\ttarget\tLID\n")
	for src := range int32(g.NumHosts) {
		for dst := range int32(g.NumHosts) {
			for l := range plan.Ends.Count(dst) {
				if lid := plan.Ends.Base[dst] + fabric.LID(l); src != dst && plan.Uses(src, dst, lid) {
					fmt.Fprintf(b, "%s\t%s\t%d\n", n.end(src), n.end(dst), lid)
				}
			}
		}
	}
	return b.Flush()
}

// ReadChoice reads an H table for the LIDs of a network; name is the file's. A pair without a line
// uses the base LID. An error is a *lines.Error with its line.
func ReadChoice(name string, data []byte, g *fabric.Graph, ends *route.Ends) (route.Choice, error) {
	r := newReader(g)
	var rows []route.ChoiceRow
	err := r.lines(name, data, func(fields []string, _ int) error {
		row, err := r.row(fields, ends)
		rows = append(rows, row)
		return err
	})
	if err == nil && len(rows) == 0 {
		err = &lines.Error{File: name, Msg: "the file has no LID"}
	}
	if err != nil {
		return route.Choice{}, err
	}
	return route.NewChoice(g.NumEnds, rows), nil
}

// row reads the fields of a line of an H table.
func (r *reader) row(fields []string, ends *route.Ends) (row route.ChoiceRow, err error) {
	if len(fields) != 3 {
		return row, errors.New("want a source, a target and a LID, separated by tabs")
	}
	if row.Source, row.Target, err = r.pair(fields); err != nil {
		return row, err
	}
	lid, err := strconv.ParseUint(strings.TrimSpace(fields[2]), 0, 16)
	if err != nil {
		return row, fmt.Errorf("%q is no LID", fields[2])
	}
	first, n := int(ends.Base[row.Target]), ends.Count(row.Target)
	switch {
	case n == 0:
		return row, fmt.Errorf("no LID of %s is known", route.EndName(r.g, row.Target))
	case int(lid) < first || int(lid) >= first+n:
		return row, fmt.Errorf("LID %d does not belong to %s (%d to %d)", lid, route.EndName(r.g, row.Target), first, first+n-1)
	}
	row.Offset = uint8(int(lid) - first)
	return row, nil
}
