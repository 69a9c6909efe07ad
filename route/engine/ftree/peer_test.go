package ftree

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/route"
)

// need finds a program. A missing one skips the test, and fails it in CI.
func need(t *testing.T, program string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		path := filepath.Join(dir, program)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	missing(t, program)
	return ""
}

func missing(t *testing.T, what string) {
	t.Helper()
	const hint = "apt-get install ibsim-utils libumad2sim0 opensm"
	if os.Getenv("CI") == "true" {
		t.Fatalf("no %s on this machine (%s)", what, hint)
	}
	t.Skipf("no %s on this machine (%s)", what, hint)
}

// opensm routes a fabric with OpenSM's fat-tree engine over ibsim; nil if that refuses.
func opensm(t *testing.T, number int, f *fabric.Fabric, g *fabric.Graph) *route.Plan {
	t.Helper()
	simulator, manager := need(t, "ibsim"), need(t, "opensm")
	library, _ := filepath.Glob("/usr/lib/*/umad2sim/libumad2sim.so*")
	if len(library) == 0 {
		missing(t, "libumad2sim.so")
	}
	dir := t.TempDir()
	var net bytes.Buffer
	if err := netfile.WriteIBNetDiscover(&net, f); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "net"), net.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := fmt.Sprintf("weft-ftree-%d-%d", os.Getpid(), number)
	env := append(os.Environ(), "IBSIM_SOCKNAME="+socket, "OSM_TMP_DIR="+dir, "OSM_CACHE_DIR="+dir)
	start := func(program string, args ...string) {
		c := exec.Command(program, args...)
		c.Dir, c.Env = dir, env
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
	start(simulator, "-s", "-n", "-N", "4000", "-S", "2000", "-P", "100000", "net")
	wait(t, "ibsim", func() bool {
		sockets, err := os.ReadFile("/proc/net/unix")
		return err == nil && bytes.Contains(sockets, []byte("@"+socket+":out9"))
	})
	env = append(env, "LD_PRELOAD="+library[0])
	log := filepath.Join(dir, "osm.log")
	start(manager, "-e", "-F", "/dev/null", "-f", log, "-s", "0", "-d", "2", "-R", "ftree,no_fallback", "--dump_files_dir", dir, "-D", "0x43")
	refused := false
	wait(t, "opensm", func() bool {
		text, _ := os.ReadFile(log)
		refused = bytes.Contains(text, []byte("hasn't been identified as FatTree"))
		return refused || bytes.Contains(text, []byte("SUBNET UP"))
	})
	if refused {
		return nil
	}
	dump, err := os.ReadFile(filepath.Join(dir, "opensm-lfts.dump"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := route.Foreign{}
	if foreign.LFTs, _, err = netfile.ReadLFTs("opensm-lfts.dump", dump); err != nil {
		t.Fatal(err)
	}
	plan, _, err := foreign.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 600 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s does not get ready", what)
}

// mostUp is the largest number of paths between hosts on a channel that leads up.
func mostUp(g *fabric.Graph, plan *route.Plan, t *tree) int {
	most := 0
	on := make([]int, g.NumChannels)
	for h := range int32(g.NumHosts) {
		for leaf := range int32(g.NumSwitches) {
			if plan.Ends.Base[h] == 0 {
				continue
			}
			for at := leaf; at != g.EndSwitch[h]; {
				c, _ := g.At(at, plan.Tables.Port(at, plan.Ends.Base[h]))
				if c < 0 {
					break
				}
				if on[c] += len(g.HostsOf(leaf)); t.height[g.To[c]] > t.height[at] {
					most = max(most, on[c])
				}
				at = g.To[c]
			}
		}
	}
	return most
}

// TestPeerOpenSM: the most loaded channel up carries no more paths than with OpenSM's
// fat-tree routing, fewer where leaves differ, also with numbers of switches that
// divide nothing; and what OpenSM refuses is routed.
func TestPeerOpenSM(t *testing.T) {
	for i, c := range []struct{ formula, than string }{
		{"fat648", "same"},
		{"fat648|hosts(even=9,odd=9)", "fewer"},
		{"fat648|hosts(even=17,odd=1)", "fewer"},
		{"racks648|hosts(even=22,odd=1)", "fewer"},
		{"rlft(12,3)|hosts(even=5,odd=1)", "fewer"},
		{"rlft(12,3)|hosts(even=6,odd=6)", "same"},
		{"xgft(2;6,4;3,2;hosts=72)|hosts(even=3,odd=1)", "fewer"},
		{"pgft(3;5,4,3;1,3,5;1,1,1)|hosts(even=5,odd=1)", "fewer"},
		{"fat648|without(roots=5)", "fewer"},
		{"over384", "refused"},
		{"rlft(12,3)|fail(share=0.01,links=up,seed=1)", "refused"},
	} {
		if testing.Short() && c.than != "refused" {
			continue
		}
		t.Run(c.formula, func(t *testing.T) {
			f, err := gen.Parse(c.formula)
			if err != nil {
				t.Fatal(err)
			}
			g := f.Compile()
			theirs := opensm(t, i, f, g)
			plan := routed(t, g, "")
			if r := judged(t, g, plan); !r.OK {
				t.Errorf("ours: unreachable %d, deadlock-free %v", r.Unreachable, r.DeadlockFree)
			}
			tree := recognise(g, nil, nil)
			ours, other, than := mostUp(g, plan, tree), 0, "refused"
			if theirs != nil {
				other = mostUp(g, theirs, tree)
				than = strings.Fields("fewer same more")[1+cmp.Compare(ours, other)]
			}
			if than != c.than {
				t.Errorf("%d paths on the most loaded channel up, OpenSM %d: %s, want %s", ours, other, than, c.than)
			}
		})
	}
}
