package watch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"weft/fabric"
	"weft/route/engine"
	"weft/sm/recording"
	"weft/sm/smtest"
	"weft/sm/terms"
)

var updateRecording = flag.Bool("update", false, "let TestFormerRecording write its recording again")

// formerRecording holds the life of recordLife, compressed.
const formerRecording = "testdata/recordings/takeover.recording.gz"

// TestFormerRecording: a committed recording replays to the same actions, event by event. It fails
// if weft reads recordings in another way, or if a manager does something else. If it does so on
// purpose, write the recording again:
//
//	go test ./sm/watch -run TestFormerRecording -update
func TestFormerRecording(t *testing.T) {
	if *updateRecording {
		if err := os.MkdirAll(filepath.Dir(formerRecording), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(formerRecording, recordLife(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := os.ReadFile(formerRecording)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.NewRecording(plain, engine.Parse)
	if err != nil {
		t.Fatal(err)
	}
	events, sets, learned := map[terms.EventKind]int{}, 0, map[string]bool{}
	told := map[terms.IncidentKind]int{}
	err = playerOf(r).Play(context.Background(), r, func(_ time.Duration, ev *terms.Event, actions []terms.Action) {
		events[ev.Kind]++
		if ev.Kind == terms.Told {
			n := reflect.ValueOf(*ev.News)
			for i := range n.NumField() {
				if !n.Field(i).IsZero() {
					learned[n.Type().Field(i).Name] = true
				}
			}
		}
		for _, a := range actions {
			switch {
			case a.Kind == terms.Send && len(a.Data) > 0:
				sets++
			case a.Kind == terms.Note:
				told[a.Incident.Kind]++
			}
		}
	})
	if err != nil {
		t.Errorf("%v: if the manager does something else on purpose, write the recording again: go test ./sm/watch -run TestFormerRecording -update", err)
	}
	// What the life is to hold: a copy of the master's state, a takeover, and a repair.
	if events[terms.Planned] < 2 || events[terms.Unasked] == 0 || sets == 0 || told[terms.RoundEnds] < 3 || told[terms.TrapCame] == 0 {
		t.Errorf("events %v, %d SMPs with data, incidents %v", events, sets, told)
	}
	for _, field := range []string{"LIDs", "Plan", "Rules", "MasterMissed"} {
		if !learned[field] {
			t.Errorf("no news of %s: %v", field, learned)
		}
	}
}

// recordLife returns the compressed recording of a manager that stands by and learns, takes over
// from its master, and repairs the subnet.
func recordLife(t *testing.T) []byte {
	m := newMarket(t, "rlft(6,2)", 1, 2)
	m.routing = smtest.JobOf("ftree", 0)
	var out, plain bytes.Buffer
	m.made = func(i int, v *virtual) {
		if i == 1 {
			v.recorder = recording.NewRecorder(&plain, &v.manager.cfg, &v.manager.watch, &v.routing)
		}
	}
	m.start(0)
	m.run(5*time.Second, false)
	m.start(1)
	m.run(5*time.Second, false)
	if d := m.managers[0].order(terms.DrainPart, "spine 1"); d.Err != nil {
		t.Fatal(d.Err)
	}
	m.run(2*time.Second, false)
	next := m.kill(m.only("before"))
	down := map[fabric.LinkID]bool{}
	m.fault(m.rng.IntN, down)
	m.run(3*time.Second, false)
	if err := next.recorder.Close(); err != nil {
		t.Fatal(err)
	}
	zip := gzip.NewWriter(&out)
	_, err := zip.Write(plain.Bytes())
	if err = errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
