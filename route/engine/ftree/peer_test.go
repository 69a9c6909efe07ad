package ftree

import (
	"bytes"
	"cmp"
	"os"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/netfile/discovery"
	"weft/internal/peer"
	"weft/route"
	"weft/route/foreign"
)

// opensm routes a fabric with OpenSM's fat-tree engine over ibsim; nil if that refuses.
func opensm(t *testing.T, f *fabric.Fabric, g *fabric.Graph) *route.Plan {
	t.Helper()
	var net bytes.Buffer
	if err := discovery.WriteIBNetDiscover(&net, f); err != nil {
		t.Fatal(err)
	}
	s := peer.Simulate(t, net.Bytes())
	log := s.Path("osm.log")
	output := s.Start("opensm", "-e", "-F", "/dev/null", "-f", log, "-s", "0", "-d", "2", "-R", "ftree,no_fallback", "--dump_files_dir", s.Dir, "-D", "0x43")
	refused := false
	s.Wait("opensm", output, func() bool {
		text, _ := os.ReadFile(log)
		refused = bytes.Contains(text, []byte("hasn't been identified as FatTree"))
		return refused || bytes.Contains(text, []byte("SUBNET UP"))
	})
	if refused {
		return nil
	}
	dump, err := os.ReadFile(s.Path("opensm-lfts.dump"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := foreign.Files{}
	if foreign.LFTs, _, err = netfile.ReadLFTs("opensm-lfts.dump", dump); err != nil {
		t.Fatal(err)
	}
	plan, _, err := foreign.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	return plan
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
				if on[c] += len(g.HostsOf(leaf)); t.Level[g.To[c]] > t.Level[at] {
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
	for _, c := range []struct{ formula, than string }{
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
			theirs := opensm(t, f, g)
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
