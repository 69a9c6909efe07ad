package layout

import (
	"fmt"
	"strings"

	"weft/fabric"
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
