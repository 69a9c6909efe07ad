package program

// lines are the lines of a file on which the operations stand: a byte for an operation.
type lines struct {
	blocks []int         // by block of operations: the line of its first
	steps  []uint8       // by operation: lines from the one before, or far
	far    map[int32]int // lines of operations that are far from the one before
}

const (
	lineBlock = 64
	far       = 255
)

// add stores the line of the next operation. last is the line of the previous one.
func (l *lines) add(line, last int) {
	op := int32(len(l.steps))
	if op%lineBlock == 0 {
		l.blocks = append(l.blocks, line)
	}
	if line-last < far {
		l.steps = append(l.steps, uint8(line-last))
		return
	}
	if l.far == nil {
		l.far = map[int32]int{}
	}
	l.far[op] = line
	l.steps = append(l.steps, far)
}

// of returns the line of an operation; 0 if it is not known.
func (l *lines) of(op int32) int {
	if int(op) >= len(l.steps) {
		return 0
	}
	line := l.blocks[op/lineBlock]
	for i := op/lineBlock*lineBlock + 1; i <= op; i++ {
		if l.steps[i] == far {
			line = l.far[i]
		} else {
			line += int(l.steps[i])
		}
	}
	return line
}
