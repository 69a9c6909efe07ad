package fattree

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
)

// formula holds the parameters of a parallel-ports generalised fat-tree (Zahavi 2010), by level
// from the hosts up: children, parents, and links between the same two. nil is none.
type formula struct{ m, w, p []int }

// formula returns the PGFT that matches the switches and links exactly, or nil; end ports count as
// hosts with one link each. Cost: O(channels).
func (t *Tree) formula() *formula {
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

// degrees returns the parameters if all switches of a level have the same.
func (t *Tree) degrees() *formula {
	levels := int(t.Top) + 1
	f := &formula{m: make([]int, levels), w: make([]int, levels), p: make([]int, levels)}
	f.m[0], f.w[0], f.p[0] = len(t.G.HostsOf(t.Leaves[0])), 1, 1
	seen := make([]bool, levels)
	for s := range int32(t.G.NumSwitches) {
		h := int(t.Level[s])
		up, down, hosts := 0, 0, len(t.G.HostsOf(s))
		for i, v := range t.Bundles(s) {
			links := len(t.PortsOf(i))
			switch int(t.Level[v]) - h {
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
			if h < int(t.Top) {
				f.w[h+1] = up
			}
		}
		if down != f.m[h] || down == 0 || h < int(t.Top) && (up == 0 || up != f.w[h+1]) {
			return nil
		}
	}
	return f
}

// labels gives every switch its label within its subtree: the digits of the paths up to it from a
// leaf. Its parents have the same label and another last digit each. Digits are assigned above one
// leaf; the labels of all other switches follow from their parents. It returns nil if they
// contradict each other.
func (t *Tree) labels(f *formula) []int {
	label := slices.Repeat([]int{-1}, t.G.NumSwitches)
	label[t.Leaves[0]] = 0
	for _, s := range t.ByLevel(false) {
		if label[s] < 0 {
			continue
		}
		digit := 0
		for _, v := range t.Parents(s) {
			if label[v] >= 0 {
				return nil
			}
			label[v] = label[s]*f.w[t.Level[v]] + digit
			digit++
		}
	}
	for _, s := range t.ByLevel(true) {
		parents := t.Parents(s)
		digits := map[int]bool{}
		for _, v := range parents {
			w := f.w[t.Level[v]]
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

// Parents lists the neighbours of a switch on the next level.
func (t *Tree) Parents(s int32) []int32 {
	var up []int32
	for _, v := range t.NeighboursOf(s) {
		if t.Level[v] > t.Level[s] {
			up = append(up, v)
		}
	}
	return up
}

// subtrees reports whether the switches connected below each level form the formula's number of
// subtrees, with every label once in each.
func (t *Tree) subtrees(f *formula, label []int) bool {
	number, places := 1, 1
	for _, m := range f.m[1:] {
		number *= m
	}
	p := partition(fabric.Numbers(t.G.NumSwitches))
	for h, level := range t.switchesByLevel() {
		if h > 0 {
			number /= f.m[h]
		}
		places *= f.w[h]
		for _, s := range level {
			for _, v := range t.NeighboursOf(s) {
				if int(t.Level[v]) < h {
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
func (t *Tree) switchesByLevel() [][]int32 {
	levels := make([][]int32, t.Top+1)
	for s, h := range t.Level {
		levels[h] = append(levels[h], int32(s))
	}
	return levels
}

// pgft returns the formula in the syntax of package gen.
func (f *formula) pgft() string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("pgft(%d;%s;%s;%s)", len(f.m), commas(f.m), commas(f.w), commas(f.p))
}

func commas(numbers []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ",")
}

// rlft returns the formula as the largest real-life fat-tree of one radix, or "" if it is none.
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
