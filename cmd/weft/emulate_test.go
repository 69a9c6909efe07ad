package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/cmd/weft/cli"
	"weft/internal/peer"
)

// invoke runs a command as a user would, until it ends or ctx does.
func invoke(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// emulated is a weft emulate that runs.
type emulated struct {
	t       *testing.T
	dir     string
	name    string
	control string
}

// emulate starts weft emulate; it is interrupted at the end of the test and must
// then end well and leave nothing behind.
func emulate(t *testing.T, args ...string) *emulated {
	t.Helper()
	dir, err := os.MkdirTemp("", "emu") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	e := &emulated{t: t, dir: dir, name: fmt.Sprintf("weft-cmd-%d-%s", os.Getpid(), filepath.Base(dir)), control: filepath.Join(dir, "control")}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		out, err := invoke(ctx, append([]string{"emulate", "--control", e.control, "--name", e.name}, args...)...)
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("weft emulate: %v", err)
		}
		if _, err := os.Stat(e.control); err == nil {
			t.Error("the control socket is still there")
		}
		_ = os.RemoveAll(dir)
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(e.control); err == nil {
			return e
		}
		if time.Now().After(end) {
			t.Fatal("the control socket does not appear")
		}
	}
}

// ask sends a command and gives the answer.
func (e *emulated) ask(command string) string {
	e.t.Helper()
	out, err := invoke(e.t.Context(), "emulate", "control", e.control, command)
	if err != nil {
		e.t.Fatalf("%s: %v", command, err)
	}
	return out
}

// dump writes an answer to a file and gives its path.
func (e *emulated) dump(what string) string {
	e.t.Helper()
	path := filepath.Join(e.dir, what)
	if err := os.WriteFile(path, []byte(e.ask(what)), 0o600); err != nil {
		e.t.Fatal(err)
	}
	return path
}

func TestEmulateControl(t *testing.T) {
	e := emulate(t, "rlft(4,2)", "--fault", "impair delay=1us")
	if out := e.ask("state"); !strings.Contains(out, `"init": 32`) {
		t.Fatalf("state: %s", out)
	}
	if out := e.ask(`link "leaf 0" 3 down`); out != "ok\n" {
		t.Fatalf("link down: %q", out)
	}
	if out := e.ask("state"); !strings.Contains(out, `"init": 30`) || !strings.Contains(out, `"down": 2`) {
		t.Fatalf("state: %s", out)
	}
	_, err := invoke(t.Context(), "emulate", "control", e.control, "link nobody 1 down")
	if err == nil || !strings.Contains(err.Error(), "line 1") || statusOf(err) != cli.ExitBad {
		t.Fatalf("a node that is not there: %v", err)
	}
	if info, err := os.Stat(e.control); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("control socket: mode %v (%v)", info.Mode(), err)
	}
	if _, err := invoke(t.Context(), "emulate", "rlft(4,2)", "--control", e.control, "--name", e.name+"-2"); err == nil || statusOf(err) != cli.ExitCannot {
		t.Fatalf("a second subnet on one control socket: %v", err)
	}
}

func TestEmulateUsage(t *testing.T) {
	for _, args := range [][]string{
		{"emulate"},
		{"emulate", "no-such-file"},
		{"emulate", "rlft(4,2)", "--fault", "nonsense"},
		{"emulate", "control", "/nowhere"},
	} {
		if _, err := invoke(t.Context(), args...); err == nil || statusOf(err) != cli.ExitBad {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, err := invoke(t.Context(), "emulate", "control", "/nowhere/at/all", "state"); err == nil || statusOf(err) != cli.ExitCannot {
		t.Errorf("no such socket: %v", err)
	}
}

// What OpenSM programs into the emulated subnet is read back and judged.
func TestOpenSMJudged(t *testing.T) {
	opensm, library := peer.Program(t, "opensm"), peer.Preload(t)
	for _, engine := range []string{"minhop", "updn", "ftree", "dfsssp"} {
		t.Run(engine, func(t *testing.T) {
			e := emulate(t, "rlft(8,2)")
			log := filepath.Join(e.dir, "log")
			cmd := exec.CommandContext(t.Context(), opensm, "-o", "-e", "-f", log, "-R", engine)
			cmd.Dir = e.dir
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+library, "IBSIM_SOCKNAME="+e.name, "OSM_TMP_DIR="+e.dir, "OSM_CACHE_DIR="+e.dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("opensm: %v\n%s", err, out)
			}
			report, err := e.judge()
			if err != nil && !errors.Is(err, cli.AnswerNo) {
				t.Fatal(err)
			}
			// Up*/down* has no way from one spine to another, and the SLs of dfsssp are
			// in path records only: hence not simply "ok".
			if report.HostPairs.Pairs != 32*31 || report.HostPairs.Unreachable != 0 || report.Loops != 0 {
				t.Errorf("judged: %+v", report)
			}
			if engine != "dfsssp" && !report.HostOnly.DeadlockFree {
				t.Errorf("%s is not deadlock-free between hosts", engine)
			}
			// A switch that has forgotten its table is found out.
			e.ask(`node "leaf 0" reboot 0s`)
			report, err = e.judge()
			if !errors.Is(err, cli.AnswerNo) || report.HostPairs.Unreachable == 0 {
				t.Errorf("after a reboot: %v, %+v", err, report)
			}
		})
	}
}

// judged is what weft check --json says, as far as it is looked at here.
type judged struct {
	Loops     int `json:"loops"`
	HostPairs struct {
		Pairs       int `json:"pairs"`
		Unreachable int `json:"unreachable"`
	} `json:"host_pairs"`
	HostOnly struct {
		DeadlockFree bool `json:"deadlock_free"`
	} `json:"host_only"`
}

// judge reads the tables back and judges them.
func (e *emulated) judge() (v judged, err error) {
	e.t.Helper()
	out, err := invoke(e.t.Context(), "check", e.dump("fabric"), "--lfts", e.dump("lfts"), "--sl2vl", e.dump("sl2vl"), "--json")
	if _, after, ok := strings.Cut(out, "{"); ok { // warnings come before
		if err := json.Unmarshal([]byte("{"+after), &v); err != nil {
			e.t.Fatalf("%v:\n%s", err, out)
		}
	}
	return v, err
}
