package layout

import (
	"fmt"
	"slices"
	"strings"
)

// mergeAlike merges the blocks of some levels that look alike: with as many switches, hosts or
// none, and the same cables to the same neighbours. On these levels two neighbours count as the
// same if they look alike themselves (the coarsest stable colouring), unless exact is set.
func (d *drawing) mergeAlike(f *folding, levels []int32, exact bool) *folding {
	bundles := d.bundles(f)
	near := make([][]int32, len(f.blocks)) // bundles
	for i := range bundles {
		near[bundles[i].a] = append(near[bundles[i].a], int32(i))
		if bundles[i].a != bundles[i].b {
			near[bundles[i].b] = append(near[bundles[i].b], int32(i))
		}
	}
	merges := func(b int32) bool { return slices.Contains(levels, f.blocks[b].level) }
	colour := make([]int32, len(f.blocks))
	for b := range colour {
		colour[b] = int32(b)
		if merges(int32(b)) && !exact {
			colour[b] = -1 - f.blocks[b].level
		}
	}
	for number := 0; ; {
		keys := map[string]int32{}
		next := make([]int32, len(colour))
		for b := range int32(len(colour)) {
			key := fmt.Sprint("alone ", b)
			if merges(b) {
				key = d.look(f, b, near[b], bundles, colour, exact)
			}
			if _, ok := keys[key]; !ok {
				keys[key] = int32(len(keys))
			}
			next[b] = keys[key]
		}
		colour = next
		if exact || len(keys) == number {
			return f.merged(colour)
		}
		number = len(keys)
	}
}

// look describes a block, its neighbours by their colours.
func (d *drawing) look(f *folding, b int32, near []int32, bundles []bundle, colour []int32, exact bool) string {
	var text []string
	for _, i := range near {
		other := bundles[i].a + bundles[i].b - b
		if other == b || exact && f.blocks[other].level == f.blocks[b].level {
			continue
		}
		text = append(text, fmt.Sprintf("%d x%d", colour[other], len(bundles[i].links)))
	}
	slices.Sort(text)
	block := &f.blocks[b]
	own := int32(0)
	if !exact {
		own = colour[b]
	}
	return fmt.Sprint(block.level, own, len(block.members), d.hostsOf(block) > 0, strings.Join(text, ","))
}

// chunk merges the blocks of a level, in order of names, to at most the given number.
func (d *drawing) chunk(f *folding, level int32, most int) *folding {
	var row []int32
	number := make([]int32, len(f.blocks))
	for b := range number {
		number[b] = int32(len(f.blocks) + b)
		if f.blocks[b].level == level {
			row = append(row, int32(b))
		}
	}
	slices.SortStableFunc(row, func(a, b int32) int {
		return byName(d.name[f.blocks[a].members[0]], d.name[f.blocks[b].members[0]])
	})
	for i, b := range row {
		number[b] = int32(i * most / len(row))
	}
	out := f.merged(number)
	for i := range out.blocks {
		b := &out.blocks[i]
		b.chunked = b.chunked || b.level == level && len(b.members) > len(f.blocks[f.of[b.members[0]]].members)
	}
	return out
}
