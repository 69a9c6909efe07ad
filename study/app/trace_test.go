package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/apps/collective"
)

// TestTrace: a trace is found by the file of any rank, and a missing file is named, also one in the
// middle: a trace without its last ranks is another one.
func TestTrace(t *testing.T) {
	dir := t.TempDir()
	// The metadata, and a barrier of all ranks: id 1, type 7, comm_type 9.
	barrier := "\x00\x13\x08\x01\x18\x07\x52\x0d\x0a\x09comm_type\x48\x09"
	for _, name := range []string{"x.0.et", "x.1.et"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(barrier), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Open(filepath.Join(dir, "x.1.et"), collective.Defaults{})
	if err != nil || p.Ranks() != 2 {
		t.Fatalf("%v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "gap.0.et"), []byte(barrier), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "gap.2.et"), []byte(barrier), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"gap.0.et": "gap.1.et", "x.2.et": "files for ranks 0 to 1", "y.0.et": "a file for each rank"} {
		if _, err := Open(filepath.Join(dir, name), collective.Defaults{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
