package layout

import (
	"fmt"
	"math"
	"strings"

	"weft/fabric"
	"weft/fabric/rails"
)

// block is a switch, or several that share a box.
type block struct {
	Area
	members []int32
	level   int32
	columns int    // of cells
	label   string // replaces the name of the only switch
	group   string // of the box
	chunked bool   // shared only for lack of room
	upright bool
	mute    bool // too small for text
}

// folding assigns switches to shared boxes.
type folding struct {
	of      []int32 // by switch: its block
	blocks  []block
	bundled []bundle // of drawing.bundles, once asked
}

// unfolded returns a folding with a box for every switch.
func unfolded(level []int32) *folding {
	f := &folding{of: make([]int32, len(level)), blocks: make([]block, len(level))}
	for s := range level {
		f.of[s], f.blocks[s] = int32(s), block{members: []int32{int32(s)}, level: level[s]}
	}
	return f
}

// newFolding makes a block of the switches with the same key, in order of the first switches.
// Switches with one key have the same level.
func newFolding[K comparable](level []int32, key func(s int32) K) *folding {
	f := &folding{of: make([]int32, len(level))}
	number := map[K]int32{}
	for s := range int32(len(level)) {
		k := key(s)
		b, ok := number[k]
		if !ok {
			b = int32(len(f.blocks))
			number[k] = b
			f.blocks = append(f.blocks, block{level: level[s]})
		}
		f.of[s] = b
		f.blocks[b].members = append(f.blocks[b].members, s)
	}
	return f
}

// bundle holds the cables between two blocks, or within one.
type bundle struct {
	a, b  int32
	links []int32
	title string // replaces the names of a and b
}

// bundles collects the cables by pair of blocks, a <= b, in that order.
func (d *drawing) bundles(f *folding) []bundle {
	if f.bundled != nil {
		return f.bundled
	}
	g := d.g
	ends := func(link int32) (a, b int32) {
		a, b = f.of[g.From[2*link]], f.of[g.To[2*link]]
		return min(a, b), max(a, b)
	}
	order := fabric.Numbers(len(d.cable))
	order = sortedBy(order, len(f.blocks), func(link int32) int32 { _, b := ends(link); return b })
	order = sortedBy(order, len(f.blocks), func(link int32) int32 { a, _ := ends(link); return a })
	var out []bundle
	for _, link := range order {
		a, b := ends(link)
		if last := len(out) - 1; last < 0 || out[last].a != a || out[last].b != b {
			out = append(out, bundle{a: a, b: b})
		}
		last := &out[len(out)-1]
		last.links = append(last.links, link)
	}
	f.bundled = out
	return out
}

// sortedBy sorts a list by keys under a limit; equal ones keep their order.
func sortedBy(list []int32, limit int, key func(int32) int32) []int32 {
	at := make([]int32, limit+1)
	for _, x := range list {
		at[key(x)+1]++
	}
	for k := range limit {
		at[k+1] += at[k]
	}
	out := make([]int32, len(list))
	for _, x := range list {
		k := key(x)
		out[at[k]] = x
		at[k]++
	}
	return out
}

// The measures of boxes.
const (
	textSize   = 11.0
	leastText  = 8.0
	labelSize  = 12.0
	cellPitch  = 11.0
	cellShare  = 0.8 // share of the pitch taken by a cell
	boxPadding = 6.0
	textRow    = 14.0
	dotSize    = 2.0
	dotPitch   = 6.0
)

// hostsOf counts the host ports of a block.
func (d *drawing) hostsOf(b *block) int {
	n := 0
	for _, s := range b.members {
		n += int(d.g.HostCount(s))
	}
	return n
}

// role names the place of a switch.
func role(level, top int32) string {
	switch {
	case top <= 0:
		return "switch"
	case level == 0:
		return "leaf"
	case level == top:
		return "root"
	}
	return "middle"
}

// plural names several switches of a role.
func plural(role string, n int) string {
	switch role {
	case "leaf":
		return several(n, "leaf", "leaves")
	case "root":
		return several(n, "root", "roots")
	}
	return several(n, "switch", "switches")
}

// words returns the text in the box of a block: the name, or the common part of the names and the
// number of switches; then the hosts.
func (d *drawing) words(b *block, role string) []string {
	var out []string
	if b.label != "" {
		out = append(out, b.label)
	} else if len(b.members) == 1 {
		out = append(out, d.name[b.members[0]])
	} else {
		if rail := d.railOf(b.members); rail != rails.None {
			out = append(out, fmt.Sprintf("rail %d", rail))
		} else if common := d.common(b.members); common != "" {
			out = append(out, common)
		}
		out = append(out, plural(role, len(b.members)))
	}
	if hosts := d.hostsOf(b); hosts > 0 {
		out = append(out, d.hostText(b.members, hosts))
	}
	return out
}

// hostText counts the hosts of some switches: as host ports where servers have several.
func (d *drawing) hostText(switches []int32, hosts int) string {
	for _, s := range switches {
		if d.shared[s] > 0 {
			return several(hosts, "host port", "host ports")
		}
	}
	return several(hosts, "host", "hosts")
}

// common returns the words that begin the names of all given switches.
func (d *drawing) common(members []int32) string {
	first := d.name[members[0]]
	same := len(first)
	for _, s := range members[1:] {
		name := d.name[s]
		same = min(same, len(name))
		for i := range same {
			if name[i] != first[i] {
				same = i
				break
			}
		}
	}
	if same == len(first) {
		return first
	}
	end := strings.LastIndexAny(first[:same], " -_./(,")
	if end < 2 {
		return ""
	}
	words := strings.TrimRight(first[:end], " -_./(,")
	if strings.HasPrefix(words, "(") {
		return words + ",·)"
	}
	for _, role := range []string{"switch", "leaf", "spine", "middle", "root", "rail"} {
		if rest, ok := strings.CutSuffix(words, role); ok && (rest == "" || strings.HasSuffix(rest, " ")) {
			return strings.TrimSpace(rest)
		}
	}
	return words
}

// titleOf returns the title of a switch: name, hosts and mark.
func (d *drawing) titleOf(s int32) string {
	text := d.g.SwitchDesc[s]
	if text == "" || text != d.name[s] && strings.HasPrefix(d.name[s], "…") {
		text = strings.TrimSpace(text + " " + d.g.SwitchGUID[s].String())
	}
	if n := int(d.g.HostCount(s)); n > 0 {
		text += ": " + d.hostText([]int32{s}, n) + d.hostNames(s)
	}
	if rail := d.railAt[s]; rail != rails.None {
		text += fmt.Sprintf(", rail %d", rail)
	}
	if d.mark[s] != Fine {
		text += ", " + string(d.mark[s])
	}
	return text
}

// hostNames lists the first hosts of a switch, in small fabrics.
func (d *drawing) hostNames(s int32) string {
	if d.g.NumSwitches > mostNamed {
		return ""
	}
	hosts := d.g.HostsOf(s)
	var names []string
	for _, h := range hosts[:min(len(hosts), namedHosts)] {
		names = append(names, d.g.EndDesc[h])
	}
	text := " (" + strings.Join(names, ", ")
	if len(hosts) > len(names) {
		text += ", …"
	}
	return text + ")"
}

// The largest fabric whose titles name hosts, in switches, and the hosts named for each.
const (
	mostNamed  = 300
	namedHosts = 8
)

// addBox draws a block in its place. Text without room moves to the title.
func (d *drawing) addBox(b *block, role string) *Box {
	words := d.words(b, role)
	box := Box{
		Area: b.Area, Role: role, Upright: b.upright, Size: textSize, Switches: len(b.members), Hosts: d.hostsOf(b),
		Title: strings.Join(words, ", "), Text: []string{}, Group: b.group,
	}
	if len(b.members) > 1 {
		if box.Fold = Whole; b.chunked {
			box.Fold = Chunked
		}
	}
	room := b.W - boxPadding
	if b.mute {
		words = nil
	}
	if b.upright {
		room = b.H - boxPadding
		if len(b.members) > 1 {
			room = uprightRoom - boxPadding
			if b.group != "" && len(words) > 2 && textWidth(strings.Join(words, ", "), leastText) > room {
				words = []string{words[0], words[2]} // the cells are the number of switches
			}
			if textWidth(strings.Join(words, ", "), leastText) > room {
				words[len(words)-1] = strings.Replace(words[len(words)-1], " host port", " port", 1)
			}
			for len(words) > 1 && textWidth(strings.Join(words, ", "), leastText) > room {
				words = words[1:]
			}
			words = []string{strings.Join(words, ", ")}
		} else if textRow*float64(len(words)) > b.W {
			words = words[:1]
		}
		box.Size = max(6, min(textSize, b.W*0.72))
	}
	if !b.upright {
		words = words[:max(0, min(len(words), int((b.H-2)/(textSize+1))))]
	}
	for i, w := range words {
		if textWidth(w, leastText) > room {
			w = strings.Replace(w, " host port", " port", 1)
		}
		name := i == 0 && len(b.members) == 1
		switch fits := textWidth(w, leastText) <= room; {
		case fits:
		case name && room >= 4*leastText*letter:
			w = shorten(w, room, leastText)
		default: // a part of a number would be wrong
			d.left = d.left || !name
			continue
		}
		box.Size = min(box.Size, max(leastText, textSize*room/textWidth(w, textSize)))
		box.Text = append(box.Text, w)
	}
	if len(b.members) == 1 {
		box.Title, box.Mark = d.titleOf(b.members[0]), d.mark[b.members[0]]
	} else {
		d.addCells(&box, b, len(box.Text))
	}
	box.Class = d.classOf(d.railOf(b.members))
	for _, s := range b.members {
		box.Nodes = append(box.Nodes, d.g.SwitchGUID[s])
		d.boxOf[s] = int32(len(d.p.Boxes))
	}
	d.p.Boxes = append(d.p.Boxes, box)
	return &d.p.Boxes[len(d.p.Boxes)-1]
}

// addCells draws the members of a block at the bottom of its box.
func (d *drawing) addCells(box *Box, b *block, rows int) {
	pitch := min(cellPitch, (b.W-4)/float64(b.columns))
	top := b.Y + boxPadding + textRow*float64(rows)
	if b.upright {
		top = b.Y + uprightRoom
	}
	if b.mute {
		top = b.Y + (b.H-pitch*float64((len(b.members)+b.columns-1)/b.columns))/2
	}
	wide := pitch * float64(min(b.columns, len(b.members)))
	for i, s := range b.members {
		at := Point{b.X + (b.W-wide)/2 + pitch*float64(i%b.columns) + pitch*(1-cellShare)/2, top + pitch*float64(i/b.columns)}
		box.Cells = append(box.Cells, Cell{at, pitch * cellShare, d.mark[s], d.titleOf(s), d.classOf(d.railAt[s])})
	}
}

// uprightWidth is the greatest width of a switch whose text runs upwards.
const uprightWidth = 30.0

// uprightRoom is the height of upright text over cells.
const uprightRoom = 104.0

// size sets width and height of a block that may be at most room wide.
func (d *drawing) size(b *block, role string, room float64) {
	n := len(b.members)
	words := d.words(b, role)
	need := 0.0
	for _, w := range words {
		need = max(need, textWidth(w, textSize)+2*boxPadding)
	}
	b.upright = room < min(need, 62)
	if n == 1 {
		b.W, b.H = min(max(need, 48), room, 120), boxPadding*2+textRow*float64(len(words))
		if b.upright {
			b.W, b.H = min(room, uprightWidth), min(max(need, 40), 100)
		}
		return
	}
	b.columns = int(math.Ceil(math.Sqrt(3 * float64(n))))
	if b.upright {
		b.columns = 4
	}
	b.W = min(room, max(need, float64(b.columns)*cellPitch+2*boxPadding))
	if b.upright {
		b.W = min(room, 2*boxPadding+4*cellPitch)
	}
	pitch := cellPitch
	if least := 5.0; float64(b.columns)*pitch > b.W-4 {
		b.columns = max(1, min(b.columns, int((b.W-4)/least)))
		pitch = min(cellPitch, (b.W-4)/float64(b.columns))
	}
	rows := float64((n + b.columns - 1) / b.columns)
	b.H = boxPadding*2 + textRow*float64(len(words)) + rows*pitch
	if b.upright {
		b.H = uprightRoom + rows*pitch + boxPadding
	}
}

// troubles counts the marked cables of a bundle, as in ", 2 failed".
func (d *drawing) troubles(b *bundle) string {
	var text strings.Builder
	for _, m := range marks {
		n := 0
		for _, link := range b.links {
			if d.cable[link].mark == m {
				n++
			}
		}
		if n > 0 {
			fmt.Fprintf(&text, ", %d %s", n, m)
		}
	}
	return text.String()
}

// mostNotes is the largest number of cables of a bundle whose notes are in the title.
const mostNotes = 4

// describe names the cables of a bundle.
func (d *drawing) describe(f *folding, b *bundle, l *Line) string {
	name := func(i int32) string {
		members := f.blocks[i].members
		if len(members) == 1 {
			return d.name[members[0]]
		}
		text := several(len(members), "switch", "switches")
		if common := d.common(members); common != "" {
			text = common + ", " + text
		}
		return text
	}
	ends := b.title
	if ends == "" {
		ends = name(b.a) + " – " + name(b.b)
	}
	text := ends + ": " + several(len(b.links), "cable", "cables") + d.troubles(b)
	switch d.colour {
	case byPlace:
	case byLoad:
		text += ", load " + number(l.Load)
	case byLanes:
		text += ", " + bitsText(l.VLs, d.bits)
	}
	notes := []string{text}
	for _, link := range b.links {
		if note := d.cable[link].note; note != "" && len(notes) <= mostNotes {
			notes = append(notes, note)
		}
	}
	return strings.Join(notes, "; ")
}
