package opensm_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
	"weft/route/levels"
	"weft/sm"
	"weft/sm/opensm"
	"weft/sm/partition"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/rmpp"
)

// weftStays has our manager bring the subnet up and stay; end ends it.
func (s *subnet) weftStays(cfg terms.Config) (end func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	t, err := ibsim.Dial(ctx, ibsim.Options{Base: s.Socket})
	if err != nil {
		s.t.Fatal(err)
	}
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	up, ended := make(chan terms.State, 16), make(chan error, 1)
	clock := clock()
	r := sm.Runner{
		Config: cfg, Watch: terms.UsualWatch, Routing: planner.Request{Chain: chain, Workers: 1, Seed: 1, Levels: cfg.Levels}, Clock: clock,
		Wire: wire.Config{Window: 32}, Round: func(c *round.Result) { up <- c.Report.State },
	}
	go func() {
		_, err := r.Run(ctx, rmpp.Over(t, rmpp.Config{Retries: wire.NoRetries, Silent: true}, clock))
		ended <- err
	}()
	if state := <-up; state != terms.Up {
		s.t.Fatalf("the subnet is %s", state)
	}
	return func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			s.t.Errorf("the manager has ended: %v", err)
		}
	}
}

// turns describes by which lane packets of each SL leave each cabled port, and the turns that the
// lanes of these have there: groups have one of their own under weft.
func (s *subnet) turns(f *fabric.Fabric, sls []uint8) map[string]string {
	told := map[string]string{}
	s.l.Do(func(sub *emulator.Subnet) {
		lanes := sub.Lanes()
		for _, n := range lanes.Nodes {
			for _, row := range n.Rows {
				var vls []int
				for _, sl := range sls {
					vls = append(vls, int(lanes.Pool[row.Table][sl]))
				}
				told[fmt.Sprintf("%s %d to %d", n.GUID, row.In, row.Out)] = fmt.Sprint(vls)
			}
		}
		for i := range f.Nodes {
			for port := 1; port < len(f.Nodes[i].Ports); port++ {
				low, high, limit := sub.VLArbitration(fabric.End{Node: fabric.NodeID(i), Port: uint8(port)})
				told[fmt.Sprintf("%s[%d]", f.Nodes[i].GUID, port)] = fmt.Sprintf("%v %v %d", weights(low)[:len(sls)], weights(high)[:len(sls)], limit)
			}
		}
	})
	return told
}

// weights sums the weights of each VL of a table.
func weights(table []byte) []int {
	sums := make([]int, 16)
	for i := 0; i+1 < len(table); i += 2 {
		sums[table[i]&0xF] += int(table[i+1])
	}
	return sums
}

// TestLevelsToOpenSM: levels that are exported give all ports of an OpenSM the lanes and the turns
// that they have under weft, and paths by service ID, QoS class and partition the same SLs.
func TestLevelsToOpenSM(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	list, err := levels.Read("levels", []byte("default share=1\nstorage share=3 sl=5 partition=storage service=0x1000-0x1fff\ncontrol priority=high class=7 service=0x1800\nbulk sl=2\n"))
	if err != nil {
		t.Fatal(err)
	}
	ps, err := partition.Read("ours", []byte("Default=0x7fff,ipoib : ALL=full;\nstorage=0x0010 : ALL=full;\nbulk=0x11,sl=2 : ALL=full;\n"))
	if err != nil {
		t.Fatal(err)
	}
	sls, _, _ := list.OneLane()
	asked := []string{"", "--service_id 0x1000", "--service_id 0x1800", "--service_id 0x2000", "-Q 7", "-Q 8", "--pkey 0x8010", "--pkey 0x8011", "--pkey 0xffff", "--pkey 0x8010 -Q 7", "--pkey 0x8010 --service_id 0x1900 -Q 7"}
	ask := func(s *subnet) (told []string) {
		for _, words := range asked {
			out, err := s.TryRun("saquery", append([]string{"-p", "--slid", "1", "--dlid", "5"}, strings.Fields(words)...)...)
			told = append(told, fmt.Sprintf("%s: %v %q", words, err, regexp.MustCompile(`(?m)^\s*sl\.+.*$`).FindString(string(out))))
		}
		return told
	}
	s := switchOn(t, f)
	end := s.weftStays(terms.Config{Partitions: &terms.Partitioning{Partitions: ps, In: true, Out: true}, Levels: list, SMKey: 1})
	ours, oursAsked := s.turns(f, sls), ask(s)
	stored := s.lids()
	end()
	s.off()
	s = switchOn(t, f)
	files, notes := (&opensm.Export{LIDs: stored, Subnet: f, Partitions: ps, Levels: list}).Files(s.Dir)
	for _, file := range files {
		s.write(file)
	}
	end = s.OpenSM("-F", s.Path("opensm.conf"))
	defer end()
	theirs, theirsAsked := s.turns(f, sls), ask(s)
	if !slices.Equal(theirsAsked, oursAsked) {
		t.Errorf("SLs of paths: OpenSM\n%s\nweft\n%s\n%v", strings.Join(theirsAsked, "\n"), strings.Join(oursAsked, "\n"), notes)
	}
	for at, want := range ours {
		if theirs[at] != want || len(sls) != 4 {
			t.Errorf("%s: OpenSM %s, weft %s", at, theirs[at], want)
		}
	}
}
