package sm

import (
	"cmp"
	"maps"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/wire/mad"
)

// buildFabric makes a Fabric of what was found, in order of node GUIDs. Nodes that no
// paired cable joins to us are left out, and noted.
func (c *Core) buildFabric() {
	f := fabric.New("discovered")
	reached := c.reachableNodes()
	order := make([]int32, 0, len(c.nodes))
	for id := range c.nodes {
		if reached[id] {
			order = append(order, int32(id))
			continue
		}
		why := "no good cable joins it to us"
		if !c.isManageable(int32(id)) {
			why = "it does not say what must be known of a switch"
		}
		c.noteLoss(CutOff, c.nodePlace(int32(id)), "%s is left out: %s", c.nodeName(int32(id)), why)
		c.dropNode(int32(id))
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c.nodes[a].guid < c.nodes[b].guid {
			return -1
		}
		return 1
	})
	c.prog.fabricNode = make([]fabric.NodeID, len(c.nodes))
	for i := range c.prog.fabricNode {
		c.prog.fabricNode[i] = -1
	}
	for _, id := range order {
		c.addToFabric(f, id)
	}
	for _, id := range order {
		c.connect(f, id)
	}
	c.fabric = f
	c.applyDrains()
}

// dropNode forgets the cables of a node.
func (c *Core) dropNode(id int32) {
	for slot := range c.portsOf(id) {
		if t := c.peer[slot]; t != noSlot {
			c.peer[t], c.peer[slot] = noSlot, noSlot
		}
	}
}

// addToFabric adds a node to the Fabric, without its cables.
func (c *Core) addToFabric(f *fabric.Fabric, id int32) {
	n := &c.nodes[id]
	v, err := f.AddNode(n.typ, n.guid, int(n.ports), n.desc)
	if err != nil { // addNode and byGUID have seen to it that there is none
		c.noteLoss(BadNode, c.nodePlace(id), "%v", err)
		return
	}
	c.prog.fabricNode[id] = v
	d := &f.Nodes[v]
	d.SystemGUID, d.VendorID, d.DeviceID, d.Revision = n.system, n.vendor, n.device, n.revision
	if n.hasSwitch {
		d.LinearFDBCap = uint16(mad.SwitchInfoLinearFDBCap.Get(n.sw[:]))
		d.Role = n.role
		d.EnhancedPort0 = mad.SwitchInfoEnhancedPort0.Is(n.sw[:])
	}
	for p := range d.Ports {
		slot := n.first + int32(p)
		info := c.info[slot][:]
		d.Ports[p].GUID = c.guid[slot]
		if c.flags[slot]&portKnown == 0 {
			continue
		}
		d.Ports[p].VLCap = mad.DataVLs(mad.PortInfoVLCap.Get(info))
		if c.takesLID(slot) {
			d.Ports[p].LID = fabric.LID(mad.PortInfoLID.Get(info))
			d.Ports[p].LMC = uint8(mad.PortInfoLMC.Get(info))
		}
	}
}

// connect adds the cables from a node to nodes after it, or to itself, to the Fabric.
func (c *Core) connect(f *fabric.Fabric, id int32) {
	for slot := range c.portsOf(id) {
		t := c.peer[slot]
		if t == noSlot {
			continue
		}
		a := fabric.End{Node: c.prog.fabricNode[id], Port: c.portNumber(slot)}
		b := fabric.End{Node: c.prog.fabricNode[c.owner[t]], Port: c.portNumber(t)}
		if a.Node < 0 || b.Node < a.Node || a.Node == b.Node && b.Port < a.Port {
			continue
		}
		w, s := fabric.Width(mad.LinkWidth(c.info[slot][:])), linkSpeeds[mad.LinkSpeed(c.info[slot][:])]
		if (c.flags[slot]|c.flags[t])&portFDR10 != 0 {
			s = fabric.FDR10
		}
		if _, err := f.Connect(a, b, w, s); err != nil {
			c.noteLoss(OneSided, c.portPlace(slot), "%v", err)
		}
	}
}

// linkSpeeds holds the speeds of links by the numbers of package mad; FDR10 is QDR to PortInfo.
var linkSpeeds = [...]fabric.Speed{
	mad.SpeedSDR: fabric.SDR, mad.SpeedDDR: fabric.DDR, mad.SpeedQDR: fabric.QDR, mad.SpeedFDR: fabric.FDR,
	mad.SpeedEDR: fabric.EDR, mad.SpeedHDR: fabric.HDR, mad.SpeedNDR: fabric.NDR, mad.SpeedXDR: fabric.XDR,
}

// heldLIDs returns the LIDs that end ports are to keep: the stored one, or else the one
// that the port has. Those stored for ports that were not found are kept for them.
func heldLIDs(g *fabric.Graph, stored LIDMap) *route.Held {
	h := route.Seen(g)
	taken := map[fabric.LID]bool{}
	for _, p := range stored {
		p.mark(taken)
	}
	for end, l := range h.Ends.Base {
		if _, ok := stored[g.EndGUID[end]]; ok || taken[l] {
			h.Ends.Base[end] = 0
		}
	}
	addStored(h, g, stored)
	return h
}

// addStored adds LIDs that were stored: of end ports that hold none, and of ports that were not found.
func addStored(h *route.Held, g *fabric.Graph, stored LIDMap) {
	here, taken := map[fabric.GUID]bool{}, map[fabric.LID]bool{}
	for end, l := range h.Ends.Base {
		here[g.EndGUID[end]] = true
		if l != 0 {
			PortLIDs{l, h.Ends.LMC[end]}.mark(taken)
		}
	}
	for end, guid := range g.EndGUID {
		if p, ok := stored[guid]; ok && h.Ends.Base[end] == 0 && !taken[p.Base] && !taken[p.Last()] {
			h.Ends.Base[end], h.Ends.LMC[end] = p.Base, p.LMC
		}
	}
	gone, guids := map[fabric.LID]fabric.GUID{}, slices.Sorted(maps.Keys(stored))
	for _, guid := range guids {
		if !here[guid] {
			gone[stored[guid].Base] = guid
		}
	}
	for i := range h.Absent {
		a := &h.Absent[i]
		taken[a.Base], a.GUID = true, cmp.Or(a.GUID, gone[a.Base]) // a Plan from a file may not know it
	}
	for _, guid := range guids {
		if p := stored[guid]; !here[guid] && !taken[p.Base] {
			h.Absent = append(h.Absent, route.Absent{GUID: guid, Base: p.Base, LMC: p.LMC})
		}
	}
}

// noteLIDClashes notes the ports that have the LID of another one.
func (c *Core) noteLIDClashes() {
	has := map[fabric.LID]int32{}
	for s := range c.addressable {
		lid := fabric.LID(mad.PortInfoLID.Get(c.info[s][:]))
		if lid == 0 {
			continue
		}
		if first, clash := has[lid]; clash {
			c.note(DuplicateLID, c.portPlace(s), "LID %d was found at %s and at %s: one of them gets another", lid, c.portName(first), c.portName(s))
			continue
		}
		has[lid] = s
	}
}

// notePortGUIDs notes the ports that cannot be told from others by their GUID: they are
// routed to, but no GID names them, and no LID is stored for both.
func (c *Core) notePortGUIDs() {
	has := map[fabric.GUID]int32{}
	for s := range c.addressable {
		guid := c.guid[s]
		first, clash := has[guid]
		switch {
		case guid == 0:
			c.note(BadNode, c.portPlace(s), "%s has port GUID 0", c.portName(s))
		case clash:
			c.note(DuplicateGUID, c.portPlace(s), "two ports have the GUID %s: %s and %s", guid, c.portName(first), c.portName(s))
		default:
			has[guid] = s
		}
	}
}
