package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/fabric/gen"
	"weft/fabric/hostlist"
	"weft/fabric/netfile/batch"
	"weft/internal/peer"
)

// TestTopologyRealPeers: Debian's Slurm loads the topology.conf that weft writes, and shows the
// switches, levels and hosts that the file has: of a tree whose line of children is long, and of
// rails.
func TestTopologyRealPeers(t *testing.T) {
	slurmctld := peer.Program(t, "slurmctld")
	peer.Program(t, "scontrol")
	for _, formula := range []string{"rail(4,8,2)", "rlft(16,3)", "torus(16x16,hosts=1)"} {
		t.Run(formula, func(t *testing.T) {
			f, err := gen.Parse(formula)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if _, err := batch.WriteSlurm(&text, f, batch.SlurmOptions{Root: "all"}); err != nil {
				t.Fatal(err)
			}
			want, err := batch.ReadConf("topology.conf", text.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			s := newSlurm(t)
			conf, _ := slurmConf(t, s.dir, 0)
			s.write("slurm.conf", conf+"TopologyPlugin=topology/tree\nNodeName="+hostlist.Compress(want.Hosts())+" NodeAddr=127.0.0.1 State=UNKNOWN\n")
			s.write("topology.conf", text.String())
			s.munge()
			s.daemon(slurmctld, "-D", "-c")
			s.until("topology", func() bool { return s.command("scontrol", "show", "topology").Run() == nil })
			out, err := s.command("scontrol", "-o", "show", "topology").Output()
			if err != nil {
				t.Fatal(err)
			}
			compareTopology(t, string(out), want)
			logs, _ := filepath.Glob(filepath.Join(s.dir, "log", "slurmctld-*"))
			for _, name := range logs {
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(string(data)) {
					if strings.Contains(line, "switch") || strings.Contains(line, "opology") {
						t.Errorf("Slurm says %s", line)
					}
				}
			}
		})
	}
}

// compareTopology holds the lines that Slurm shows against the file. Slurm lists all hosts below a
// switch.
func compareTopology(t *testing.T, shown string, want *batch.Topology) {
	t.Helper()
	byName := map[string]*batch.Switch{}
	for i := range want.Switches {
		byName[want.Switches[i].Name] = &want.Switches[i]
	}
	var below func(s *batch.Switch, to map[string]bool)
	below = func(s *batch.Switch, to map[string]bool) {
		for _, name := range s.Nodes {
			to[name] = true
		}
		for _, name := range s.Below {
			below(byName[name], to)
		}
	}
	lines := strings.Split(strings.TrimSpace(shown), "\n")
	if len(lines) != len(want.Switches) {
		t.Errorf("Slurm shows %d switches, the file has %d", len(lines), len(want.Switches))
	}
	list := func(text string) []string {
		names, err := batch.ParseHostlist(text)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		return names
	}
	for _, line := range lines {
		value := map[string]string{}
		for word := range strings.FieldsSeq(line) {
			name, v, _ := strings.Cut(word, "=")
			value[name] = v
		}
		s := byName[value["SwitchName"]]
		if s == nil {
			t.Fatalf("Slurm shows %q, which the file has not", line)
		}
		hosts := map[string]bool{}
		below(s, hosts)
		if got := list(value["Nodes"]); len(got) != len(hosts) || slices.ContainsFunc(got, func(name string) bool { return !hosts[name] }) {
			t.Errorf("switch %s: Slurm has the hosts %v, the file %v", s.Name, got, hosts)
		}
		if got := list(value["Switches"]); !slices.Equal(got, sortedCopy(s.Below)) {
			t.Errorf("switch %s: Slurm has the switches %v, the file %v", s.Name, got, s.Below)
		}
		if level := value["Level"]; (level == "0") != (len(s.Nodes) > 0) {
			t.Errorf("switch %s is at level %s", s.Name, level)
		}
	}
}

func sortedCopy(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
