package wire

import "time"

// timers is a binary heap of entries by due time; at[i] is the index of entry i in the heap, -1 if
// it has no timer.
type timers struct {
	heap []timer
	at   []int32
}

type timer struct {
	due   time.Duration
	entry int32
}

// grow makes room for one more entry.
func (t *timers) grow() { t.at = append(t.at, -1) }

// top returns the entry of the first timer; there must be one.
func (t *timers) top() int32 { return t.heap[0].entry }

func (t *timers) first() (due time.Duration, ok bool) {
	if len(t.heap) == 0 {
		return 0, false
	}
	return t.heap[0].due, true
}

// set sets or changes the timer of an entry.
func (t *timers) set(entry int32, due time.Duration) {
	p := t.at[entry]
	if p < 0 {
		p = int32(len(t.heap))
		t.heap = append(t.heap, timer{entry: entry})
		t.at[entry] = p
	}
	t.heap[p].due = due
	t.down(t.up(p))
}

// remove removes the timer of an entry, if it has one.
func (t *timers) remove(entry int32) {
	p := t.at[entry]
	if p < 0 {
		return
	}
	t.at[entry] = -1
	last := len(t.heap) - 1
	moved := t.heap[last]
	t.heap = t.heap[:last]
	if int(p) == last {
		return
	}
	t.heap[p] = moved
	t.at[moved.entry] = p
	t.down(t.up(p))
}

func (t *timers) up(p int32) int32 {
	for p > 0 && t.heap[p].due < t.heap[(p-1)/2].due {
		t.swap(p, (p-1)/2)
		p = (p - 1) / 2
	}
	return p
}

func (t *timers) down(p int32) {
	for {
		child := 2*p + 1
		if int(child) >= len(t.heap) {
			return
		}
		if r := child + 1; int(r) < len(t.heap) && t.heap[r].due < t.heap[child].due {
			child = r
		}
		if t.heap[p].due <= t.heap[child].due {
			return
		}
		t.swap(p, child)
		p = child
	}
}

func (t *timers) swap(a, b int32) {
	t.heap[a], t.heap[b] = t.heap[b], t.heap[a]
	t.at[t.heap[a].entry] = a
	t.at[t.heap[b].entry] = b
}
