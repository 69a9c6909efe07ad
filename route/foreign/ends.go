package foreign

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
)

// ends finds the LIDs of every end port. They are the discovered ones unless the tables disagree;
// then the tables are right, because a switch obeys them. The LMC is the discovered one or, if the
// tables name or deliver more LIDs of a port, that of all of them. unclear names the ports whose
// LIDs are no block of any LMC, and LIDs that may belong to some port.
func (f *Files) ends(g *fabric.Graph, note func(string, ...any)) (e route.Ends, unclear []route.Remark) {
	e = route.Ends{Base: slices.Clone(g.EndLID), LMC: slices.Clone(g.EndLMC)}
	moved := 0
	doubt := func(end int32, list []fabric.LID) {
		unclear = append(unclear, route.Remark{
			Ports: []fabric.PortName{g.EndName(end)}, Text: fmt.Sprintf("has LIDs %v in the tables, which are not a block of any LMC", list),
		})
	}
	named := f.named(g)
	for end, list := range named {
		if len(list) == 0 || covers(&e, end, list) {
			continue
		}
		if e.Base[end] != 0 && e.Base[end] != list[0] {
			moved++
		}
		e.Base[end] = list[0]
		if !setLMC(&e, end, list) {
			doubt(int32(end), list)
		}
	}
	for end, list := range f.delivered(g, &e) {
		if len(list) == 0 || e.Base[end] == 0 {
			continue
		}
		list = append(list, e.Base[end])
		slices.Sort(list)
		if list[0] != e.Base[end] || !setLMC(&e, end, list) {
			doubt(int32(end), list)
		}
	}
	unclear = append(unclear, f.unplaced(g, &e)...)
	if moved > 0 {
		note("%d ports have another LID in the tables than in the fabric: the tables' LIDs are used", moved)
	}
	nameless := 0
	for _, lid := range e.Base {
		if lid == 0 {
			nameless++
		}
	}
	if nameless > 0 {
		note("%d of %d end ports have no LID in either file: they are not judged", nameless, g.NumEnds)
	}
	return e, unclear
}

// covers reports whether all LIDs of a list belong to an end port.
func covers(e *route.Ends, end int, list []fabric.LID) bool {
	n := e.Count(int32(end))
	return n > 0 && list[0] >= e.Base[end] && int(list[len(list)-1]) < int(e.Base[end])+n
}

// setLMC raises the LMC of an end port if the list, ascending from its base LID, is a whole larger
// block. It reports whether all LIDs then belong to the port.
func setLMC(e *route.Ends, end int, list []fabric.LID) bool {
	if covers(e, end, list) {
		return true
	}
	for lmc := range uint8(fabric.MaxLMC + 1) {
		n := 1 << lmc
		if n == len(list) && int(list[0])%n == 0 && int(list[n-1]) == int(list[0])+n-1 {
			e.LMC[end] = lmc
			return true
		}
	}
	return false
}

// named lists by end port its LIDs in the tables' headings, ascending.
func (f *Files) named(g *fabric.Graph) [][]fabric.LID {
	ends := indexByGUID(g.EndGUID)
	list := make([][]fabric.LID, g.NumEnds)
	add := func(guid fabric.GUID, lid fabric.LID) {
		if end, ok := ends[guid]; ok && lid != 0 && !slices.Contains(list[end], lid) {
			list[end] = append(list[end], lid)
		}
	}
	for _, t := range f.LFTs.Targets {
		add(t.GUID, t.LID)
	}
	for _, s := range f.LFTs.Switches {
		add(s.GUID, s.LID)
	}
	for _, lids := range list {
		slices.Sort(lids)
	}
	return list
}

func indexByGUID(guids []fabric.GUID) map[fabric.GUID]int32 {
	index := make(map[fabric.GUID]int32, len(guids))
	for i, guid := range guids {
		index[guid] = int32(i)
	}
	return index
}

// delivered lists by end port the LIDs that its switch delivers to it although the tables do not
// name them and they have no owner.
func (f *Files) delivered(g *fabric.Graph, e *route.Ends) [][]fabric.LID {
	list := make([][]fabric.LID, g.NumEnds)
	switches := indexByGUID(g.SwitchGUID)
	f.eachUnowned(e, func(sw fabric.GUID, lid fabric.LID, port uint8) {
		s, ok := switches[sw]
		if !ok {
			return
		}
		end := g.PortZero(s)
		if port != 0 {
			c, host := g.At(s, port)
			if c >= 0 || host < 0 {
				return
			}
			end = host
		}
		if !slices.Contains(list[end], lid) {
			list[end] = append(list[end], lid)
		}
	})
	return list
}

// eachUnowned calls do for the entries of LIDs without an owner that the tables do not name.
func (f *Files) eachUnowned(e *route.Ends, do func(sw fabric.GUID, lid fabric.LID, port uint8)) {
	known := make([]bool, 1+max(e.Top(), f.LFTs.TopLID()))
	known[0] = true
	for lid, end := range e.ByLID() {
		known[lid] = known[lid] || end >= 0
	}
	for _, t := range f.LFTs.Targets {
		if int(t.LID) < len(known) {
			known[t.LID] = true
		}
	}
	for i := range f.LFTs.Switches {
		sw := &f.LFTs.Switches[i]
		for lid, port := range sw.Ports {
			if port != route.NoPort && !known[lid] {
				do(sw.GUID, fabric.LID(lid), port)
			}
		}
	}
}

// unplaced names LIDs with entries but without an owner that may belong to a port. It applies if
// neither file knows an LMC: the tables name no LID, and discovery saw LMC 0 everywhere.
func (f *Files) unplaced(g *fabric.Graph, e *route.Ends) (unclear []route.Remark) {
	if len(f.LFTs.Targets) > 0 || slices.Max(append(slices.Clone(g.EndLMC), 0)) > 0 {
		return nil
	}
	owner := e.ByLID()
	seen := map[fabric.LID]bool{}
	f.eachUnowned(e, func(_ fabric.GUID, lid fabric.LID, _ uint8) {
		if seen[lid] {
			return
		}
		seen[lid] = true
		base := int(lid)
		for base > 0 && (base >= len(owner) || owner[base] < 0) {
			base--
		}
		// The smallest block that holds both must begin at the port's base LID.
		for n := 2; base > 0 && n <= 1<<fabric.MaxLMC; n *= 2 {
			if base%n == 0 && int(lid) < base+n {
				unclear = append(unclear, route.Remark{
					LID: lid, Ports: []fabric.PortName{g.EndName(owner[base])}, Text: fmt.Sprintf("may belong to this port, whose LID is %d; no port has it", base),
				})
				return
			}
		}
	})
	return unclear
}
