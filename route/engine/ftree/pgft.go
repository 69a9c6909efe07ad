package ftree

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
)

// formula is the parameters of a parallel-ports generalised fat-tree (Zahavi 2010), by
// level from the hosts up: children, parents, and links between the same two. nil is
// none.
type formula struct{ m, w, p []int }

// formula finds the PGFT that the switches and links are, to the last link; end ports
// count as hosts with one link each. Cost: O(channels).
func (t *tree) formula() *formula {
	f := t.degrees()
	if f == nil {
		return nil
	}
	label := t.labels(f)
	if label == nil || !t.subtrees(f, label) {
		return nil
	}
	return f
}

// degrees finds the parameters if all switches of a level have the same.
func (t *tree) degrees() *formula {
	levels := int(t.top) + 1
	f := &formula{m: make([]int, levels), w: make([]int, levels), p: make([]int, levels)}
	f.m[0], f.w[0], f.p[0] = len(t.g.HostsOf(t.leaves[0])), 1, 1
	seen := make([]bool, levels)
	for s := range int32(t.g.NumSwitches) {
		h := int(t.level[s])
		up, down, hosts := 0, 0, len(t.g.HostsOf(s))
		for i, v := range t.bundles(s) {
			links := len(t.portsOf(i))
			switch int(t.level[v]) - h {
			case 1:
				up++
				if f.p[h+1] == 0 {
					f.p[h+1] = links
				}
				if f.p[h+1] != links {
					return nil
				}
			case -1:
				down++
			default:
				return nil
			}
		}
		if h == 0 {
			down = hosts
		} else if hosts > 0 {
			return nil
		}
		if !seen[h] {
			seen[h], f.m[h] = true, down
			if h < int(t.top) {
				f.w[h+1] = up
			}
		}
		if down != f.m[h] || down == 0 || h < int(t.top) && (up == 0 || up != f.w[h+1]) {
			return nil
		}
	}
	return f
}

// labels gives every switch its label within its subtree: the digits of the ways up to it from a
// leaf. Its parents have the same label and another last digit each. Digits are assigned above
// one leaf; the labels of all other switches follow from their parents. It returns nil if they
// contradict each other.
func (t *tree) labels(f *formula) []int {
	label := slices.Repeat([]int{-1}, t.g.NumSwitches)
	label[t.leaves[0]] = 0
	for _, s := range t.byLevel(false) {
		if label[s] < 0 {
			continue
		}
		digit := 0
		for _, v := range t.parents(s) {
			if label[v] >= 0 {
				return nil
			}
			label[v] = label[s]*f.w[t.level[v]] + digit
			digit++
		}
	}
	for _, s := range t.byLevel(true) {
		parents := t.parents(s)
		digits := map[int]bool{}
		for _, v := range parents {
			w := f.w[t.level[v]]
			if label[s] < 0 {
				label[s] = label[v] / w
			}
			if label[v]/w != label[s] || digits[label[v]%w] {
				return nil
			}
			digits[label[v]%w] = true
		}
		if label[s] < 0 {
			return nil
		}
	}
	return label
}

// parents lists the neighbours of a switch on the next level.
func (t *tree) parents(s int32) []int32 {
	var up []int32
	for _, v := range t.neighboursOf(s) {
		if t.level[v] > t.level[s] {
			up = append(up, v)
		}
	}
	return up
}

// subtrees reports whether the switches connected below each level form as many subtrees as the
// formula has, with every label once in each.
func (t *tree) subtrees(f *formula, label []int) bool {
	number, places := 1, 1
	for _, m := range f.m[1:] {
		number *= m
	}
	p := partition(fabric.Numbers(t.g.NumSwitches))
	for h, level := range t.switchesByLevel() {
		if h > 0 {
			number /= f.m[h]
		}
		places *= f.w[h]
		for _, s := range level {
			for _, v := range t.neighboursOf(s) {
				if int(t.level[v]) < h {
					p.union(s, v)
				}
			}
		}
		type place struct {
			part  int32
			label int
		}
		taken, roots := map[place]bool{}, map[int32]bool{}
		for _, s := range level {
			part := p.find(s)
			taken[place{part, label[s]}], roots[part] = true, true
		}
		if len(taken) != len(level) || len(roots) != number || len(level) != number*places {
			return false
		}
	}
	return true
}

// switchesByLevel lists the switches of every level.
func (t *tree) switchesByLevel() [][]int32 {
	levels := make([][]int32, t.top+1)
	for s, h := range t.level {
		levels[h] = append(levels[h], int32(s))
	}
	return levels
}

// pgft writes the formula as package gen reads it.
func (f *formula) pgft() string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("pgft(%d;%s;%s;%s)", len(f.m), commas(f.m), commas(f.w), commas(f.p))
}

func commas(numbers []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ",")
}

// rlft writes it as the largest real-life fat-tree of one radix, if it is one.
func (f *formula) rlft() string {
	if f == nil {
		return ""
	}
	top := len(f.m) - 1
	radix := f.m[top]
	for h := range f.m {
		if h < top && 2*f.m[h] != radix || f.p[h] != 1 || h > 0 && 2*f.w[h] != radix {
			return ""
		}
	}
	return fmt.Sprintf("rlft(%d,%d)", radix, len(f.m))
}
