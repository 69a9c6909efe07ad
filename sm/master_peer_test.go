package sm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"weft/emulator"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
	"weft/fabric"
	"weft/internal/peer"
	"weft/sm/round"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/ibsim"
)

// TestBesideOpenSM: on the real ibsim and on the emulator, OpenSM runs a subnet. Beside
// it nothing is written: no table, LID or port state of its changes. It is named with
// its LID, GUID and priority. With TakeOver the subnet is ours.
func TestBesideOpenSM(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)|fail(links=3,seed=1)")
	for name, start := range media {
		t.Run(name, func(t *testing.T) {
			s := start(t, f)
			host := f.Nodes[smtest.Find(f, fabric.CA, 5)]
			s.Env = append(s.Env, "SIM_HOST="+nodeID(host.GUID))
			log := s.Path("osm.log")
			s.Wait("OpenSM", s.Start("opensm", "-e", "-d2", "-f", log, "-p", "7", "-R", "minhop"), func() bool {
				text, _ := os.ReadFile(log)
				return bytes.Contains(text, []byte("SUBNET UP"))
			})
			before := s.state()
			for range 2 { // IsSM is not left behind
				core, err := s.try(nodeID(f.Nodes[smtest.Find(f, fabric.CA, 12)].GUID), terms.Config{})
				r := core.Report
				if err != nil || r.State != terms.OtherMaster {
					t.Fatalf("%v, %s: %v", err, r.State, r.Incidents)
				}
				want := fmt.Sprintf("GUID %s, priority 7", host.Ports[1].GUID)
				if i := r.Find(terms.OtherManager); i == nil || !strings.Contains(i.Text, want) || strings.Contains(i.Text, "LID 0,") || i.At.Node != host.GUID {
					t.Errorf("want %s: %v", want, r.Incidents)
				}
				for _, n := range r.SMPs.By {
					if n.Method == "Set" {
						t.Errorf("%d times Set(%s)", n.Requests, n.Attribute)
					}
				}
				if after := s.state(); after != before {
					t.Errorf("the subnet changed from\n%s\nto\n%s", before, after)
				}
			}
			core, err := s.try(nodeID(f.Nodes[smtest.Find(f, fabric.CA, 12)].GUID), terms.Config{TakeOver: true})
			if r := core.Report; err != nil || r.State != terms.Up || r.Find(terms.OtherManager) == nil {
				t.Fatalf("%v, %s: %v", err, r.State, r.Incidents)
			}
			if s.state() == before {
				t.Error("nothing changed when the subnet was taken over")
			}
		})
	}
}

// nodeID is a CA as ibnetdiscover calls it.
func nodeID(guid fabric.GUID) string { return fmt.Sprintf("H-%016x", uint64(guid)) }

// emulate serves a fabric on the emulator, as ibsim does.
func emulate(t *testing.T, f *fabric.Fabric) *simulator {
	t.Helper()
	s, _ := emulateLive(t, f)
	return s
}

// emulateLive does as emulate, and returns the subnet too.
func emulateLive(t *testing.T, f *fabric.Fabric) (*simulator, *live.Live) {
	t.Helper()
	library := peer.Preload(t)
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := live.New(sub, testClock())
	t.Cleanup(l.Close)
	base := fmt.Sprintf("weft-sm-%d", os.Getpid())
	server, err := ibsimd.Listen(l, ibsimd.Options{Base: base, Log: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	dir := t.TempDir()
	s := peer.Attached(t, dir, base)
	s.Env = append(s.Env, "LD_PRELOAD="+library)
	return &simulator{s, t}, l
}

// state returns the subnet as infiniband-diags show it: forwarding tables, LIDs, links.
func (s *simulator) state() string {
	return string(s.Run("dump_fts", "-n")) + string(s.Run("ibnetdiscover", "-p"))
}

// try runs a subnet manager on a node of the simulator.
func (s *simulator) try(node string, cfg terms.Config) (*round.Result, error) {
	s.tb.Helper()
	t, err := ibsim.Dial(context.Background(), ibsim.Options{Base: s.Socket, Node: node})
	if err != nil {
		s.tb.Fatal(err)
	}
	r := Runner{Config: cfg, Routing: smtest.JobOf("updn", 0), Clock: testClock(), Wire: wire.Config{Window: 32}}
	return r.Run(context.Background(), t)
}
