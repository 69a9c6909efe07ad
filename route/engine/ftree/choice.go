package ftree

import (
	"bytes"

	"weft/fabric"
	"weft/route"
)

// choice says over which of some links a switch sends each LID that it may send over
// any of them: over number t/digit, with t the turn of the LID.
type choice struct {
	ports []uint8
	digit int32
}

// What is chosen by none of the switch's choices.
const (
	nowhere = 0  // the first one, without ports
	here    = -1 // the target is the switch itself
)

// writer writes what a switch chooses into blocks of 64 LIDs.
type writer struct {
	l     *list
	runs  []run   // of all LIDs, in their order, cut where a block ends
	start []int32 // by block: its first run

	choices []choice // of the switch at hand
	ports   []uint8  // of them all
	chosen  []int32  // by place: the choice
	last    []whole  // by block: the last one by a single choice
	none    route.Block
	spare   []route.Block
}

// whole is a block whose LIDs all go by one choice.
type whole struct {
	by    choice
	block *route.Block
}

func newWriter(l *list, top fabric.LID) writer {
	w := writer{l: l, chosen: make([]int32, len(l.at))}
	w.runs, w.start = l.byBlock(top)
	w.last = make([]whole, len(w.start)-1)
	fill(w.none[:], route.NoPort)
	return w
}

// reset prepares for the next switch.
func (w *writer) reset() {
	w.choices, w.ports = append(w.choices[:0], choice{digit: 1}), w.ports[:0]
	clear(w.chosen)
}

// add makes a choice of the ports from some number on.
func (w *writer) add(from int, digit int32) int32 {
	ports := w.ports[from:]
	if len(ports) == 1 {
		digit = 1
	}
	w.choices = append(w.choices, choice{ports, digit})
	return int32(len(w.choices) - 1)
}

// block makes a block of the switch. If all its LIDs go by one choice, and went by the
// same one at a switch before, it is the block of that switch.
func (w *writer) block(b int) *route.Block {
	runs := w.runs[w.start[b]:w.start[b+1]]
	only := w.only(runs)
	if only == here {
		return w.make(runs)
	}
	last, by := &w.last[b], &w.choices[only]
	if last.block == nil || !last.by.equal(by) {
		*last = whole{choice{append(last.by.ports[:0], by.ports...), by.digit}, w.make(runs)}
	}
	return last.block
}

// only is the choice by which all of some LIDs go, or here if there is none.
func (w *writer) only(runs []run) int32 {
	if len(runs) == 0 {
		return nowhere
	}
	first := w.chosen[runs[0].place]
	same := first
	for i := range runs {
		c := w.chosen[runs[i].place]
		if c == first || c == same {
			continue
		}
		if c == here || first == here || !w.choices[c].equal(&w.choices[first]) {
			return here
		}
		same = c
	}
	return first
}

func (c *choice) equal(o *choice) bool { return c.digit == o.digit && bytes.Equal(c.ports, o.ports) }

// make makes a block.
func (w *writer) make(runs []run) *route.Block {
	if len(w.spare) == 0 {
		w.spare = make([]route.Block, 64)
	}
	block := &w.spare[0]
	w.spare = w.spare[1:]
	*block = w.none
	for i := range runs {
		r := &runs[i]
		if c := w.chosen[r.place]; c > nowhere {
			w.choices[c].write(block[r.lid%route.BlockSize:][:r.n], r.turn, w.l.step[r.kind])
		}
	}
	return block
}

// write writes consecutive LIDs, the first of which has turn t and is some links ahead.
func (c *choice) write(row []uint8, t, ahead int32) {
	n := int32(len(c.ports))
	if n == 1 {
		fill(row, c.ports[0])
		return
	}
	pick, left := (t/c.digit+ahead)%n, c.digit-t%c.digit // the link, and LIDs before the next
	for len(row) > 0 {
		var m int32
		if c.digit == 1 {
			m = int32(copy(row, c.ports[pick:]))
			pick += m
		} else {
			m = min(left, int32(len(row)))
			fill(row[:m], c.ports[pick])
			pick, left = pick+1, c.digit
		}
		if row = row[m:]; pick == n {
			pick = 0
		}
	}
}

func fill(row []uint8, port uint8) {
	for i := range row {
		row[i] = port
	}
}
