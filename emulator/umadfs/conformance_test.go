package umadfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"weft/emulator/umadfs"
	"weft/wire"
	"weft/wire/umad"
	"weft/wire/wiretest"
)

// Our own umad medium passes the suite, through real system calls.
func TestConformance(t *testing.T) {
	needFUSE(t)
	wiretest.Run(t, func(t *testing.T) func(string) wire.Transport {
		dir := server(t)
		return func(node string) wire.Transport { return attach(t, dir, node) }
	})
}

// attach opens the device of node A or B.
func attach(t testing.TB, dir, node string) wire.Transport {
	t.Helper()
	guid := map[string]uint64{"A": wiretest.GUIDA + 1, "B": wiretest.GUIDB + 1}[node]
	tr, err := umad.Open(t.Context(), umad.Options{
		GUID: guid, Agents: umad.ManagerAgents(),
		Dev: filepath.Join(dir, umadfs.DevDir), Sys: os.DirFS(filepath.Join(dir, umadfs.ClassDir)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
