package repair

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// binding holds the old Plan under the new Graph's numbers of switches and end ports.
type binding struct {
	g, old    *fabric.Graph
	plan      *route.Plan
	ends      route.Ends       // of the new Plan
	switchWas []int32          // by switch: its number in the old Graph, -1 if it is new
	endWas    []int32          // by end port: the same
	rows      [][]*route.Block // by switch: the blocks of its old table
	owner     []int32          // by LID: its end port, -1 for none
	same      []bool           // by LID: its end port is the same as in the old Plan
	links     bool             // the links of the old Graph are known
	changed   []bool           // by port slot, as Graph.Attached: its neighbour is another one, or gone; needs links
	channels  []int32          // by port slot: the channel of old entries, -1 if there is none or it is gone
	gained    bool             // some port has a new neighbour
	drained   bool             // some switch is newly drained; needs links
}

// bind matches the switches and end ports of the old Plan by GUID, and finds ports with other
// neighbours.
func bind(g *fabric.Graph, req *Request, ends route.Ends) *binding {
	b := &binding{g: g, old: req.Old, plan: req.Plan, ends: ends, links: len(req.Old.Attached) > 0}
	b.switchWas, b.endWas = fabric.Match(req.Old, g)
	b.readRows()
	b.readOwners()
	for s, o := range b.switchWas {
		b.drained = b.drained || g.Drained[s] && b.links && (o < 0 || !b.old.Drained[o])
	}
	if b.links {
		b.readPorts()
	}
	b.readChannels()
	return b
}

// readRows reads the blocks of all switches.
func (b *binding) readRows() {
	blocks := int(b.ends.Top())/route.BlockSize + 1
	b.rows = make([][]*route.Block, b.g.NumSwitches)
	for s, o := range b.switchWas {
		b.rows[s] = make([]*route.Block, blocks)
		for i := range blocks {
			b.rows[s][i] = b.plan.Tables.BlockOrEmpty(o, i)
		}
	}
}

// readOwners finds the LIDs with an unchanged end port.
func (b *binding) readOwners() {
	b.owner = b.ends.ByLID()
	was := b.plan.Ends.ByLID()
	b.same = make([]bool, len(b.owner))
	for lid, end := range b.owner {
		b.same[lid] = end >= 0 && lid < len(was) && was[lid] >= 0 && b.endWas[end] == was[lid]
	}
}

// readPorts finds ports with other neighbours than before.
func (b *binding) readPorts() {
	g := b.g
	b.changed = make([]bool, len(g.Attached))
	for s, o := range b.switchWas {
		for port := range int(g.SwitchPorts[s]) + 1 {
			was := peer{}
			if o >= 0 && int32(port) <= b.old.SwitchPorts[o] {
				was = peerOf(b.old, o, uint8(port))
			}
			now := peerOf(g, int32(s), uint8(port))
			b.changed[int(g.PortStart[s])+port] = was != now
			b.gained = b.gained || was != now && now != peer{}
		}
	}
}

// readChannels finds the channels of old entries.
func (b *binding) readChannels() {
	b.channels = slices.Repeat([]int32{fabric.Nothing}, len(b.g.Attached))
	for c := range int32(b.g.NumChannels) {
		if at := b.g.PortStart[b.g.From[c]] + int32(b.g.FromPort[c]); !b.links || !b.changed[at] {
			b.channels[at] = c
		}
	}
}

// peer names the neighbour of a port, for comparing two Graphs.
type peer struct {
	node fabric.GUID
	port uint8
	kind uint8 // 0 for nothing
}

func peerOf(g *fabric.Graph, s int32, port uint8) peer {
	switch c, host := g.At(s, port); {
	case c >= 0:
		return peer{g.SwitchGUID[g.To[c]], g.ToPort[c], 1}
	case host >= 0:
		return peer{g.EndNodeGUID[host], g.EndNum[host], 2}
	}
	return peer{}
}

// port returns the old entry of a switch.
func (b *binding) port(s int32, lid int) uint8 {
	return b.rows[s][lid/route.BlockSize][lid%route.BlockSize]
}

// channel returns the channel of the old entry of a switch, -1 if it is gone or never existed.
func (b *binding) channel(s int32, lid int) int32 {
	port := int32(b.port(s, lid))
	if port > b.g.SwitchPorts[s] {
		return fabric.Nothing
	}
	return b.channels[b.g.PortStart[s]+port]
}

// delivers reports whether the old entry of a LID's own switch is right.
func (b *binding) delivers(lid int) bool {
	end := b.owner[lid]
	return b.same[lid] && b.port(b.g.EndSwitch[end], lid) == b.g.EndPort[end]
}

// mayPass reports whether packets to a switch t may pass switch s.
func (b *binding) mayPass(s, t int32) bool { return s == t || !b.g.Drained[s] }
