package umadfs_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/route/engine"
	"weft/sm"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/wire/rmpp"
)

// manage has our manager bring the subnet up from another port than that of the machine, and stay.
func (m *machine) manage(name string) {
	m.t.Helper()
	var at fabric.End
	for id := range m.f.Nodes {
		if n := &m.f.Nodes[id]; n.Type == fabric.CA && fabric.NodeID(id) != m.at.Node {
			at = fabric.End{Node: fabric.NodeID(id), Port: 1}
		}
	}
	transport, err := m.l.Attach(at)
	if err != nil {
		m.t.Fatal(err)
	}
	chain, err := engine.Parse(name, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	up, ended := make(chan terms.State, 16), make(chan error, 1)
	clock := realTime()
	r := sm.Runner{
		Config: terms.Config{SMKey: 1}, Watch: terms.UsualWatch, Routing: planner.Request{Chain: chain}, Clock: clock,
		Round: func(c *round.Result) { up <- c.Report.State },
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, err := r.Run(ctx, rmpp.Over(transport, rmpp.Config{}, clock))
		ended <- err
	}()
	m.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			m.t.Error(err)
		}
	})
	select {
	case state := <-up:
		if state != terms.Up {
			m.t.Fatalf("the subnet is %s", state)
		}
	case <-time.After(patience):
		m.t.Fatal("no subnet")
	}
}

// TestOsmtest: OpenSM's tester of subnet administration makes an inventory of an emulated subnet
// and finds it valid. Wrong keys get no answer, and groups and services are made, found and deleted
// as it expects.
func TestOsmtest(t *testing.T) {
	m := newMachine(t, "rlft(4,2)")
	m.manage("updn")
	for _, flow := range []string{"c", "v", "m", "a"} {
		out := m.run("osmtest", "-f", flow, "-i", filepath.Join(m.tmp, "osmtest.dat"), "-l", filepath.Join(m.tmp, "osmtest.log"))
		if !strings.Contains(out, "PASS") {
			t.Errorf("osmtest -f %s:\n%s", flow, out)
		}
	}
}
