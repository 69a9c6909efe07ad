package draft

import (
	"fmt"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// WarnOneSided warns of cables, between described nodes, that only one end lists, and returns them.
// Writers list all cables from both ends or none. So unless always is set, it warns only if some
// cable is listed from both ends; it returns that, too.
func (d *Draft) WarnOneSided(cables []Cable, always bool, isDescribed func(id fabric.NodeID) bool) (once []*Cable, both bool) {
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
		d.Warnf(c.line, "only one end lists the cable %s - %s", d.endName(c.a), d.endName(c.b))
	}
	return once, true
}

// Lostf records that the file lacks a part of the network.
func (d *Draft) Lostf(line int, format string, args ...any) {
	d.Warnf(line, format, args...)
	d.Warnings[d.repeated[lines.Message(format, args)]].Lost = true
}

// LostEnds records missing ends in a file whose writer lists all cables from both ends.
func (d *Draft) LostEnds(once []*Cable) {
	if len(once) == 0 {
		return
	}
	c := once[0]
	d.Lostf(c.line, "the file lacks the other end of %s, the first %s - %s: it ends early, or lines are missing",
		count(len(once), "cable"), d.endName(c.a), d.endName(c.b))
}

// LostNodes records nodes that are mentioned but not described, and cables of the last node that
// only their other ends list.
func (d *Draft) LostNodes(once []*Cable) {
	first, unknown, last := -1, 0, 0
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.Line == 0 {
			if unknown++; first < 0 || n.RefLine < d.Nodes[first].RefLine {
				first = i
			}
		}
		if n.Line > d.Nodes[last].Line {
			last = i
		}
	}
	if unknown > 0 {
		what := "nodes are"
		if unknown == 1 {
			what = "node is"
		}
		d.Lostf(d.Nodes[first].RefLine, "%d %s mentioned but never described, the first here, %s: the file ends early, or nodes did not answer",
			unknown, what, d.Name(fabric.NodeID(first)))
		return
	}
	silent := 0
	for _, c := range once {
		if c.b.Node == fabric.NodeID(last) {
			silent++
		}
	}
	if silent > 0 {
		d.Lostf(d.Nodes[last].Line, "%s, the last node of the file, does not list %s that others list: the file ends early",
			d.Name(fabric.NodeID(last)), count(silent, "cable"))
	}
}

// count formats a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
