package dumps

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// asking is a test that asks for a dump, and how it ended.
type asking struct {
	testing.TB
	name, end string
}

func (a *asking) Helper()      {}
func (a *asking) Name() string { return a.name }

func (a *asking) Fatal(args ...any) { a.Fatalf("%s", fmt.Sprint(args...)) }

func (a *asking) Fatalf(format string, args ...any) {
	a.end = "failed: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (a *asking) Skipf(format string, args ...any) {
	a.end = "skipped: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// ended has a test ask for a dump, and says how it ended.
func ended(test, dump string) string {
	a := &asking{name: test, end: "ended early"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.end = "read: " + string(Read(a, dump))
	}()
	<-done
	return a.end
}

// TestRead: without the variable the test is skipped; with it a dump is read or the test fails.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "janus", "net.txt")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("a network"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ folder, test, dump, want string }{
		{"", "TestRealDumps/janus", "janus/net.txt", "skipped: no dumps of real clusters here (WEFT_DUMPS names their folder)"},
		{"", "BenchmarkRead/janus", "janus/net.txt", "skipped: no dumps of real clusters here"},
		{"", "TestReal/Dump", "janus/net.txt", "failed: TestReal needs dumps of real clusters: put Dump into its name"},
		{dir, "TestReal/Dump", "janus/net.txt", "failed: TestReal needs dumps of real clusters: put Dump into its name"},
		{dir, "TestRealDumps/janus", "janus/net.txt", "read: a network"},
		{dir, "BenchmarkRead/janus", "janus/net.txt", "read: a network"},
		{dir, "TestRealDumps", "janus/none.txt", "failed: WEFT_DUMPS does not hold all dumps: "},
		{dir, "TestRealDumps", "janus", "failed: "}, // a folder
		{"../dumps", "TestRealDumps", "dumps.go", `failed: WEFT_DUMPS is "../dumps": make it an absolute path`},
		{file, "TestRealDumps", "janus/net.txt", fmt.Sprintf("failed: WEFT_DUMPS is %q: no such folder", file)},
		{dir + "x", "TestRealDumps", "janus/net.txt", fmt.Sprintf("failed: WEFT_DUMPS is %q: no such folder", dir+"x")},
	} {
		t.Setenv(Variable, c.folder)
		if got := ended(c.test, c.dump); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s with %q: %s\nwant %s", c.test, c.folder, got, c.want)
		}
	}
}
