package markup

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
)

// snapshot is a file of our own in the form of opareport -o snapshot: a switch, two adapters.
const snapshot = `<?xml version="1.0" encoding="utf-8" ?>
<Report date="Mon Jun 01 12:00:00 2026" unixtime="1780000000" options="&quot;opareport&quot; -o snapshot">
<Snapshot date="Mon Jun 01 12:00:00 2026" unixtime="1780000000" stats="0" routes="1">
<Nodes>
<Node id="0x0011750102000001">
 <NodeDesc>edge1</NodeDesc><NodeGUID>0x0011750102000001</NodeGUID><NodeType>SW</NodeType><NodeType_Int>2</NodeType_Int>
 <NumPorts>48</NumPorts><SystemImageGUID>0x0011750102000001</SystemImageGUID><DeviceID>0xabc0</DeviceID><VendorID>0x66a</VendorID>
 <PortInfo id="0x0011750102000001:0"><PortNum>0</PortNum><GUID>0x0011750102000001</GUID><LID>0x0003</LID><LMC>0</LMC></PortInfo>
 <PortInfo id="0x0011750102000001:1"><PortNum>1</PortNum><GUID>0x0000000000000000</GUID><EndPortLID>0x0003</EndPortLID>
  <LinkWidthActive>4</LinkWidthActive><LinkWidthActive_Int>8</LinkWidthActive_Int><LinkSpeedActive>25Gb</LinkSpeedActive><LinkSpeedActive_Int>2</LinkSpeedActive_Int></PortInfo>
 <PortInfo id="0x0011750102000001:48"><PortNum>48</PortNum></PortInfo>
 <SwitchData><LinearFDB><Value LID="0x1">1</Value></LinearFDB></SwitchData>
</Node>
<Node id="0x0011750101000001"><NodeDesc>n1 hfi1_0</NodeDesc><NodeGUID>0x0011750101000001</NodeGUID><NodeType_Int>1</NodeType_Int><NumPorts>1</NumPorts>
 <PortInfo><PortNum>1</PortNum><GUID>0x0011750101000001</GUID><LID>0x00000001</LID></PortInfo></Node>
<Node id="0x0011750101000002"><NodeDesc>n2 hfi1_0</NodeDesc><NodeGUID>0x0011750101000002</NodeGUID><NodeType_Int>1</NodeType_Int><NumPorts>1</NumPorts>
 <PortInfo><PortNum>1</PortNum><GUID>0x0011750101000002</GUID><LID>0x00010002</LID></PortInfo></Node>
</Nodes>
<SMs><SM><NodeGUID>0x0011750101000001</NodeGUID><PortNum>1</PortNum></SM></SMs>
<Links>
<Link id="0x0011750102000001:1"><From><NodeGUID>0x0011750102000001</NodeGUID><PortNum>1</PortNum></From>
 <To><NodeGUID>0x0011750101000001</NodeGUID><PortNum>1</PortNum></To></Link>
<Link id="0x0011750101000002:1"><From><NodeGUID>0x0011750101000002</NodeGUID><PortNum>1</PortNum></From>
 <To><NodeGUID>0x0011750102000001</NodeGUID><PortNum>48</PortNum></To></Link>
</Links>
</Snapshot>
</Report>
`

// topology is a file of our own in the form of opareport -o topology; one node has no GUID.
const topology = `<Report><LinkSummary><LinkCount>2</LinkCount>
<Link id="x"><Rate>100g</Rate><Internal>0</Internal><Cable><CableLength>2m</CableLength></Cable>
 <Port id="a"><NodeGUID>0x0011750101000001</NodeGUID><PortGUID>0x0011750101000009</PortGUID><PortNum>1</PortNum><NodeType>FI</NodeType><NodeDesc>n1 hfi1_0</NodeDesc></Port>
 <Port id="b"><NodeGUID>0x0011750102000001</NodeGUID><PortNum>7</PortNum><NodeType>SW</NodeType><NodeDesc>edge1</NodeDesc></Port></Link>
<Link><Rate>50g</Rate><Port><NodeDesc>n2 hfi1_0</NodeDesc><PortNum>1</PortNum></Port><Port><NodeDesc>edge1</NodeDesc><PortNum>8</PortNum></Port></Link>
</LinkSummary>
<Nodes><FIs><ConnectedFICount>2</ConnectedFICount>
<Node id="0x0011750101000001"><NodeGUID>0x0011750101000001</NodeGUID><NodeDesc>n1 hfi1_0</NodeDesc></Node>
<Node><NodeDesc>n2 hfi1_0</NodeDesc></Node></FIs>
<Switches><Node><NodeGUID>0x0011750102000001</NodeGUID><NodeDesc>edge1</NodeDesc>
 <Port><PortNum>0</PortNum><LID>0x5</LID></Port></Node></Switches></Nodes></Report>
`

func TestReadOPAReport(t *testing.T) {
	f, warnings, err := ReadOPAReport("x", []byte(snapshot))
	if err != nil {
		t.Fatal(err)
	}
	netfiletest.CheckFabric(t, f)
	if got, want := drawn(f), "edge1:s48 n1 hfi1_0:C1 n2 hfi1_0:C1 edge11-n1 hfi1_01 n2 hfi1_01-edge148"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	sw := &f.Nodes[0]
	if sw.VendorID != 0x66a || sw.DeviceID != 0xabc0 || sw.Ports[0].LID != 3 || sw.Ports[1].LID != 0 || f.Nodes[1].Ports[1].LID != 1 || f.Nodes[2].Ports[1].LID != 0 {
		t.Errorf("%+v", f.Nodes)
	}
	if l := f.Links[0]; l.Width != 4 || l.Speed != fabric.EDR || f.Links[1].Width != 0 {
		t.Errorf("%+v", f.Links)
	}
	if want := "x:17: LIDs that are no unicast LIDs of InfiniBand, the first 65538: taken as not assigned"; len(warnings) != 1 || warnings[0].String() != want {
		t.Errorf("%v, want %s", warnings, want)
	}

	f, warnings, err = ReadOPAReport("x", []byte(topology))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	netfiletest.CheckFabric(t, f)
	if got, want := drawn(f), "n1 hfi1_0:C1 n2 hfi1_0:C1 edge1:s8 n1 hfi1_01-edge17 n2 hfi1_01-edge18"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if f.Nodes[0].Ports[1].GUID != 0x0011750101000009 || f.Nodes[2].Ports[0].LID != 5 || f.Links[1].Width != 2 {
		t.Errorf("%+v %+v", f.Nodes, f.Links)
	}
}

func TestBadOPAReport(t *testing.T) {
	for _, c := range []struct{ name, text, from, to, want string }{
		{"early end", snapshot[:900], "", "", "x:10: not valid XML: the file ends early"},
		{"port", snapshot, "<PortNum>48</PortNum></PortInfo>", "<PortNum>49</PortNum></PortInfo>", "x:11: \"edge1\" (0x0011750102000001) has no port 49 (ports 1 to 48)"},
		{"number", snapshot, "<NumPorts>48<", "<NumPorts>x<", "x:7: NumPorts \"x\": want a number up to 254"},
		{"type", snapshot, "<NodeType>SW</NodeType><NodeType_Int>2<", "<NodeType_Int>3<", "x:5: unknown NodeType \"3\" (want FI or SW)"},
		{"no type", snapshot, "<NodeType_Int>1</NodeType_Int>", "", "x:14: \"n1 hfi1_0\" (0x0011750101000001) has no NodeType, and is in no list of FIs or Switches"},
		{"twice", snapshot, "<NodeGUID>0x0011750101000002<", "<NodeGUID>0x0011750101000001<", "x:16: \"n1 hfi1_0\" (0x0011750101000001) is described twice: here and on line 14"},
		{"unknown end", snapshot, "<To><NodeGUID>0x0011750101000001<", "<To><NodeGUID>0x7<", "x:22: a link ends at 0x0000000000000007, which this report does not describe"},
		{"one end", snapshot, "<To><NodeGUID>0x0011750101000001</NodeGUID><PortNum>1</PortNum></To>", "", "x:21: a link with 1 ends (want 2)"},
		{"three ends", topology, "</Port></Link>", "</Port><Port/></Link>", "x:4: a link with more than two ends"},
		{"no port", topology, "<PortNum>7</PortNum>", "", "x:4: \"edge1\" (0x0011750102000001) has no port 0 (ports 1 to 254)"},
		{"nameless", topology, "<NodeDesc>n2 hfi1_0</NodeDesc><PortNum>", "<PortNum>", "x:5: a Port without NodeGUID and NodeDesc"},
		{"ambiguous", topology, "</FIs>", "<Node><NodeGUID>0x9</NodeGUID><NodeDesc>edge1</NodeDesc></Node></FIs>", "x:5: several nodes are called \"edge1\": want NodeGUID here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.text
			if c.from != "" || c.to != "" {
				if text = strings.Replace(text, c.from, c.to, 1); text == c.text {
					t.Fatal("the text was not changed")
				}
			}
			_, _, err := ReadOPAReport("x", []byte(text))
			netfiletest.CheckError(t, err, c.want)
		})
	}
	_, warnings, err := ReadOPAReport("x", []byte("<Report><FIs><Node><NodeGUID>1</NodeGUID></Node><Node><NodeGUID>2</NodeGUID></Node></FIs></Report>"))
	if err != nil || len(warnings) != 1 || !warnings[0].Lost {
		t.Errorf("%v, %v: want a warning that links are missing", err, warnings)
	}
}

// writeSnapshot writes a fabric as opareport would.
func writeSnapshot(b *bytes.Buffer, f *fabric.Fabric) error {
	b.WriteString("<Report><Snapshot><Nodes>\n")
	for i := range f.Nodes {
		n := &f.Nodes[i]
		fmt.Fprintf(b, "<Node><NodeDesc>%s</NodeDesc><NodeGUID>%s</NodeGUID><NodeType_Int>%d</NodeType_Int><NumPorts>%d</NumPorts>"+
			"<SystemImageGUID>%s</SystemImageGUID><VendorID>0x%x</VendorID><DeviceID>0x%x</DeviceID><Revision>0x%x</Revision>\n",
			escaped(n.Desc), n.GUID, n.Type, n.NumPorts(), n.SystemGUID, n.VendorID, n.DeviceID, n.Revision)
		for p := range n.Ports {
			if p == 0 && n.Type == fabric.CA {
				continue
			}
			port := &n.Ports[p]
			fmt.Fprintf(b, "<PortInfo><PortNum>%d</PortNum><GUID>%s</GUID><LID>0x%x</LID><LMC>%d</LMC>", p, port.GUID, uint16(port.LID), port.LMC)
			if port.Link != fabric.NoLink {
				fmt.Fprintf(b, "<LinkWidthActive_Int>%d</LinkWidthActive_Int><LinkSpeedActive_Int>2</LinkSpeedActive_Int>",
					map[fabric.Width]int{1: 1, 2: 2, 4: 8}[f.Links[port.Link].Width])
			}
			b.WriteString("</PortInfo>\n")
		}
		b.WriteString("</Node>\n")
	}
	b.WriteString("</Nodes><Links>\n")
	for _, l := range f.Links {
		fmt.Fprintf(b, "<Link><From><NodeGUID>%s</NodeGUID><PortNum>%d</PortNum></From><To><NodeGUID>%s</NodeGUID><PortNum>%d</PortNum></To></Link>\n",
			f.Nodes[l.A.Node].GUID, l.A.Port, f.Nodes[l.B.Node].GUID, l.B.Port)
	}
	b.WriteString("</Links></Snapshot></Report>\n")
	return nil
}

// TestSnapshotRoundTrip: a snapshot of any fabric is read as it was.
func TestSnapshotRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := netfiletest.AnyFabric(t)
		c := f.Without(func(fabric.NodeID) bool { return false }, func(l fabric.LinkID) bool { return f.Links[l].Down || f.Links[l].Width > 4 })
		for i := range c.Nodes {
			n := &c.Nodes[i]
			if n.Type == fabric.Router {
				n.Type = fabric.CA
			}
			n.Desc = strings.Trim(strings.ToValidUTF8(lines.Printable(n.Desc), "\uFFFD"), " \t\x00")
			n.Chassis, n.EnhancedPort0, n.LinearFDBCap, n.Role, n.Down, n.Drained = "", false, 0, fabric.NoRole, false, false
			for p := range n.Ports {
				port := &n.Ports[p]
				port.VLCap, port.Label = 0, ""
				if p > 0 == (n.Type == fabric.Switch) {
					port.LID, port.LMC = 0, 0
				}
			}
		}
		for i := range c.Links {
			c.Links[i].Speed, c.Links[i].Drained = fabric.EDR, false
		}
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { return writeSnapshot(b, c) })
		if err := xml.Unmarshal([]byte(text), new(struct{})); err != nil {
			t.Fatal(err)
		}
		got, warnings, err := ReadOPAReport("f", []byte(text))
		for _, w := range warnings {
			if !w.Lost || len(c.Links) > 0 {
				t.Fatal(w)
			}
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		netfiletest.NoDiff(t, c, got, text)
	})
}

func FuzzReadOPAReport(f *testing.F) {
	f.Add([]byte(snapshot))
	f.Add([]byte(topology))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadOPAReport("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}
