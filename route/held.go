package route

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// Held lists LIDs in use that a subnet should keep: the LIDs of its end ports, in the Graph's
// order, and which of them each source uses.
type Held struct {
	Ends   Ends     // base LID 0 for a port without one
	Choice *Choice  // by ListedLIDs; nil if unknown
	Absent []Absent // ports that are not in the Graph
}

// Absent is a lost end port that had LIDs. Others get its LIDs only when no free ones are left, so
// that it finds them when it returns. Its node and port number name it, or its port GUID, or both.
type Absent struct {
	Node fabric.GUID // 0: unknown
	Port uint8
	GUID fabric.GUID // of the port; 0: unknown
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

// Seen returns the LIDs as discovery saw them.
func Seen(g *fabric.Graph) *Held {
	return &Held{Ends: Ends{Base: slices.Clone(g.EndLID), LMC: slices.Clone(g.EndLMC)}}
}

// Hold carries a Plan's LIDs over to the Graph after a change, by the GUIDs of the end ports. Of
// the old Graph it needs only the end ports (planfile.LoadAlone).
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

// finder returns a function that finds the end port of an absent port that has returned, or
// fabric.Nothing.
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

// bind keeps the rows of end ports that are still there. A Choice without rows stands for base
// LIDs. now holds the new index of each end port, -1 for none.
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

// Offsets lists the offsets of the LIDs that a source uses for a target; none if one of the two is
// new, or the choice is unknown.
func (h *Held) Offsets(source, target int32) []uint8 {
	if h.Choice == nil || h.Ends.Base[source] == 0 || h.Ends.Base[target] == 0 {
		return nil
	}
	return h.Choice.Offsets(source, target)
}

// HostLMC returns the common LMC of all CA and router ports, 0 if they differ.
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

// StillAbsent lists the absent ports whose LIDs no other port got, the last lost first.
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
