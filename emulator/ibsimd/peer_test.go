package ibsimd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/tables"
	"weft/internal/peer"
	"weft/wire/mad"
)

// peers are real programs that attach to a subnet of ours.
type peers struct {
	t   *testing.T
	l   *live.Live
	f   *fabric.Fabric
	dir string // scratch: the preload library leaves directories behind
	env []string
}

// subnets counts the subnets of this process: each has its own name.
var subnets atomic.Int32

// newPeers serves a fabric under a name of its own.
func newPeers(t *testing.T, formula string) *peers {
	t.Helper()
	peer.Program(t, "opensm")
	peer.Program(t, "ibnetdiscover")
	library := peer.Preload(t)
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	s, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	l := live.New(s, func() time.Duration { return time.Since(start) })
	t.Cleanup(l.Close)
	base := fmt.Sprintf("weft-peer-%d-%d", os.Getpid(), subnets.Add(1))
	server, err := ibsimd.Listen(l, ibsimd.Options{Base: base, Log: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	dir := t.TempDir()
	return &peers{t: t, l: l, f: f, dir: dir, env: append(os.Environ(),
		"LD_PRELOAD="+library, "IBSIM_SOCKNAME="+base, "OSM_TMP_DIR="+dir, "OSM_CACHE_DIR="+dir)}
}

const patience = 3 * time.Minute

// run runs a program to its end and returns its stdout.
func (p *peers) run(program string, args ...string) string {
	p.t.Helper()
	out, err := p.try(program, args...)
	if err != nil {
		p.t.Fatalf("%s %s: %v", program, strings.Join(args, " "), err)
	}
	return out
}

func (p *peers) try(program string, args ...string) (string, error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, peer.Program(p.t, program), args...)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, p.env, &out, &said
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%w\n%s%s", err, out.String(), said.String())
	}
	return out.String(), err
}

func (p *peers) log() string { return filepath.Join(p.dir, "opensm.log") }

// once has OpenSM bring the subnet up and leave.
func (p *peers) once(args ...string) {
	p.t.Helper()
	p.run("opensm", append([]string{"-o", "-e", "-f", p.log()}, args...)...)
	p.wantUp()
}

// wantUp requires OpenSM's word and every port Active.
func (p *peers) wantUp() {
	p.t.Helper()
	text, err := os.ReadFile(p.log())
	if err != nil || !bytes.Contains(text, []byte("SUBNET UP")) {
		p.t.Fatalf("OpenSM has not said SUBNET UP (%v):\n%s", err, text)
	}
	var states [5]int
	p.l.Do(func(s *emulator.Subnet) { states = s.States() })
	if states[mad.PortActive] != 2*len(p.f.Links) {
		p.t.Fatalf("ports by state %v, want %d Active", states, 2*len(p.f.Links))
	}
}

// stay starts OpenSM for good and waits until it has said SUBNET UP.
func (p *peers) stay() {
	p.t.Helper()
	p.start(p.log(), "")
	p.waitToSay(p.log(), "SUBNET UP")
	p.wantUp()
}

// start starts OpenSM on a host, with a log of its own; kill ends it without a word.
func (p *peers) start(log, host string, args ...string) (kill func()) {
	p.t.Helper()
	// -d2: the log is not buffered
	cmd := exec.Command(peer.Program(p.t, "opensm"), append([]string{"-e", "-d2", "-f", log}, args...)...)
	cmd.Dir, cmd.Env = p.dir, append(slices.Clone(p.env), "SIM_HOST="+host)
	if host == "" {
		cmd.Env = p.env
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		done := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		done.Stop()
	})
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// waitToSay waits until a log has a text.
func (p *peers) waitToSay(log, text string) {
	p.t.Helper()
	var said []byte
	defer func() {
		if p.t.Failed() {
			p.t.Logf("%s ends: %s", filepath.Base(log), said[max(0, len(said)-2000):])
		}
	}()
	p.waitFor(text, func() bool {
		said, _ = os.ReadFile(log)
		return bytes.Contains(said, []byte(text))
	})
}

func (p *peers) waitFor(what string, ok func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("still not: %s", what)
		}
	}
}

// OpenSM brings the subnet up with its engines; the tables that are read back have
// entries for all hosts. The command's tests judge them.
func TestOpenSM(t *testing.T) {
	for _, engine := range []string{"minhop", "updn", "ftree", "dfsssp"} {
		t.Run(engine, func(t *testing.T) {
			p := newPeers(t, "rlft(8,2)")
			p.once("-R", engine)
			text, err := os.ReadFile(p.log())
			if err != nil || !bytes.Contains(text, []byte(engine+" tables configured on all switches")) {
				t.Fatalf("OpenSM has not routed with %s (%v)", engine, err)
			}
			var lfts *tables.LFTs
			p.l.Do(func(s *emulator.Subnet) { lfts = s.Tables() })
			// Between spines there need not be a way.
			for _, sw := range lfts.Switches {
				for _, x := range lfts.Targets {
					if x.Type == fabric.CA && sw.Port(x.LID) == tables.NoPort {
						t.Errorf("switch %s has no entry for LID %d", sw.GUID, x.LID)
					}
				}
			}
			if len(lfts.Switches) != 12 || len(lfts.Targets) != 44 {
				t.Errorf("%d switches, %d targets; want 12, 44", len(lfts.Switches), len(lfts.Targets))
			}
		})
	}
}

// With QoS OpenSM writes SL2VL and VL arbitration tables too.
func TestOpenSMWithQoS(t *testing.T) {
	p := newPeers(t, "rlft(4,2)")
	p.once("-Q", "-R", "updn")
}

// An OpenSM that was killed is started again and becomes master; another one beside it
// becomes standby, and master when the first is killed again.
func TestOpenSMKilled(t *testing.T) {
	p := newPeers(t, "rlft(4,2)")
	var hosts []string
	for i := range p.f.Nodes {
		if p.f.Nodes[i].Type == fabric.CA {
			hosts = append(hosts, p.f.Nodes[i].Desc)
		}
	}
	// A standby asks every 10 seconds how its master is, unless a file says otherwise.
	config := filepath.Join(p.dir, "opensm.conf")
	if err := os.WriteFile(config, []byte("sminfo_polling_timeout 200\npolling_retry_number 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log := func(name string) string { return filepath.Join(p.dir, name+".log") }
	kill := p.start(log("first"), hosts[0])
	p.waitToSay(log("first"), "SUBNET UP")
	kill()
	kill = p.start(log("again"), hosts[0])
	p.waitToSay(log("again"), "SUBNET UP")
	p.start(log("other"), hosts[1], "-F", config)
	p.waitToSay(log("other"), "Entering STANDBY state")
	if text, err := os.ReadFile(log("other")); err != nil || bytes.Contains(text, []byte("Entering MASTER state")) {
		t.Fatalf("two masters (%v)", err)
	}
	p.wantIsSM(2)
	time.Sleep(time.Second) // so that it has asked its master some times before that is killed
	kill()
	p.waitToSay(log("other"), "Entering MASTER state")
	p.wantIsSM(1)
}

// wantIsSM waits until so many ports say IsSM.
func (p *peers) wantIsSM(want int) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf("%d ports with IsSM", want), func() bool {
		n := 0
		p.l.Do(func(s *emulator.Subnet) {
			for i := range p.f.Nodes {
				at, err := s.EndOf(fabric.NodeID(i))
				if err != nil {
					continue
				}
				if info, err := s.PortInfo(at); err == nil && mad.PortInfoCapabilityMask.Get(info)&mad.CapIsSM != 0 {
					n++
				}
			}
		})
		return n == want
	})
}

// ibnetdiscover prints the subnet as it is.
func TestIBNetDiscover(t *testing.T) {
	p := newPeers(t, "rlft(8,2)")
	p.once()
	seen, _, err := netfile.Read("ibnetdiscover", []byte(p.run("ibnetdiscover")), netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// What the format cannot carry is lost on our side too.
	var b bytes.Buffer
	p.l.Do(func(s *emulator.Subnet) { err = discovery.WriteIBNetDiscover(&b, s.Fabric()) })
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := netfile.Read("emulator", b.Bytes(), netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if changes := fabric.Diff(want, seen); len(changes) > 0 {
		t.Fatalf("%d differences, first: %v", len(changes), changes[0])
	}
	if changes := fabric.Diff(p.f, seen); len(changes) == 0 {
		t.Fatal("LIDs were assigned, and Diff has not seen it: it compares nothing")
	}
}

// The tools of infiniband-diags work while OpenSM runs.
func TestDiags(t *testing.T) {
	p := newPeers(t, "rlft(8,2)")
	p.stay()
	for _, c := range []struct {
		want string
		args []string
	}{
		{"SMINFO_MASTER", []string{"sminfo"}},
		{"Channel Adapter", []string{"smpquery", "nodeinfo", "1"}},
		{"Active", []string{"smpquery", "portinfo", "1", "1"}},
		{"LinearFdbTop", []string{"smpquery", "-D", "switchinfo", "0,1"}},
		{"0xffff", []string{"smpquery", "pkeys", "1", "1"}},
		{"To ca", []string{"ibtracert", "1", p.lastHost()}},
		{"PortXmitPkts", []string{"perfquery", "1", "1"}},
		{"PortXmitPkts", []string{"perfquery", "-x", "1", "1"}},
		{"", []string{"perfquery", "-R", "1", "1"}}, // resets, and says nothing
		{"PortXmitPkts", []string{"perfquery", "1"}},
		{"ControlTableCap", []string{"ibccquery", "CI", "1"}},
		{"CCTI_Limit", []string{"ibccquery", "CT", "1"}},
		{"valid lids dumped", []string{"dump_fts"}},
		{"NodeRecord dump", []string{"saquery"}},
		{"4X", []string{"iblinkinfo"}},
	} {
		if out := p.run(c.args[0], c.args[1:]...); !strings.Contains(out, c.want) {
			t.Errorf("%s: no %q in\n%s", strings.Join(c.args, " "), c.want, out)
		}
	}
	// The preload library does not hand over the last counters: programs must not ask for them.
	if out := p.run("perfquery", "-x", "1", "1"); strings.Contains(out, "VL15Dropped") {
		t.Errorf("perfquery -x shows counters that it has not got:\n%s", out)
	}
}

// lastHost is the LID of the last host, in decimal.
func (p *peers) lastHost() string {
	var f *fabric.Fabric
	p.l.Do(func(s *emulator.Subnet) { f = s.Fabric() })
	lid := fabric.LID(0)
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.CA {
			lid = f.Nodes[i].Ports[1].LID
		}
	}
	return fmt.Sprint(lid)
}

// OpenSM hears the trap of a link that goes down, routes around it, and takes it
// into use again.
func TestOpenSMHearsTraps(t *testing.T) {
	p := newPeers(t, "rlft(8,2)")
	p.stay()
	var link fabric.LinkID
	for i := range p.f.Links {
		if p.f.IsSwitchLink(fabric.LinkID(i)) {
			link = fabric.LinkID(i)
		}
	}
	end := p.f.Links[link].A
	usesLink := func() (uses bool) {
		p.l.Do(func(s *emulator.Subnet) {
			for _, sw := range s.Tables().Switches {
				if sw.GUID == p.f.Nodes[end.Node].GUID {
					uses = bytes.IndexByte(sw.Ports, end.Port) >= 0
				}
			}
		})
		return uses
	}
	if !usesLink() {
		t.Fatal("nothing goes over the link before the fault")
	}
	p.set(link, true)
	p.waitFor("routes around the link", func() bool { return !usesLink() })
	p.set(link, false)
	p.waitFor("all ports Active again", func() bool {
		var states [5]int
		p.l.Do(func(s *emulator.Subnet) { states = s.States() })
		return states[mad.PortActive] == 2*len(p.f.Links)
	})
}

func (p *peers) set(link fabric.LinkID, down bool) {
	p.t.Helper()
	var err error
	p.l.Do(func(s *emulator.Subnet) { err = s.SetLinkDown(link, down) })
	if err != nil {
		p.t.Fatal(err)
	}
}
