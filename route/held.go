package route

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// Held lists what a subnet has in use and must not lose without need: the names of its
// end ports, by those of the Graph, and under which of them each source sends.
type Held struct {
	Ends   Ends     // base LID 0 for a port that has none
	Choice *Choice  // by ListedLIDs; nil when nobody knows
	Absent []Absent // ports that are not in the Graph
}

// Absent is an end port that had LIDs and has gone. Others get its LIDs only
// when there are no more, so that it finds them when it comes back. It is named by its node and its number there,
// by its port GUID, or by both.
type Absent struct {
	Node fabric.GUID // 0: not known
	Port uint8
	GUID fabric.GUID // of the port; 0: not known
	Base fabric.LID
	LMC  uint8
}

// Name names the port for people.
func (a *Absent) Name() string {
	if a.Node == 0 {
		return a.GUID.String()
	}
	return fmt.Sprintf("%s[%d]", a.Node, a.Port)
}

// Seen copies the LIDs as they were seen.
func Seen(g *fabric.Graph) *Held {
	return &Held{Ends: Ends{Base: slices.Clone(g.EndLID), LMC: slices.Clone(g.EndLMC)}}
}

// Hold binds what a Plan told a subnet to the Graph after a change, by the GUIDs of
// the end ports. Of the old Graph the end ports are enough (planfile.LoadAlone).
func Hold(old *fabric.Graph, p *Plan, g *fabric.Graph) *Held {
	h := &Held{Ends: Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
	_, now := fabric.Match(g, old) // by old end port
	for o, e := range now {
		if base, lmc := p.Ends.Base[o], p.Ends.LMC[o]; e >= 0 {
			h.Ends.Base[e], h.Ends.LMC[e] = base, lmc
		} else if base != 0 {
			h.Absent = append(h.Absent, Absent{old.EndNodeGUID[o], old.EndNum[o], old.EndGUID[o], base, lmc})
		}
	}
	find := finder(g, p.Absent)
	for _, a := range p.Absent {
		if e := find(&a); e < 0 {
			h.Absent = append(h.Absent, a)
		} else if h.Ends.Base[e] == 0 {
			h.Ends.Base[e], h.Ends.LMC[e] = a.Base, a.LMC
		}
	}
	bound := p.Choice.bind(now, g.NumEnds)
	h.Choice = &bound
	return h
}

// finder returns a function that finds absent ports in a Graph where they are there again: the index of the end port, or fabric.Nothing.
func finder(g *fabric.Graph, list []Absent) func(a *Absent) int32 {
	byGUID := map[fabric.GUID]int32{}
	if slices.ContainsFunc(list, func(a Absent) bool { return a.GUID != 0 }) {
		for e, guid := range g.EndGUID {
			byGUID[guid] = int32(e)
		}
	}
	return func(a *Absent) int32 {
		if e := g.FindEnd(a.Node, a.Port); e >= 0 && a.Node != 0 {
			return e
		}
		if e, ok := byGUID[a.GUID]; ok && a.GUID != 0 {
			return e
		}
		return fabric.Nothing
	}
}

// Any reports whether any end port has a LID in use.
func (h *Held) Any() bool {
	return slices.ContainsFunc(h.Ends.Base, func(l fabric.LID) bool { return l != 0 })
}

// bind takes the rows of end ports that are still there; where a Choice has none, sources
// are taken to use base LIDs. now is the new index of each end port, -1 for none.
func (c *Choice) bind(now []int32, numEnds int) Choice {
	var rows []ChoiceRow
	if c.By == ListedLIDs {
		for s, src := range now {
			for i := c.Start[s]; i < c.Start[s+1] && src >= 0; i++ {
				if dst := now[c.Target[i]]; dst >= 0 {
					rows = append(rows, ChoiceRow{src, dst, c.Offset[i]})
				}
			}
		}
	}
	return NewChoice(numEnds, rows)
}

// Offsets lists the offsets of the LIDs that a source uses for a target, none where one of
// them is new or nobody knows.
func (h *Held) Offsets(source, target int32) []uint8 {
	if h.Choice == nil || h.Ends.Base[source] == 0 || h.Ends.Base[target] == 0 {
		return nil
	}
	return h.Choice.Offsets(source, target)
}

// HostLMC is the LMC that all CA and router ports have, 0 if they differ.
func (h *Held) HostLMC(g *fabric.Graph) uint8 {
	common, met := uint8(0), false
	for end := range g.NumHosts {
		switch {
		case h.Ends.Base[end] == 0:
		case !met:
			common, met = h.Ends.LMC[end], true
		case h.Ends.LMC[end] != common:
			return 0
		}
	}
	return common
}

// StillAbsent lists the absent ports whose LIDs nobody got, those gone last first.
func (h *Held) StillAbsent(ends *Ends) []Absent {
	by := ends.ByLID()
	return slices.DeleteFunc(slices.Clone(h.Absent), func(a Absent) bool {
		for l := int(a.Base); l < min(int(a.Base)+1<<a.LMC, len(by)); l++ {
			if by[l] >= 0 {
				return true
			}
		}
		return false
	})
}
