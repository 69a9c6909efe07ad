package netfile

import (
	"fmt"

	"weft/fabric"
)

// warnOneSided warns of cables that only one of their ends lists, among those between nodes
// that the file describes, and returns them. With always unset it does so only if some cable is
// listed from both ends: writers do it for all or none. It also returns whether they did.
func (d *draft) warnOneSided(cables []draftCable, always bool, isDescribed func(id fabric.NodeID) bool) (once []*draftCable, both bool) {
	both = always
	for i := range cables {
		c := &cables[i]
		switch {
		case c.a == c.b || c.contradicted || !isDescribed(c.a.Node) || !isDescribed(c.b.Node):
		case c.back == 0:
			once = append(once, c)
		default:
			both = true
		}
	}
	if !both {
		return nil, false
	}
	for _, c := range once {
		d.warnf(c.line, "only one end lists the cable %s - %s", d.endName(c.a), d.endName(c.b))
	}
	return once, true
}

// lostf notes that the file lacks a part of the network.
func (d *draft) lostf(line int, format string, args ...any) {
	d.warnf(line, format, args...)
	d.warnings[d.repeated[message(format, args)]].Lost = true
}

// lostEnds notes that a file whose writers list all cables from both ends lacks some of these
// ends.
func (d *draft) lostEnds(once []*draftCable) {
	if len(once) == 0 {
		return
	}
	c := once[0]
	d.lostf(c.line, "the file lacks the other end of %s, the first %s - %s: it ends early, or lines are missing",
		count(len(once), "cable"), d.endName(c.a), d.endName(c.b))
}

// lostNodes notes nodes that are mentioned but not described, and cables that the last node of
// a file does not list while their other ends do.
func (d *draft) lostNodes(once []*draftCable) {
	first, unknown, last := -1, 0, 0
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.line == 0 {
			if unknown++; first < 0 || n.refLine < d.nodes[first].refLine {
				first = i
			}
		}
		if n.line > d.nodes[last].line {
			last = i
		}
	}
	if unknown > 0 {
		what := "nodes are"
		if unknown == 1 {
			what = "node is"
		}
		d.lostf(d.nodes[first].refLine, "%d %s mentioned but never described, the first here, %s: the file ends early, or nodes did not answer",
			unknown, what, d.name(fabric.NodeID(first)))
		return
	}
	silent := 0
	for _, c := range once {
		if c.b.Node == fabric.NodeID(last) {
			silent++
		}
	}
	if silent > 0 {
		d.lostf(d.nodes[last].line, "%s, the last node of the file, does not list %s that others list: the file ends early",
			d.name(fabric.NodeID(last)), count(silent, "cable"))
	}
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
