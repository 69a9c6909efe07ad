package batch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/netfiletest"
)

// model is a file of our own in the form of topograph's models.
const model = `# two racks
switches:
  core:
    labels:
      topology.kubernetes.io/region: here
    switches: [left, right]
  left:
    switches:
    - leaf1
    - leaf2
    - leaf3
  right:
    switches: [leaf4, leaf5]
blocks:
- switch: leaf1
  nodes: ["n[01-03]", 7]
  annotations:
    accelerator.topology.test/domain: a
- switch: leaf2
  nodes:
  - gpu1
- {switch: leaf4, nodes: [a]}
- {switch: leaf5, nodes: [b]}
`

// shapeOf lists the cables of a model by the names of their ends.
func shapeOf(f *fabric.Fabric) (list []string) {
	for _, l := range f.Links {
		list = append(list, f.Nodes[l.A.Node].Desc+" "+f.Nodes[l.B.Node].Desc)
	}
	slices.Sort(list)
	return list
}

func TestReadTopograph(t *testing.T) {
	f, warnings, err := ReadTopograph("x", []byte(model))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	netfiletest.CheckFabric(t, f)
	want := []string{"core left", "core right", "leaf1 7", "leaf1 n01", "leaf1 n02", "leaf1 n03", "leaf2 gpu1", "leaf4 a", "leaf5 b", "left leaf1", "left leaf2", "left leaf3", "right leaf4", "right leaf5"}
	if got := shapeOf(f); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if f.Nodes[0].Desc != "core" || f.Nodes[0].GUID != 0x200000 || f.Nodes[len(f.Nodes)-1].Type != fabric.CA {
		t.Errorf("%+v", f.Nodes)
	}
}

func TestBadTopograph(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"switches:\n  a:\n    switches: [b]\n  c:\n    switches: [b]\n", "x:5: switch b is below \"a\" and below \"c\": want a tree"},
		{"switches:\n  a:\n    switches: [b]\n  b:\n    switches: [a]\n", "x:5: switch a is below itself, or below over 100 others: want a tree"},
		{"switches:\n  a:\n    nodes: [b]\n", "x:3: unknown key nodes: want name, labels, annotations, switches"},
		{"switches:\n- name: a\n", "x:2: switches: want the name of each switch as a key (models of older versions are lists, which are not read)"},
		{"switches:\n  a: {}\nblocks:\n- switch: b\n  nodes: [n1]\n", "x:4: no switch is called b"},
		{"switches:\n  a: {}\nblocks:\n- switch: a\n", "x:4: a block without nodes"},
		{"switches:\n  a: {}\nblocks:\n- switch: a\n  nodes: [n1]\n- nodes: [n2,\n   n1]\n", "x:7: node n1 is in two blocks"},
		{"switches:\n  a: {}\nblocks:\n- switch: a\n  nodes: [\"n[1-\"]\n", "x:5: \"n[1-\": a bracket is not closed"},
		{"switches:\n  a: {}\nblocks:\n- switch: a\n  nodes: [\"n[1-300]\"]\n", "x:5: \"a\" has no port 255 (ports 1 to 254)"},
		{"blocks:\n- nodes: &a [n1]\n- nodes: *a\n", "x:2: nodes: want a list"},
		{"switches:\n  a: [\n", "x:2: sequence end token ']' not found"},
		{"switches: {}\n", "x: no nodes in this file"},
	} {
		_, _, err := ReadTopograph("x", []byte(c.text))
		netfiletest.CheckError(t, err, c.want)
	}
	_, warnings, err := ReadTopograph("x", []byte("blocks:\n- nodes: [\"n[1-3]\"]\n"))
	if err != nil || len(warnings) != 1 || !warnings[0].Lost {
		t.Errorf("%v, %v: want a warning that cables are missing", err, warnings)
	}
}

// TestTopographRoundTrip: a model that was read is written as the same tree. Of any network the
// hosts of each switch stay together.
func TestTopographRoundTrip(t *testing.T) {
	f, _, err := ReadTopograph("x", []byte(model))
	if err != nil {
		t.Fatal(err)
	}
	again := rewritten(t, f)
	// leaf3 has no hosts, so nothing tells of it.
	want := slices.DeleteFunc(shapeOf(f), func(s string) bool { return s == "left leaf3" })
	if got := shapeOf(again); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, formula := range []string{"rlft(4,2)", "rlft(8,3)", "rlft(4,4)", "rlft(8,3)|fail(links=9,seed=1)", "torus(3x3)", "dragonfly(2,4,2)", "tree(8,8)|planes(2)", "rail(4,8,2)"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		got := rewritten(t, f)
		if a, b := hostsBelow(f), hostsBelow(got); !coarser(a, b) || len(b) != len(f.Servers().List) {
			t.Errorf("%s: %d hosts, and leaves %v are not those of %v", formula, len(b), b, a)
		}
		again := rewritten(t, got)
		if a, b := shapeOf(got), shapeOf(again); !slices.Equal(a, b) {
			t.Errorf("%s: a model is written as another: %q, %q", formula, a, b)
		}
	}
}

func rewritten(t *testing.T, f *fabric.Fabric) *fabric.Fabric {
	t.Helper()
	var text bytes.Buffer
	if _, err := WriteTopograph(&text, f, SlurmOptions{}); err != nil {
		t.Fatal(err)
	}
	got, warnings, err := ReadTopograph("x", text.Bytes())
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%v %v\n%s", err, warnings, text.String())
	}
	netfiletest.CheckFabric(t, got)
	return got
}

// hostsBelow returns the switch of each host by the host's name, "" where it has several.
func hostsBelow(f *fabric.Fabric) map[string]string {
	leaf := map[string]string{}
	for i, s := range f.Servers().List {
		for _, id := range s.Adapters {
			for at := range f.SwitchPeers(fabric.NodeID(id), f.LinkUp) {
				name := hostName(s.Host)
				if name == "" {
					name = fmt.Sprint(i)
				}
				if old, met := leaf[name]; met && old != fmt.Sprint(at) {
					leaf[name] = ""
				} else {
					leaf[name] = fmt.Sprint(at)
				}
			}
		}
	}
	return leaf
}

// coarser reports whether hosts of one switch of a are on one switch of b, and the other way round.
func coarser(a, b map[string]string) bool {
	there, back := map[string]string{}, map[string]string{}
	for name, s := range a {
		o := b[name]
		if s == "" {
			continue
		}
		if there[s] == "" && back[o] == "" {
			there[s], back[o] = o, s
		}
		if there[s] != o || back[o] != s {
			return false
		}
	}
	return true
}

func TestTopographNames(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	f.Nodes[0].Desc, f.Nodes[1].Desc, f.Nodes[2].Desc = "yes", "two words", "yes"
	var guids []fabric.GUID
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch {
			guids = append(guids, f.Nodes[i].GUID)
		}
	}
	var text bytes.Buffer
	if _, err := WriteTopograph(&text, f, SlurmOptions{Names: map[fabric.GUID]string{guids[0]: "true"}}); err != nil || !strings.Contains(text.String(), "- switch: \"true\"\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if _, err := WriteTopograph(&text, f, SlurmOptions{Names: map[fabric.GUID]string{guids[0]: "a", guids[1]: "a"}}); err == nil {
		t.Error("two switches of one name are written")
	}
	if _, err := WriteTopograph(&text, fabric.New("x"), SlurmOptions{}); err == nil {
		t.Error("a network without hosts is written")
	}
}

func FuzzReadTopograph(f *testing.F) {
	f.Add([]byte(model))
	f.Add([]byte("blocks:\n- nodes: &a [n1]\n  switch: *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadTopograph("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}
