package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"weft/internal/peer"
	"weft/internal/racing"
)

// TestSubnetsPage: the commands of docs/subnets.md, typed in their order in one shell with mounts
// of its own, print what stands there, times and names apart.
func TestSubnetsPage(t *testing.T) {
	racing.SkipLong(t)
	if err := peer.CanMount(); err != nil {
		t.Skip("skipped: ", err)
	}
	peer.Program(t, "saquery")
	page, err := os.ReadFile("../../docs/subnets.md")
	if err != nil {
		t.Fatal(err)
	}
	weft, err := exec.LookPath("weft")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(weft, filepath.Join(dir, "bin", "weft")); err != nil {
		t.Fatal(err)
	}
	script := "set -m\ntrap 'kill $(jobs -p); wait' EXIT\nexport PATH=" + filepath.Join(dir, "bin") + ":$PATH\n"
	var want []string
	for _, b := range regexp.MustCompile("(?s)```(sh|)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if b[1] == "sh" {
			script += b[2]
		} else {
			want = append(want, strings.Split(strings.TrimRight(b[2], "\n"), "\n")...)
		}
	}
	if len(want) < 13 {
		t.Fatalf("%d lines are printed on the page", len(want))
	}
	cmd := exec.CommandContext(t.Context(), "unshare", "-m", "bash", "-e", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "IBSIM_SOCKNAME="+fmt.Sprintf("weft-page-%d", os.Getpid()))
	cmd.WaitDelay = time.Minute
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	apart := regexp.MustCompile(`\d+\.\d\d ms|IBSIM_SOCKNAME=\S+-`)
	said := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		said[apart.ReplaceAllString(strings.TrimRight(line, "\n"), "...")] = true
	}
	for _, line := range want {
		if !said[apart.ReplaceAllString(line, "...")] {
			t.Errorf("the page says %q; it was printed:\n%s", line, out)
		}
	}
}
