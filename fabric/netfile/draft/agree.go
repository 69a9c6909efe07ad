package draft

import (
	"fmt"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// agree compares the width and speed of a cable from both ends; the lesser hold.
func (d *Draft) agree(c *Cable, line int, w fabric.Width, s fabric.Speed) {
	if w != 0 && c.width != 0 && w != c.width {
		d.dispute(c, line, fmt.Sprintf("%dx", w), fmt.Sprintf("%dx", c.width))
	}
	if s != 0 && c.speed != 0 && s != c.speed {
		d.dispute(c, line, s.String(), c.speed.String())
	}
	if c.width == 0 || (w != 0 && w < c.width) {
		c.width = w
	}
	if c.speed == 0 || (s != 0 && s < c.speed) {
		c.speed = s
	}
}

// disputed is a port or cable that lines of the file disagree on; Dispute is its public form.
type disputed struct {
	ports  []fabric.End
	text   string
	cables bool
}

// dispute warns that the ends of a cable differ.
func (d *Draft) dispute(c *Cable, line int, here, there string) {
	const format = "the cable %s - %s is %s here and %s on line %d: the lesser is taken"
	args := []any{d.endName(c.a), d.endName(c.b), here, there, c.line}
	d.Warnf(line, format, args...)
	d.disputed[lines.Message(format, args)] = disputed{ports: []fabric.End{c.a, c.b}, text: fmt.Sprintf("%s by one end, %s by the other", there, here)}
}

// differs warns that a line contradicts an earlier one about a port.
func (d *Draft) differs(e fabric.End, line int, here, before string) {
	const format = "port %s has %s here, %s before"
	args := []any{d.endName(e), here, before}
	d.Warnf(line, format, args...)
	d.disputed[lines.Message(format, args)] = disputed{ports: []fabric.End{e}, text: fmt.Sprintf("%s by line %d, %s before", here, line, before)}
}

// contradict records that a line names another cable for ports than earlier lines. None of these
// cables is used, since it is unknown which one exists. Later lines that repeat one of them change
// nothing.
func (d *Draft) contradict(a, b fabric.End, line int) {
	id := fabric.LinkID(len(d.Cables))
	both := [][2]fabric.End{{a, b}, {b, a}}
	if a == b {
		both = both[:1]
	}
	for _, ends := range both {
		at, other := ends[0], ends[1]
		p := d.Port(at)
		if p.Link == fabric.NoLink {
			p.Link = id
			continue
		}
		c := &d.Cables[p.Link]
		there := c.a
		if c.a == at {
			there = c.b
		}
		c.contradicted = true
		const format = "port %s is cabled twice: to %s here, to %s on line %d"
		args := []any{d.endName(at), d.endName(other), d.endName(there), c.line}
		d.Warnf(line, format, args...)
		d.disputed[lines.Message(format, args)] = disputed{
			ports: []fabric.End{at, there, at, other}, text: fmt.Sprintf("named by lines %d and %d: neither is used", c.line, line), cables: true,
		}
	}
	d.Cables = append(d.Cables, Cable{a: a, b: b, line: line, contradicted: true})
}

// nameDisputed adds the names of ports to the warnings about contradictions.
func (d *Draft) nameDisputed(f *fabric.Fabric) {
	for text, is := range d.disputed {
		names := make([]fabric.PortName, len(is.ports))
		for i, e := range is.ports {
			names[i] = f.PortName(e)
		}
		d.Warnings[d.repeated[text]].Dispute = &lines.Dispute{Ports: names, Text: is.text, Cables: is.cables}
	}
}
