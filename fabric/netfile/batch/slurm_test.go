package batch

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
	"weft/fabric/netfile/site"
)

// expandHostlist is Slurm's rule: in a range every number is at least as wide as
// the first.
func expandHostlist(list string) []string {
	var out []string
	for list != "" {
		prefix, rest, bracket := strings.Cut(list, "[")
		if !bracket || strings.Contains(prefix, ",") {
			name, after, _ := strings.Cut(list, ",")
			out, list = append(out, name), after
			continue
		}
		ranges, after, _ := strings.Cut(rest, "]")
		list = strings.TrimPrefix(after, ",")
		for r := range strings.SplitSeq(ranges, ",") {
			lo, hi, two := strings.Cut(r, "-")
			if !two {
				hi = lo
			}
			a, _ := strconv.Atoi(lo)
			b, _ := strconv.Atoi(hi)
			for ; a <= b; a++ {
				out = append(out, fmt.Sprintf("%s%0*d", prefix, len(lo), a))
			}
		}
	}
	return out
}

// topologyConf reads back what Slurm reads: children by switch name.
func topologyConf(t *testing.T, text string) (nodes, switches map[string][]string) {
	t.Helper()
	nodes, switches = map[string][]string{}, map[string][]string{}
	for line := range strings.SplitSeq(text, "\n") {
		f := strings.Fields(line)
		if len(f) != 2 || !strings.HasPrefix(f[0], "SwitchName=") {
			if line != "" && line[0] != '#' {
				t.Fatalf("not a line of topology.conf: %q", line)
			}
			continue
		}
		name := strings.TrimPrefix(f[0], "SwitchName=")
		if nodes[name] != nil || switches[name] != nil {
			t.Fatalf("switch %s is listed twice", name)
		}
		if list, ok := strings.CutPrefix(f[1], "Nodes="); ok {
			nodes[name] = expandHostlist(list)
		} else {
			switches[name] = expandHostlist(strings.TrimPrefix(f[1], "Switches="))
		}
	}
	return nodes, switches
}

func writeSlurm(t *testing.T, f *fabric.Fabric, opt SlurmOptions) (string, []lines.Warning) {
	t.Helper()
	var b bytes.Buffer
	w, err := WriteSlurm(&b, f, opt)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), w
}

// The site's own file, from the same dump, map and spine list, has the same leaves. Its switch
// lists hold all neighbours of a spine, so that two spines list each other; ours hold only
// neighbours one level below.
func TestWriteSlurmLikeTheSite(t *testing.T) {
	f, _, err := discovery.ReadIBNetDiscover("psmn-x5", examples.PSMNX5)
	if err != nil {
		t.Fatal(err)
	}
	var opt SlurmOptions
	if opt.Names, err = site.ReadNames("psmn-x5.map", netfiletest.File(t, "psmn-x5.map")); err != nil {
		t.Fatal(err)
	}
	if opt.Spines, err = site.ReadGUIDs("psmn-x5.spine", netfiletest.File(t, "psmn-x5.spine")); err != nil {
		t.Fatal(err)
	}
	text, warnings := writeSlurm(t, f, opt)
	nodes, switches := topologyConf(t, text)
	siteNodes, siteSwitches := topologyConf(t, string(netfiletest.File(t, "psmn-x5.topology.conf")))
	if len(nodes) != len(siteNodes) || len(switches) != len(siteSwitches) || len(switches) != 5 {
		t.Fatalf("%d leaves and %d spines, the site has %d and %d\n%s", len(nodes), len(switches), len(siteNodes), len(siteSwitches), text)
	}
	for name, want := range siteNodes {
		if got := nodes[name]; !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("leaf %s: %v, the site has %v", name, got, want)
		}
	}
	for name, list := range switches {
		for _, below := range list {
			if !slices.Contains(siteSwitches[name], below) {
				t.Errorf("%s lists %s, the site does not", name, below)
			}
			if slices.Contains(switches[below], name) {
				t.Errorf("%s and %s list each other", name, below)
			}
		}
	}
	for _, w := range warnings {
		t.Log(w)
	}
}

func sorted(s []string) []string { s = slices.Clone(s); slices.Sort(s); return s }

// build makes a fabric of switches (GUIDs 1, 2, ...) and CAs (GUIDs 0x101, ...);
// a cable is "switch switch" or "CA switch", by number, on the next free ports.
func build(t *testing.T, switches int, cas []string, cables ...[2]int) *fabric.Fabric {
	t.Helper()
	f := fabric.New("built")
	for i := range switches {
		if _, err := f.AddNode(fabric.Switch, fabric.GUID(i+1), 20, fmt.Sprint("switch ", i+1)); err != nil {
			t.Fatal(err)
		}
	}
	for i, desc := range cas {
		if _, err := f.AddNode(fabric.CA, fabric.GUID(0x101+i), 2, desc); err != nil {
			t.Fatal(err)
		}
	}
	free := func(n int) fabric.End {
		id, ok := f.NodeByGUID(fabric.GUID(n))
		p := slices.IndexFunc(f.Nodes[id].Ports[1:], func(p fabric.Port) bool { return p.Link == fabric.NoLink })
		if !ok || p < 0 {
			t.Fatalf("node %d has no free port", n)
		}
		return fabric.End{Node: id, Port: uint8(p + 1)}
	}
	for _, c := range cables {
		if _, err := f.Connect(free(c[0]), free(c[1]), 4, fabric.HDR); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestWriteSlurm(t *testing.T) {
	for _, c := range []struct {
		name     string
		f        *fabric.Fabric
		opt      SlurmOptions
		want     string
		warnings []string
	}{
		{
			"two levels, rails, aggregation node",
			build(t, 4, []string{"n1 mlx5_1", "n1 mlx5_0", "n2 mlx5_0", "Mellanox Technologies Aggregation Node", "n10"},
				[2]int{0x101, 2}, [2]int{0x102, 1}, [2]int{0x103, 1}, [2]int{0x104, 3}, [2]int{0x105, 2},
				[2]int{1, 3}, [2]int{1, 3}, [2]int{2, 3}, [2]int{2, 4}),
			SlurmOptions{Names: map[fabric.GUID]string{3: "core"}},
			"SwitchName=S-0000000000000001 Nodes=n[1-2]\n" +
				"SwitchName=S-0000000000000002 Nodes=n10\n" +
				"SwitchName=core Switches=S-0000000000000001,S-0000000000000002\n" +
				"SwitchName=S-0000000000000004 Switches=S-0000000000000002\n",
			[]string{
				"built: 1 aggregation nodes left out: they are no hosts",
				"built: 1 hosts are cabled to several switches: each is listed only under the switch of its first CA port",
			},
		},
		{
			"vague descriptions",
			build(t, 1, []string{"MT25408 ConnectX", "MT25408 ConnectX", "good"}, [2]int{0x101, 1}, [2]int{0x102, 1}, [2]int{0x103, 1}),
			SlurmOptions{Names: map[fabric.GUID]string{1: "sw", 0x102: "named"}},
			"SwitchName=sw Nodes=H-0000000000000101,good,named\n",
			[]string{"built: 1 CAs are called by GUID: their description does not name a host (give a name map)"},
		},
		{
			"numbers beside names",
			build(t, 2, []string{"host 0", "host 10", "host 1", "rack 7 left"}, [2]int{0x101, 1}, [2]int{0x102, 1}, [2]int{0x103, 2}, [2]int{0x104, 2}, [2]int{1, 2}),
			SlurmOptions{Names: map[fabric.GUID]string{1: "a", 2: "b"}, Root: "all"},
			"SwitchName=a Nodes=host[0,10]\nSwitchName=b Nodes=host1,rack\nSwitchName=all Switches=a,b\n", nil,
		},
		{
			"spine with hosts",
			build(t, 2, []string{"a", "b"}, [2]int{0x101, 1}, [2]int{0x102, 2}, [2]int{1, 2}),
			SlurmOptions{Names: map[fabric.GUID]string{1: "leaf", 2: "spine"}, Spines: []fabric.GUID{2}},
			"SwitchName=leaf Nodes=a\nSwitchName=spine-hosts Nodes=b\nSwitchName=spine Switches=leaf,spine-hosts\n",
			[]string{`built: spine "switch 2" (0x0000000000000002) has hosts of its own: they go under an extra leaf "spine-hosts"`},
		},
		{
			"no root",
			build(t, 2, []string{"a", "b"}, [2]int{0x101, 1}, [2]int{0x102, 2}, [2]int{1, 2}),
			SlurmOptions{Names: map[fabric.GUID]string{1: "x", 2: "y"}},
			"SwitchName=x Nodes=a\nSwitchName=y Nodes=b\n",
			[]string{"built: no switch is above all others: Slurm places no job across them (name a root)"},
		},
		{
			"root",
			build(t, 2, []string{"a", "b"}, [2]int{0x101, 1}, [2]int{0x102, 2}, [2]int{1, 2}),
			SlurmOptions{Names: map[fabric.GUID]string{1: "x", 2: "y"}, Root: "all"},
			"SwitchName=x Nodes=a\nSwitchName=y Nodes=b\nSwitchName=all Switches=x,y\n", nil,
		},
		{
			"nothing", build(t, 1, []string{"a"}),
			SlurmOptions{},
			"",
			[]string{"built: 1 CAs on no switch left out", "built: no host is cabled to a switch: the file is empty"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, warnings := writeSlurm(t, c.f, c.opt)
			if _, body, _ := strings.Cut(got, "\n"); body != c.want {
				t.Errorf("got\n%s\nwant\n%s", body, c.want)
			}
			var texts []string
			for _, w := range warnings {
				texts = append(texts, w.String())
			}
			if !slices.Equal(texts, c.warnings) {
				t.Errorf("warnings %q, want %q", texts, c.warnings)
			}
		})
	}
}

// TestWriteSlurmListsServersOnce: the CAs of a server are one host, known by host name, by system
// image GUID, or by the name of one of them in the map, which may also tell them apart. Names that
// installers give are no hosts, as in the dump of a DGX cluster.
func TestWriteSlurmListsServersOnce(t *testing.T) {
	f := build(t, 2, []string{"localhost HCA-1", "localhost HCA-2", "MT4119 ConnectX5", "MT4119 ConnectX5", "n1.site mlx5_0", "n1 mlx5_1", "n2 mlx5_0", "n2 mlx5_1", "n3 mlx5_0", "n3 mlx5_1", "n4 mlx5_0", "n4 mlx5_1"},
		[2]int{0x101, 1}, [2]int{0x102, 2}, [2]int{0x103, 1}, [2]int{0x104, 2}, [2]int{0x105, 1}, [2]int{0x106, 2},
		[2]int{0x107, 1}, [2]int{0x108, 2}, [2]int{0x109, 1}, [2]int{0x10a, 2}, [2]int{0x10b, 1}, [2]int{0x10c, 2}, [2]int{1, 2})
	for _, guid := range []fabric.GUID{0x103, 0x104} {
		id, _ := f.NodeByGUID(guid)
		f.Nodes[id].SystemGUID = 7
	}
	got, _ := writeSlurm(t, f, SlurmOptions{Root: "all", Names: map[fabric.GUID]string{1: "a", 2: "b", 0x108: "second", 0x109: "one", 0x10a: "two"}})
	want := "SwitchName=a Nodes=H-0000000000000101,H-0000000000000103,n4,n1.site,one,second\n" +
		"SwitchName=b Nodes=H-0000000000000102,two\nSwitchName=all Switches=a,b\n"
	if _, body, _ := strings.Cut(got, "\n"); body != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
}

// TestWriteSlurmTellsServersApart: two servers whose names begin with one word are two hosts.
func TestWriteSlurmTellsServersApart(t *testing.T) {
	f := build(t, 1, []string{"rack 7 left", "rack 8 left"}, [2]int{0x101, 1}, [2]int{0x102, 1})
	got, _ := writeSlurm(t, f, SlurmOptions{})
	if want := "SwitchName=S-0000000000000001 Nodes=H-0000000000000101,H-0000000000000102\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWriteSlurmRefuses(t *testing.T) {
	f := build(t, 2, []string{"a", "b"}, [2]int{0x101, 1}, [2]int{0x102, 2})
	for _, opt := range []SlurmOptions{
		{Spines: []fabric.GUID{0x101}},
		{Names: map[fabric.GUID]string{1: "two words"}},
		{Names: map[fabric.GUID]string{1: "a[1]"}},
		{Names: map[fabric.GUID]string{0x101: "two words"}},
		{Names: map[fabric.GUID]string{1: "x", 2: "x"}},
		{Root: "x,y"},
		{Root: "S-0000000000000001"},
	} {
		if _, err := WriteSlurm(&bytes.Buffer{}, f, opt); err == nil {
			t.Errorf("%+v was taken", opt)
		}
	}
}

// In any network the file is a hierarchy: every host is listed once, every
// switch that is listed has a line, and no switch is below itself.
func TestWriteSlurmIsAHierarchy(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := netfiletest.AnyFabric(rt)
		text, _ := writeSlurm(t, f, SlurmOptions{Root: "root"})
		nodes, switches := topologyConf(t, text)
		listed := map[string]bool{}
		for _, hosts := range nodes {
			for _, h := range hosts {
				if listed[h] {
					rt.Fatalf("host %s is listed twice\n%s", h, text)
				}
				listed[h] = true
			}
		}
		state := map[string]int{}
		var walk func(string)
		walk = func(name string) {
			if state[name] == 1 {
				rt.Fatalf("switch %s is below itself\n%s", name, text)
			}
			if state[name] == 0 {
				state[name] = 1
				for _, below := range switches[name] {
					if nodes[below] == nil && switches[below] == nil {
						rt.Fatalf("switch %s is listed, but has no line\n%s", below, text)
					}
					walk(below)
				}
			}
			state[name] = 2
		}
		for name := range switches {
			walk(name)
		}
	})
}
