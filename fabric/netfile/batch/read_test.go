package batch

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
)

// manualConf and manualYAML are in the form of the manual's examples.
const (
	manualTree = `# tree
SwitchName=s0 Nodes=dev[0-5]
switchname=s1 nodes=dev[6-11] LinkSpeed=100 # a comment
SwitchName=s2 Nodes=dev[12-17]
SwitchName=s3 Switches=s[0-2]
`
	manualBlocks = `BlockName=b1 Nodes=node[1-32]
BlockName=b2 Nodes=node[33-64]
BlockName=b3 Nodes=node[65-96]
BlockName=b4 Nodes=node[97-128]
BlockSizes=30,120
`
	manualYAML = `# three
- topology: topo1
  cluster_default: True
  tree:
    switches:
    - switch: sw_root
      children: s[1-2]
    - switch: s1
      nodes: node[01-02]
    - switch: s2
      nodes: node[03-04]
- topology: topo2
  cluster_default: False
  block:
    block_sizes:
      - 4
      - 16
    blocks:
    - block: b1
      nodes: node[01-04]
    - block: b2
      nodes: node[05-08]
- topology: topo3
  cluster_default: false
  flat: true
`
)

func TestReadConf(t *testing.T) {
	tree, err := ReadConf("tree", []byte(manualTree))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Switches) != 4 || tree.hosts() != 18 || !slices.Equal(tree.Switches[3].Below, []string{"s0", "s1", "s2"}) {
		t.Errorf("got %+v", tree)
	}
	blocks, err := ReadConf("blocks", []byte(manualBlocks))
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks.Blocks) != 4 || blocks.hosts() != 128 || !slices.Equal(blocks.Sizes, []int{30, 120}) {
		t.Errorf("got %+v", blocks)
	}
	all, err := ReadYAML("yaml", []byte(manualYAML))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || !all[0].Default || all[0].hosts() != 4 || !slices.Equal(all[1].Sizes, []int{4, 16}) || all[2].Name != "topo3" {
		t.Errorf("got %+v", all)
	}
}

func TestReadConfRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "x: no switch and no block",
		"SwitchName=a":                    "x:1: switch a has neither hosts nor switches",
		"\nNodes=a SwitchName=b":          `x:2: "Nodes=a": want SwitchName, BlockName or BlockSizes first`,
		"SwitchName=a Nodes=n Switches=b": "x:1: switch a has hosts and switches: Slurm takes one of both",
		"SwitchName=a Nodes=n\nSwitchName=a Nodes=m":         "x:2: switch a is listed twice",
		"SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n2":   "x:2: host n2 is listed twice, in switch a and b",
		"SwitchName=a Switches=b":                            "x:1: switch a lists b, which has no line",
		"SwitchName=a Switches=b\nSwitchName=b Switches=a":   "x:2: switch a is below itself, through b",
		"SwitchName=a Switches=a":                            "x:1: switch a is below itself, through a",
		"SwitchName=a Nodes=n[1-":                            `x:1: "n[1-": a bracket is not closed`,
		"SwitchName=a Nodes=n[2-1]":                          `x:1: "n[2-1]": "2-1" is not a number or range`,
		"SwitchName=a Nodes=n[1]x":                           `x:1: "n[1]x": text after a bracket`,
		"SwitchName=a Nodes=n,":                              `x:1: "n,": no name at the end`,
		"SwitchName=a Nodes=n[1-999999999]":                  `x:1: "n[1-999999999]": a list of over 262144 names`,
		"SwitchName=a Nodes=n Weight=1":                      "x:1: unknown parameter weight",
		"SwitchName=a Nodes=n Nodes=m":                       "x:1: nodes is given twice",
		"SwitchName=a Nodes":                                 `x:1: "Nodes": want NAME=VALUE`,
		"SwitchName=a Nodes=n LinkSpeed=x":                   `x:1: LinkSpeed "x" is not a number`,
		"SwitchName=" + strings.Repeat("a", 65) + " Nodes=n": "x:1: switch " + strings.Repeat("a", 65) + ": a name has at most 64 bytes",
		"BlockName=a Nodes=n\nSwitchName=b Nodes=m":          "x:2: switches and blocks in one file: Slurm has one plug-in for each",
		"BlockName=a Nodes=n[1-4]\nBlockSizes=8":             "x:1: block a has 4 hosts, fewer than the smallest size, 8",
		"BlockName=a Nodes=n[1-4]\nBlockSizes=4,12":          "x:2: block size 12 is not 4 times a power of two",
		"BlockName=a Nodes=n[1-4]\nBlockSizes=4,4":           "x:2: block size 4 follows 4: each is larger than the one before",
		"BlockSizes=4\nBlockSizes=4":                         "x:2: BlockSizes is given twice (first on line 1)",
		"BlockName=a Nodes=n[1-4]\nBlockSizes=0":             "x:2: block size 0: want 1 or more",
		"BlockName=a Nodes=n\nBlockSizes=1,65536":            "x:2: block size 65536 is over 32768 times 1",
		"BlockName=a Nodes=n\nBlockName=b Nodes=n":           "x:2: host n is listed twice, in block a and b",
		"BlockName=a": "x:1: block a has no hosts",
		"BlockName=a Nodes=n\nBlockName=a Nodes=m":            "x:2: block a is listed twice",
		strings.Repeat("SwitchName=a Nodes=n[1-262144]\n", 3): "x:3: the lists up to here have over 524288 names",
		chain(mostDepth+1) + "SwitchName=s0 Nodes=n\n":        "x:2: switch s20 is at level 21: Slurm takes at most 20",
	} {
		_, err := ReadConf("x", []byte(text))
		checkError(t, text, err, want)
	}
}

// chain is a tree of one switch at each level.
func chain(n int) string {
	var b strings.Builder
	for i := n; i > 0; i-- {
		b.WriteString("SwitchName=s" + numbers([]int{i})[0] + " Switches=s" + numbers([]int{i - 1})[0] + "\n")
	}
	return b.String()
}

func checkError(t *testing.T, text string, err error, want string) {
	t.Helper()
	if _, ok := errors.AsType[*lines.Error](err); !ok || err.Error() != want {
		t.Errorf("%.200q: error %v, want %s", text, err, want)
	}
}

func TestReadYAMLRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "x: want a list of topologies: - topology: NAME",
		"a: b":                         "x: want a list of topologies: - topology: NAME",
		"- [":                          "x:1: sequence end token ']' not found",
		"- flat: true\n  topology: a":  "x:1: the first key of a topology is its name: topology",
		"- topology: a":                "x:1: topology a: want one of tree, block, flat",
		"- topology: a\n  flat: false": "x:2: flat: false is no topology",
		"- topology: a\n  flat: true\n- topology: a\n  flat: true":                                        "x:3: topology a is listed twice",
		"- topology: a\n  flat: true\n  ring: x":                                                          "x:3: unknown key ring: want topology, cluster_default, tree, block, flat",
		"- topology: a\n  tree:\n    switches:\n    - switch: b":                                          "x:4: topology a: switch b has neither hosts nor switches",
		"- topology: a\n  tree:\n    switches:\n    - nodes: b":                                           "x: switch: want a text",
		"- topology: a\n  tree:\n    switches:\n    - switch: 12\n      nodes: b":                         "x:4: switch: 12 is no name (write it in quotes)",
		"- topology: a\n  tree:\n    switches: b":                                                         "x:3: switches: want a list",
		"- topology: a\n  block:\n    blocks:\n    - block: b\n      nodes: n":                            "x:3: a topology of blocks needs block_sizes",
		"- topology: a\n  block:\n    block_sizes:\n    - x\n    blocks:\n    - block: b\n      nodes: n": "x:4: block_sizes: want a list of numbers",
		"- topology: a\n  block:\n    block_sizes:\n    - 2\n    blocks:\n    - block: b\n      nodes: n": "x:6: topology a: block b has 1 hosts, fewer than the smallest size, 2",
		"- topology: a\n  cluster_default: maybe\n  flat: true":                                           "x:2: cluster_default: want true or false",
		"- topology: a\n  flat: true\n---\n- topology: b\n  flat: true":                                   "x: want one document, not 2",
	} {
		_, err := ReadYAML("x", []byte(text))
		checkError(t, text, err, want)
	}
}

// read reads what a writer of this package wrote.
func read(t interface{ Fatalf(string, ...any) }, write func(*bytes.Buffer) error, yaml bool) []Topology {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatalf("%v", err)
	}
	if bytes.Count(b.Bytes(), []byte("\n")) == 1 { // no host is on a switch
		return nil
	}
	if yaml {
		all, err := ReadYAML("written", b.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, &b)
		}
		return all
	}
	one, err := ReadConf("written", b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	return []Topology{*one}
}

// TestWrittenIsRead: whatever the network is, the strict readers take what the writers write, and
// every host of the tree is in it once and in the blocks too. A root joins all planes.
func TestWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := netfiletest.AnyFabric(rt)
		opt := SlurmOptions{Root: "root", Blocks: rapid.Bool().Draw(rt, "blocks")}
		tree := read(rt, func(b *bytes.Buffer) error { _, err := WriteSlurm(b, f, opt); return err }, false)
		blocks := read(rt, func(b *bytes.Buffer) error { _, err := WriteSlurmBlocks(b, f, opt); return err }, false)
		if len(tree) != len(blocks) || len(tree) > 0 && !slices.Equal(tree[0].Hosts(), blocks[0].Hosts()) {
			rt.Fatalf("the tree has %v, the blocks %v", tree, blocks)
		}
		all := read(rt, func(b *bytes.Buffer) error { _, err := WriteSlurmYAML(b, f, opt); return err }, true)
		if len(tree) > 0 && !slices.Equal(all[0].Hosts(), tree[0].Hosts()) {
			rt.Fatalf("topology.yaml has %v, topology.conf %v", all, tree)
		}
		opt.Root = ""
		met := map[string]bool{}
		for _, one := range read(rt, func(b *bytes.Buffer) error { _, err := WriteSlurmYAML(b, f, opt); return err }, true) {
			for _, h := range one.Hosts() {
				met[h] = true
			}
		}
		if len(tree) > 0 && len(met) != len(tree[0].Hosts()) {
			rt.Fatalf("the planes have %d hosts, the tree of all %d", len(met), len(tree[0].Hosts()))
		}
	})
}

// TestRailsAndPlanes: of rails that share spines the first stands for all, and its switches alone
// are in the tree; planes are topologies of their own.
func TestRailsAndPlanes(t *testing.T) {
	parse := func(formula string) *fabric.Fabric {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := parse("rail(4,8,2)") // 2 pods of 8 servers on 4 rails each, 8 spines
	one := read(t, func(b *bytes.Buffer) error { _, err := WriteSlurm(b, f, SlurmOptions{}); return err }, false)[0]
	leaves, above := 0, 0
	for _, s := range one.Switches {
		if len(s.Nodes) == 8 {
			leaves++
		} else if len(s.Below) == 2 {
			above++
		}
	}
	if leaves != 2 || above != 8 || len(one.Switches) != 10 || one.hosts() != 16 {
		t.Errorf("2 leaves with 8 hosts, 8 spines with 2 leaves wanted: %+v", one)
	}
	f = parse("tree(8,8)|planes(2)")
	all := read(t, func(b *bytes.Buffer) error {
		_, err := WriteSlurmYAML(b, f, SlurmOptions{Blocks: true})
		return err
	}, true)
	if len(all) != 4 || all[0].Name != "plane0" || !all[0].Default || all[1].Name != "plane0-blocks" || all[2].Name != "plane1" || all[2].Default {
		t.Errorf("got %+v", all)
	}
	for _, one := range all {
		if !slices.Equal(one.Hosts(), all[0].Hosts()) {
			t.Errorf("%s has other hosts: %v", one.Name, one.Hosts())
		}
	}
	plane := 1
	only := read(t, func(b *bytes.Buffer) error {
		_, err := WriteSlurm(b, f, SlurmOptions{Plane: &plane})
		return err
	}, false)[0]
	if !slices.EqualFunc(only.Switches, all[2].Switches, func(a, b Switch) bool { return a.Name == b.Name }) {
		t.Errorf("plane 1 has %v, in topology.yaml %v", only.Switches, all[2].Switches)
	}
	plane = 2
	if _, err := WriteSlurm(&bytes.Buffer{}, f, SlurmOptions{Plane: &plane}); err == nil || !strings.Contains(err.Error(), "planes 0 to 1") {
		t.Errorf("plane 2: %v", err)
	}
}

// TestBlocksOfAPodFollowEachOther: in a tree of three levels the blocks of a pod are neighbours in
// the file, whatever the GUIDs of their switches.
func TestBlocksOfAPodFollowEachOther(t *testing.T) {
	f := build(t, 8, []string{"a1", "b1", "a2", "b2"},
		[2]int{0x101, 1}, [2]int{0x102, 2}, [2]int{0x103, 3}, [2]int{0x104, 4},
		[2]int{1, 5}, [2]int{3, 5}, [2]int{2, 6}, [2]int{4, 6}, [2]int{5, 7}, [2]int{6, 7})
	one := read(t, func(b *bytes.Buffer) error { _, err := WriteSlurmBlocks(b, f, SlurmOptions{}); return err }, false)[0]
	var order []string
	for _, b := range one.Blocks {
		order = append(order, b.Nodes...)
	}
	if want := []string{"a1", "a2", "b1", "b2"}; !slices.Equal(order, want) || !slices.Equal(one.Sizes, []int{1, 2, 4}) {
		t.Errorf("blocks %v sizes %v, want %v", order, one.Sizes, want)
	}
}

// TestHostsThatTheSiteLists: a block of hosts that Slurm does not know would end Slurm; the site
// lists the hosts, and small blocks are left out.
func TestHostsThatTheSiteLists(t *testing.T) {
	f := build(t, 2, []string{"n1", "n2", "n3", "login", "storage"},
		[2]int{0x101, 1}, [2]int{0x102, 1}, [2]int{0x103, 2}, [2]int{0x104, 2}, [2]int{0x105, 2}, [2]int{1, 2})
	for _, c := range []struct {
		opt  SlurmOptions
		want string
		says string
	}{
		{SlurmOptions{Only: []string{"n1", "n2", "n3", "n7"}, Sizes: []int{1}}, "BlockName=S-0000000000000001 Nodes=n[1-2]\nBlockName=S-0000000000000002 Nodes=n3\nBlockSizes=1\n", "hosts that are listed are not in the fabric: n7"},
		{SlurmOptions{Only: []string{"n1", "n2", "n3"}, Sizes: []int{2}}, "BlockName=S-0000000000000001 Nodes=n[1-2]\nBlockSizes=2\n", "1 blocks with 1 hosts have fewer than the smallest size, 2"},
		{SlurmOptions{Only: []string{"n1", "n2", "n3"}}, "BlockName=S-0000000000000001 Nodes=n[1-2]\nBlockName=S-0000000000000002 Nodes=n3\nBlockSizes=1,2\n", "the smallest block, S-0000000000000002, has 1 hosts"},
	} {
		var b bytes.Buffer
		warnings, err := WriteSlurmBlocks(&b, f, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if _, body, _ := strings.Cut(b.String(), "\n"); body != c.want {
			t.Errorf("got\n%s\nwant\n%s", body, c.want)
		}
		if !slices.ContainsFunc(warnings, func(w lines.Warning) bool { return strings.Contains(w.Text, c.says) }) {
			t.Errorf("warnings %v, want one with %q", warnings, c.says)
		}
	}
}

// TestAHostTakesNoOtherName: a host that calls itself as another does, or as the map calls another,
// gets neither the name nor the place. With the names of before the other host keeps its own.
func TestAHostTakesNoOtherName(t *testing.T) {
	f := build(t, 2, []string{"n1", "n1"}, [2]int{0x101, 1}, [2]int{0x102, 2}, [2]int{1, 2})
	sw := map[fabric.GUID]string{1: "a", 2: "b"}
	for _, c := range []struct {
		names, was map[fabric.GUID]string
		want       string
	}{
		{nil, nil, "SwitchName=a Nodes=H-0000000000000101\nSwitchName=b Nodes=H-0000000000000102\n"},
		{map[fabric.GUID]string{0x102: "n1"}, nil, "SwitchName=a Nodes=H-0000000000000101\nSwitchName=b Nodes=n1\n"},
		{nil, map[fabric.GUID]string{0x102: "n1"}, "SwitchName=a Nodes=H-0000000000000101\nSwitchName=b Nodes=n1\n"},
		{nil, map[fabric.GUID]string{0x101: "n9", 0x102: "n1"}, "SwitchName=a Nodes=n9\nSwitchName=b Nodes=n1\n"},
		{nil, map[fabric.GUID]string{0x101: "n1", 0x102: "n1"}, "SwitchName=a Nodes=n1\nSwitchName=b Nodes=H-0000000000000102\n"},
	} {
		checkNames(t, f, sw, c.names, SlurmOptions{Was: c.was}, c.want)
	}
	gone := map[fabric.GUID]bool{0x102: true}
	was := map[fabric.GUID]string{0x101: "n9", 0x102: "n1"}
	checkNames(t, f, sw, nil, SlurmOptions{Was: was, Absent: gone}, "SwitchName=a Nodes=n9\nSwitchName=b Nodes=n1\n")
	renamed := build(t, 2, []string{"n1", "n2"}, [2]int{0x101, 1}, [2]int{0x102, 2}, [2]int{1, 2}) // the absent one is n1 in the file
	checkNames(t, renamed, sw, nil, SlurmOptions{Was: was, Absent: gone}, "SwitchName=a Nodes=n9\nSwitchName=b Nodes=n1\n")
}

// checkNames checks the lines of a file with these names in the map.
func checkNames(t *testing.T, f *fabric.Fabric, switches, hosts map[fabric.GUID]string, opt SlurmOptions, want string) {
	t.Helper()
	opt.Names = maps.Clone(switches)
	maps.Copy(opt.Names, hosts)
	got, _ := writeSlurm(t, f, opt)
	if _, body, _ := strings.Cut(got, "\n"); body != want {
		t.Errorf("map %v, was %v, absent %v: got\n%s\nwant\n%s", hosts, opt.Was, opt.Absent, body, want)
	}
}

// TestYAMLQuotes: names that YAML would read as something else are read back as they are.
func TestYAMLQuotes(t *testing.T) {
	f := build(t, 2, []string{"no", "12"}, [2]int{0x101, 1}, [2]int{0x102, 2}, [2]int{1, 2})
	all := read(t, func(b *bytes.Buffer) error {
		_, err := WriteSlurmYAML(b, f, SlurmOptions{Names: map[fabric.GUID]string{1: "true", 2: "0x7"}, Root: "~"})
		return err
	}, true)
	if len(all) != 1 || !slices.Equal(all[0].Hosts(), []string{"12", "no"}) || all[0].Switches[0].Name != "true" || all[0].Switches[2].Name != "~" {
		t.Errorf("got %+v", all)
	}
}

func FuzzReadConf(f *testing.F) {
	for _, text := range []string{manualTree, manualBlocks, "SwitchName=a Switches=a\n", "SwitchName=a Nodes=n[1-3,7]\n#\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		one, err := ReadConf("fuzz", data)
		checkStrict(t, one != nil, err)
		if err != nil {
			return
		}
		if n := len(one.Hosts()); n != one.hosts() {
			t.Fatalf("%d hosts, %d in all", n, one.hosts())
		}
		for i := range one.Switches { // the rules hold, by a slower way
			if (len(one.Switches[i].Nodes) > 0) == (len(one.Switches[i].Below) > 0) {
				t.Fatalf("switch %+v was taken", one.Switches[i])
			}
		}
	})
}

func FuzzReadYAML(f *testing.F) {
	for _, text := range []string{manualYAML, "- topology: a\n  flat: true\n", "- topology: a\n  tree: {switches: [{switch: b, nodes: 'n[1-2]'}]}\n", "- &a [*a]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ReadYAML("fuzz", data)
		checkStrict(t, len(all) > 0, err)
	})
}

// checkStrict checks that a reader returns something or an error with its file.
func checkStrict(t *testing.T, some bool, err error) {
	t.Helper()
	if bad, ok := errors.AsType[*lines.Error](err); err != nil && (!ok || bad.Msg == "") {
		t.Fatalf("error is a %T: %v", err, err)
	}
	if some == (err != nil) {
		t.Fatalf("something was read: %t, error %v", some, err)
	}
}
