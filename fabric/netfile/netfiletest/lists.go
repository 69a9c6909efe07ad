package netfiletest

import (
	"fmt"
	"strings"

	"weft/fabric"
)

// kindWords are the types of nodes as ibnetdiscover -p has them.
var kindWords = map[fabric.NodeType]string{fabric.Switch: "SW", fabric.CA: "CA", fabric.Router: "RT"}

// WritePortList writes a fabric as ibnetdiscover -p does.
func WritePortList(w *strings.Builder, f *fabric.Fabric) {
	side := func(e fabric.End) string {
		n := &f.Nodes[e.Node]
		p := &n.Ports[LIDPort(n.Type, e.Port)]
		return fmt.Sprintf("%s %5d %2d 0x%016x", kindWords[n.Type], p.LID, e.Port, uint64(p.GUID))
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for p := n.NumPorts(); p > 0; p-- {
			here := fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}
			l := n.Ports[p].Link
			if l == fabric.NoLink {
				fmt.Fprintf(w, "%s 4x SDR%36s'%s'\n", side(here), "", n.Desc)
				continue
			}
			there := f.Peer(here)
			fmt.Fprintf(w, "%s %dx %s - %s ( '%s' - '%s' )\n", side(here), f.Links[l].Width, f.Links[l].Speed, side(there), n.Desc, f.Nodes[there.Node].Desc)
		}
	}
}

// csvSpeed is a speed as ibdiagnet2.db_csv has it.
var csvSpeed = map[fabric.Speed]int{fabric.SDR: 1, fabric.DDR: 2, fabric.QDR: 4, fabric.FDR: 256, fabric.EDR: 512, fabric.HDR: 1024, fabric.NDR: 2048, fabric.XDR: 4096, fabric.FDR10: 65536}

// WriteDBCSV writes the sections of ibdiagnet2.db_csv that tell the topology.
func WriteDBCSV(w *strings.Builder, f *fabric.Fabric) {
	w.WriteString("START_NODES\nNodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,DeviceID,PartitionCap,revision,VendorID,LocalPortNum\n")
	for i := range f.Nodes {
		n := &f.Nodes[i]
		fmt.Fprintf(w, "\"%s\",%d,%d,1,1,0x%x,0x%x,0x%x,%d,128,%d,%d,1\n", n.Desc, n.NumPorts(), n.Type, uint64(n.SystemGUID), uint64(n.GUID), uint64(n.GUID), n.DeviceID, n.Revision, n.VendorID)
	}
	w.WriteString("END_NODES\n\n\nSTART_OTHER\na,b\n1,\"x\nEND_OTHER\nSTART_PORTS\nNodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv,PortState,VLCap,FECActv\n")
	widths := map[fabric.Width]int{1: 1, 4: 2, 8: 4, 12: 8, 2: 16}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for p := range n.Ports {
			port := &n.Ports[p]
			l := fabric.Link{}
			state := 1
			if port.Link != fabric.NoLink {
				l, state = f.Links[port.Link], 4
			}
			fmt.Fprintf(w, "0x%016x,0x%016x,%d,%d,%d,%d,%d,%d,0,N/A\n", uint64(n.GUID), uint64(port.GUID), p, port.LID, port.LMC, widths[l.Width], csvSpeed[l.Speed], state)
		}
	}
	w.WriteString("END_PORTS\nSTART_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n")
	for _, l := range f.Links {
		fmt.Fprintf(w, "0x%x,%d,0x%x,%d\n", uint64(f.Nodes[l.A.Node].GUID), l.A.Port, uint64(f.Nodes[l.B.Node].GUID), l.B.Port)
	}
	w.WriteString("END_LINKS\n")
}

// WriteNDT writes the cables of a fabric as UFM's table, each from one of its ends.
func WriteNDT(w *strings.Builder, f *fabric.Fabric) {
	w.WriteString("#Fields:StartDevice,StartPort,EndDevice,EndPort,LinkType\n")
	side := func(e fabric.End) string {
		return fmt.Sprintf("%s,Port %d", f.Nodes[e.Node].Desc, e.Port)
	}
	for i := range f.Links {
		a, b := f.Links[i].A, f.Links[i].B
		if i%2 == 0 {
			a, b = b, a
		}
		fmt.Fprintf(w, "%s,%s,Data\n", side(a), side(b))
	}
}

// WriteNodeList writes the nodes as ibnetdiscover -l does.
func WriteNodeList(w *strings.Builder, f *fabric.Fabric) {
	words := map[fabric.NodeType]string{fabric.Switch: "Switch", fabric.CA: "Ca", fabric.Router: "Router"}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		fmt.Fprintf(w, "%s\t : 0x%016x ports %d devid 0x%x vendid 0x%x \"%s\"\n", words[n.Type], uint64(n.GUID), n.NumPorts(), n.DeviceID, n.VendorID, n.Desc)
	}
}

// LIDPort returns the port that holds the LID of a given port.
func LIDPort(t fabric.NodeType, port uint8) uint8 {
	if t == fabric.Switch {
		return 0
	}
	return port
}
