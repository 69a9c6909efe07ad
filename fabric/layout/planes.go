package layout

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
)

// The measures of planes.
const (
	planeGap    = 26.0
	planePad    = 12.0
	leastPlane  = 130.0 // least room to draw a tree
	leastOthers = 420.0 // and any other network
	mostPlanes  = 12    // smaller parts share a box
)

// part is a network that no cable between switches joins to others.
type part struct {
	*drawing
	switches []int32 // of the whole network
	number   int     // from 1, by switch
	lone     int     // hosts with no port in another part
	rest     bool    // several small parts
}

// planes returns the parts of the network that meet in servers; nil if no server has ports in two.
func (d *drawing) planes() []*part {
	of, number := d.g.Components()
	two := func(s *server) bool {
		return slices.ContainsFunc(s.ports, func(p hostPort) bool { return of[p.atSwitch] != of[s.ports[0].atSwitch] })
	}
	shared := false
	parts := make([]*part, number)
	for i := range parts {
		parts[i] = &part{number: i + 1}
	}
	for s, i := range of {
		parts[i].switches = append(parts[i].switches, int32(s))
		parts[i].lone += int(d.g.HostCount(int32(s)))
	}
	for i := range d.servers {
		if s := &d.servers[i]; two(s) {
			shared = true
			for _, p := range s.ports {
				parts[of[p.atSwitch]].lone--
			}
		}
	}
	if !shared {
		return nil
	}
	parts = joinSmall(parts)
	slices.SortStableFunc(parts, func(a, b *part) int { return byName(d.name[a.switches[0]], d.name[b.switches[0]]) })
	return parts
}

// joinSmall joins the smallest parts if there are too many.
func joinSmall(parts []*part) []*part {
	if len(parts) <= mostPlanes {
		return parts
	}
	slices.SortStableFunc(parts, func(a, b *part) int { return len(b.switches) - len(a.switches) })
	rest := &part{rest: true}
	for _, p := range parts[mostPlanes-1:] {
		rest.switches = append(rest.switches, p.switches...)
		rest.lone += p.lone
	}
	slices.Sort(rest.switches)
	return append(parts[:mostPlanes-1], rest)
}

// sideBySide draws planes next to each other, their lower edges in one line.
func (d *drawing) sideBySide(parts []*part) {
	wide := make([]float64, len(parts))
	for i, p := range parts {
		p.drawing = newDrawing(d.only(p.switches), "")
		wide[i] = p.draw(maxWidth)
	}
	room := share(wide, maxWidth-planeGap*float64(len(parts)-1))
	for i, p := range parts {
		if wide[i] > room {
			p.draw(room)
		}
	}
	d.p.Kind = Planes
	left := 0.0
	for _, p := range parts {
		low, high := extent(p.p)
		frame := Frame{Area: Area{low.X - planePad, low.Y - planePad, high.X - low.X + 2*planePad, high.Y - low.Y + 2*planePad}, Plane: true}
		d.crowded = d.crowded || p.p.Kind != Levels && len(p.p.Boxes) > 1
		frame.Text = d.partText(p, frame.W+planeGap/2)
		frame.Group, _, _ = strings.Cut(frame.Text, ":")
		for i := range p.p.Boxes {
			p.p.Boxes[i].Plane = frame.Group
		}
		if len(p.switches) > 1 {
			p.p.Frames = slices.Insert(p.p.Frames, 0, frame)
		}
		move(p.p, left-frame.X, -frame.Y-frame.H)
		left += frame.W + planeGap
		d.take(p)
	}
}

// share returns the greatest width that all parts can have to fit into some room.
func share(wide []float64, room float64) float64 {
	sorted := slices.Sorted(slices.Values(wide))
	for i, w := range sorted {
		equal := room / float64(len(sorted)-i)
		if w+2*planePad > equal {
			return equal - 2*planePad
		}
		room -= w + 2*planePad
	}
	return sorted[len(sorted)-1]
}

// draw draws a part in some room and returns its width.
func (p *part) draw(room float64) float64 {
	kind := p.p.Kind
	p.drawing = newDrawing(p.network, "")
	p.wide = room
	if p.rest || len(p.switches) == 1 || room < leastPlane || room < leastOthers && kind != Levels {
		p.oneBox()
	} else {
		p.arrange()
	}
	low, high := extent(p.p)
	return high.X - low.X
}

// oneBox draws all switches in one box.
func (d *drawing) oneBox() {
	b := block{members: fabric.Numbers(d.g.NumSwitches)}
	d.sortByName(b.members)
	d.size(&b, "switch", max(60, d.wide))
	d.addBox(&b, "switch")
}

// planeName returns the words that begin the names of all switches of a plane, without the last one
// if a number follows it.
func (d *drawing) planeName(switches []int32) string {
	name := d.common(switches)
	for _, word := range []string{"group", "pod"} {
		if rest, ok := strings.CutSuffix(name, " "+word); ok {
			return rest
		}
	}
	return strings.TrimSpace(name)
}

// partText describes a plane in some room: its name, switches and hosts.
func (d *drawing) partText(p *part, room float64) string {
	name := d.planeName(p.switches)
	switch {
	case p.rest:
		name = "other parts"
	case name == "":
		name = fmt.Sprint("plane ", p.number)
	}
	text := name + ": " + several(len(p.switches), "switch", "switches")
	if p.lone > 0 {
		if long := text + ", " + several(p.lone, "host", "hosts") + " of its own"; textWidth(long, labelSize) <= room {
			return long
		}
	}
	return shorten(text, room, labelSize)
}

// take adds the contents of a part.
func (d *drawing) take(p *part) {
	boxes := int32(len(d.p.Boxes))
	for s, whole := range p.switches {
		d.boxOf[whole] = boxes + p.boxOf[s]
	}
	for _, text := range p.p.Text {
		if !slices.Contains(d.p.Text, text) {
			d.p.Text = append(d.p.Text, text)
		}
	}
	d.p.Frames = append(d.p.Frames, p.p.Frames...)
	d.p.Lines = append(d.p.Lines, p.p.Lines...)
	d.p.Boxes = append(d.p.Boxes, p.p.Boxes...)
	d.p.Labels = append(d.p.Labels, p.p.Labels...)
}

// only returns the network of some switches, in ascending order, with the hosts at them. Names lose
// the words that all of them begin with.
func (n *network) only(switches []int32) *network {
	g, _ := n.g.Part(switches)
	c := &network{g: g, rails: n.rails, colour: n.colour, most: n.most, mean: n.mean, hot: n.hot}
	at := make(map[int32]int32, len(switches)) // by switch of n: its number in c
	for s, i := range switches {
		at[i] = int32(s)
		c.name, c.mark, c.system = append(c.name, n.name[i]), append(c.mark, n.mark[i]), append(c.system, n.system[i])
		c.lacks = append(c.lacks, n.lacks[i])
		c.shared, c.railAt = append(c.shared, n.shared[i]), append(c.railAt, n.railAt[i])
	}
	c.cable = make([]cable, g.NumChannels/2)
	for i := range c.cable {
		channel, _ := n.g.At(switches[g.From[2*i]], g.FromPort[2*i])
		c.cable[i] = n.cable[channel/2]
	}
	for _, s := range n.servers {
		cut := server{name: s.name, mark: s.mark, nodes: s.nodes}
		for _, p := range s.ports {
			if here, kept := at[p.atSwitch]; kept {
				p.atSwitch = here
				cut.ports = append(cut.ports, p)
			}
		}
		if len(cut.ports) > 0 {
			c.servers = append(c.servers, cut)
		}
	}
	if plane := (&drawing{network: c}).planeName(fabric.Numbers(c.g.NumSwitches)); len(c.name) > 1 {
		for i, name := range c.name {
			if rest, ok := strings.CutPrefix(name, plane+" "); ok && rest != "" {
				c.name[i] = rest
			}
		}
		c.name = bare(c.name)
	}
	return c
}
