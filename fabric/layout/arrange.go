package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/shape/coords"
	"weft/fabric/shape/fattree"
)

// The measures of a picture, in pixels.
const (
	maxWidth = 1560.0
	margin   = 20.0
	header   = 64.0 // title and counts
	leastW   = 640.0

	subtitleRow = 15.0
)

// Pictures with more lines have thin lines only.
const (
	thinFrom = 300
	thinLine = 1.3
)

// drawing builds a picture.
type drawing struct {
	*network
	p     *Picture
	wide  float64 // room from left to right
	boxOf []int32 // by switch: its box in the picture
	pod   []int32 // by switch of a tree: its pod, or -1
	pods  int
	left  bool // boxes have no room for the number of hosts
	// crowded: leaves are not at the bottom of all parts, so that cables to servers cross them.
	crowded bool
}

// newDrawing returns a drawing without contents.
func newDrawing(n *network, title string) *drawing {
	return &drawing{network: n, p: &Picture{
		Title: title, Text: []string{}, Frames: []Frame{}, Lines: []Line{}, Boxes: []Box{}, Labels: []Label{}, Legend: []Entry{},
	}, wide: maxWidth, boxOf: make([]int32, n.g.NumSwitches)}
}

// Of draws a fabric. Parts that are down or drained are drawn in their place and marked.
func Of(f *fabric.Fabric, o Options) *Picture {
	title := cmp.Or(o.Title, f.Name[strings.LastIndexByte(f.Name, '/')+1:])
	d := newDrawing(newNetwork(f, &o), title)
	d.count()
	d.draw()
	if p := d.part(o.Around, title); p != nil {
		d = p
		d.draw()
	}
	d.rankLines()
	d.legend(o.Unit)
	d.fit()
	return d.p
}

// draw draws the switches, their cables and their servers.
func (d *drawing) draw() {
	if planes := d.planes(); planes != nil {
		d.sideBySide(planes)
	} else {
		d.arrange()
		d.crowded = d.p.Kind != Levels
	}
	d.tellHosts()
	d.fillInside()
	d.drawLacking()
	d.drawServers()
}

// count writes the counts below the title.
func (d *drawing) count() {
	g, hosts := d.g, 0
	for s := range int32(g.NumSwitches) {
		hosts += int(g.HostCount(s))
	}
	cables := map[Mark]int{}
	for _, c := range d.cable {
		cables[c.mark]++
	}
	switches := map[Mark]int{}
	for _, m := range d.mark {
		switches[m]++
	}
	links := len(d.cable) - cables[Missing]
	for _, n := range d.lacks {
		cables[Missing] += n
	}
	text := []string{fmt.Sprintf("%s, %s, %s between switches", d.serverText(hosts),
		several(g.NumSwitches, "switch", "switches"), several(links, "cable", "cables"))}
	for _, m := range marks {
		if switches[m] > 0 {
			text = append(text, several(switches[m], "switch", "switches")+" "+string(m))
		}
		if cables[m] > 0 {
			text = append(text, several(cables[m], "cable", "cables")+" "+string(m))
		}
		if n := d.markedPorts(m); n > 0 {
			text = append(text, several(n, "cable", "cables")+" to servers "+string(m))
		}
	}
	d.p.Text = append(d.p.Text, strings.Join(text, "; "))
}

// several formats a number with its noun and with commas between thousands.
func several(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text + " " + more
}

// arrange chooses the arrangement by the shape of the network.
func (d *drawing) arrange() {
	if d.g.NumSwitches == 0 {
		d.p.Kind = Irregular
		d.p.Text = append(d.p.Text, "There are no switches to draw.")
		return
	}
	d.place()
	if d.p.Kind != Levels {
		d.labelBundles()
	}
}

// place draws the network by its shape.
func (d *drawing) place() {
	g := d.g
	level, joined := d.treeLevels()
	if level != nil && joined {
		d.levels(level)
		return
	}
	parts := coords.Parts(g)
	if m := gridOf(parts); m != nil && m.Dims > 0 {
		d.grid(m)
		return
	}
	if len(parts) == 1 {
		if h, err := coords.FindHyperX(parts[0]); err == nil && len(h.Places[0]) > 0 {
			d.hyperX(h.Places)
			return
		}
	}
	if groups := d.groups(level); groups != nil {
		d.ring(groups, level)
		return
	}
	if ends := d.leavesAndSpines(); level == nil && ends != nil {
		if groups := d.trees(ends, 3); groups != nil {
			d.ring(groups, ends)
			return
		}
	}
	if level != nil && slices.Max(level) > 0 {
		d.levels(level)
		return
	}
	d.irregular()
}

// treeLevels returns the level of every switch of a fat-tree, or of several trees joined by other
// links (joined is false then); nil for other networks.
func (d *drawing) treeLevels() (level []int32, joined bool) {
	shape := fattree.Describe(d.g)
	if !shape.Tree {
		return nil, false
	}
	level = make([]int32, d.g.NumSwitches)
	for s := range shape.Switches {
		level[s] = shape.Switches[s].Level
	}
	d.raiseRoots(level)
	_, whole := d.parts(always, always)
	_, apart := d.parts(always, func(link int32) bool { return level[d.g.From[2*link]] != level[d.g.To[2*link]] })
	return level, whole == apart
}

// raiseRoots raises roots above their neighbours if they look like leaves with no or few hosts: all
// leaves reach each other below them. Leaves have fewer cables up than roots have down.
func (d *drawing) raiseRoots(level []int32) {
	links := func(s int32) float64 { return float64(len(d.g.OutOf(s))) }
	var up []float64
	for s, h := range level {
		if h == 0 && d.g.HostCount(int32(s)) > 0 && d.g.SwitchRole[s] == fabric.NoRole {
			up = append(up, links(int32(s)))
		}
	}
	if len(up) == 0 {
		return
	}
	slices.Sort(up)
	for s := range level {
		lone := d.g.HostCount(int32(s)) == 0 || d.g.SwitchRole[s] == fabric.RoleMiddle
		if level[s] > 0 || !lone || links(int32(s)) < rootLinks*up[len(up)/2] {
			continue
		}
		highest := int32(0)
		for _, t := range d.neighbours(int32(s)) {
			highest = max(highest, level[t])
		}
		if highest > 0 {
			level[s] = highest + 1
		}
	}
}

// rootLinks is the least number of cables of a root, as a multiple of the cables up of the usual
// leaf.
const rootLinks = 1.25

func always(int32) bool { return true }

// gridOf returns the Grid of a mesh or torus; nil if the fabric has several parts or is none.
func gridOf(parts []coords.Part) *coords.Grid {
	if len(parts) != 1 {
		return nil
	}
	m, err := coords.Find(parts[0], func(places [][]int32) (*coords.Grid, error) {
		m, err := coords.NewGrid(parts[0], places)
		if err == nil {
			err = m.Index()
		}
		return m, err
	})
	if err != nil {
		return nil
	}
	return m
}

// groups divides switches into groups like a Dragonfly: by links within and between them, or by all
// coordinates in their descriptions except the last. All switches are one group if all are joined.
// It returns nil if there are no groups.
func (d *drawing) groups(level []int32) [][]int32 {
	if level != nil {
		if groups := d.trees(level, 4); groups != nil {
			return groups
		}
	}
	if groups := d.cliques(); groups != nil {
		return groups
	}
	places := coords.Described(d.g, fabric.Numbers(d.g.NumSwitches))
	if places == nil || len(places[0]) < 2 {
		return nil
	}
	number := map[string]int32{}
	of := make([]int32, len(places))
	for s, x := range places {
		key := coords.Format(x[:len(x)-1])
		if _, ok := number[key]; !ok {
			number[key] = int32(len(number))
		}
		of[s] = number[key]
	}
	if len(number) < 3 || len(number) > len(of)/2 {
		return nil
	}
	return d.collect(of, len(number))
}

// trees divides switches into groups that are trees, joined by links within a level; nil if there
// are fewer than least, or one is far larger than the others.
func (d *drawing) trees(level []int32, least int) [][]int32 {
	of, n := d.parts(always, func(link int32) bool { return level[d.g.From[2*link]] != level[d.g.To[2*link]] })
	if n < least || n > d.g.NumSwitches/2 {
		return nil
	}
	groups := d.collect(of, n)
	if slices.ContainsFunc(groups, func(g []int32) bool { return len(g)*n > 2*d.g.NumSwitches }) {
		return nil
	}
	return groups
}

// leavesAndSpines puts switches with hosts on level 0 and others on level 1, as in the groups of a
// Dragonfly+; nil if leaves are joined to each other.
func (d *drawing) leavesAndSpines() []int32 {
	level := make([]int32, d.g.NumSwitches)
	for s := range level {
		if d.g.HostCount(int32(s)) == 0 {
			level[s] = 1
		}
	}
	for link := range d.cable {
		if level[d.g.From[2*link]] == 0 && level[d.g.To[2*link]] == 0 {
			return nil
		}
	}
	return level
}

// collect lists the switches of each group, by name.
func (d *drawing) collect(of []int32, n int) [][]int32 {
	groups := make([][]int32, n)
	for s, i := range of {
		groups[i] = append(groups[i], int32(s))
	}
	for _, g := range groups {
		d.sortByName(g)
	}
	slices.SortStableFunc(groups, func(a, b []int32) int { return byName(d.name[a[0]], d.name[b[0]]) })
	return groups
}

// sortByName sorts switches.
func (d *drawing) sortByName(switches []int32) {
	slices.SortStableFunc(switches, func(a, b int32) int { return byName(d.name[a], d.name[b]) })
}

// cliques finds groups of three or more switches that are nearly all joined: the ends of links
// within groups have many common neighbours, the ends of links between groups few.
func (d *drawing) cliques() [][]int32 {
	g := d.g
	near := make([][]int32, g.NumSwitches)
	for s := range near {
		near[s] = d.neighbours(int32(s))
	}
	common := make([]int, len(d.cable))
	var seen []int
	is := make([]bool, g.NumSwitches)
	last := int32(-1)
	for i := range common { // links are in order of their lower end
		s, t := g.From[2*i], g.To[2*i]
		if s != last {
			if last >= 0 {
				set(is, near[last], false)
			}
			set(is, near[s], true)
			last = s
		}
		for _, v := range near[t] {
			if is[v] {
				common[i]++
			}
		}
		if !slices.Contains(seen, common[i]) {
			seen = append(seen, common[i])
		}
	}
	slices.Sort(seen)
	for _, least := range slices.Backward(seen) {
		if least == 0 {
			break
		}
		of, n := d.parts(always, func(link int32) bool { return common[link] >= least })
		if n > g.NumSwitches/3 {
			continue
		}
		if groups := d.collect(of, n); d.dense(groups, near) {
			return groups
		}
	}
	return nil
}

func set(is []bool, switches []int32, to bool) {
	for _, s := range switches {
		is[s] = to
	}
}

// dense reports whether all groups have at least three switches and four fifths of their pairs are
// joined.
func (d *drawing) dense(groups [][]int32, near [][]int32) bool {
	is := make([]bool, d.g.NumSwitches)
	for _, members := range groups {
		joined, size := 0, len(members)
		if size < 3 {
			return false
		}
		set(is, members, true)
		for _, s := range members {
			for _, t := range near[s] {
				if is[t] {
					joined++
				}
			}
		}
		set(is, members, false)
		if 5*joined < 4*size*(size-1) {
			return false
		}
	}
	return true
}

// fit moves the picture to the margins, below the header, and sets its size.
func (d *drawing) fit() {
	p := d.p
	low, high := extent(p)
	dx := margin - low.X
	if p.Width = high.X - low.X + 2*margin; p.Width < leastW {
		dx += (leastW - p.Width) / 2
		p.Width = leastW
	}
	if len(p.Lines) > thinFrom {
		for i := range p.Lines {
			if l := &p.Lines[i]; !l.stands() {
				l.Width = min(l.Width, thinLine)
			}
		}
	}
	top := header + subtitleRow*float64(len(p.Text)-1)
	dy := top + placeLegend(p.Legend, p.Width, top) - low.Y
	p.Height = high.Y + dy + margin
	move(p, dx, dy)
}
