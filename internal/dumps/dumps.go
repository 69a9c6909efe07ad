// Package dumps finds dumps of real clusters that are not part of the project: they are large, or
// nobody may pass them on. The environment variable WEFT_DUMPS names their folder. Only tests
// import this package.
//
// If the variable is not set, a test that needs a dump is skipped. If it is set, a missing dump
// fails the test. Such a test has Dump in its name: scripts/dumps runs exactly these tests.
package dumps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variable names the environment variable that holds the folder of the dumps, as an absolute path.
const Variable = "WEFT_DUMPS"

// Dir returns the folder of the dumps, and skips the test if none is named. Pass the T of a
// subtest, not its parent's: the test of that T is skipped.
func Dir(tb testing.TB) string {
	tb.Helper()
	if test, _, _ := strings.Cut(tb.Name(), "/"); strings.HasPrefix(test, "Test") && !strings.Contains(test, "Dump") {
		tb.Fatalf("%s needs dumps of real clusters: put Dump into its name, or scripts/dumps does not run it", test)
	}
	dir := os.Getenv(Variable)
	if dir == "" {
		tb.Skipf("no dumps of real clusters here (%s names their folder)", Variable)
	}
	if !filepath.IsAbs(dir) {
		tb.Fatalf("%s is %q: make it an absolute path, since every test runs in the folder of its package", Variable, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		tb.Fatalf("%s is %q: no such folder", Variable, dir)
	}
	return dir
}

// Path returns the path of a dump, or of a folder with several, by its name within the folder of
// the dumps.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(Dir(tb), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("%s does not hold all dumps: %v", Variable, err)
	}
	return path
}

// Read returns the bytes of a dump.
func Read(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
