package naming

import (
	"weft/fabric"
	"weft/route/names"
	"weft/route/paths"
)

// tableEntries counts the entries of random forwarding tables that the paths need, over
// all switches, those of the last switch included: under base LIDs (the original
// entries of Table 4 of paper 002) and under the other LIDs (the new ones).
func tableEntries(a *names.Assignment) (original, renamed int) {
	type entry struct {
		at     int32
		offset uint8
	}
	for dst := range int32(a.Set.Graph().NumEnds) {
		known := map[entry]bool{}
		first, last := a.Set.To(dst)
		for p := first; p < last; p++ {
			for _, h := range hopsOf(a.Set, p) {
				known[entry{h.at, a.Offset[p]}] = true
			}
		}
		for e := range known {
			if e.offset == 0 {
				original++
			} else {
				renamed++
			}
		}
	}
	return original, renamed
}

// countConflicts counts what a table by destination alone would lose (Table 6 of paper
// 002): entries are the (switch, input channel, destination) triples of the paths, each
// host's port being an input channel, and conflicts the output channels of a (switch,
// destination) beyond the first.
func countConflicts(set *paths.Set) (conflicts, entries int) {
	type input struct{ at, in int32 }
	type output struct{ at, out int32 }
	for dst := range int32(set.Graph().NumEnds) {
		inputs, outputs, switches := map[input]bool{}, map[output]bool{}, map[int32]bool{}
		first, last := set.To(dst)
		for p := first; p < last; p++ {
			for _, h := range hopsOf(set, p) {
				inputs[input{h.at, h.in}], outputs[output{h.at, h.out}], switches[h.at] = true, true, true
			}
		}
		entries += len(inputs)
		conflicts += len(outputs) - len(switches)
	}
	return conflicts, entries
}

// hop is a switch that a path passes, with the channels by which it comes and goes: at
// the first switch -1 less the source, at the last fabric.Nothing.
type hop struct{ at, in, out int32 }

func hopsOf(set *paths.Set, p int) []hop {
	g := set.Graph()
	h := hop{at: g.EndSwitch[set.Source(p)], in: -1 - set.Source(p)}
	var hops []hop
	for _, h.out = range set.AppendChannels(nil, p) {
		hops = append(hops, h)
		h.at, h.in = g.To[h.out], h.out
	}
	h.out = fabric.Nothing
	return append(hops, h)
}
