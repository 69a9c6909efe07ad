package ftree

import (
	"bytes"

	"weft/fabric"
	"weft/route"
)

// choice says how a switch divides the LIDs among several ports. A LID of a given index takes port
// number index/divisor, modulo the number of ports. A port missing from the whole tree is NoPort, a
// gap: LIDs of hosts that fall on it get no entry yet, other LIDs take the next port.
type choice struct {
	ports   []uint8
	divisor int32
}

// Places of targets without one of the switch's choices.
const (
	noChoice  = 0  // the first one, without ports
	ownSwitch = -1 // the target is the switch itself
)

// blockWriter writes the choices of a switch into blocks of 64 LIDs.
type blockWriter struct {
	l     *lidOrder
	runs  []lidRun // of all LIDs, in their order, cut at the ends of blocks
	start []int32  // by block: its first run

	choices []choice      // of the switch
	ports   []uint8       // of all choices
	chosen  []int32       // by place: the choice
	recent  []sharedBlock // by block: the last one with a single choice
	none    route.Block
	spare   []route.Block
}

// sharedBlock is a block whose LIDs all use one choice.
type sharedBlock struct {
	by    choice
	block *route.Block
}

func newBlockWriter(l *lidOrder, top fabric.LID) blockWriter {
	w := blockWriter{l: l, chosen: make([]int32, len(l.switches))}
	w.runs, w.start = l.byBlock(top)
	w.recent = make([]sharedBlock, len(w.start)-1)
	fill(w.none[:], route.NoPort)
	return w
}

// reset forgets the choices of the previous switch.
func (w *blockWriter) reset() {
	w.choices, w.ports = append(w.choices[:0], choice{divisor: 1}), w.ports[:0]
	clear(w.chosen)
}

// add makes a choice of the ports from a place in w.ports on, and returns its number.
func (w *blockWriter) add(from int, divisor int32) int32 {
	ports := w.ports[from:]
	if len(ports) == 1 {
		divisor = 1
	}
	w.choices = append(w.choices, choice{ports, divisor})
	return int32(len(w.choices) - 1)
}

// block returns a block of the switch. If all its LIDs use one choice, as at an earlier switch, it
// returns that switch's block.
func (w *blockWriter) block(b int) *route.Block {
	runs := w.runs[w.start[b]:w.start[b+1]]
	only, ok := w.singleChoice(runs)
	if !ok {
		return w.makeBlock(runs)
	}
	last, by := &w.recent[b], &w.choices[only]
	if last.block == nil || !last.by.equal(by) {
		*last = sharedBlock{choice{append(last.by.ports[:0], by.ports...), by.divisor}, w.makeBlock(runs)}
	}
	return last.block
}

// singleChoice returns the common choice of all LIDs of some runs. ok is false if there is none, or
// if all belong to the switch itself.
func (w *blockWriter) singleChoice(runs []lidRun) (only int32, ok bool) {
	if len(runs) == 0 {
		return noChoice, true
	}
	first := w.chosen[runs[0].place]
	same := first
	for i := range runs {
		c := w.chosen[runs[i].place]
		if c == first || c == same {
			continue
		}
		if c == ownSwitch || first == ownSwitch || !w.choices[c].equal(&w.choices[first]) {
			return noChoice, false
		}
		same = c
	}
	return first, first != ownSwitch
}

// equal reports whether two choices give all LIDs the same ports.
func (c *choice) equal(o *choice) bool {
	return c.divisor == o.divisor && bytes.Equal(c.ports, o.ports)
}

// makeBlock writes a new block.
func (w *blockWriter) makeBlock(runs []lidRun) *route.Block {
	if len(w.spare) == 0 {
		w.spare = make([]route.Block, 64)
	}
	block := &w.spare[0]
	w.spare = w.spare[1:]
	*block = w.none
	for i := range runs {
		r := &runs[i]
		if c := w.chosen[r.place]; c > noChoice {
			row := block[r.lid%route.BlockSize:][:r.n]
			w.choices[c].writePorts(row, r.index, w.l.offset[r.kind])
			if int(r.kind) == len(w.l.offset)-1 {
				w.choices[c].fillGaps(row, r.index)
			}
		}
	}
	return block
}

// writePorts writes the ports of consecutive LIDs. index is the first LID's; offset shifts it by
// that many candidates.
func (c *choice) writePorts(row []uint8, index, offset int32) {
	n := int32(len(c.ports))
	if n == 1 {
		fill(row, c.ports[0])
		return
	}
	pick, left := (index/c.divisor+offset)%n, c.divisor-index%c.divisor // the link, and LIDs up to the next link
	for len(row) > 0 {
		var m int32
		if c.divisor == 1 {
			m = int32(copy(row, c.ports[pick:]))
			pick += m
		} else {
			m = min(left, int32(len(row)))
			fill(row[:m], c.ports[pick])
			pick, left = pick+1, c.divisor
		}
		if row = row[m:]; pick == n {
			pick = 0
		}
	}
}

// fillGaps gives LIDs without a port the next one. index is the first LID's.
func (c *choice) fillGaps(row []uint8, index int32) {
	for i, port := range row {
		for k := int(index) + i; port == route.NoPort; k++ {
			port = c.ports[k%len(c.ports)]
		}
		row[i] = port
	}
}

// fill writes one port into all of a row.
func fill(row []uint8, port uint8) {
	for i := range row {
		row[i] = port
	}
}
