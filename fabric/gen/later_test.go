package gen

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
	"weft/fabric/gen/smallest"
	"weft/internal/draws"
)

// TestLater: an earlier step of a network is connected, has the first hosts with all their ports,
// and nothing that stands in it is plugged again. Switches that none of its paths needs are not in
// it.
func TestLater(t *testing.T) {
	met := map[string]int{}
	whole := []string{
		"tree(24,400)", "tree(24,400,first=100)", "rail(4,8,6,spines=8)", "rail(4,8,8,spines=2,width=4,cores=4,up=2,groups=4)",
		"dragonfly(4,2,2)", "dragonflyplus(4,4,4,2)", "fullmesh(8,hosts=8)", "tree(24,100)|planes(3)", "tree(24,100)|aggregation()",
		"tree(12,40)|plane(tree(24,60)|servers(40,8x2,4),name=storage)",
	}
	draws.Check(t, func(t *rapid.T) {
		formula := rapid.SampledFrom(whole).Draw(t, "formula")
		f, err := Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		hosts := len(f.Servers().List)
		from := rapid.IntRange(1, hosts-1).Draw(t, "from")
		to := rapid.IntRange(from, hosts-1).Draw(t, "to")
		step, err := Apply(f, fmt.Sprintf("later(from=%d,to=%d)", from, to))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range fabric.Diff(step, f) {
			if c.Kind != "node added" && c.Kind != "link added" {
				t.Fatalf("%s, hosts %d to %d later: %s", formula, from, to, c)
			}
		}
		if got := len(step.Servers().List); got != hosts-(to-from+1) {
			t.Fatalf("%s, hosts %d to %d later: %d stand", formula, from, to, got)
		}
		_, parts := f.Compile().Components()
		if _, got := step.Compile().Components(); got != parts {
			t.Fatalf("%s, hosts %d to %d later: %d parts", formula, from, to, got)
		}
		for id := range step.Nodes {
			if nodes.IsSwitch(step, fabric.NodeID(id)) && len(cabled(step, fabric.NodeID(id))) < 2 && len(nodes.HostPorts(step, fabric.NodeID(id))) == 0 {
				t.Fatalf("%s, hosts %d to %d later: %s leads nowhere", formula, from, to, step.NodeName(fabric.NodeID(id)))
			}
		}
		if len(step.Nodes) < len(f.Nodes)-(to-from+1) {
			met["fewer switches"]++
		}
	}, func() string { return draws.Missing(met, "fewer switches") })
}

// TestLaterPod: a step of one pod has no roots.
func TestLaterPod(t *testing.T) {
	for formula, want := range map[string]int{
		"tree(64,2400,first=800)|later(from=800)":                               25 + 32,
		"rail(8,32,32,spines=8,width=4,cores=16,up=2,groups=4)|later(from=256)": 64 + 64 + 128,
	} {
		f, err := Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Compile().NumSwitches; got != want {
			t.Errorf("%s has %d switches, want %d", formula, got, want)
		}
	}
}

// TestGroupServers: servers get their ports from hosts in order, far apart.
func TestGroupServers(t *testing.T) {
	f, err := Parse("tree(8,20)|servers(4,3x2,2x4)")
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := Parse("tree(8,20)")
	ports := []int{1, 1, 1, 1, 2, 2, 2, 4, 4, 1, 1}
	hosts := nodes.ByGUID(f, func(id fabric.NodeID) bool { return nodes.IsHost(f, id) })
	if len(hosts) != 20-3-6 {
		t.Fatalf("%d servers", len(hosts))
	}
	for i, h := range hosts {
		if want := append(ports, 1)[min(i, len(ports))]; len(cabled(f, h)) != want {
			t.Errorf("%s has %d ports, want %d", f.NodeName(h), len(cabled(f, h)), want)
		}
	}
	if len(f.Links) != len(plain.Links) {
		t.Errorf("%d cables of %d", len(f.Links), len(plain.Links))
	}
	// Port 2 of the first server of two ports was host 4+3.
	guid, seven := f.Nodes[hosts[4]].Ports[2].GUID, guidOfHost(7)+1
	if guid != seven {
		t.Errorf("its second port is %s, want %s", guid, seven)
	}
}

// TestPodsOfTrees: a tree keeps the oversubscription of pods, and its first pod holds the hosts
// that it is to hold.
func TestPodsOfTrees(t *testing.T) {
	met := map[string]int{}
	draws.Check(t, func(t *rapid.T) {
		radix, hosts := 2*rapid.IntRange(3, 12).Draw(t, "half"), rapid.IntRange(20, 600).Draw(t, "hosts")
		limits := smallest.Limits{Ratio: float64(rapid.IntRange(1, 2).Draw(t, "ratio")), PodRatio: float64(rapid.IntRange(2, 6).Draw(t, "pods")), First: rapid.IntRange(0, hosts/2).Draw(t, "first")}
		tree, err := smallest.Find(radix, hosts, limits)
		if err != nil || tree.Roots == 0 {
			return
		}
		f, err := Parse(fmt.Sprintf("tree(%d,%d,ratio=%g,pods=%g,first=%d)", radix, hosts, limits.Ratio, limits.PodRatio, limits.First))
		if err != nil {
			t.Fatal(err)
		}
		level := Levels(f)
		first, up := 0, 0
		for id := range f.Nodes {
			at := fabric.NodeID(id)
			if !nodes.IsSwitch(f, at) || level[id] > 1 {
				continue
			}
			leaf := int(f.Nodes[id].GUID-switchGUID) - 1
			if level[id] == 0 && leaf < tree.Leaves {
				first += len(nodes.HostPorts(f, at))
			}
			for peer := range f.SwitchPeers(at, nil) {
				if spine := leaf - tree.Pods*tree.Leaves; level[id] == 1 && level[peer] == 2 && spine < tree.Spines {
					up++
				}
			}
		}
		if first < limits.First || float64(first) > max(limits.PodRatio, limits.Ratio)*float64(up) {
			t.Fatalf("%s: the first pod has %d hosts and %d cables up", f.Name, first, up)
		}
		if whole, err := smallest.Find(radix, hosts, smallest.Limits{Ratio: limits.Ratio, First: limits.First}); err != nil || tree.Switches() < whole.Switches() {
			met["saves switches"]++
		}
	}, func() string { return draws.Missing(met, "saves switches") })
}
