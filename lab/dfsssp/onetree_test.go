package dfsssp

import (
	"testing"

	"weft/lab"
	"weft/route/lanes/offline"
)

// TestOneTree: hosts of a switch share their paths, which are minimal and free of
// deadlock between hosts.
func TestOneTree(t *testing.T) {
	g, err := lab.Graph("random(switches=20,hosts=3,links=40,seed=1)")
	if err != nil {
		t.Fatal(err)
	}
	s := &lab.Setup{Workers: 2, Seed: 1}
	trial, err := s.Route(t.Context(), g, lab.Routing{Spec: oneTree(offline.Weakest), MaxVLs: allVLs})
	if err != nil || trial.Refused != "" {
		t.Fatal(err, trial.Refused)
	}
	if p := trial.Report.HostPairs; p.Unreachable > 0 || p.NonMinimal > 0 || trial.Report.Loops > 0 {
		t.Errorf("not minimal: %+v", p)
	}
	tables, base := trial.Plan.Tables, trial.Plan.Ends.Base
	for s := range int32(g.NumSwitches) {
		for to := range int32(g.NumSwitches) {
			hosts := g.HostsOf(to)
			for _, h := range hosts[1:] {
				if s != to && tables.Port(s, base[h]) != tables.Port(s, base[hosts[0]]) {
					t.Fatalf("hosts of switch %d have different paths from switch %d", to, s)
				}
			}
		}
	}
}
