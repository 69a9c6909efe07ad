package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/sm/service/client"
	"weft/sm/terms"
)

// TestIBKubernetes: the UFM plug-in of ib-kubernetes, unmodified, adds GUIDs to P_Keys and removes
// them 1,000 times, over HTTP with basic authentication. The master is killed in the middle, and
// nothing is lost. WEFT_IB_KUBERNETES names a checkout of github.com/Mellanox/ib-kubernetes, in
// whose module the plug-in is built; without it there is no such test.
func TestIBKubernetes(t *testing.T) {
	source := os.Getenv("WEFT_IB_KUBERNETES")
	if source == "" {
		t.Skip("WEFT_IB_KUBERNETES names no checkout of github.com/Mellanox/ib-kubernetes")
	}
	dir := t.TempDir()
	drive := buildPlugin(t, source, dir)
	tokens := filepath.Join(dir, "tokens")
	if err := os.WriteFile(tokens, []byte("k8s partitions 0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("weft-plugin-%d", os.Getpid())
	starts(t, "weft", "emulate", "rlft(6,2)", "--name", name)
	var managers [2]*exec.Cmd
	var sockets, ports [2]string
	for i := range managers {
		sockets[i], ports[i] = filepath.Join(dir, fmt.Sprint("sm", i, ".sock")), freePort(t)
		managers[i] = starts(t, "weft", "sm", "-t", fmt.Sprintf("ibsim:%s@host %d", name, i), "--engine", "updn", "--socket", sockets[i], "--priority", fmt.Sprint(5-i),
			"--state", filepath.Join(dir, fmt.Sprint("state", i)), "--api", ":"+ports[i], "--api-tokens", tokens)
		if i == 0 {
			awaitManager(t, sockets[0], terms.Master, 0)
		}
	}
	awaitManager(t, sockets[0], terms.Master, 1)
	cmd := exec.Command(drive, ports[0], ports[1], "1000")
	cmd.Env = append(os.Environ(), "UFM_USERNAME=k8s", "UFM_PASSWORD=0123456789abcdef0123456789abcdef", "UFM_ADDRESS=127.0.0.1", "UFM_HTTP_SCHEMA=http")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = io.Discard
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if last = lines.Text(); last == "half" {
			_ = managers[0].Process.Kill()
			awaitManager(t, sockets[1], terms.Master, 0)
			_, _ = io.WriteString(in, "go on\n")
		}
	}
	if err := cmd.Wait(); err != nil || !strings.HasPrefix(last, "all ") {
		t.Fatalf("%s: %v", last, err)
	}
	t.Logf("%s, after %v", last, time.Since(began).Round(time.Millisecond))
}

// buildPlugin builds the plug-in with our main, and leaves its sources as they are.
func buildPlugin(t *testing.T, source, dir string) string {
	t.Helper()
	ours, err := filepath.Abs("testdata/ib-kubernetes/drive.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	overlay, drive := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "drive")
	text := fmt.Sprintf(`{"Replace": {%q: %q}}`, filepath.Join(source, "pkg/sm/plugins/ufm/weft_drive.go"), ours)
	if err := os.WriteFile(overlay, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", overlay, "-o", drive, "./pkg/sm/plugins/ufm")
	if build.Dir = source; err == nil {
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	return drive
}

// starts starts a program that is killed at the end of the test.
func starts(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// freePort returns a port of this machine that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// awaitManager waits until a manager has a role, a Plan in force and standbys in step.
func awaitManager(t *testing.T, socket string, role terms.Role, standbys int) {
	t.Helper()
	c := client.Unix(socket)
	defer c.Close()
	for range 1200 {
		if s, err := c.Status(t.Context()); err == nil && s.Role == role && s.InForce != nil && s.Clients.Standbys >= standbys {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the manager at %s does not become the %s with %d standbys", socket, role, standbys)
}
