package layout

import (
	"slices"
	"strings"
	"unicode"

	"weft/fabric"
	"weft/fabric/rails"
)

// Limits before switches are folded: boxes of a row, and lines of a picture.
const (
	rowOfSwitches = 54
	rowOfBoxes    = 72
	mostLines     = 1500
	linesUnfolded = 700
	tidyLines     = 200
)

// room returns the share of a limit that the width of the drawing allows.
func (d *drawing) room(limit int) int { return max(1, int(float64(limit)*d.wide/maxWidth)) }

// foldLevels chooses the switches of a tree that share a box: none if all rows have room. Otherwise
// switches of a level in the same pod (a part below some level) or in the same core (a part above
// some level) share one, and then switches with the same place. It chooses a tidy folding with the
// most boxes.
func (d *drawing) foldLevels(level []int32) *folding {
	d.findPods(level)
	f := unfolded(level)
	if d.roomy(f, d.room(rowOfSwitches)) && len(d.bundles(f)) <= d.room(linesUnfolded) {
		return f
	}
	best := d.fitted(d.cutByName(level))
	if f := d.fitted(d.cutBySystem(level)); d.untidy(f) <= d.untidy(best) {
		best = f
	}
	if d.rails > 0 {
		best = d.betterOf(best, d.fitted(d.cutByRail(level)))
	}
	top := slices.Max(level)
	for below := range top + 1 { // levels under this one are in pods
		for above := below; above <= top+1; above++ { // levels from this one are in cores
			if below == 0 && above > top {
				continue
			}
			best = d.betterOf(best, d.fitted(d.cut(level, below, above)))
		}
	}
	return best
}

// betterOf returns the tidier folding; of equals that with more boxes, or the first.
func (d *drawing) betterOf(best, f *folding) *folding {
	if a, b := d.untidy(f), d.untidy(best); a < b || a == b && len(f.blocks) > len(best.blocks) {
		return f
	}
	return best
}

// cutByRail folds the leaves of each rail.
func (d *drawing) cutByRail(level []int32) *folding {
	return newFolding(level, func(s int32) [3]int32 {
		if level[s] > 0 || d.railAt[s] == rails.None {
			return [3]int32{level[s], 1, s}
		}
		return [3]int32{0, 0, d.railAt[s]}
	})
}

// cut folds, level by level, the switches of each connected part of the levels under below, and of
// each part of the levels from above on.
func (d *drawing) cut(level []int32, below, above int32) *folding {
	counts := func(link int32) bool { return level[d.g.From[2*link]] != level[d.g.To[2*link]] }
	pod, _ := d.parts(func(s int32) bool { return level[s] < below }, counts)
	core, _ := d.parts(func(s int32) bool { return level[s] >= above }, counts)
	return newFolding(level, func(s int32) [3]int32 {
		switch {
		case level[s] < below:
			return [3]int32{level[s], 0, pod[s]}
		case level[s] >= above:
			return [3]int32{level[s], 1, core[s]}
		}
		return [3]int32{level[s], 2, s}
	})
}

// cutByName folds the switches of a level whose names differ only in the last number.
func (d *drawing) cutByName(level []int32) *folding {
	type key struct {
		level int32
		name  string
	}
	return newFolding(level, func(s int32) key {
		name := strings.TrimRightFunc(d.name[s], func(r rune) bool { return !unicode.IsDigit(r) })
		return key{level[s], strings.TrimRightFunc(name, unicode.IsDigit)}
	})
}

// cutBySystem folds the switches of a level in one chassis.
func (d *drawing) cutBySystem(level []int32) *folding {
	type key struct {
		level  int32
		system fabric.GUID
		alone  int32
	}
	return newFolding(level, func(s int32) key {
		if d.system[s] == 0 {
			return key{level[s], 0, s}
		}
		return key{level: level[s], system: d.system[s]}
	})
}

// untidy rates a folding, from 0 (easy to read) to 3; and 4 more for boxes that mix pods.
func (d *drawing) untidy(f *folding) int {
	if d.mixed(f) {
		return 4 + d.crowding(f)
	}
	return d.crowding(f)
}

// mixed reports whether switches of several pods share a box.
func (d *drawing) mixed(f *folding) bool {
	return slices.ContainsFunc(f.blocks, func(b block) bool {
		return slices.ContainsFunc(b.members, func(s int32) bool { return d.pod[s] != d.pod[b.members[0]] })
	})
}

// findPods numbers the pods of a tree: switches that have servers in common, if there are rails;
// else the parts below the highest level that has several, if none is far larger than the others.
// Other switches get -1.
func (d *drawing) findPods(level []int32) {
	if d.rails > 0 {
		d.pod, d.pods = d.joined()
		of := 0
		for _, p := range d.pod {
			of += int(min(1, p+1))
		}
		if d.pods > 1 && 2*d.pods <= of {
			return
		}
	}
	for k := slices.Max(level); k > 0; k-- {
		d.pod, d.pods = d.parts(func(s int32) bool { return level[s] < k }, func(link int32) bool {
			return level[d.g.From[2*link]] != level[d.g.To[2*link]]
		})
		size, all := make([]int, d.pods), 0
		for _, p := range d.pod {
			if p >= 0 {
				size[p]++
				all++
			}
		}
		if d.pods > 1 {
			if 2*d.pods <= all && slices.Max(size)*d.pods <= 2*all && all <= 4*d.pods*slices.Min(size) {
				return
			}
			break
		}
	}
	d.pod, d.pods = slices.Repeat([]int32{-1}, d.g.NumSwitches), 0
}

// crowding rates the rows and lines of a folding.
func (d *drawing) crowding(f *folding) int {
	longest, lines := slices.Max(f.boxesByLevel()), len(d.bundles(f))
	switch {
	case slices.ContainsFunc(f.blocks, func(b block) bool { return b.chunked }):
		return 3
	case longest <= d.room(rowOfSwitches) && lines <= d.room(tidyLines):
		return 0
	case longest <= d.room(rowOfBoxes) && lines <= d.room(3*tidyLines):
		return 1
	}
	return 2
}

// roomy reports whether rows and lines fit. most is the limit for the boxes of a row.
func (d *drawing) roomy(f *folding, most int) bool {
	for _, n := range f.boxesByLevel() {
		if n > most {
			return false
		}
	}
	return len(d.bundles(f)) <= d.room(mostLines)
}

// boxesByLevel counts the boxes by level.
func (f *folding) boxesByLevel() []int {
	var rows []int
	for i := range f.blocks {
		for int(f.blocks[i].level) >= len(rows) {
			rows = append(rows, 0)
		}
		rows[f.blocks[i].level]++
	}
	return rows
}

// fitted folds rows that are too long or have too many lines until they fit: first single switches
// with the same neighbours, then boxes that look alike, at last neighbouring boxes.
func (d *drawing) fitted(f *folding) *folding {
	for h, n := range f.boxesByLevel() {
		alone := 0
		for i := range f.blocks {
			if f.blocks[i].level == int32(h) && len(f.blocks[i].members) == 1 {
				alone++
			}
		}
		if n > 1 && alone == n {
			if merged := d.mergeAlike(f, []int32{int32(h)}, true); h > 0 || n > d.room(rowOfSwitches) {
				f = merged
			}
		}
	}
	if !d.roomy(f, d.room(rowOfBoxes)) {
		var long []int32
		for h, n := range f.boxesByLevel() {
			if n > d.room(rowOfSwitches) {
				long = append(long, int32(h))
			}
		}
		if len(long) == 0 {
			_, h := slices.Max(f.boxesByLevel()), slices.Index(f.boxesByLevel(), slices.Max(f.boxesByLevel()))
			long = []int32{int32(h)}
		}
		f = d.mergeAlike(f, long, false)
	}
	for h, n := range f.boxesByLevel() {
		if n > d.room(rowOfBoxes) {
			f = d.chunk(f, int32(h), d.room(rowOfSwitches))
		}
	}
	for !d.roomy(f, d.room(rowOfBoxes)) {
		rows := f.boxesByLevel()
		h := slices.Index(rows, slices.Max(rows))
		if rows[h] == 1 {
			break
		}
		f = d.chunk(f, int32(h), (rows[h]+1)/2)
	}
	return f
}

// merged puts blocks with the same number into one box.
func (f *folding) merged(number []int32) *folding {
	level := make([]int32, len(f.of))
	for s, b := range f.of {
		level[s] = f.blocks[b].level
	}
	out := newFolding(level, func(s int32) [2]int32 { return [2]int32{level[s], number[f.of[s]]} })
	for s, b := range f.of {
		if f.blocks[b].chunked {
			out.blocks[out.of[s]].chunked = true
		}
	}
	return out
}
