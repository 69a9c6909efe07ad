package ftree

import "math/bits"

// targetSet is a set of targets of one block: blockTargets switches with consecutive places.
type targetSet [blockWords]uint64

const (
	blockWords   = 8
	blockTargets = 64 * blockWords
)

func (s *targetSet) insert(i int32)        { s[i/64] |= 1 << (i % 64) }
func (s *targetSet) contains(i int32) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s *targetSet) union(o *targetSet) {
	for w := range s {
		s[w] |= o[w]
	}
}

func (s *targetSet) subtract(o *targetSet) {
	for w := range s {
		s[w] &^= o[w]
	}
}

func (s *targetSet) intersect(o *targetSet) {
	for w := range s {
		s[w] &= o[w]
	}
}

func (s *targetSet) isEmpty() bool {
	some := uint64(0)
	for _, x := range s {
		some |= x
	}
	return some == 0
}

// each visits the targets of the set in order.
func (s *targetSet) each(visit func(i int)) {
	for w, x := range s {
		for ; x != 0; x &= x - 1 {
			visit(w*64 + bits.TrailingZeros64(x))
		}
	}
}

// first returns the first target, -1 for none.
func (s *targetSet) first() int32 {
	for w, x := range s {
		if x != 0 {
			return int32(w*64 + bits.TrailingZeros64(x))
		}
	}
	return -1
}
