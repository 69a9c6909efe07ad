package sm

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/internal/peer"
)

// TestOsmtest: on ibsim and on the emulator OpenSM's tester of subnet administration joins and
// leaves groups, and is answered as it expects, up to the end, where it deletes what a table of all
// groups names. Clients of ibsim get no more of a table than three records, so that the tester
// finds groups left over, from OpenSM as from weft. (The test of this name in emulator/umadfs has
// whole tables.)
func TestOsmtest(t *testing.T) {
	for medium, serve := range media {
		t.Run(medium, func(t *testing.T) {
			peer.Program(t, "osmtest")
			f := tree(t)
			s := serve(t, f)
			g := f.Compile()
			defer s.administer("minhop", 0)()
			s.Env = append(slices.Clone(s.Env), "SIM_HOST="+nodeID(g.EndNodeGUID[g.NumHosts-1]))
			log, inventory := s.Path("osmtest.log"), s.Path("osmtest.dat")
			if out, err := s.TryRun("osmtest", "-f", "c", "-l", log, "-i", inventory); err != nil || !strings.Contains(string(out), "PASS") {
				t.Errorf("osmtest -f c: %v\n%s", err, out)
			}
			_, _ = s.TryRun("osmtest", "-f", "m", "-l", log, "-i", inventory)
			text, err := os.ReadFile(log)
			if err != nil || !strings.Contains(string(text), "Cleanup all MCG") {
				t.Fatalf("osmtest has not come to its end: %v\n%s", err, text[max(0, len(text)-4000):])
			}
			for _, line := range regexp.MustCompile(`osmt_run_mcast_flow: ERR .*`).FindAllString(string(text), -1) {
				if !strings.Contains(line, "ERR 02FE") {
					t.Error(line)
				}
			}
		})
	}
}
