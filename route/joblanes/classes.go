package joblanes

import (
	"fmt"

	"weft/route"
)

// class is a class of end ports or LIDs: the one in the old Plan, and the set of jobs.
type class struct {
	old int32
	set int32 // number in classes.sets; 0 for no job
}

// classes numbers classes and sets of jobs.
type classes struct {
	sets    [][]int
	numbers map[string]int32
}

// setOf returns the number of a set of jobs.
func (c *classes) setOf(jobs []int) int32 {
	if len(jobs) == 0 {
		return 0
	}
	key := fmt.Sprint(jobs)
	n, known := c.numbers[key]
	if !known {
		n = int32(len(c.sets))
		c.numbers[key], c.sets = n, append(c.sets, jobs)
	}
	return n
}

// numbering numbers classes in the order of their first use.
type numbering struct {
	list []class
	at   map[class]int32
}

// newNumbering makes a numbering. Old class 0 without jobs keeps the number 0.
func newNumbering() *numbering {
	return &numbering{list: []class{{}}, at: map[class]int32{{}: 0}}
}

func (n *numbering) number(c class) int32 {
	i, known := n.at[c]
	if !known {
		i = int32(len(n.list))
		n.at[c], n.list = i, append(n.list, c)
	}
	return i
}

// setSLs makes the SLs of the new Plan.
func (w *work) setSLs() {
	old := w.old.SL
	w.jobs = make([][]int, w.g.NumEnds)
	for j, hosts := range w.req.Hosts {
		for _, h := range hosts {
			if n := len(w.jobs[h]); n == 0 || w.jobs[h][n-1] != j {
				w.jobs[h] = append(w.jobs[h], j)
			}
		}
	}
	sets := &classes{sets: [][]int{nil}, numbers: map[string]int32{}}
	sources, targets := newNumbering(), newNumbering()
	src, dst := make([]int32, len(old.Src)), make([]int32, len(old.Dst))
	for end, c := range old.Src {
		src[end] = sources.number(class{c, sets.setOf(w.jobs[end])})
	}
	owner := w.old.Ends.ByLID()
	for lid, c := range old.Dst {
		switch {
		case c < 0:
			dst[lid] = -1
		case lid < len(owner) && owner[lid] >= 0:
			dst[lid] = targets.number(class{c, sets.setOf(w.jobs[owner[lid]])})
		default:
			dst[lid] = targets.number(class{c, 0})
		}
	}
	m := route.NewSLs(src, dst, len(sources.list), len(targets.list))
	m.OneWay = old.OneWay
	for d, to := range targets.list {
		for s, from := range sources.list {
			m.Set(int32(s), int32(d), w.slOf(old.ByClass(from.old, to.old), sets.sets[from.set], sets.sets[to.set]))
		}
	}
	w.plan.SL = merged(m)
}

// slOf returns the new SL of a pair with an old one, by the jobs of its end ports.
func (w *work) slOf(sl uint8, from, to []int) uint8 {
	first := -1
	for len(from) > 0 && len(to) > 0 {
		switch {
		case from[0] < to[0]:
			from = from[1:]
		case from[0] > to[0]:
			to = to[1:]
		case w.held[from[0]] && w.req.Given == nil:
			return sl
		case w.held[from[0]]:
			return w.copied(sl, from[0])
		default:
			if first < 0 {
				first = from[0]
			}
			from, to = from[1:], to[1:]
		}
	}
	return w.copied(sl, first)
}

// copied returns the SL on the copy of a job, or on the lanes of the paths if the job is negative.
func (w *work) copied(sl uint8, job int) uint8 {
	path, _ := w.old.UncopySL(sl)
	if job < 0 || w.lane[job] == 0 {
		return path
	}
	return w.plan.JobLanes[w.lane[job]-1][path]
}

// merged returns the same SLs with one class for all equal sources, and one for all equal LIDs.
// Classes 0 stay.
func merged(m *route.SLs) *route.SLs {
	cell := func(s, d int32) uint8 { return m.ByClass(s, d) }
	rows, keptRows := equal(m.NumDst, m.NumSrc, func(d, s int32) uint8 { return cell(s, d) })
	columns, keptColumns := equal(m.NumSrc, len(keptRows), func(s, i int32) uint8 { return cell(s, keptRows[i]) })
	if len(keptRows) == m.NumDst && len(keptColumns) == m.NumSrc {
		return m
	}
	out := route.NewSLs(make([]int32, len(m.Src)), make([]int32, len(m.Dst)), len(keptColumns), len(keptRows))
	out.OneWay = m.OneWay
	for end, c := range m.Src {
		out.Src[end] = columns[c]
	}
	for lid, c := range m.Dst {
		if out.Dst[lid] = c; c >= 0 {
			out.Dst[lid] = rows[c]
		}
	}
	for d, was := range keptRows {
		for s, from := range keptColumns {
			out.Set(int32(s), int32(d), cell(from, was))
		}
	}
	return out
}

// equal numbers n rows of a table so that equal rows have one number. kept holds the first row of
// each number.
func equal(n, width int, cell func(row, column int32) uint8) (number, kept []int32) {
	byHash := map[uint64][]int32{} // numbers
	number = make([]int32, n)
	same := func(a, b int32) bool {
		for i := range int32(width) {
			if cell(a, i) != cell(b, i) {
				return false
			}
		}
		return true
	}
rows:
	for row := range int32(n) {
		hash := uint64(14695981039346656037) // FNV-1a
		for i := range int32(width) {
			hash = (hash ^ uint64(cell(row, i))) * 1099511628211
		}
		for _, k := range byHash[hash] {
			if same(kept[k], row) {
				number[row] = k
				continue rows
			}
		}
		number[row] = int32(len(kept))
		byHash[hash] = append(byHash[hash], number[row])
		kept = append(kept, row)
	}
	return number, kept
}
