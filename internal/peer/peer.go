// Package peer finds and runs the real programs that tests compare weft with: ibsim, OpenSM,
// infiniband-diags, Graphviz, strace. Only tests import it. A missing program skips the test, or
// fails it if CI is set; scripts/peers installs them.
package peer

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Program finds a program, also in Debian's folders for the superuser.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	missing(tb, name)
	return ""
}

// Preload finds the library that turns the umad calls of a program into datagrams
// for ibsim.
func Preload(tb testing.TB) string {
	tb.Helper()
	const library = "libumad2sim.so"
	found, _ := filepath.Glob("/usr/lib/*/umad2sim/" + library + "*")
	if len(found) == 0 {
		missing(tb, library)
	}
	return found[0]
}

func missing(tb testing.TB, what string) {
	tb.Helper()
	const text = "no %s on this machine (scripts/peers installs the Debian packages of real programs)"
	if os.Getenv("CI") == "true" {
		tb.Fatalf(text, what)
	}
	tb.Skipf(text, what)
}
