package umadfs_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/peer"
	"weft/wire/mad"
)

var allTools = flag.Bool("all-tools", false, "compare all commands of infiniband-diags, not only the most telling ones")

// stay has OpenSM bring the subnet up and stay.
func (m *machine) stay() {
	m.t.Helper()
	log := filepath.Join(m.tmp, "opensm.log")
	cmd := m.command("opensm", "-e", "-d2", "-f", log) // -d2: the log is not buffered
	runtime.LockOSThread()
	m.t.Cleanup(runtime.UnlockOSThread)
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		hang := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		hang.Stop()
	})
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		text, _ := os.ReadFile(log)
		if bytes.Contains(text, []byte("SUBNET UP")) {
			return
		}
		if time.Now().After(end) {
			m.t.Fatalf("no subnet:\n%s", text)
		}
	}
}

// places returns the addresses that commands name.
func (m *machine) places() peer.Places {
	m.t.Helper()
	at := peer.Places{}
	m.l.Do(func(s *emulator.Subnet) {
		for name, node := range map[string]string{"0": "host 0", "": "host 6", "leaf": "leaf 1"} {
			id, err := s.FindNode(node)
			if err != nil {
				m.t.Fatal(err)
			}
			end, err := s.EndOf(id)
			if err != nil {
				m.t.Fatal(err)
			}
			info, _ := s.PortInfo(end)
			own, _ := s.NodeInfo(end)
			lid, guid := mad.PortInfoLID.Get(info), mad.NodeInfoPortGUID.Get(own)
			if name == "leaf" {
				at["leaf"], at["leafguid"] = fmt.Sprint(lid), fmt.Sprintf("%016x", guid)
				continue
			}
			at["host"+name], at["guid"+name] = fmt.Sprint(lid), fmt.Sprintf("%016x", guid)
			at["gid"+name] = fmt.Sprint(mad.MakeGID(mad.DefaultGIDPrefix, guid))
		}
	})
	return at
}

// tools runs the commands.
func (m *machine) tools() peer.Outcomes {
	wants := func(c *peer.Tool) bool { return c.Often || *allTools }
	return peer.RunTools(m.places(), wants, func(args []string) peer.Outcome {
		out, _, err := m.try(args[0], args[1:]...)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return peer.Outcome{Out: out, Status: exit.ExitCode()}
		}
		return peer.Outcome{Out: out}
	})
}

// TestTools: the commands of infiniband-diags do against weft what they do against OpenSM.
func TestTools(t *testing.T) {
	theirs := newMachine(t, "rlft(4,2)")
	theirs.stay()
	ours := newMachine(t, "rlft(4,2)")
	ours.manage("updn")
	peer.Compare(t, theirs.tools(), ours.tools(), nil)
}

// TestErrorCounters: ibqueryerrors and perfquery show the counters of the devices.
func TestErrorCounters(t *testing.T) {
	m := newMachine(t, "rlft(4,2)")
	m.manage("updn")
	m.l.Do(func(s *emulator.Subnet) {
		id, err := s.FindNode("leaf 1")
		if err != nil {
			t.Fatal(err)
		}
		for counter, n := range map[int]uint64{mad.CounterSymbolError: 77, mad.CounterXmitDiscards: 70_000, mad.CounterVL15Dropped: 5} {
			if err := s.Count(fabric.End{Node: id, Port: 1}, counter, n); err != nil {
				t.Fatal(err)
			}
		}
	})
	out, _, err := m.try("ibqueryerrors")
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 1 { // the number of bad ports
		t.Errorf("ibqueryerrors: %v", err)
	}
	for _, want := range []string{
		"port 1: [SymbolErrorCounter == 77 (77.000)] [PortXmitDiscards == 70000 (68.359K)] [VL15Dropped == 5 (5.000)]\n",
		"14 nodes checked, 1 bad nodes found",
	} {
		if !bytes.Contains([]byte(out), []byte(want)) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
