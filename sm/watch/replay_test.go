package watch

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/draws"
	"weft/planner"
	"weft/route/engine"
	"weft/sm/ledger"
	"weft/sm/partition"
	"weft/sm/recording"
	"weft/sm/round/planning"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch/succession"
)

var recordTo = flag.String("record", "", "write what the managers of the last schedule were given to this directory, for weft sm replay: of a test that fails, that is the smallest failing one")

// recordToFile records the events of a manager in a file named by the number of its port's client.
func (v *virtual) recordToFile() {
	file, err := os.Create(filepath.Join(*recordTo, fmt.Sprintf("manager-%d.recording", v.id)))
	if err != nil {
		panic(err)
	}
	v.recorder = recording.NewRecorder(unbuffered{v, file}, &v.manager.cfg, &v.manager.watch, &v.routing)
	if err := v.recorder.To.Flush(); err != nil {
		panic(err)
	}
}

// unbuffered writes at once: a test may end at any time.
type unbuffered struct {
	v *virtual
	*os.File
}

func (u unbuffered) Write(b []byte) (int, error) {
	u.v.recorder.Flushed = -time.Hour
	return u.File.Write(b)
}

// did is an action by its values.
type did struct {
	at         time.Duration
	action     terms.Action
	path, data string
	text       string
}

// didOf copies the values of actions.
func didOf(now time.Duration, actions []terms.Action) (list []did) {
	for _, a := range actions {
		d := did{at: now, path: string(a.Path), data: string(a.Data)}
		if a.Datagram != nil {
			d.data += string(a.Datagram.MAD)
		}
		if a.Err != nil {
			d.text = a.Err.Error()
		}
		if a.Request != nil {
			q := *a.Request
			if q.Kept != nil {
				d.text += "kept"
			}
			if q.Found != nil {
				d.text += "found"
			}
			q.Graph, q.Kept, q.Found = nil, nil, nil
			a.Request = &q
		}
		a.Path, a.Data, a.Datagram, a.Err = nil, nil, nil, nil
		d.action = a
		list = append(list, d)
	}
	return list
}

// TestReplay: whatever happens, a recording has a new manager do the same again, to the last byte
// of every SMP and every line of its log.
func TestReplay(t *testing.T) {
	events := 0
	draws.Check(t, func(t *rapid.T) {
		chain := rapid.SampledFrom([]string{"auto", "ftree,updn", "dfsssp", "updn,roots=spine 1"}).Draw(t, "chain")
		opt := emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")}
		if rapid.Bool().Draw(t, "bad wire") {
			opt.Impairment = emulator.Impairment{Loss: 0.02, Duplicate: 0.02, Late: 0.05, LateBy: 30 * time.Millisecond}
		}
		_, all := managers(t, "rlft(4,2)", opt, 1, uint8(rapid.IntRange(0, 2).Draw(t, "priority")))
		keys := rapid.SampledFrom([]terms.Keys{{}, smtest.SecretKeys, {One: 3, Protect: 2, Others: []uint64{9}}}).Draw(t, "keys")
		var buffers [2]bytes.Buffer
		var done [2][]did
		for k, v := range all {
			v.routing = smtest.JobOf(chain, uint8(rapid.IntRange(0, 1).Draw(t, "LMC")))
			v.manager.cfg.Expected = v.sub.Fabric()
			v.manager.cfg.Keys, v.manager.keys = keys, ledger.NewKeyring(&terms.Config{Keys: keys})
			v.manager.own = succession.FilesOf(&v.manager.cfg)
			if k == 0 && rapid.Bool().Draw(t, "store") {
				v.manager.cfg.Store, v.store = true, func(*terms.Record) error {
					if rapid.IntRange(0, 4).Draw(t, "disk") == 0 {
						return errors.New("no room")
					}
					return nil
				}
			}
			v.recorder = recording.NewRecorder(&buffers[k], &v.manager.cfg, &v.manager.watch, &v.routing)
			v.onAction = func(a *terms.Action) { done[k] = append(done[k], didOf(v.now, []terms.Action{*a})...) }
			v.step(&terms.Event{Kind: terms.Start})
		}
		runTogether(all[0].now+2*time.Second, all...)
		x := &faults{v: all[0], rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 0))}
		for range rapid.IntRange(0, 8).Draw(t, "faults") {
			x.orders(t, all[x.rng.IntN(2)])
			runTogether(all[0].now+time.Duration(rapid.IntRange(0, 20_000).Draw(t, "ms"))*time.Millisecond, all...)
		}
		for k, v := range all {
			if err := v.recorder.Close(); err != nil {
				t.Fatal(err)
			}
			events += len(done[k])
			again := replayed(t, &buffers[k])
			if len(again) != len(done[k]) {
				t.Fatalf("manager %d: %d actions, %d again", k, len(done[k]), len(again))
			}
			for i := range again {
				if !reflect.DeepEqual(again[i], done[k][i]) {
					t.Fatalf("manager %d: action %d: %+v\nagain: %+v", k, i, done[k][i], again[i])
				}
			}
		}
	}, func() string {
		if events == 0 {
			return "nothing happened"
		}
		return ""
	})
}

// replayed plays a recording.
func replayed(t smtest.Fataler, from *bytes.Buffer) (list []did) {
	r, err := recording.NewRecording(from, engine.Parse)
	if err != nil {
		t.Fatalf("%v", err)
	}
	err = playerOf(r).Play(context.Background(), r, func(now time.Duration, _ *terms.Event, actions []terms.Action) {
		list = append(list, didOf(now, actions)...)
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return list
}

// orders has something happen to the subnet, or asks something of a manager.
func (x *faults) orders(t smtest.Fataler, v *virtual) {
	t.Helper()
	f := v.sub.Fabric()
	switch x.rng.IntN(9) {
	case 0:
		v.step(&terms.Event{Kind: terms.Resweep})
	case 1:
		v.step(&terms.Event{Kind: terms.Rebalance})
	case 2:
		v.step(&terms.Event{Kind: []terms.EventKind{terms.DrainPart, terms.UndrainPart}[x.rng.IntN(2)], Name: f.EndName(f.Links[x.rng.IntN(len(f.Links))].A), Tag: 5})
	case 3:
		s := &terms.Settings{Config: v.manager.cfg, Watch: v.manager.watch, Routing: smtest.JobOf("minhop", 0), Afresh: true, What: "a test"}
		s.Config.Priority, s.Watch.Interval = uint8(x.rng.IntN(4)), 3*time.Second
		v.routing = s.Routing
		v.step(&terms.Event{Kind: terms.Reconfigure, Settings: s})
	case 4:
		w := adding(uint16(1+x.rng.IntN(3)), fabric.GUID(1+x.rng.IntN(3)))
		w.Deed = partition.Deed(x.rng.IntN(5))
		v.step(&terms.Event{Kind: terms.WritePartitions, Tag: 6, Write: w})
	case 5:
		v.step(&terms.Event{Kind: terms.Unasked, Datagram: hostile(x.rng)})
	default:
		if v.manager.found().Fabric != nil {
			x.next(t)
		}
	}
}

// TestReplayKeptPlan: a manager that was given a Plan of the last time, LIDs and a Plan kept does
// the same again.
func TestReplayKeptPlan(t *testing.T) {
	first := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	var file bytes.Buffer
	if err := first.manager.Result().WritePlan(&file); err != nil {
		t.Fatal(err)
	}
	kept, err := planner.ReadKept(&file)
	if err != nil {
		t.Fatal(err)
	}
	lids := terms.LIDMap{}.After(first.manager.inForce.Graph, &first.manager.inForce.Plan.Ends)
	for name, cfg := range map[string]terms.Config{"last": {History: terms.History{Last: kept, Stored: lids}}, "kept": {History: terms.History{Stored: lids}}} {
		req := smtest.JobOf("auto", 0)
		if name == "kept" {
			req.Kept = kept
		}
		v, err := newVirtual(smtest.Formula(t, "rlft(4,2)"), emulator.Options{}, cfg, req)
		if err != nil {
			t.Fatal(err)
		}
		var buffer bytes.Buffer
		var done []did
		v.recorder = recording.NewRecorder(&buffer, &v.manager.cfg, &v.manager.watch, &v.routing)
		v.onAction = func(a *terms.Action) { done = append(done, didOf(v.now, []terms.Action{*a})...) }
		if r := v.run(); r.State != terms.Up || !strings.HasPrefix(r.Routing.Kept, "repaired") {
			t.Errorf("%s: %s, %q", name, r.State, r.Routing.Kept)
		}
		if err := v.recorder.Close(); err != nil {
			t.Fatal(err)
		}
		if again := replayed(t, &buffer); !reflect.DeepEqual(again, done) || len(done) == 0 {
			t.Errorf("%s: %d actions, %d again", name, len(done), len(again))
		}
	}
}

// recorded makes the recording of a short life.
func recorded(tb testing.TB) []byte {
	v, err := newVirtual(smtest.Formula(tb, "rlft(4,2)"), emulator.Options{}, terms.Config{}, smtest.JobOf("updn", 0))
	if err != nil {
		tb.Fatal(err)
	}
	var buffer bytes.Buffer
	v.manager = NewManager(terms.Config{}, terms.UsualWatch)
	v.recorder = recording.NewRecorder(&buffer, &v.manager.cfg, &v.manager.watch, &v.routing)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(time.Second)
	v.step(&terms.Event{Kind: terms.DrainPart, Name: "spine 1", Tag: 3})
	v.step(&terms.Event{Kind: terms.Unasked, Datagram: hostile(rand.New(rand.NewPCG(1, 1)))})
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Watch: terms.UsualWatch, Routing: v.routing, What: "a test"}})
	v.runUntil(30 * time.Second)
	v.step(&terms.Event{Kind: terms.NeighboursTold, Neighbours: terms.Neighbours(v.sub.Fabric())[:3]})
	v.step(terms.NewsEvent(&terms.News{MayTakeOver: []fabric.GUID{7, 8}}))
	v.step(terms.NewsEvent(&terms.News{Plan: []byte("a Plan")}))
	v.step(terms.NewsEvent(&terms.News{Rules: []byte("{}")}))
	v.step(terms.NewsEvent(&terms.News{LIDs: terms.LIDMap{9: {Base: 4}}}))
	if err := v.recorder.Close(); err != nil {
		tb.Fatal(err)
	}
	return buffer.Bytes()
}

// TestBadRecording: a file that is no recording, or is damaged, has an error that says where.
func TestBadRecording(t *testing.T) {
	whole := recorded(t)
	head := bytes.IndexByte(whole, '\n') + 1
	play := func(data []byte) error {
		r, err := recording.NewRecording(bytes.NewReader(data), engine.Parse)
		if err != nil {
			return err
		}
		return playerOf(r).Play(context.Background(), r, nil)
	}
	if err := play(whole); err != nil {
		t.Fatal(err)
	}
	changed := func(at int, to byte) []byte {
		data := bytes.Clone(whole)
		data[at] = to
		return data
	}
	for want, data := range map[string][]byte{
		"no recording of weft sm":     []byte("hello\n"),
		"its first line does not":     nil,
		"version 3; this weft reads":  []byte(`{"weft_recording":3}` + "\n"),
		"how the manager was made":    []byte(`{"weft_recording":2}` + "\n"),
		"no engine is called":         []byte(`{"weft_recording":2,"made":{"Routing":{"Chain":[{"Engine":"nonsense"}]}}}` + "\n"),
		"in the middle of an event":   whole[:len(whole)-3],
		"event 1: of unknown kind 99": changed(head+1, 99),
		"nothing has asked for":       append(bytes.Clone(whole[:head]), whole[head+7:]...),
		"other actions follow":        changed(head+4, whole[head+4]+1),
	} {
		if err := play(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	for n := head; n < len(whole); n += 97 { // a writer that was killed
		if err := play(whole[:n]); err != nil && !errors.Is(err, recording.ErrCut) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// TestDamagedRecording: a recording with one changed byte is played to an error, or to its end if
// the byte is meaningless.
func TestDamagedRecording(t *testing.T) {
	whole := recorded(t)
	head := bytes.IndexByte(whole, '\n') + 1
	rng := rand.New(rand.NewPCG(2, 2))
	failed := 0
	for range 300 {
		data := bytes.Clone(whole)
		data[head+rng.IntN(len(data)-head)] ^= byte(1 + rng.IntN(255))
		r, err := recording.NewRecording(bytes.NewReader(data), engine.Parse)
		if err != nil {
			t.Fatal(err)
		}
		if playerOf(r).Play(context.Background(), r, nil) != nil {
			failed++
		}
	}
	if failed < 100 {
		t.Errorf("%d of 300 are noticed", failed)
	}
}

// FuzzRecording: any bytes are read to their end or to an error. Events that were read are the same
// after they were written and read again.
func FuzzRecording(f *testing.F) {
	whole := recorded(f)
	head := bytes.IndexByte(whole, '\n') + 1
	f.Add(whole[head : head+2000])
	f.Add(whole[len(whole)-400:])
	f.Add(whole[:head])
	read := func(data []byte) (list []terms.Event, times []time.Duration) {
		r, err := recording.NewRecording(bytes.NewReader(append(bytes.Clone(whole[:head]), data...)), engine.Parse)
		for err == nil {
			var ev *terms.Event
			var now time.Duration
			if now, ev, _, err = r.Next(); err == nil {
				list, times = append(list, *ev), append(times, now)
			}
		}
		return list, times
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = recording.NewRecording(bytes.NewReader(data), engine.Parse)
		list, times := read(data)
		var again bytes.Buffer
		r := recording.NewRecorder(&again, &terms.Config{}, &terms.Watch{}, &planner.Request{})
		for i := range list {
			if list[i].Kind == terms.Reconfigure || list[i].Kind == terms.Planned { // of whose engines and errors only names are kept
				return
			}
			r.Event(times[i], &list[i])
			r.Actions(nil)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		data = again.Bytes()[bytes.IndexByte(again.Bytes(), '\n')+1:]
		if l, at := read(data); !reflect.DeepEqual(l, list) || !reflect.DeepEqual(at, times) {
			t.Fatalf("%+v\nwere %+v", l, list)
		}
	})
}

// playerOf plays a recording with a new Manager.
func playerOf(r *recording.Recording) recording.Player {
	return recording.Player{Machine: NewManager(r.Made.Config, r.Made.Watch), Plan: planning.Plan}
}
