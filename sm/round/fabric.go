package round

import (
	"slices"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// buildFabric makes the Fabric, with nodes in the order of their GUIDs. It leaves out, and notes,
// nodes that no paired cable connects to us.
func (f *finder) buildFabric() {
	out := fabric.New("discovered")
	reached := f.ReachableNodes()
	order := make([]int32, 0, len(f.Nodes))
	for id := range f.Nodes {
		if reached[id] {
			order = append(order, int32(id))
			continue
		}
		why := "no good cable joins it to us"
		switch {
		case f.unfit[int32(id)]: // noted
			continue
		case !f.IsManageable(int32(id)):
			why = "it does not say what must be known of a switch"
		}
		f.noteLoss(terms.CutOff, f.NodePlace(int32(id)), "%s is left out: %s", f.NodeName(int32(id)), why)
		f.dropNode(int32(id))
	}
	slices.SortFunc(order, func(a, b int32) int {
		if f.Nodes[a].GUID < f.Nodes[b].GUID {
			return -1
		}
		return 1
	})
	f.Prog.FabricNode = make([]fabric.NodeID, len(f.Nodes))
	for i := range f.Prog.FabricNode {
		f.Prog.FabricNode[i] = -1
	}
	for _, id := range order {
		f.addToFabric(out, id)
	}
	for _, id := range order {
		f.connect(out, id)
	}
	f.Fabric, f.report.Drained = out, nil
	f.applyDrains()
}

// dropNode unpairs the cables of a node.
func (f *finder) dropNode(id int32) {
	for slot := range f.PortsOf(id) {
		f.unpair(slot)
	}
}

// addToFabric adds a node to the Fabric, without its cables.
func (f *finder) addToFabric(out *fabric.Fabric, id int32) {
	n := &f.Nodes[id]
	v, err := out.AddNode(n.Typ, n.GUID, int(n.Ports), n.Called())
	if err != nil { // AddNode of the inventory and ByGUID rule this out
		f.noteLoss(terms.BadNode, f.NodePlace(id), "%v", err)
		return
	}
	f.Prog.FabricNode[id] = v
	d := &out.Nodes[v]
	d.SystemGUID, d.VendorID, d.DeviceID, d.Revision = n.System, n.Vendor, n.Device, n.Revision
	if n.HasSwitch {
		d.LinearFDBCap = uint16(mad.SwitchInfoLinearFDBCap.Get(n.Sw[:]))
		d.Role = n.Role
		d.EnhancedPort0 = mad.SwitchInfoEnhancedPort0.Is(n.Sw[:])
	}
	for p := range d.Ports {
		slot := n.First + int32(p)
		info := f.Info[slot][:]
		d.Ports[p].GUID = f.GUID[slot]
		if f.Flags[slot]&ledger.PortKnown == 0 {
			continue
		}
		d.Ports[p].VLCap = mad.DataVLs(mad.PortInfoVLCap.Get(info))
		if f.TakesLID(slot) {
			lids := ledger.LIDsIn(f.Info[slot][:])
			d.Ports[p].LID, d.Ports[p].LMC = lids.Base, lids.LMC
		}
	}
}

// connect adds to the Fabric the cables from a node to itself or to later nodes.
func (f *finder) connect(out *fabric.Fabric, id int32) {
	for slot := range f.PortsOf(id) {
		t := f.Peer[slot]
		if t == ledger.NoSlot {
			continue
		}
		a := fabric.End{Node: f.Prog.FabricNode[id], Port: f.PortNumber(slot)}
		b := fabric.End{Node: f.Prog.FabricNode[f.Owner[t]], Port: f.PortNumber(t)}
		if a.Node < 0 || b.Node < a.Node || a.Node == b.Node && b.Port < a.Port {
			continue
		}
		w, s := fabric.Width(mad.LinkWidth(f.Info[slot][:])), linkSpeeds[mad.LinkSpeed(f.Info[slot][:])]
		if (f.Flags[slot]|f.Flags[t])&ledger.PortFDR10 != 0 {
			s = fabric.FDR10
		}
		if _, err := out.Connect(a, b, w, s); err != nil {
			f.noteLoss(terms.OneSided, f.PortPlace(slot), "%v", err)
		}
	}
}

// linkSpeeds maps speeds of package mad to package fabric. PortInfo reports FDR10 as QDR.
var linkSpeeds = [...]fabric.Speed{
	mad.SpeedSDR: fabric.SDR, mad.SpeedDDR: fabric.DDR, mad.SpeedQDR: fabric.QDR, mad.SpeedFDR: fabric.FDR,
	mad.SpeedEDR: fabric.EDR, mad.SpeedHDR: fabric.HDR, mad.SpeedNDR: fabric.NDR, mad.SpeedXDR: fabric.XDR,
}

// noteLIDClashes notes the ports that have the LID of another port, or one that no port may have.
func (f *finder) noteLIDClashes() {
	has := map[fabric.LID]int32{}
	for s := range f.Addressable {
		lid := ledger.LIDsIn(f.Info[s][:]).Base
		if lid == 0 {
			if said := mad.PortInfoLID.Get(f.Info[s][:]); said != 0 {
				f.note(terms.BadNode, f.PortPlace(s), "%s says that it has LID %d and LMC %d, which no port may have: it gets another LID", f.PortName(s), said, mad.PortInfoLMC.Get(f.Info[s][:]))
			}
			continue
		}
		if first, clash := has[lid]; clash {
			f.note(terms.DuplicateLID, f.PortPlace(s), "LID %d was found at %s and at %s: one of them gets another", lid, f.PortName(first), f.PortName(s))
			continue
		}
		has[lid] = s
	}
}

// notePortGUIDs notes ports with GUID 0 or with the GUID of another port. They are routed to, but
// no GID names them and no LID is stored for them.
func (f *finder) notePortGUIDs() {
	has := map[fabric.GUID]int32{}
	for s := range f.Addressable {
		guid := f.GUID[s]
		first, clash := has[guid]
		switch {
		case guid == 0:
			f.note(terms.BadNode, f.PortPlace(s), "%s has port GUID 0", f.PortName(s))
		case clash:
			f.note(terms.DuplicateGUID, f.PortPlace(s), "two ports have the GUID %s: %s and %s", guid, f.PortName(first), f.PortName(s))
		default:
			has[guid] = s
		}
	}
}

// noteDisabled notes switch ports that somebody has disabled. They stay so: nobody but an operator
// knows why.
func (f *finder) noteDisabled() {
	for slot := range int32(len(f.Owner)) {
		if f.IsSwitch(slot) && f.PortNumber(slot) > 0 && f.Flags[slot]&ledger.PortKnown != 0 && mad.PortInfoPhysicalState.Get(f.Info[slot][:]) == mad.PhysDisabled {
			f.note(terms.DisabledPort, f.PortPlace(slot), "%s is disabled: its cable is not used, and nothing is seen behind it. To use it, type weft sm undrain '%s[%d]'", f.PortName(slot), f.Nodes[f.Owner[slot]].GUID, f.PortNumber(slot))
		}
	}
}

// applyDrains drains the parts that Policy.Drain names. A part that is missing, or without which
// some switches cannot reach each other, is noted and stays in use.
func (f *finder) applyDrains() {
	for _, name := range f.By.Drain {
		if p, err := f.Drain(f.Fabric, name); err != nil {
			if here, wrong := f.Fabric.FindPart(name); wrong == nil { // named by GUID
				name = f.Fabric.PartName(here)
			}
			f.note(terms.NotDrained, terms.Place{}, "%s is not drained: %v", name, err)
		} else {
			f.report.Drained = append(f.report.Drained, f.Fabric.PartName(p))
		}
	}
	for _, name := range f.By.Avoid {
		avoid(f, name)
	}
}

// avoid drains a switch that does not take its tables. If some switches cannot reach each other
// without it, all of its cables to switches are drained that they can do without: then only paths
// to and from those switches cross it.
func avoid(f *finder, name string) {
	p, err := f.Drain(f.Fabric, name)
	switch {
	case err == nil:
		f.report.Drained = append(f.report.Drained, f.Fabric.PartName(p))
		return
	case p.Switch < 0: // it is not there
		return
	}
	f.note(terms.NotDrained, terms.Place{}, "%s is avoided where it can be: %v", f.Fabric.PartName(p), err)
	for _, link := range f.Fabric.Cabled(p.Switch, nil) {
		cable := fabric.Part{Switch: -1, Link: link}
		if f.Fabric.IsSwitchLink(link) && !f.Fabric.IsDrained(cable) && f.DrainPart(f.Fabric, cable) == nil {
			f.report.Drained = append(f.report.Drained, f.Fabric.PartName(cable))
		}
	}
}
