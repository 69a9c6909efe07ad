package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestJournal: where journald reads standard output and standard error, each line begins with its
// severity. Elsewhere none does.
func TestJournal(t *testing.T) {
	for _, journal := range []bool{true, false} {
		out, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = out.Close() }()
		info, err := out.Stat()
		if err != nil {
			t.Fatal(err)
		}
		at := info.Sys().(*syscall.Stat_t)
		run := func(args ...string) *exec.Cmd {
			cmd := exec.Command("weft", append([]string{"sm", "-t", "emulate:rlft(4,2)", "--engine", "updn"}, args...)...)
			cmd.Stdout, cmd.Stderr, cmd.Env = out, out, append(os.Environ(), "JOURNAL_STREAM=1:1")
			if journal {
				cmd.Env[len(cmd.Env)-1] = fmt.Sprintf("JOURNAL_STREAM=%d:%d", at.Dev, at.Ino)
			}
			return cmd
		}
		manager := run()
		if err := manager.Start(); err != nil {
			t.Fatal(err)
		}
		written := func() string {
			data, err := os.ReadFile(out.Name())
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		for begun := time.Now(); !strings.Contains(written(), "round-ended") && time.Since(begun) < time.Minute; {
			time.Sleep(10 * time.Millisecond)
		}
		if err := manager.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := manager.Wait(); err != nil {
			t.Error(err)
		}
		if run("--priority", "16").Run() == nil {
			t.Error("priority 16 is accepted")
		}
		prefixes := map[string]string{"started: ": "<5>", "round-begun: ": "<6>", "ended: ": "<5>", "weft: --priority 16": "<3>"}
		for line := range strings.Lines(written()) {
			for part, prefix := range prefixes {
				if !strings.Contains(line, part) || part == "ended: " && strings.Contains(line, "round-ended") {
					continue
				}
				if strings.HasPrefix(line, prefix) != journal || !journal && strings.HasPrefix(line, "<") {
					t.Errorf("journal %v: %q", journal, line)
				}
				delete(prefixes, part)
			}
		}
		if len(prefixes) > 0 {
			t.Errorf("journal %v: no %q: %s", journal, prefixes, written())
		}
	}
}
