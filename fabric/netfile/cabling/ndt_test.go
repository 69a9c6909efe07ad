package cabling

import (
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
)

// ndtText has every form of a port: of a switch, a director, an adapter, a host, and a label.
const ndtText = `#Fields:StartDevice,rack #,StartPort,EndDevice,EndPort,LinkType,State
leaf1IB0,r1,Port 1,core1IB1-A,Blade 04_Port 2/20,Data,Active
core1IB1-A,r2,Blade 4_Port 2/20,LEAF1ib0,Port 1, Data ,
n12,r3,n12 ibp11s0f0,leaf1IB0,Port 2,Data,
"n13 mlx5_0",r3,Port 1,leaf1IB0,Port 3,Data,
"Server 1 IB Port 2",r4,IB Port 2,leaf1IB0,Port 4,Data,
"Server 1 IB Port 2",r5,IB Port 2,leaf1IB0,Port 5,Data,
"MF0;leaf2:MQM9700/U1",r6,Port 1/16/2,leaf1IB0,Port 6,Data,Disabled
leaf1IB0,r1,Port 7,,,Data,Disabled
leaf1IB0,r1,Port 8,pdu1,Port 1,Power,
,,,,,,

StartDevice,StartPort,EndDevice,EndPort
leaf1IB0,Port 9,n14,n14 HCA-1
`

func TestReadNDT(t *testing.T) {
	f, warnings, err := ReadNDT("plan", []byte(ndtText))
	if err != nil {
		t.Fatal(err)
	}
	netfiletest.CheckFabric(t, f)
	var links, nodes []string
	for i := range f.Links {
		l := &f.Links[i]
		ends := []string{f.PortName(l.A).Short(), f.PortName(l.B).Short()}
		slices.Sort(ends)
		text := strings.Join(ends, " - ")
		if l.Down {
			text += " down"
		}
		links = append(links, text)
	}
	slices.Sort(links)
	want := []string{
		"MF0;leaf2:MQM9700/U1[1] - leaf1IB0[6] down",
		"Server 1 IB Port 2 r4[2] - leaf1IB0[4]",
		"Server 1 IB Port 2 r5[2] - leaf1IB0[5]",
		"core1IB1-A/L04/U2[20] - leaf1IB0[1]",
		"leaf1IB0[2] - n12 ibp11s0f0[1]",
		"leaf1IB0[3] - n13 mlx5_0[1]",
		"leaf1IB0[9] - n14 HCA-1[1]",
	}
	if !slices.Equal(links, want) {
		t.Errorf("cables\n%s\nwant\n%s", strings.Join(links, "\n"), strings.Join(want, "\n"))
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == fabric.Switch {
			nodes = append(nodes, n.Desc)
		}
	}
	slices.Sort(nodes)
	if want := []string{"MF0;leaf2:MQM9700/U1", "core1IB1-A/L04/U2", "leaf1IB0"}; !slices.Equal(nodes, want) {
		t.Errorf("switches %q, want %q", nodes, want)
	}
	if id := slices.IndexFunc(f.Nodes, func(n fabric.Node) bool { return strings.HasPrefix(n.Desc, "MF0") }); f.Nodes[id].Ports[1].Label != "1/16/2" {
		t.Errorf("label %q", f.Nodes[id].Ports[1].Label)
	}
	if !slices.ContainsFunc(warnings, func(w lines.Warning) bool { return strings.Contains(w.Text, "1 rows of LinkType Power skipped") }) {
		t.Errorf("warnings %v", warnings)
	}
}
