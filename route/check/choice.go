package check

import (
	"fmt"

	"weft/route"
)

// byTarget is a Choice the other way round: the rows of each target.
type byTarget struct {
	start  []int32
	source []int32
	offset []uint8
}

// turnChoice sorts the rows by target and finds those that name no LID of it.
func (j *judge) turnChoice(c *route.Choice) *byTarget {
	n := j.g.NumEnds
	bt := &byTarget{start: make([]int32, n+1)}
	for s := range int32(n) {
		for i := c.Start[s]; i < c.Start[s+1]; i++ {
			t := c.Target[i]
			if t < 0 || int(t) >= n || int(c.Offset[i]) >= j.count[t] {
				j.badRow(s, t, c.Offset[i])
			}
			if t >= 0 && int(t) < n {
				bt.start[t+1]++
			}
		}
	}
	for t := range n {
		bt.start[t+1] += bt.start[t]
	}
	bt.source = make([]int32, bt.start[n])
	bt.offset = make([]uint8, bt.start[n])
	fill := append([]int32(nil), bt.start[:n]...)
	for s := range int32(n) {
		for i := c.Start[s]; i < c.Start[s+1]; i++ {
			if t := c.Target[i]; t >= 0 && int(t) < n {
				bt.source[fill[t]], bt.offset[fill[t]] = s, c.Offset[i]
				fill[t]++
			}
		}
	}
	return bt
}

func (j *judge) badRow(s, t int32, offset uint8) {
	j.badRows++
	if len(j.badRowText) >= examplesShown {
		return
	}
	target := fmt.Sprintf("target %d, which does not exist", t)
	if t >= 0 && int(t) < j.g.NumEnds {
		target = fmt.Sprintf("offset %d of %s, which has %d LIDs", offset, route.EndName(j.g, t), j.count[t])
	}
	j.badRowText = append(j.badRowText, fmt.Sprintf("%s uses %s", route.EndName(j.g, s), target))
}
