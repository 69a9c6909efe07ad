// Package timeline records what ranks and links do over time, in equal steps. How long a run takes
// is not known before its end, so steps grow: when the last one is full, two become one.
package timeline

// steps is the largest number of steps; at least half of them are used.
const steps = 256

// Heat holds an amount for each row and step.
type Heat struct {
	Width  int64 // of a step, in units of time
	rows   int
	values []float32 // by row, then step
	last   int       // step that has an amount
}

// newHeat returns a Heat without amounts. Its first steps have the given width.
func newHeat(rows int, width int64) *Heat {
	return &Heat{Width: width, rows: rows, values: make([]float32, rows*steps)}
}

// Rows returns the number of rows.
func (h *Heat) Rows() int { return h.rows }

// Add spreads an amount evenly over the time from one point to another.
func (h *Heat) Add(row int32, from, to int64, amount float64) {
	for to > h.Width*steps {
		h.fold()
	}
	first, last := from/h.Width, max(from/h.Width, (to-1)/h.Width)
	own := h.values[int(row)*steps:][:steps]
	if first == last {
		own[min(first, steps-1)] += float32(amount)
	} else {
		each := amount / float64(to-from)
		for s := first; s <= last; s++ {
			part := min(to, (s+1)*h.Width) - max(from, s*h.Width)
			own[s] += float32(each * float64(part))
		}
	}
	h.last = max(h.last, int(min(last, steps-1)))
}

// fold makes one step of two.
func (h *Heat) fold() {
	for row := range h.rows {
		own := h.values[row*steps:][:steps]
		for s := range steps {
			sum := float32(0)
			if 2*s+1 < steps {
				sum = own[2*s] + own[2*s+1]
			}
			own[s] = sum
		}
	}
	h.Width *= 2
	h.last /= 2
}

// Widen gives the steps at least a width that another Heat has, so that both can be drawn together.
func (h *Heat) Widen(width int64) {
	for h.Width < width {
		h.fold()
	}
}

// Used returns the number of steps up to the last amount.
func (h *Heat) Used() int { return h.last + 1 }

// Row returns the amounts of a row up to the last step with one.
func (h *Heat) Row(row int) []float32 { return h.values[row*steps:][:h.last+1] }

// Recorder holds the activity of a run over time.
type Recorder struct {
	Computing *Heat // by rank: time
	Receiving *Heat // by rank: bytes
	Links     *Heat // by link: bytes
}

// NewRecorder returns a Recorder whose steps begin with a width.
func NewRecorder(ranks, links int, width int64) *Recorder {
	return &Recorder{Computing: newHeat(ranks, width), Receiving: newHeat(ranks, width), Links: newHeat(links, width)}
}

// Memory returns the bytes that a Recorder holds.
func Memory(ranks, links int) int { return 4 * steps * (2*ranks + links) }

// End gives all parts the same steps.
func (r *Recorder) End() {
	all := []*Heat{r.Computing, r.Receiving, r.Links}
	width, last := int64(0), 0
	for _, h := range all {
		width = max(width, h.Width)
	}
	for _, h := range all {
		h.Widen(width)
		last = max(last, h.last)
	}
	for _, h := range all {
		h.last = last
	}
}
