package state

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
	"weft/route/lids"
	"weft/route/planfile"
	"weft/sm/terms"
)

// now is the time of tests.
var now = time.Date(2026, 11, 23, 12, 0, 0, 5e6, time.UTC)

// routed makes a Record of a formula.
func routed(t testing.TB, text string, lmc uint8) *terms.Record {
	t.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	r, err := planner.Run(context.Background(), g, &planner.Request{Chain: chain, LIDs: lids.Options{LMC: lmc}})
	if err != nil {
		t.Fatal(err)
	}
	return &terms.Record{LIDs: terms.LIDMap(nil).After(g, &r.Plan.Ends), Graph: g, Plan: r.Plan, Engine: "updn", Verdict: "yes"}
}

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, Limits{Plans: 2, Events: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// alter runs statements on a file that is not open.
func alter(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := connect(path, "rw")
	for _, text := range statements {
		if err == nil {
			_, err = db.Exec(text)
		}
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// reopened closes a file and opens it again.
func reopened(t testing.TB, s *Store) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, s.path)
}

// TestRecord: what was stored is there after the file was opened again; the same Plan is no new
// version, and of versions the last ones are kept.
func TestRecord(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	if p, _, err := s.LastPlan(); p != nil || err != nil || len(s.LIDs()) > 0 {
		t.Fatalf("an empty file has a Plan: %v, %v", p, err)
	}
	first, second, third := routed(t, "rlft(4,2)", 0), routed(t, "rlft(4,2)", 1), routed(t, "rlft(6,2)", 0)
	for _, r := range []*terms.Record{first, first, second, third} {
		if err := s.Record(now, r); err != nil {
			t.Fatal(err)
		}
		if s = reopened(t, s); !maps.Equal(s.LIDs(), r.LIDs) {
			t.Fatalf("LIDs %v, want %v", s.LIDs(), r.LIDs)
		}
	}
	p, data, err := s.LastPlan()
	if err != nil || p.Version != 3 || p.Engine != "updn" || p.Verdict != "yes" || p.Time != "2026-11-23T12:00:00.005Z" {
		t.Errorf("%+v, %v", p, err)
	}
	var want bytes.Buffer
	if err := planfile.Save(&want, third.Graph, third.Plan); err != nil || !bytes.Equal(want.Bytes(), data) {
		t.Errorf("%d bytes, %d were stored: %v", len(data), want.Len(), err)
	}
	if c, err := s.Contents(10); err != nil || len(c.Plans) != 2 || c.Plans[0].Version != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestLIDsChange: whatever LIDs ports get one after the other, also each other's, the file has
// them.
func TestLIDsChange(t *testing.T) {
	g := routed(t, "rlft(4,2)", 0).Graph
	s := open(t, filepath.Join(t.TempDir(), "state"))
	plan := routed(t, "rlft(4,2)", 0)
	rapid.Check(t, func(rt *rapid.T) {
		m, at := terms.LIDMap{}, 128
		here := rapid.SliceOfDistinct(rapid.IntRange(0, g.NumEnds-1), func(i int) int { return i }).Draw(rt, "here")
		gone := rapid.SliceOfDistinct(rapid.Uint64Range(1, 5), func(g uint64) uint64 { return g }).Draw(rt, "gone")
		add := func(guid fabric.GUID) {
			lmc := rapid.Uint8Range(0, 3).Draw(rt, "LMC")
			m[guid] = terms.PortLIDs{Base: fabric.LID(at), LMC: lmc}
			at += 8
		}
		for _, e := range here {
			add(g.EndGUID[e])
		}
		for _, guid := range gone {
			add(fabric.GUID(guid) | 1<<63) // the sign of the number stored
		}
		if err := s.Record(now, &terms.Record{LIDs: m, Graph: plan.Graph, Plan: plan.Plan}); err != nil {
			rt.Fatal(err)
		}
		other, err := Read(s.path)
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = other.Close() }()
		if !maps.Equal(other.lids, m) || len(other.gone) != len(gone) {
			rt.Fatalf("%v, %d gone; want %v, %d gone", other.lids, len(other.gone), m, len(gone))
		}
	})
}

// TestGone: the time since when a port is missed stays, and ends when it is back.
func TestGone(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	r := routed(t, "rlft(4,2)", 0)
	const guid = 0x99
	r.LIDs[guid] = terms.PortLIDs{Base: 1000}
	since := func(r *terms.Record, at time.Time) string {
		if err := s.Record(at, r); err != nil {
			t.Fatal(err)
		}
		c, err := s.Contents(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range c.LIDs {
			if l.PortGUID == guid {
				return l.Gone
			}
		}
		return "no row"
	}
	if a, b := since(r, now), since(r, now.Add(time.Hour)); a != "2026-11-23T12:00:00.005Z" || a != b {
		t.Errorf("gone since %s, then since %s", a, b)
	}
	back := *r.Graph
	back.EndGUID = append([]fabric.GUID{guid}, back.EndGUID[1:]...)
	old := r.Graph
	r.Graph = &back
	if got := since(r, now); got != "" {
		t.Errorf("it is back, and gone since %s", got)
	}
	r.Graph = old
	if got := since(r, now.Add(2*time.Hour)); got != "2026-11-23T14:00:00.005Z" {
		t.Errorf("it is gone again since %s", got)
	}
}

// TestWriter: events and the subnet are stored, of events the last ones.
func TestWriter(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	w := NewWriter(s, func(err error) { t.Error(err) })
	at := []terms.Place{{}, {Node: 0x10, Name: "s", Port: 0}, {Node: 0x10, Name: "s", Port: -1}, {Node: 1 << 63, Name: "é", Port: 7}}
	for i := range 6 {
		w.Event(Event{now.Add(time.Duration(i) * time.Second), terms.Incident{Kind: "code", Text: "a\nb", At: at[i%4]}})
	}
	f, err := gen.Parse("rlft(4,2)|fail(links=1,seed=1)")
	if err != nil {
		t.Fatal(err)
	}
	w.Subnet(now, f)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s = reopened(t, s)
	c, err := s.Contents(3)
	if err != nil || len(c.Events) != 3 || c.Events[2].Time != "2026-11-23T12:00:05.005Z" || *c.Events[2].Port != 0 || c.Events[2].Name != "s" ||
		c.Events[0].GUID != "0x8000000000000000" || *c.Events[0].Port != 7 || c.Events[1].GUID != "" || c.Events[1].Text != "a\nb" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := s.Contents(100); err != nil || len(c.Events) != 4 || c.Subnet == nil || c.Subnet.Switches != 6 || c.Subnet.CAs != 8 {
		t.Errorf("%+v, %v", c, err)
	}
	then, when, err := s.LastSubnet()
	if err != nil || when != "2026-11-23T12:00:00.005Z" || len(fabric.Diff(then, f)) > 0 {
		t.Fatalf("%s: %v, %v", when, fabric.Diff(then, f), err)
	}
	other, err := gen.Parse("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	if told := Changes(then, when, other); len(told) != mostChanges+1 || !strings.HasPrefix(told[0].Text, "since 2026-11-23T12:00:00.005Z: node ") {
		t.Errorf("%v", told)
	}
}

// TestWriterFails: that events cannot be stored is told once, and they are stored when that is
// possible again.
func TestWriterFails(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	told := make(chan error, 10)
	w := NewWriter(s, func(err error) { told <- err })
	if _, err := s.db.Exec("PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	w.Event(Event{now, terms.Incident{Kind: "first"}})
	if err := <-told; !strings.Contains(err.Error(), "read-only") {
		t.Error(err)
	}
	s.mu.Lock() // nothing is written meanwhile
	if _, err := s.db.Exec("PRAGMA query_only = 0"); err != nil {
		t.Fatal(err)
	}
	s.mu.Unlock()
	w.Event(Event{now, terms.Incident{Kind: "second"}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := s.Contents(9)
	if err != nil || len(c.Events) != 2 || c.Events[0].Kind != "first" || len(told) != 1 || <-told != nil {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := s.db.Exec("PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	w = NewWriter(s, func(err error) { told <- err })
	if w.Event(Event{now, terms.Incident{Kind: "third"}}); w.Close() == nil || len(told) == 0 {
		t.Error("an event was not stored, and nobody is told")
	}
}

// TestRefused: a file that cannot be used is refused with what to do, and left as it is.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	made := func(name string, statements ...string) string {
		path := filepath.Join(dir, name)
		s := open(t, path)
		if err := s.Record(now, routed(t, "rlft(4,2)", 0)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		alter(t, path, statements...)
		return path
	}
	written := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := os.ReadFile(made("whole"))
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.Clone(whole)
	for i := 4096; i < len(broken); i++ {
		broken[i] ^= byte(i)
	}
	foreign := filepath.Join(dir, "foreign")
	db, err := sql.Open("sqlite", foreign)
	if err == nil {
		_, err = db.Exec("CREATE TABLE t (a)")
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	locked := open(t, filepath.Join(dir, "locked"))
	for _, c := range []struct{ path, want string }{
		{made("newer", "PRAGMA user_version = 7"), "a newer weft wrote it (schema 7; this one supports 6)"},
		{written("text", []byte(strings.Repeat("no database ", 100))), "it is not a database: name another file"},
		{written("broken", broken), "it is damaged ("},
		{written("half", whole[:len(whole)/2]), "it is damaged ("},
		{foreign, "it is the database of another program"},
		{locked.path, "another process has it open"},
		{filepath.Join(dir, "nowhere", "state"), "no such file or directory"},
		{dir, "it cannot be opened"},
		{made("overlap", "INSERT INTO lids VALUES (1, 1024, 3, NULL), (2, 1030, 0, NULL)"), "it is damaged (port 0x0000000000000002 has LID 1030, LMC 0)"},
		{made("unaligned", "INSERT INTO lids VALUES (1, 1025, 3, NULL)"), "it is damaged (port 0x0000000000000001 has LID 1025, LMC 3)"},
	} {
		before, _ := os.ReadFile(c.path)
		s, err := Open(c.path, Limits{})
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", filepath.Base(c.path), err, c.want)
		}
		if after, _ := os.ReadFile(c.path); !bytes.Equal(before, after) {
			t.Errorf("%s was changed", filepath.Base(c.path))
		}
	}
	if s, err := Read(filepath.Join(dir, "not there")); err == nil {
		_ = s.Close()
		t.Error("a file that is not there was read")
	}
}

// FuzzRead: whatever a file holds, it is refused, or what is read of it is what a manager may
// store.
func FuzzRead(f *testing.F) {
	path := filepath.Join(f.TempDir(), "state")
	s := open(f, path)
	if err := s.Record(now, routed(f, "rlft(4,2)", 0)); err != nil {
		f.Fatal(err)
	}
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, uint32(0), byte(0))
	f.Add(data, uint32(5000), byte(1))
	f.Add([]byte("SQLite format 3\x00"), uint32(0), byte(0))
	f.Fuzz(func(t *testing.T, data []byte, at uint32, with byte) {
		path := filepath.Join(t.TempDir(), "state")
		if len(data) > 0 {
			data[int(at)%len(data)] ^= with
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := Read(path)
		if err != nil {
			return
		}
		defer func() { _ = s.Close() }()
		for guid, p := range s.LIDs() {
			if guid == 0 || !p.Valid() {
				t.Errorf("port %s has LID %d, LMC %d", guid, p.Base, p.LMC)
			}
		}
		_, plan, err := s.LastPlan()
		if err == nil && plan != nil {
			_, _ = planner.ReadKept(bytes.NewReader(plan))
		}
		_, _ = s.Contents(3)
	})
}

// TestFullDisk: where there is no room nothing is stored, the error says so, and what was stored
// before stays.
func TestFullDisk(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	small, large := routed(t, "rlft(4,2)", 0), routed(t, "rlft(36,2)", 0)
	if err := s.Record(now, small); err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		if _, err := s.db.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(1) // as many as there are
	if err := s.Record(now, large); err == nil || !strings.Contains(err.Error(), "the disk is full") || !maps.Equal(s.LIDs(), small.LIDs) {
		t.Errorf("%v; %d LIDs", err, len(s.LIDs()))
	}
	limit(1 << 20)
	if err := s.Record(now, large); err != nil || !maps.Equal(s.LIDs(), large.LIDs) {
		t.Errorf("%v; %d LIDs", err, len(s.LIDs()))
	}
	if s = reopened(t, s); !maps.Equal(s.LIDs(), large.LIDs) {
		t.Errorf("%d LIDs", len(s.LIDs()))
	}
}

// TestWaitingIsBounded: as long as nothing is written, events wait up to a number, and those beyond
// it are counted.
func TestWaitingIsBounded(t *testing.T) {
	w := &Writer{wake: make(chan struct{}, 1)}
	for range mostWaiting + 7 {
		w.Event(Event{})
	}
	if len(w.events) != mostWaiting || w.lost != 7 {
		t.Errorf("%d wait, %d are lost", len(w.events), w.lost)
	}
}

// TestPutBack: a subnet that could not be written is tried again, unless a later one waits.
func TestPutBack(t *testing.T) {
	older, newer := fabric.New("older"), fabric.New("newer")
	w := &Writer{}
	w.putBack(nil, time.Unix(1, 0), older)
	if w.subnet != older || w.now != time.Unix(1, 0) {
		t.Error("it is lost")
	}
	w.subnet, w.now = newer, time.Unix(2, 0)
	w.putBack(nil, time.Unix(1, 0), older)
	if w.subnet != newer || w.now != time.Unix(2, 0) {
		t.Error("an older one takes the place of a newer one")
	}
}
