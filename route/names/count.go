package names

import "weft/route/paths"

// Entries counts the entries of random forwarding tables that the paths need, over
// all switches, those of the last switch included: under base LIDs (the original
// entries of Table 4 of paper 002) and under the other LIDs (the new ones).
func (a *Assignment) Entries() (original, renamed int) {
	g := a.Set.Graph()
	met := make([]int32, g.NumSwitches*MaxPerPort) // 1 + last destination with the entry
	for dst := range int32(g.NumEnds) {
		first, last := a.Set.To(dst)
		for p := first; p < last; p++ {
			offset := int(a.Offset[p])
			eachSwitch(a.Set, p, func(s int32) {
				if m := &met[int(s)*MaxPerPort+offset]; *m != dst+1 {
					*m = dst + 1
					if offset == 0 {
						original++
					} else {
						renamed++
					}
				}
			})
		}
	}
	return original, renamed
}

// eachSwitch visits the switches of a path.
func eachSwitch(set *paths.Set, p int, visit func(s int32)) {
	g := set.Graph()
	at := g.EndSwitch[set.Source(p)]
	visit(at)
	for _, port := range set.Ports(p) {
		c, _ := g.At(at, port)
		at = g.To[c]
		visit(at)
	}
}

// Conflicts counts what a table by destination alone would lose (Table 6 of paper
// 002): entries are the (switch, input channel, destination) triples of the paths,
// each host's port being an input channel, and conflicts the output channels of a
// (switch, destination) beyond the first.
func Conflicts(set *paths.Set) (conflicts, entries int) {
	g := set.Graph()
	type in struct{ at, in int32 }
	type out struct {
		at   int32
		port uint8
	}
	for dst := range int32(g.NumEnds) {
		first, last := set.To(dst)
		ins, outs, at := map[in]bool{}, map[out]bool{}, map[int32]bool{}
		for p := first; p < last; p++ {
			s, from := g.EndSwitch[set.Source(p)], -1-set.Source(p)
			for _, port := range set.Ports(p) {
				ins[in{s, from}], outs[out{s, port}], at[s] = true, true, true
				from, _ = g.At(s, port)
				s = g.To[from]
			}
			ins[in{s, from}] = true
		}
		entries += len(ins)
		conflicts += len(outs) - len(at)
	}
	return conflicts, entries
}
