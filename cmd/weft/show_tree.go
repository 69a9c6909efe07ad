package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"weft/route/engine/ftree"
)

// gapsShown is how many items of a list are printed; --json has all.
const gapsShown = 10

// writeTree prints what a fabric looks like as a fat-tree.
func writeTree(w io.Writer, s *ftree.Shape) error {
	tree := "yes"
	if !s.Tree {
		tree = "no: " + s.Why
	}
	rows := [][]string{{"fat-tree", tree}}
	add := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	if s.Tree {
		add("formula", "%s", treeFormula(s))
		for h, l := range slices.Backward(s.Levels) {
			add(fmt.Sprintf("level %d", h), "%d switches, each with %s hosts, %s links up, %s down", l.Switches, span(l.Hosts), span(l.Up), span(l.Down))
		}
		add("roots", "%d", s.Roots)
		add("leaves", "%d, %d of them without hosts", s.Leaves, s.Empty)
		add("cores", "%d that hold together without the leaves", s.Cores)
		add("rack switches", "%d leaves with a link to another leaf, %d under several cores", s.Paired, s.Shared)
		add("parallel links", "%s", severalLinks(s.Groups))
		add("horizontal links", "%d", s.Horizontal)
		add("roles given", "%s", given(s.Roles))
		add("missing", "%d", len(s.Missing))
		add("irregular", "%d", len(s.Irregular))
	}
	if err := table(w, rows); err != nil || !s.Tree {
		return err
	}
	missing := make([]string, len(s.Missing))
	for i, gap := range s.Missing {
		missing[i] = gap.String()
	}
	writeSome(w, "missing from the regular shape", missing)
	writeSome(w, "irregular (-O strict=true refuses)", s.Irregular)
	return nil
}

// treeFormula is the formula of a tree, or of what it was.
func treeFormula(s *ftree.Shape) string {
	switch {
	case s.RLFT != "":
		return s.RLFT + " = " + s.PGFT
	case s.PGFT != "":
		return s.PGFT
	case s.Nearly != "":
		return s.Nearly + ", with what is missing"
	}
	return "none fits"
}

// span is a range, or the number that it is.
func span(r ftree.Range) string {
	if r.Min == r.Max {
		return count(r.Min)
	}
	return fmt.Sprintf("%d to %d", r.Min, r.Max)
}

// severalLinks counts pairs of switches by the number of links between them.
func severalLinks(groups map[int]int) string {
	var text []string
	for _, n := range slices.Sorted(maps.Keys(groups)) {
		text = append(text, fmt.Sprintf("%d pairs of switches with %d", groups[n], n))
	}
	if len(text) == 0 {
		return "none"
	}
	return strings.Join(text, ", ")
}

// given counts the roles that were given.
func given(roles map[string]int) string {
	if len(roles) == 0 {
		return "none: they are inferred"
	}
	return counted(roles)
}

// writeSome prints the first items of a list.
func writeSome(w io.Writer, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, item := range items[:min(len(items), gapsShown)] {
		fmt.Fprintln(w, " ", item)
	}
	if more := len(items) - gapsShown; more > 0 {
		fmt.Fprintf(w, "  and %d more (--json lists all)\n", more)
	}
}
