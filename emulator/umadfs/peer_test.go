package umadfs_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/emulator/umadfs"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/netfile/discovery"
	"weft/internal/peer"
	"weft/wire/mad"
)

// machine is a fabric with a port that programs use as that of their machine.
type machine struct {
	t        *testing.T
	l        *live.Live
	f        *fabric.Fabric
	at       fabric.End
	dir, tmp string
}

// newMachine serves the first CA port of a fabric. This process must not open its own files; other
// programs do.
func newMachine(t *testing.T, formula string) *machine {
	t.Helper()
	needFUSE(t)
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	s, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.DefaultEnd()
	if err != nil {
		t.Fatal(err)
	}
	clock := realTime()
	m := &machine{t: t, l: live.New(s, clock), f: f, at: at, dir: t.TempDir(), tmp: t.TempDir()}
	t.Cleanup(m.l.Close)
	fs, err := umadfs.Mount(m.dir, clock, umadfs.Emulated(m.l, at))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fs.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// patience is how long a program may take before that is called a hang.
const patience = 3 * time.Minute

// run runs a program to its end and returns its stdout.
func (m *machine) run(program string, args ...string) string {
	m.t.Helper()
	out, said, err := m.try(program, args...)
	if err != nil {
		m.t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, said)
	}
	return out
}

// try is run, whose error is the program's exit status.
func (m *machine) try(program string, args ...string) (stdout, stderr string, err error) {
	m.t.Helper()
	var out, said bytes.Buffer
	cmd := m.command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	hang := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer hang.Stop()
	err = cmd.Wait()
	return out.String(), said.String(), err
}

// command returns a program that sees the devices as those of its machine.
func (m *machine) command(program string, args ...string) *exec.Cmd {
	m.t.Helper()
	cmd := self(m.t, "peer", append([]string{m.dir, m.tmp, peer.Program(m.t, program)}, args...)...)
	cmd.Dir = m.tmp
	cmd.Env = append(cmd.Env, "OSM_TMP_DIR="+m.tmp, "OSM_CACHE_DIR="+m.tmp)
	cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	return cmd
}

// bringUp has OpenSM bring the subnet up and leave.
func (m *machine) bringUp(engine string) {
	m.t.Helper()
	log := filepath.Join(m.tmp, "opensm.log")
	m.run("opensm", "-o", "-e", "-f", log, "-R", engine)
	text, err := os.ReadFile(log)
	if err != nil || !bytes.Contains(text, []byte("SUBNET UP")) ||
		!bytes.Contains(text, []byte(engine+" tables configured on all switches")) {
		m.t.Fatalf("OpenSM has not brought the subnet up with %s (%v):\n%s", engine, err, text)
	}
	var states [5]int
	m.l.Do(func(s *emulator.Subnet) { states = s.States() })
	if states[mad.PortActive] != 2*len(m.f.Links) {
		m.t.Fatalf("ports by state %v, want %d Active", states, 2*len(m.f.Links))
	}
}

// wantSeen requires that ibnetdiscover prints the subnet as it is.
func (m *machine) wantSeen() {
	m.t.Helper()
	seen, _, err := netfile.Read("ibnetdiscover", []byte(m.run("ibnetdiscover")), netfile.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	// What the format cannot carry is lost on our side too.
	var b bytes.Buffer
	m.l.Do(func(s *emulator.Subnet) { err = discovery.WriteIBNetDiscover(&b, s.Fabric()) })
	if err != nil {
		m.t.Fatal(err)
	}
	want, _, err := netfile.Read("emulator", b.Bytes(), netfile.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	if changes := fabric.Diff(want, seen); len(changes) > 0 {
		m.t.Errorf("%d differences, first: %v", len(changes), changes[0])
	}
	if len(fabric.Diff(m.f, seen)) == 0 {
		m.t.Error("LIDs were assigned, and Diff has not seen it: it compares nothing")
	}
}

// Unmodified OpenSM brings the fabric up, without preload, and ibnetdiscover reads it
// back.
func TestOpenSM(t *testing.T) {
	for _, engine := range []string{"minhop", "updn", "ftree", "dfsssp"} {
		t.Run(engine, func(t *testing.T) {
			m := newMachine(t, "rlft(8,2)")
			m.bringUp(engine)
			m.wantSeen()
		})
	}
}

// The tools see the port as the emulator has it, before and after.
func TestDiags(t *testing.T) {
	m := newMachine(t, "rlft(4,2)")
	cold := m.run("ibstat")
	for _, want := range []string{"CA 'weft_0'", "Number of ports: 1", "State: Initializing", "Physical state: LinkUp", "Base lid: 0"} {
		if !strings.Contains(cold, want) {
			t.Errorf("ibstat of a cold subnet: no %q in\n%s", want, cold)
		}
	}
	m.bringUp("minhop")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"State: Active", []string{"ibstat"}},
		{`Base lid: [1-9]`, []string{"ibstat"}},
		{"0x[0-9a-f]{16}", []string{"ibstat", "-p"}},
		{"Channel Adapter", []string{"smpquery", "-D", "nodeinfo", "0"}},
		{"LinearFdbTop", []string{"smpquery", "-D", "switchinfo", "0,1"}},
		{"Channel Adapter", []string{"smpquery", "nodeinfo", "1"}},
		{"0xffff", []string{"smpquery", "pkeys", "1", "1"}},
		{"PortXmitPkts", []string{"perfquery", "1", "1"}},
		{"PortXmitPkts", []string{"perfquery", "-x", "1", "1"}},
		{"4X", []string{"iblinkinfo"}},
	} {
		out := m.run(c.args[0], c.args[1:]...)
		if !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("%s: no %q in\n%s", strings.Join(c.args, " "), c.want, out)
		}
	}
}
