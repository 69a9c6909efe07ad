package repair

import (
	"weft/route"
)

// loads counts, by port slot, the entries of LIDs of hosts, for each switch on first use.
type loads struct {
	b       *binding
	tables  *route.Tables
	ofHost  []bool  // by LID
	entries []int32 // by port slot, as Graph.Attached
	counted []bool  // by switch
}

func newLoads(b *binding, tables *route.Tables) loads {
	l := loads{
		b: b, tables: tables, ofHost: make([]bool, tables.NumBlocks()*route.BlockSize),
		entries: make([]int32, len(b.g.Attached)), counted: make([]bool, b.g.NumSwitches),
	}
	for lid, end := range b.owner {
		l.ofHost[lid] = end >= 0 && b.g.IsHost(end)
	}
	return l
}

// of returns the load of a channel: entries of LIDs of hosts.
func (l *loads) of(c int32) int32 {
	g, s := l.b.g, l.b.g.From[c]
	if !l.counted[s] {
		l.counted[s] = true
		count := [256]int32{}
		for i := range l.tables.NumBlocks() {
			ofHost := l.ofHost[i*route.BlockSize:][:route.BlockSize]
			for k, port := range l.tables.Block(s, i) {
				if ofHost[k] {
					count[port]++
				}
			}
		}
		copy(l.entries[g.PortStart[s]:][:g.SwitchPorts[s]+1], count[:])
	}
	return l.entries[g.PortStart[s]+int32(g.FromPort[c])]
}

// change records that an entry changed from one port to another.
func (l *loads) change(s int32, lid int, from, to uint8) {
	if !l.counted[s] || !l.ofHost[lid] {
		return
	}
	g := l.b.g
	if int32(from) <= g.SwitchPorts[s] {
		l.entries[g.PortStart[s]+int32(from)]--
	}
	if int32(to) <= g.SwitchPorts[s] {
		l.entries[g.PortStart[s]+int32(to)]++
	}
}
