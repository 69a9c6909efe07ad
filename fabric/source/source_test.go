package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/examples"
)

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	file := write(t, "psmn.txt", examples.PSMNX5)
	bar := write(t, "a|b.txt", examples.PSMNX5)
	for _, tt := range []struct {
		arg, format string
		nodes, down int
	}{
		{"rlft(4,2)", "formula", 6 + 8, 0},
		{"fat648|fail(links=3,seed=1)", "formula", 702, 3},
		{file, "ibnetdiscover", 100, 0},
		{file + "|fail(links=5,seed=2)", "ibnetdiscover", 100, 5},
		{bar, "ibnetdiscover", 100, 0},
		{"-", "ibnetdiscover", 100, 0},
		{"-|fail(links=2,seed=2)", "ibnetdiscover", 100, 2},
	} {
		src, err := Open(tt.arg, Options{Stdin: strings.NewReader(string(examples.PSMNX5))})
		if err != nil {
			t.Errorf("%s: %v", tt.arg, err)
			continue
		}
		down := 0
		for _, l := range src.Fabric.Links {
			if l.Down {
				down++
			}
		}
		if src.Format != tt.format || len(src.Fabric.Nodes) != tt.nodes || down != tt.down {
			t.Errorf("%s: format %s, %d nodes, %d links down; want %s, %d, %d", tt.arg, src.Format, len(src.Fabric.Nodes), down, tt.format, tt.nodes, tt.down)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	junk := write(t, "junk", []byte("hello\nworld\n"))
	for arg, want := range map[string]string{
		"nowhere.txt":           "no such file",
		"nosuch(3)":             `no file and no formula is called "nosuch(3)"`,
		"./nosuch(3)":           "no such file",
		junk:                    "not a topology file",
		"rlft(4,2)|nosuch(1)":   "nosuch",
		"rlft(4":                "rlft",
		junk + "|fail(links=1)": "not a topology file",
	} {
		if _, err := Open(arg, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one about %q", arg, err, want)
		}
	}
}

// A topo file finds its system definitions beside it, or beside its directory.
func TestOpenFindsSystems(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"ibnl/Two.ibnl":  "TOPSYSTEM TWO\n\nNODE SW 8 MT43132 U1\n 1 -> P1\n 2 -> P2\n",
		"topo/net.topo":  "TWO A\n P1 -> TWO B P1\n\nTWO B\n P1 -> TWO A P1\n",
		"other/net.topo": "TWO A\n P1 -> TWO B P1\n\nTWO B\n P1 -> TWO A P1\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	src, err := Open(filepath.Join(dir, "topo", "net.topo"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(src.Fabric.Nodes) != 2 || len(src.Fabric.Links) != 1 {
		t.Errorf("%d nodes, %d links; want 2, 1", len(src.Fabric.Nodes), len(src.Fabric.Links))
	}
	if _, err := Open(filepath.Join(dir, "other", "net.topo"), Options{IBNL: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "TWO") {
		t.Errorf("without definitions: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "topo", "net.topo"), Options{IBNL: filepath.Join(dir, "nowhere")}); err == nil || !strings.Contains(err.Error(), "nowhere: no such file") {
		t.Errorf("no directory of definitions: %v", err)
	}
}
