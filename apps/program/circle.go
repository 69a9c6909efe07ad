package program

import "slices"

// circle returns operations that wait for each other, each for the next one and the last for the
// first; nil if there are none.
func (s *Schedule) circle() []int32 {
	left := slices.Clone(s.waits)
	var free []int32
	for op, n := range left {
		if n == 0 {
			free = append(free, int32(op))
		}
	}
	done := 0
	for ; done < len(free); done++ {
		op := free[done]
		for _, w := range s.who[s.after[op]:s.after[op+1]] {
			if left[w]--; left[w] == 0 {
				free = append(free, w)
			}
		}
	}
	if done == len(s.Ops) {
		return nil
	}
	// Each operation that is left waits for another one that is left.
	waitsFor := make([]int32, len(s.Ops))
	for op := range waitsFor {
		waitsFor[op] = -1
	}
	for op := range s.Ops {
		if left[op] == 0 {
			continue
		}
		for _, w := range s.who[s.after[op]:s.after[op+1]] {
			if left[w] > 0 {
				waitsFor[w] = int32(op)
			}
		}
	}
	start := int32(slices.IndexFunc(waitsFor, func(o int32) bool { return o >= 0 }))
	return ring(start, func(op int32) int32 { return waitsFor[op] })
}

// ring follows next from an operation until one comes again, and returns the circle. It returns nil
// if next returns a negative number.
func ring(start int32, next func(int32) int32) []int32 {
	at := map[int32]int{}
	var walk []int32
	for op := start; op >= 0; op = next(op) {
		if from, seen := at[op]; seen {
			return walk[from:]
		}
		at[op] = len(walk)
		walk = append(walk, op)
	}
	return nil
}

func (s *Schedule) describeAll(ops []int32) []string {
	out := make([]string, len(ops))
	for i, op := range ops {
		out[i] = s.Describe(op)
	}
	return out
}
