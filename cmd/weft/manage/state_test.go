package manage

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/sm/opensm"
	"weft/sm/partition"
	"weft/sm/state"
	"weft/sm/terms"
)

// TestExportedPartitions: OpenSM gets the partitions of programs too, or it would join what they
// keep apart.
func TestExportedPartitions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s, err := state.Open(path, state.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	owned := partition.Owned{Version: partition.Version{Number: 1}, List: partition.Partitions{
		{Name: "blue", Key: 5, Owner: partition.Programs, Members: []partition.Member{{GUID: 7, As: partition.Full}}},
	}}
	for _, want := range []bool{false, true} {
		if want {
			err = s.SetOwned(&terms.Wrote{Owned: owned})
		}
		if err != nil {
			t.Fatal(err)
		}
		e, err := (&exportFlags{state: path}).export()
		if err != nil {
			t.Fatal(err)
		}
		files, _ := e.Files("/etc/opensm")
		at := slices.IndexFunc(files, func(f opensm.File) bool { return f.Name == "partitions.conf" })
		if (at >= 0) != want {
			t.Fatalf("partitions.conf is file %d", at)
		}
		if text := string(files[max(0, at)].Data); want && (!strings.Contains(text, "blue=0x0005") || !strings.Contains(text, "0x0000000000000007=full") || !strings.Contains(text, "Default=0x7fff")) {
			t.Error(text)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestBroughtBack: only the start on a copy that was put back is an event. The drains of the file
// are in the status in any case.
func TestBroughtBack(t *testing.T) {
	for _, copied := range []time.Time{{}, time.Unix(1e9, 0)} {
		s := smState{path: "state"}
		s.bringBack(copied, []string{"0x5"})
		if events := len(s.unread); events != map[bool]int{true: 0, false: 1}[copied.IsZero()] || len(s.shown.Drains) != 1 || (s.shown.CopyOf == "") != copied.IsZero() {
			t.Errorf("copied at %v: %v, %+v", copied, s.unread, s.shown)
		}
		if len(s.unread) > 0 && s.unread[0].Kind != terms.BroughtBack {
			t.Error(s.unread)
		}
	}
}
