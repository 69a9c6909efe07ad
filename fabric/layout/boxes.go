package layout

import (
	"fmt"
	"math"
	"strings"

	"weft/fabric/rails"
)

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
		Title: strings.Join(words, ", "), Text: []string{}, Group: b.group, Class: d.classOf(d.railOf(b.members)),
	}
	if len(b.members) > 1 {
		if box.Fold = Whole; b.chunked {
			box.Fold = Chunked
		}
	}
	if b.upright {
		box.Size = max(6, min(textSize, b.W*0.72))
	}
	rows, room := rowsOf(b, words)
	d.left = addText(&box, rows, room) || d.left
	if len(b.members) == 1 {
		box.Title, box.Mark = d.titleOf(b.members[0]), d.mark[b.members[0]]
	} else {
		d.addCells(&box, b, len(box.Text))
	}
	for _, s := range b.members {
		box.Nodes = append(box.Nodes, d.g.SwitchGUID[s])
		d.boxOf[s] = int32(len(d.p.Boxes))
	}
	d.p.Boxes = append(d.p.Boxes, box)
	return &d.p.Boxes[len(d.p.Boxes)-1]
}

// rowsOf returns the rows of text that a block has space for, and the length of a row.
func rowsOf(b *block, words []string) (rows []string, room float64) {
	if b.mute {
		words = nil
	}
	switch {
	case !b.upright:
		return words[:max(0, min(len(words), int((b.H-2)/(textSize+1))))], b.W - boxPadding
	case len(b.members) > 1:
		room = uprightRoom - boxPadding
		return []string{oneRow(words, b.group != "", room)}, room
	case textRow*float64(len(words)) > b.W:
		words = words[:1]
	}
	return words, b.H - boxPadding
}

// oneRow joins words to one row. While the row is too long it shortens the last word, and then
// drops the first words.
func oneRow(words []string, inGroup bool, room float64) string {
	isLong := func() bool { return textWidth(strings.Join(words, ", "), leastText) > room }
	if inGroup && len(words) > 2 && isLong() {
		words = []string{words[0], words[2]} // the cells are the number of switches
	}
	if isLong() {
		words[len(words)-1] = strings.Replace(words[len(words)-1], " host port", " port", 1)
	}
	for len(words) > 1 && isLong() {
		words = words[1:]
	}
	return strings.Join(words, ", ")
}

// addText adds rows of text to a box, in letters small enough for room. It shortens the name of a
// single switch if that is too long, and leaves out other long rows: then leftOut is true.
func addText(box *Box, rows []string, room float64) (leftOut bool) {
	for i, w := range rows {
		if textWidth(w, leastText) > room {
			w = strings.Replace(w, " host port", " port", 1)
		}
		name := i == 0 && box.Switches == 1
		switch fits := textWidth(w, leastText) <= room; {
		case fits:
		case name && room >= 4*leastText*letter:
			w = shorten(w, room, leastText)
		default: // a part of a number would be wrong
			leftOut = leftOut || !name
			continue
		}
		box.Size = min(box.Size, max(leastText, textSize*room/textWidth(w, textSize)))
		box.Text = append(box.Text, w)
	}
	return leftOut
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
