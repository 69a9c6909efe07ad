package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// grid makes every rank send to its neighbours on a periodic grid. Two neighbours that coincide (in
// a dimension of 2) are one flow. Ranks beyond the grid are idle; the last coordinate varies
// fastest.
func grid(p *Pattern, dims []int) error {
	p.fill = func(f *Flows, _ int, _ *rand.PCG) {
		cells := product(dims)
		for i := range cells {
			step := cells
			for _, k := range dims {
				step /= k
				x := i / step % k
				up := i + ((x+1)%k-x)*step
				down := i + ((x+k-1)%k-x)*step
				if up != i {
					f.Add(int32(i), int32(up))
				}
				if down != i && down != up {
					f.Add(int32(i), int32(down))
				}
			}
		}
	}
	return nil
}

func nearest(n int) func(*Pattern, string) error {
	return func(p *Pattern, arg string) error {
		dims, err := sizes(arg, p.Ranks)
		switch {
		case err != nil:
			return err
		case dims == nil:
			dims = squarest(p.Ranks, n)
		case len(dims) != n:
			return fmt.Errorf("%q has %d sizes, not %d", arg, len(dims), n)
		}
		return grid(p, dims)
	}
}

func tornado(p *Pattern, arg string) error {
	dims, err := sizes(arg, p.Ranks)
	if err != nil {
		return err
	}
	if dims == nil {
		dims = []int{p.Ranks}
	}
	p.fill = func(f *Flows, _ int, _ *rand.PCG) {
		cells := product(dims)
		for i := range cells {
			to, step := i, cells
			for _, k := range dims {
				step /= k
				x := i / step % k
				to += ((x+(k+1)/2-1)%k - x) * step
			}
			if to != i {
				f.Add(int32(i), int32(to))
			}
		}
	}
	return nil
}

// sizes parses AxBx...; nil if arg is empty. The grid must not have more cells than ranks.
func sizes(arg string, ranks int) ([]int, error) {
	if arg == "" {
		return nil, nil
	}
	var dims []int
	cells := 1
	for part := range strings.SplitSeq(arg, "x") {
		k, err := number(part, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		if cells *= k; cells > ranks {
			return nil, fmt.Errorf("a grid of %s has more cells than there are ranks, %d", arg, ranks)
		}
		dims = append(dims, k)
	}
	return dims, nil
}

// squarest factors ranks into n factors with the least sum, largest first: the grid with the
// shortest sides that leaves no rank idle.
func squarest(ranks, n int) []int {
	if n == 1 || ranks == 0 {
		return append([]int{ranks}, slices.Repeat([]int{1}, n-1)...)
	}
	var best []int
	for k := 1; k <= ranks; k++ {
		if ranks%k != 0 {
			continue
		}
		dims := append([]int{k}, squarest(ranks/k, n-1)...)
		if slices.IsSortedFunc(dims, func(a, b int) int { return b - a }) && (best == nil || sum(dims) < sum(best)) {
			best = dims
		}
	}
	return best
}

func sum(v []int) int {
	s := 0
	for _, x := range v {
		s += x
	}
	return s
}

func product(v []int) int {
	p := 1
	for _, x := range v {
		p *= x
	}
	return p
}
