package machine

// table maps addresses to lists. It is a hash table with open addressing, for a message looks into
// it two or three times.
type table struct {
	cells []cell // their number is a power of two
	count int
}

type cell struct {
	key  address
	used bool
	ends
}

// hash returns the first cell to search for an address.
func (t *table) hash(k address) int {
	h := (uint64(uint32(k.to))<<32 | uint64(uint32(k.from))) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ uint64(uint32(k.tag))) * 0xbf58476d1ce4e5b9
	return int((h ^ h>>32) & uint64(len(t.cells)-1))
}

// find returns the cell of an address, or the unused one where it belongs.
func (t *table) find(k address) *cell {
	for i := t.hash(k); ; i = (i + 1) & (len(t.cells) - 1) {
		if c := &t.cells[i]; !c.used || c.key == k {
			return c
		}
	}
}

// get returns the cell of an address; nil if it has none.
func (t *table) get(k address) *cell {
	if t.count == 0 {
		return nil
	}
	if c := t.find(k); c.used {
		return c
	}
	return nil
}

// add returns the cell of an address, a new one with fresh if it had none. The cell stays where it
// is until the table changes.
func (t *table) add(k address) (c *cell, fresh bool) {
	if 2*t.count >= len(t.cells) {
		t.grow()
	}
	if c = t.find(k); c.used {
		return c, false
	}
	t.count++
	c.key, c.used = k, true
	return c, true
}

// grow doubles the number of cells.
func (t *table) grow() {
	old := t.cells
	t.cells = make([]cell, max(16, 2*len(old)))
	for _, c := range old {
		if c.used {
			*t.find(c.key) = c
		}
	}
}

// remove forgets an address. Cells behind it move up, so that no search ends too early.
func (t *table) remove(k address) {
	if t.count == 0 {
		return
	}
	mask := len(t.cells) - 1
	hole := t.hash(k)
	for ; t.cells[hole].key != k || !t.cells[hole].used; hole = (hole + 1) & mask {
		if !t.cells[hole].used {
			return
		}
	}
	t.count--
	for i := (hole + 1) & mask; t.cells[i].used; i = (i + 1) & mask {
		// A cell may move to the hole unless its own place lies behind the hole.
		if home := t.hash(t.cells[i].key); (i-home)&mask >= (i-hole)&mask {
			t.cells[hole] = t.cells[i]
			hole = i
		}
	}
	t.cells[hole] = cell{}
}
