package discovery

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// WriteIBNetDiscover writes a fabric in the format of ibnetdiscover, which ibsim also loads.
// Switches come first, then CAs, then routers, each in order of GUID; nodes of a chassis follow
// under its heading.
//
// The format lists only the parts that are up, so nodes and links that are down are left out. It
// cannot carry revisions, LinearFDBCap, VLCap, roles, drains, chassis names other than "Chassis
// ...", and attributes of ports without a cable. Everything else is kept. Values that would make
// the file unreadable are refused: a node GUID of 0, control characters in a description or label,
// a bracket in a label. Double quotes in a description are written as they are, as ibnetdiscover
// does.
//
// ibsim keeps less than the file says: descriptions up to a quote, no labels, no LIDs of routers,
// speeds up to HDR (version 0.10). It gives every CA port the node GUID plus the port number as its
// GUID.
func WriteIBNetDiscover(w io.Writer, f *fabric.Fabric) error {
	if err := checkTexts(f); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "#\n# Topology file: %s\n#\n", lines.Printable(f.Name))
	chassis := ""
	for _, id := range lines.ListingOrder(f) {
		if h := lines.ChassisHeading(&f.Nodes[id]); h != chassis {
			chassis = h
			fmt.Fprintf(out, "\n%s\n", h)
		}
		writeNode(out, f, id)
	}
	return out.Flush()
}

// checkTexts returns an error if a text would not be read back unchanged.
func checkTexts(f *fabric.Fabric) error {
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Down {
			continue
		}
		if n.GUID == 0 {
			return fmt.Errorf("netfile: the %s %q has node GUID 0: an ibnetdiscover file cannot hold it", n.Type, n.Desc)
		}
		if lines.HasControl(n.Desc) {
			return fmt.Errorf("netfile: the description of %s has control characters: an ibnetdiscover file cannot hold it", f.NodeName(fabric.NodeID(i)))
		}
		for p := range n.Ports {
			if l := n.Ports[p].Label; lines.HasControl(l) || strings.ContainsAny(l, "()[]") {
				return fmt.Errorf("netfile: the label %q of %s has brackets or control characters: an ibnetdiscover file cannot hold it",
					l, f.EndName(fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}))
			}
		}
	}
	return nil
}

func writeNode(out *bufio.Writer, f *fabric.Fabric, id fabric.NodeID) {
	n := &f.Nodes[id]
	fmt.Fprintf(out, "\nvendid=0x%x\ndevid=0x%x\nsysimgguid=0x%x\n", n.VendorID, n.DeviceID, uint64(n.SystemGUID))
	switch n.Type {
	case fabric.Switch:
		fmt.Fprintf(out, "switchguid=0x%x(%x)\nSwitch\t%d %q\t\t# \"%s\" %s port 0 lid %d lmc %d\n",
			uint64(n.GUID), uint64(n.Ports[0].GUID), n.NumPorts(), lines.NodeID(n), n.Desc,
			map[bool]string{false: "base", true: "enhanced"}[n.EnhancedPort0], n.Ports[0].LID, n.Ports[0].LMC)
	case fabric.CA:
		fmt.Fprintf(out, "caguid=0x%x\nCa\t%d %q\t\t# \"%s\"\n", uint64(n.GUID), n.NumPorts(), lines.NodeID(n), n.Desc)
	case fabric.Router:
		fmt.Fprintf(out, "rtguid=0x%x\nRt\t%d %q\t\t# \"%s\"\n", uint64(n.GUID), n.NumPorts(), lines.NodeID(n), n.Desc)
	}
	for p := range f.Cabled(id, f.LinkUp) {
		writePort(out, f, fabric.End{Node: id, Port: p})
	}
}

func writePort(out *bufio.Writer, f *fabric.Fabric, here fabric.End) {
	n := &f.Nodes[here.Node]
	port := &n.Ports[here.Port]
	there := f.Peer(here)
	peer := &f.Nodes[there.Node]
	fmt.Fprintf(out, "[%d]", here.Port)
	if port.Label != "" {
		fmt.Fprintf(out, "(%s)", port.Label)
	}
	if n.Type != fabric.Switch {
		fmt.Fprintf(out, "(%x) ", uint64(port.GUID))
	}
	fmt.Fprintf(out, "\t%q[%d]", lines.NodeID(peer), there.Port)
	if peer.Type != fabric.Switch {
		fmt.Fprintf(out, "(%x) ", uint64(peer.Ports[there.Port].GUID))
	}
	fmt.Fprint(out, "\t\t# ")
	if n.Type != fabric.Switch {
		fmt.Fprintf(out, "lid %d lmc %d ", port.LID, port.LMC)
	}
	fmt.Fprintf(out, "\"%s\" lid %d%s\n", peer.Desc, peer.Ports[addressPort(peer.Type, there.Port)].LID, rateText(&f.Links[port.Link]))
}

// rateText formats the width and speed of a link, as " 4xQDR"; "" if both are unknown.
func rateText(l *fabric.Link) string {
	switch {
	case l.Width == 0 && l.Speed == fabric.SpeedUnknown:
		return ""
	case l.Width == 0:
		return " ?x" + l.Speed.String()
	case l.Speed == fabric.SpeedUnknown:
		return fmt.Sprintf(" %dx???", l.Width)
	}
	return fmt.Sprintf(" %dx%s", l.Width, l.Speed)
}
