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
func (f *finder) buildFabric() {
	out := fabric.New("discovered")
	reached := f.reachableNodes()
	order := make([]int32, 0, len(f.nodes))
	for id := range f.nodes {
		if reached[id] {
			order = append(order, int32(id))
			continue
		}
		why := "no good cable joins it to us"
		if !f.isManageable(int32(id)) {
			why = "it does not say what must be known of a switch"
		}
		f.noteLoss(CutOff, f.nodePlace(int32(id)), "%s is left out: %s", f.nodeName(int32(id)), why)
		f.dropNode(int32(id))
	}
	slices.SortFunc(order, func(a, b int32) int {
		if f.nodes[a].guid < f.nodes[b].guid {
			return -1
		}
		return 1
	})
	f.prog.fabricNode = make([]fabric.NodeID, len(f.nodes))
	for i := range f.prog.fabricNode {
		f.prog.fabricNode[i] = -1
	}
	for _, id := range order {
		f.addToFabric(out, id)
	}
	for _, id := range order {
		f.connect(out, id)
	}
	f.fabric = out
	f.applyDrains()
}

// dropNode forgets the cables of a node.
func (f *finder) dropNode(id int32) {
	for slot := range f.portsOf(id) {
		if t := f.peer[slot]; t != noSlot {
			f.peer[t], f.peer[slot] = noSlot, noSlot
		}
	}
}

// addToFabric adds a node to the Fabric, without its cables.
func (f *finder) addToFabric(out *fabric.Fabric, id int32) {
	n := &f.nodes[id]
	v, err := out.AddNode(n.typ, n.guid, int(n.ports), n.desc)
	if err != nil { // addNode and byGUID have seen to it that there is none
		f.noteLoss(BadNode, f.nodePlace(id), "%v", err)
		return
	}
	f.prog.fabricNode[id] = v
	d := &out.Nodes[v]
	d.SystemGUID, d.VendorID, d.DeviceID, d.Revision = n.system, n.vendor, n.device, n.revision
	if n.hasSwitch {
		d.LinearFDBCap = uint16(mad.SwitchInfoLinearFDBCap.Get(n.sw[:]))
		d.Role = n.role
		d.EnhancedPort0 = mad.SwitchInfoEnhancedPort0.Is(n.sw[:])
	}
	for p := range d.Ports {
		slot := n.first + int32(p)
		info := f.info[slot][:]
		d.Ports[p].GUID = f.guid[slot]
		if f.flags[slot]&portKnown == 0 {
			continue
		}
		d.Ports[p].VLCap = mad.DataVLs(mad.PortInfoVLCap.Get(info))
		if f.takesLID(slot) {
			d.Ports[p].LID = fabric.LID(mad.PortInfoLID.Get(info))
			d.Ports[p].LMC = uint8(mad.PortInfoLMC.Get(info))
		}
	}
}

// connect adds the cables from a node to nodes after it, or to itself, to the Fabric.
func (f *finder) connect(out *fabric.Fabric, id int32) {
	for slot := range f.portsOf(id) {
		t := f.peer[slot]
		if t == noSlot {
			continue
		}
		a := fabric.End{Node: f.prog.fabricNode[id], Port: f.portNumber(slot)}
		b := fabric.End{Node: f.prog.fabricNode[f.owner[t]], Port: f.portNumber(t)}
		if a.Node < 0 || b.Node < a.Node || a.Node == b.Node && b.Port < a.Port {
			continue
		}
		w, s := fabric.Width(mad.LinkWidth(f.info[slot][:])), linkSpeeds[mad.LinkSpeed(f.info[slot][:])]
		if (f.flags[slot]|f.flags[t])&portFDR10 != 0 {
			s = fabric.FDR10
		}
		if _, err := out.Connect(a, b, w, s); err != nil {
			f.noteLoss(OneSided, f.portPlace(slot), "%v", err)
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
func (f *finder) noteLIDClashes() {
	has := map[fabric.LID]int32{}
	for s := range f.addressable {
		lid := fabric.LID(mad.PortInfoLID.Get(f.info[s][:]))
		if lid == 0 {
			continue
		}
		if first, clash := has[lid]; clash {
			f.note(DuplicateLID, f.portPlace(s), "LID %d was found at %s and at %s: one of them gets another", lid, f.portName(first), f.portName(s))
			continue
		}
		has[lid] = s
	}
}

// notePortGUIDs notes the ports that cannot be told from others by their GUID: they are
// routed to, but no GID names them, and no LID is stored for both.
func (f *finder) notePortGUIDs() {
	has := map[fabric.GUID]int32{}
	for s := range f.addressable {
		guid := f.guid[s]
		first, clash := has[guid]
		switch {
		case guid == 0:
			f.note(BadNode, f.portPlace(s), "%s has port GUID 0", f.portName(s))
		case clash:
			f.note(DuplicateGUID, f.portPlace(s), "two ports have the GUID %s: %s and %s", guid, f.portName(first), f.portName(s))
		default:
			has[guid] = s
		}
	}
}

// applyDrains drains what Config.Drain names. It notes, and does not drain, missing parts and those without which a switch has no
// way to another.
func (f *finder) applyDrains() {
	for _, name := range f.by.drain {
		if p, err := f.drain(f.fabric, name); err != nil {
			f.note(NotDrained, Place{}, "%s is not drained: %v", name, err)
		} else {
			f.report.Drained = append(f.report.Drained, f.fabric.PartName(p))
		}
	}
}
