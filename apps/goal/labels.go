package goal

// labelTable finds the operations of a rank by their labels. Labels of the form l and a number, as
// most programs write them, need no map.
type labelTable struct {
	numbered []int32 // by the number after the l: the operation, -1 for none
	count    int     // labels of the rank
	named    map[string]int32
}

func (t *labelTable) clear() {
	t.numbered, t.count = t.numbered[:0], 0
	clear(t.named)
}

// numberOf returns the number of a label such as l17; -1 for other labels.
func (t *labelTable) numberOf(label []byte) int {
	if len(label) < 2 || len(label) > 9 || label[0] != 'l' || label[1] == '0' && len(label) > 2 {
		return -1
	}
	n := 0
	for _, c := range label[1:] {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// add names an operation. A number far beyond the count of labels goes into the map, so that few
// labels take little memory.
func (t *labelTable) add(label []byte, op int32) {
	n := t.numberOf(label)
	t.count++
	if n < 0 || n > 4*t.count+1000 {
		if t.named == nil {
			t.named = map[string]int32{}
		}
		t.named[string(label)] = op
		return
	}
	for len(t.numbered) <= n {
		t.numbered = append(t.numbered, -1)
	}
	t.numbered[n] = op
}

// find returns the operation of a label, or -1.
func (t *labelTable) find(label []byte) int32 {
	if n := t.numberOf(label); n >= 0 && n < len(t.numbered) && t.numbered[n] >= 0 {
		return t.numbered[n]
	}
	if op, ok := t.named[string(label)]; ok {
		return op
	}
	return -1
}
