package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/fabric"
)

// mostOnRing is the largest number of switches drawn one by one on a circle.
const mostOnRing = 130

// ringInOrder draws switches on a circle by their only coordinate.
func (d *drawing) ringInOrder(places [][]int32) {
	group := fabric.Numbers(len(places))
	slices.SortStableFunc(group, func(a, b int32) int { return cmp.Compare(places[a][0], places[b][0]) })
	d.ring([][]int32{group}, nil)
}

// ring draws groups on a circle side by side: each switch on its own, higher levels further in.
// With many switches it draws one box for each group, with too many groups one box for several.
func (d *drawing) ring(groups [][]int32, level []int32) {
	d.p.Kind = Ring
	if d.g.NumSwitches > mostOnRing {
		d.ringOfGroups(groups)
		return
	}
	top := int32(0)
	if level == nil {
		level = make([]int32, d.g.NumSwitches)
	}
	rows := 1
	for _, h := range level {
		top = max(top, h)
	}
	rows += int(top)
	f := unfolded(level)
	slots := 0.0 // along the circle
	counts, slotsOf := make([][]float64, len(groups)), make([]float64, len(groups))
	for i, members := range groups {
		counts[i] = make([]float64, rows)
		for _, s := range members {
			counts[i][level[s]]++
		}
		slotsOf[i] = slices.Max(counts[i])
		slots += slotsOf[i]
		if len(groups) > 1 {
			slots += groupGap
		}
	}
	radius := 120.0
	for i := range groups {
		for h, n := range counts[i] {
			radius = max(radius, inner*float64(h)+n/slotsOf[i]*slots*onRingSide*1.5/(2*math.Pi))
		}
	}
	at := 0.0
	for i, members := range groups {
		done := make([]float64, rows)
		prefix := ""
		if len(groups) > 1 {
			prefix = d.common(members)
		}
		for _, s := range members {
			h := level[s]
			f.blocks[s].group = strings.Trim(prefix, " -_./(,")
			step := slotsOf[i] / counts[i][h]
			turn := 2 * math.Pi * (at + step*(done[h]+0.5)) / slots
			done[h]++
			d.onRing(&f.blocks[s], radius-inner*float64(h), turn, role(h, top), prefix)
		}
		if len(groups) > 1 {
			d.groupLabel(members, radius+20, 2*math.Pi*(at+slotsOf[i]/2)/slots)
			at += groupGap
		}
		at += slotsOf[i]
	}
	for _, b := range d.bundles(f) {
		d.chord(f, &b, groups, level)
	}
}

// The measures of a circle of switches.
const (
	groupGap   = 1.0  // between two groups, in switches
	inner      = 60.0 // from one level to the next, towards the middle
	onRingSide = 20.0 // of a switch
)

// around returns the place at an angle from the top, clockwise.
func around(radius, turn float64) Point {
	sin, cos := math.Sincos(turn)
	return Point{radius * sin, -radius * cos}
}

// onRing draws a switch on the circle with its name outside.
func (d *drawing) onRing(b *block, radius, turn float64, role, prefix string) {
	at := around(radius, turn)
	b.W, b.H = onRingSide, onRingSide
	b.X, b.Y = at.X-b.W/2, at.Y-b.H/2
	d.addBox(b, role).Text = []string{}
	s := b.members[0]
	if b.level > 0 {
		return
	}
	name := d.name[s]
	if rest := strings.TrimPrefix(name, prefix); rest != "" {
		name = strings.TrimSpace(rest)
	}
	d.outside(radius+16, turn, name)
}

// outside writes a text outside the circle, away from its middle.
func (d *drawing) outside(radius, turn float64, text string) {
	l := Label{Point: around(radius, turn), Text: shorten(text, 110, 10), Size: 10, Anchor: Start, Turn: turn*180/math.Pi - 90}
	if turn > math.Pi {
		l.Anchor, l.Turn = End, l.Turn+180
	}
	d.p.Labels = append(d.p.Labels, l)
}

// span names switches that are sorted by name: their group, "group 0 – 2" for several groups, their
// common coordinates, or else the first and the last of them.
func (d *drawing) span(members []int32) string {
	first, last := d.name[members[0]], d.name[members[len(members)-1]]
	a, _, grouped := strings.Cut(first, " switch ")
	b, _, both := strings.Cut(last, " switch ")
	common := d.common(members)
	switch {
	case grouped && both && a == b:
		return a
	case grouped && both:
		word := a[:strings.LastIndexByte(a, ' ')+1]
		return a + " – " + strings.TrimPrefix(b, word)
	case strings.HasPrefix(common, "("), first == last:
		return common
	}
	return first + " – " + last
}

// groupLabel adds the label of a group.
func (d *drawing) groupLabel(members []int32, radius, turn float64) {
	hosts := 0
	for _, s := range members {
		hosts += int(d.g.HostCount(s))
	}
	text := several(len(members), "switch", "switches") + ", " + d.hostText(members, hosts)
	if common := d.common(members); common != "" {
		text = common + ": " + text
	}
	at := around(radius+60, turn)
	anchor := Start
	switch sin := math.Sin(turn); {
	case sin < -0.2:
		anchor = End
	case sin < 0.2:
		anchor = Middle
	}
	d.p.Labels = append(d.p.Labels, Label{Point: at, Text: text, Size: labelSize, Anchor: anchor})
}

// chord draws cables between two places on the circle, bent towards its middle.
func (d *drawing) chord(f *folding, b *bundle, groups [][]int32, level []int32) {
	if b.a == b.b {
		return
	}
	class := levelClasses[1]
	if len(groups) > 1 && d.sameGroup(groups, f.blocks[b.a].members[0], f.blocks[b.b].members[0]) {
		class = levelClasses[0]
	}
	bend := 0.72
	if len(groups) == 1 {
		class, bend = levelClasses[0], 1
	}
	u, v := f.blocks[b.a].center(), f.blocks[b.b].center()
	if level != nil && level[f.blocks[b.a].members[0]] != level[f.blocks[b.b].members[0]] {
		d.addLine(f, b, levelClasses[0], u, v)
		return
	}
	d.addLine(f, b, class, u, Point{u.X * bend, u.Y * bend}, Point{v.X * bend, v.Y * bend}, v)
}

func (d *drawing) sameGroup(groups [][]int32, a, b int32) bool {
	for _, g := range groups {
		if slices.Contains(g, a) {
			return slices.Contains(g, b)
		}
	}
	return false
}

func (b *block) center() Point { return Point{b.X + b.W/2, b.Y + b.H/2} }

// mostChords is the largest number of lines within a circle of boxes. mostHotChords is that of the
// busiest lines drawn beside the line for all others.
const (
	mostChords    = 300
	mostHotChords = 40
)

// chords draws the lines between boxes on a circle. One line through all boxes stands for too many
// of them: without marks, and not among the busiest.
func (d *drawing) chords(f *folding) {
	all := slices.DeleteFunc(slices.Clone(d.bundles(f)), func(b bundle) bool { return b.a == b.b })
	if len(all) <= mostChords {
		for i := range all {
			d.chord(f, &all[i], [][]int32{nil}, nil)
		}
		return
	}
	load := func(b *bundle) (most float64) {
		for _, link := range b.links {
			most = max(most, d.cable[link].load)
		}
		return most
	}
	slices.SortStableFunc(all, func(a, b bundle) int { return cmp.Compare(load(&b), load(&a)) })
	rest := bundle{a: 0, b: int32(len(f.blocks) - 1), title: "all boxes"}
	pairs, least, most := 0, math.MaxInt, 0
	for i := range all {
		b := &all[i]
		if d.apart(b) || i < mostHotChords && load(b) > loadBounds[1]*d.mean {
			d.chord(f, b, [][]int32{nil}, nil)
			continue
		}
		pairs, least, most = pairs+1, min(least, len(b.links)), max(most, len(b.links))
		rest.links = append(rest.links, b.links...)
	}
	if pairs == 0 {
		return
	}
	path := make([]Point, 0, len(f.blocks)+1)
	for i := range f.blocks {
		path = append(path, f.blocks[i].center())
	}
	d.addLine(f, &rest, levelClasses[0], append(path, path[0])...)
	each := several(most, "cable", "cables")
	if least < most {
		each = fmt.Sprintf("%d to %s", least, each)
	}
	d.p.Text = append(d.p.Text, fmt.Sprintf("The line through the boxes stands for %s between %s: %s each.",
		several(len(rest.links), "cable", "cables"), several(pairs, "pair of boxes", "pairs of boxes"), each))
	if pairs == len(all) {
		d.p.Labels = append(d.p.Labels, Label{Text: several(pairs, "pair of boxes", "pairs of boxes") + ": " + each + " each", Size: 16, Anchor: Middle})
	}
}

// mostGroups is the largest number of boxes on a circle.
const mostGroups = 96

// ringOfGroups draws a box for each group.
func (d *drawing) ringOfGroups(groups [][]int32) {
	if len(groups) == 1 {
		groups = slices.Collect(slices.Chunk(groups[0], (len(groups[0])+47)/48))
	}
	if n := len(groups); n > mostGroups {
		var joined [][]int32
		for some := range slices.Chunk(groups, (n+mostGroups-1)/mostGroups) {
			joined = append(joined, slices.Concat(some...))
		}
		groups = joined
	}
	of := make([]int32, d.g.NumSwitches)
	for i, members := range groups {
		for _, s := range members {
			of[s] = int32(i)
		}
	}
	f := &folding{of: of}
	n := float64(len(groups))
	apart := 0.0 // the least distance of two middles
	for _, members := range groups {
		b := block{members: members}
		d.size(&b, "switch", 104)
		f.blocks = append(f.blocks, b)
		apart = max(apart, math.Hypot(b.W, b.H)+2*boxPadding)
	}
	radius := apart / (2 * math.Sin(math.Pi/max(2, n)))
	if radius > (d.wide-120)/2 {
		radius = (d.wide - 280) / 2 // with room for names outside
		side := (2*radius*math.Sin(math.Pi/n) - 3) / math.Sqrt2
		for i := range f.blocks {
			b := &f.blocks[i]
			b.W, b.H, b.upright, b.mute = side, side, false, true
			b.columns = int(math.Ceil(math.Sqrt(float64(len(b.members)))))
		}
	}
	for i := range f.blocks {
		b := &f.blocks[i]
		turn := 2 * math.Pi * float64(i) / n
		at := around(radius, turn)
		b.X, b.Y = at.X-b.W/2, at.Y-b.H/2
		b.group = d.span(b.members)
		d.addBox(b, "switch")
		if b.mute {
			d.outside(radius+b.W, turn, b.group)
		}
	}
	d.chords(f)
}
