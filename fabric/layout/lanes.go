package layout

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// colourLanes assigns every line with traffic the class of its VLs and returns the meaning of each
// class: a set of VLs if there are few sets, else a number of VLs.
func (d *drawing) colourLanes() (texts []string) {
	var sets []uint16
	for i := range d.p.Lines {
		if l := &d.p.Lines[i]; l.Class == laneClasses[0] && !slices.Contains(sets, l.VLs) {
			sets = append(sets, l.VLs)
		}
	}
	slices.SortFunc(sets, func(a, b uint16) int {
		return cmp.Or(cmp.Compare(bits.OnesCount16(a), bits.OnesCount16(b)), cmp.Compare(a, b))
	})
	most := len(laneClasses)
	classOf := func(vls uint16) int { return slices.Index(sets, vls) }
	if len(sets) <= most {
		for _, vls := range sets {
			texts = append(texts, bitsText(vls, d.bits))
		}
	} else {
		classOf = func(vls uint16) int { return min(bits.OnesCount16(vls), most) - 1 }
		for n := range most {
			texts = append(texts, several(n+1, "VL", "VLs"))
		}
		texts[most-1] = fmt.Sprintf("%d or more VLs", most)
	}
	for i := range d.p.Lines {
		if l := &d.p.Lines[i]; l.Class == laneClasses[0] {
			l.Class = laneClasses[classOf(l.VLs)]
		}
	}
	return texts
}

// bitsText names a set of kinds, or of VLs if there are no names.
func bitsText(set uint16, names []string) string {
	if names == nil {
		return laneText(set)
	}
	var kinds []string
	for i, name := range names {
		if set>>i&1 != 0 {
			kinds = append(kinds, name)
		}
	}
	return strings.Join(kinds, " and ")
}

// laneText names a set of VLs, as in "VLs 0 to 2 and 5".
func laneText(vls uint16) string {
	var runs []string
	for vl := 0; vls>>vl != 0; vl++ {
		if vls>>vl&1 == 0 {
			continue
		}
		last := vl + bits.TrailingZeros16(^(vls >> vl)) - 1
		switch last - vl {
		case 0:
			runs = append(runs, fmt.Sprint(vl))
		case 1:
			runs = append(runs, fmt.Sprint(vl), fmt.Sprint(last))
		default:
			runs = append(runs, fmt.Sprintf("%d to %d", vl, last))
		}
		vl = last
	}
	switch n := len(runs); {
	case n == 0:
		return "no VL"
	case bits.OnesCount16(vls) == 1:
		return "VL " + runs[0]
	case n == 1:
		return "VLs " + runs[0]
	default:
		return "VLs " + strings.Join(runs[:n-1], ", ") + " and " + runs[n-1]
	}
}
