package fabric

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFindNode(t *testing.T) {
	f := New("x")
	s := mustAdd(t, f, Switch, 0x2c90200abcdef, 2, "core 1")
	h := mustAdd(t, f, CA, 0xbeef, 1, "node-1 HCA-1")
	r := mustAdd(t, f, Router, 0xcafe, 1, "dup")
	mustAdd(t, f, CA, 0xd00d, 1, "dup")
	hex := mustAdd(t, f, CA, 0x20, 1, "feed") // a description that reads as a GUID
	odd := mustAdd(t, f, Switch, 0x100000000000001, 4, "MF0;A10-P1:MQM9701/U1")
	odd2 := mustAdd(t, f, Switch, 0x100000000000002, 4, "MF0;A10-P12:MQM9701/U1")
	gn := mustAdd(t, f, CA, 0x100000000000010, 1, "gnode-7 HCA-1, left (old)|x")
	f.Nodes[gn].Ports[1].GUID = 0x100000000000011
	whole := mustAdd(t, f, CA, 0x100000000000020, 1, "n5 HCA-1") // whole words count more than parts
	mustAdd(t, f, CA, 0x100000000000030, 1, "in5 HCA-1")
	for name, want := range map[string]NodeID{
		"n5":     whole,
		"core 1": s, "0x0002c90200abcdef": s, "2c90200abcdef": s, "S-0002c90200abcdef": s, "0X2C90200ABCDEF": s,
		"Core 1": s, "CORE": s, ` "core 1" `: s, "core": s, "bcdef": s, "ABCDEF": s,
		"node-1 HCA-1": h, "H-000000000000beef": h, "beef": h, "node-1": h,
		"R-cafe": r, "S-cafe": r,
		"20": hex, "feed": hex,
		"MF0;A10-P1:MQM9701/U1": odd, `"MF0;A10-P1:MQM9701/U1"`: odd, "a10-p1": odd, "P1": odd, "A10-P12": odd2, "P12:": odd2,
		"gnode-7 HCA-1, left (old)|x": gn, "left (old)|": gn, "0x100000000000011": gn, "gnode": gn,
	} {
		if id, err := f.FindNode(name); err != nil || id != want {
			t.Errorf("%q is node %d, %v; want %d", name, id, err, want)
		}
	}
	for name, want := range map[string]string{
		"dup":       `"dup" could be any of 2: "dup" (0x000000000000cafe), "dup" (0x000000000000d00d): give more of the name, or a GUID`,
		"def":       `no node is called "def"`, // three digits are no end of a GUID
		"core 2":    `no node is called "core 2": did you mean "core 1"?`,
		"U1":        `"U1" could be any of 2: `,
		"MQM970":    `no node is called "MQM970"`, // cuts a number
		"A1":        `no node is called "A1"`,
		"":          "no name is given: want that of a node",
		`""`:        "no name is given: want that of a node",
		"S-":        `no node is called "S-"`,
		"0x99":      `no node is called "0x99"`,
		"X-beef":    `no node is called "X-beef"`,
		"0x0Xbeef":  `no node is called`,
		"nothing\n": `no node is called "nothing"`,
	} {
		if id, err := f.FindNode(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q is node %d, error %v; want %s", name, id, err, want)
		}
	}
	if _, err := f.FindSwitch("node-1"); err == nil || err.Error() != `"node-1 HCA-1" (0x000000000000beef) is a CA, not a switch` {
		t.Errorf("a host for a switch: %v", err)
	}
	if _, err := f.FindHost("core"); err == nil || !strings.HasSuffix(err.Error(), "is a switch, not a host") {
		t.Errorf("a switch for a host: %v", err)
	}
}

// Candidates beyond the first few are counted.
func TestManyCandidates(t *testing.T) {
	f := New("x")
	for i := range 9 {
		mustAdd(t, f, Switch, GUID(0x1000+i), 2, fmt.Sprintf("spine %d", i))
	}
	_, err := f.FindSwitch("spine")
	if err == nil || !strings.Contains(err.Error(), `could be any of 9: "spine 0" (0x0000000000001000), "spine 1"`) || !strings.Contains(err.Error(), "and 5 more") {
		t.Error(err)
	}
}

// places is a fabric with names that look like ports.
func places(t *testing.T) *Fabric {
	f := New("x")
	a := mustAdd(t, f, Switch, 0x101, 8, "MF0;ib1:SX6036/U1")
	b := mustAdd(t, f, Switch, 0x102, 8, "leaf/2")
	c := mustAdd(t, f, Switch, 0x103, 8, "leaf[3]")
	h := mustAdd(t, f, CA, 0x104, 2, "n1 HCA-1")
	for i, ends := range [][2]End{{{a, 1}, {b, 1}}, {{a, 2}, {b, 2}}, {{b, 3}, {c, 1}}, {{h, 1}, {a, 8}}, {{c, 4}, {c, 5}}} {
		if _, err := f.Connect(ends[0], ends[1], 4, EDR); err != nil {
			t.Fatal(i, err)
		}
	}
	return f
}

func TestFindPlace(t *testing.T) {
	f := places(t)
	for name, want := range map[string]Place{
		"ib1":                    {End{0, 0}, true},
		"ib1[3]":                 {End{0, 3}, false},
		"ib1 [ 3 ]":              {End{0, 3}, false},
		`"MF0;ib1:SX6036/U1"[3]`: {End{0, 3}, false},
		"MF0;ib1:SX6036/U1[8]":   {End{0, 8}, false},
		"MF0;ib1:SX6036/U1/P7":   {End{0, 7}, false},
		"MF0;ib1:SX6036/U1:7":    {End{0, 7}, false},
		"ib1 port 7":             {End{0, 7}, false},
		"0x101/7":                {End{0, 7}, false},
		"leaf/2":                 {End{1, 0}, true},
		"leaf/2/2":               {End{1, 2}, false},
		"leaf[3]":                {End{2, 0}, true},
		"leaf[3][2]":             {End{2, 2}, false},
		`"leaf[3]"[2]`:           {End{2, 2}, false},
		"n1[2]":                  {End{3, 2}, false},
		"ib1[0]":                 {End{0, 0}, false},
	} {
		if got, err := f.FindPlace(name); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", name, got, err, want)
		}
	}
	// A port GUID and a LID name the port of a host, and a switch as a whole.
	n1, leaf := &f.Nodes[3], &f.Nodes[0]
	n1.Ports[2].GUID, n1.Ports[2].LID, n1.Ports[2].LMC = 0x7002, 16, 2
	leaf.Ports[0].GUID, leaf.Ports[0].LID = 0x7000, 5
	for name, want := range map[string]Place{
		"0x7002": {End{3, 2}, false}, "LID 16": {End{3, 2}, false}, "lid:19": {End{3, 2}, false},
		"0x7000": {End{0, 0}, true}, "LID 5": {End{0, 0}, true},
		n1.GUID.String(): {End{3, 0}, true},
	} {
		if got, err := f.FindPlace(name); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", name, got, err, want)
		}
	}
	for _, name := range []string{"LID 20", "lid 0", "LID", "0x7003"} {
		if got, err := f.FindPlace(name); err == nil {
			t.Errorf("%q: %v", name, got)
		}
	}
	for name, want := range map[string]string{
		"ib1[9]":                     `"MF0;ib1:SX6036/U1" (0x0000000000000101) has the ports 1 to 8, not 9`,
		"ib1[-1]":                    `no node is called "ib1[-1]"`,
		"nobody[1]":                  `no node is called "nobody"`,
		"leaf/9":                     `"leaf" could be any of 2`,
		"ib1[999999999999999999999]": `has the ports 1 to 8`,
		"":                           "no name is given: want that of a node",
	} {
		if got, err := f.FindPlace(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, error %v; want %s", name, got, err, want)
		}
	}
}

func TestFindLink(t *testing.T) {
	f := places(t)
	for name, want := range map[string]LinkID{
		"ib1[1]": 0, "leaf/2[2]": 1, "leaf[3] -- leaf/2": 2, "leaf/2--leaf[3][1]": 2, "n1": 3, "ib1 -- n1": 3, "n1[1]": 3,
		`"leaf[3]"[4]`: 4, "leaf[3][4] -- leaf[3]": 4, "leaf[3][4] -- leaf[3][5]": 4, "ib1[2] -- leaf/2": 1,
		"ib1[2] - leaf/2[2]": 1, `cable "MF0;ib1:SX6036/U1" (0x0000000000000101)[2] - "leaf/2" (0x0000000000000102)[2]`: 1,
	} {
		if got, err := f.FindLink(name); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"ib1":            "has 3 cables: name one by its port",
		"ib1[3]":         "has no cable",
		"ib1[0]":         "has no cable",
		"ib1 -- leaf/2":  `2 cables join "MF0;ib1:SX6036/U1" (0x0000000000000101) and "leaf/2" (0x0000000000000102): name one by its port: "MF0;ib1:SX6036/U1" (0x0000000000000101)[1], [2]`,
		"ib1 -- leaf[3]": "no cable joins",
		"ib1 -- nobody":  `no node is called "nobody"`,
		"ib1 - leaf/2":   "2 cables join",
		"ib1 - nobody":   `no node is called "ib1 - nobody"`,
		"nobody -- ib1":  `no node is called "nobody"`,
	} {
		if got, err := f.FindLink(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, error %v; want %s", name, got, err, want)
		}
	}
}

// Whatever the descriptions are, a node is found by its own and by its GUID if no other node has
// them, and its ports by both.
func TestFindByOwnName(t *testing.T) {
	word := rapid.StringMatching(`[a-cA-C1-3 /:;,|()-]{1,6}[a-c]`)
	rapid.Check(t, func(t *rapid.T) {
		f, seen := New("x"), map[string]int{}
		for i, desc := range rapid.SliceOfN(word, 1, 8).Draw(t, "descs") {
			seen[strings.TrimSpace(desc)]++
			if _, err := f.AddNode(Switch, 0xdddd000000000000+GUID(i), 4, strings.TrimSpace(desc)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range f.Nodes {
			n := &f.Nodes[i]
			for _, name := range []string{n.GUID.String(), f.NodeName(NodeID(i)), f.PortName(End{Node: NodeID(i)}).String(), n.Desc, `"` + n.Desc + `"`} {
				if seen[n.Desc] > 1 && !strings.Contains(name, n.GUID.String()) {
					continue
				}
				if id, err := f.FindNode(name); err != nil || id != NodeID(i) {
					t.Fatalf("%q: %v, %v; want %v", name, id, err, i)
				}
				if at, err := f.FindPlace(name + "[3]"); err != nil || at != (Place{End{NodeID(i), 3}, false}) {
					t.Fatalf("%q: %v, %v; want port 3 of %v", name+"[3]", at, err, i)
				}
			}
		}
	})
}

func FuzzFindPlace(f *testing.F) {
	for _, s := range []string{"ib1", "ib1[3]", `"MF0;ib1:SX6036/U1"[3]`, "leaf/2/P2", "n1 -- ib1", `"`, "[", "]", "--", "/", "port 1", "0x101[", `"a" (0x101)[1] - b - c`, "(0x", "\xff[1]", "İ"} {
		f.Add(s, "MF0;ib1:SX6036/U1")
	}
	f.Fuzz(func(t *testing.T, name, desc string) {
		net := places(&testing.T{})
		net.Nodes[0].Desc = desc
		at, err := net.FindPlace(name)
		if err == nil && (at.Node < 0 || int(at.Node) >= len(net.Nodes) || int(at.Port) > net.Nodes[at.Node].NumPorts()) {
			t.Fatalf("%q is %v", name, at)
		}
		link, err := net.FindLink(name)
		if err == nil && (link < 0 || int(link) >= len(net.Links)) {
			t.Fatalf("%q is cable %d", name, link)
		}
	})
}
