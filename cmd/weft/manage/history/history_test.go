package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/perf"
	"weft/sm/telemetry"
	"weft/wire/mad"
)

// report returns a report of a port that has sent words within the last minute.
func report(words uint64) *perf.Report {
	c := perf.Counts{Took: time.Minute, Growth: new(perf.Growth)}
	c.Grown[mad.CounterXmitData] = words
	name := fabric.PortName{Type: "switch", GUID: 1, Name: "leaf", Port: 1}
	return &perf.Report{Interval: 60, Reading: &perf.Reading{Ports: []perf.Port{{Name: name, Rate: 100_000}}, Counts: []perf.Counts{c}}}
}

// add writes a report, as the goroutine of a History does.
func add(h *History, end time.Time, r *perf.Report) { h.take(handed{end, r}) }

// open opens a History.
func open(t *testing.T, path string) (*History, *atomic.Int32, *atomic.Value) {
	t.Helper()
	failures, last := new(atomic.Int32), new(atomic.Value)
	last.Store("")
	h := Open(path, 1<<20, func(err error) {
		failures.Add(1)
		last.Store(err.Error())
	})
	t.Cleanup(h.Close)
	return h, failures, last
}

// TestHistory: what was handed over can be asked for, also after a restart, and is nobody else's to
// read. A first reading, which has no growth, is none.
func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state-history")
	end := time.Now().Truncate(time.Millisecond)
	h, failures, last := open(t, path)
	if _, err := h.At(end); !errors.Is(err, telemetry.ErrNotKept) {
		t.Error(err)
	}
	first := report(0)
	first.Reading.Counts[0].Took = 0
	add(h, end.Add(-time.Minute), first)
	h.Add(end, report(1e9))
	h.Close()
	h, _, _ = open(t, path)
	m, err := h.At(end.Add(-10 * time.Second))
	if err != nil || len(m.Hot) != 1 || m.Interval != 60 || m.To != end.UTC().Format("2006-01-02T15:04:05.000Z") {
		t.Fatal(err, m)
	}
	for _, at := range []time.Time{end.Add(-61 * time.Second), end.Add(time.Second)} {
		if _, err := h.At(at); !errors.Is(err, telemetry.ErrNotKept) {
			t.Error(at, err)
		}
	}
	if s, err := h.Series(1, 1); err != nil || len(s.Points) != 1 || s.Points[0].Time != m.To || s.Port.Name != "leaf" {
		t.Error(err, s)
	}
	if _, err := h.Series(1, 2); !errors.Is(err, telemetry.ErrNotKept) {
		t.Error(err)
	}
	info, err := os.Stat(path)
	if s := h.Status(); err != nil || info.Mode().Perm() != 0o600 || info.Size() != 4096 || failures.Load() != 0 || s.Problem != "" {
		t.Error(err, info, last.Load(), s)
	}
}

// TestHistoryBad: a file that is none of ours, or that another manager has, is left alone, and is
// an event once an hour. When it is gone, the History goes on.
func TestHistoryBad(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"folder":  {func(path string) error { return os.Mkdir(path, 0o700) }, "is a directory"},
		"link":    {func(path string) error { return os.Symlink("/etc/passwd", path) }, "symbolic links"},
		"missing": {func(string) error { return nil }, ""},
	} {
		path := filepath.Join(dir, name)
		if err := c.make(path); err != nil {
			t.Fatal(err)
		}
		h, failures, last := open(t, path)
		for range 3 {
			add(h, time.Now(), report(1))
		}
		if text, _ := last.Load().(string); !strings.Contains(text, c.want) || (failures.Load() == 1) != (c.want != "") || (h.Status().Problem != "") != (c.want != "") {
			t.Errorf("%s: %d failures: %s, %+v", name, failures.Load(), text, h.Status())
		}
		if os.Remove(path) != nil {
			t.Fatal(name)
		}
		add(h, time.Now(), report(1))
		if s := h.Status(); s.Problem != "" || s.To == "" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	path := filepath.Join(dir, "two")
	one, _, _ := open(t, path)
	add(one, time.Now(), report(1))
	two, _, last := open(t, path)
	add(two, time.Now(), report(1))
	if text, _ := last.Load().(string); !strings.Contains(text, "another manager writes it") {
		t.Error(text)
	}
	if m, err := one.At(time.Now().Add(-time.Second)); err != nil || m.Ports != 1 {
		t.Error(m, err)
	}
}

// TestHistoryBusy: a file that is slow costs readings, and nobody waits for it, not even the end.
func TestHistoryBusy(t *testing.T) {
	h, _, _ := open(t, filepath.Join(t.TempDir(), "history"))
	h.mu.Lock() // a disk that hangs
	for range 10 {
		h.Add(time.Now(), report(1))
	}
	if s := h.Status(); s.Problem != "" {
		t.Error(s)
	}
	h.mu.Unlock()
}
