package naming

import (
	"weft/fabric"
	"weft/route/names"
	"weft/route/paths"
)

// tableEntries counts the entries of random forwarding tables that the paths need, over all
// switches including the last one: under base LIDs (the original entries of Table 4 of paper 002)
// and under the other LIDs (the new ones).
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

// conflictCounts counts what tables indexed by destination alone would lose (Table 6 of paper 002).
type conflictCounts struct {
	entries   int // pairs of a switch and a destination
	contested int // entries whose paths take several output channels
	byInput   int // triples of a switch, an input channel and a destination; each host's port is an input channel
	beyond    int // output channels of entries beyond the first
	switches  int // switches with a contested entry
}

// countConflicts counts the conflicts of paths.
func countConflicts(set *paths.Set) (n conflictCounts) {
	type input struct{ at, in int32 }
	type output struct{ at, out int32 }
	contested := map[int32]bool{}
	for dst := range int32(set.Graph().NumEnds) {
		inputs, outputs, at := map[input]bool{}, map[output]bool{}, map[int32]int{}
		first, last := set.To(dst)
		for p := first; p < last; p++ {
			for _, h := range hopsOf(set, p) {
				inputs[input{h.at, h.in}] = true
				if o := (output{h.at, h.out}); !outputs[o] {
					outputs[o] = true
					at[h.at]++
				}
			}
		}
		n.entries, n.byInput, n.beyond = n.entries+len(at), n.byInput+len(inputs), n.beyond+len(outputs)-len(at)
		for sw, outputs := range at {
			if outputs > 1 {
				n.contested++
				contested[sw] = true
			}
		}
	}
	n.switches = len(contested)
	return n
}

// hop is a switch on a path, with its input and output channel. At the first switch the input is -1
// minus the source, at the last the output is fabric.Nothing.
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
