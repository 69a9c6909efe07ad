package netfile

import (
	"fmt"

	"weft/fabric"
)

// agree compares what the two ends of a cable say of its width and speed; the
// lesser holds.
func (d *draft) agree(c *draftCable, line int, w fabric.Width, s fabric.Speed) {
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

// disputed is a cable of which the two ends tell different things.
type disputed struct {
	cable fabric.LinkID
	told  [2]string
}

// dispute warns that the ends of a cable differ.
func (d *draft) dispute(c *draftCable, line int, here, there string) {
	const format = "the cable %s - %s is %s here and %s on line %d: the lesser is taken"
	args := []any{d.endName(c.a), d.endName(c.b), here, there, c.line}
	d.warnf(line, format, args...)
	d.disputed[message(format, args)] = disputed{d.port(c.a).Link, [2]string{there, here}}
}

// nameDisputed gives the warnings that the ends of a cable differ the names of both.
func (d *draft) nameDisputed(f *fabric.Fabric) {
	for text, is := range d.disputed {
		c := &d.cables[is.cable]
		ports := []fabric.PortName{f.PortName(c.a), f.PortName(c.b)}
		d.warnings[d.repeated[text]].Dispute = &Dispute{ports, is.told}
	}
}
