package wire

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"weft/wire/mad"
)

// world drives a Core in virtual time.
type world struct {
	t       tester
	core    *Core
	now     time.Duration
	events  []event
	order   int
	medium  func(a *Action)       // what happens to a Send
	results map[uint64][]outcome  // by tag
	sent    map[uint64][]sentCopy // by tag, through ids
	tags    map[ID]uint64
	heard   []mad.Datagram // delivered as unsolicited
}

// tester is what testing and rapid have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

type event struct {
	at    time.Duration
	order int
	run   func()
}

type outcome struct {
	at time.Duration
	Result
}

type sentCopy struct {
	at  time.Duration
	tid uint32
}

func newWorld(t tester, cfg Config) *world {
	return &world{
		t: t, core: NewCore(cfg), medium: func(*Action) {},
		results: map[uint64][]outcome{}, sent: map[uint64][]sentCopy{}, tags: map[ID]uint64{},
	}
}

// after schedules an event; events at the same time happen in order of scheduling.
func (w *world) after(d time.Duration, run func()) {
	w.order++
	w.events = append(w.events, event{w.now + d, w.order, run})
}

// run advances time until no event is left.
func (w *world) run() {
	for range 1_000_000 {
		due, ok := w.core.Deadline()
		if !w.step(due, ok) {
			return
		}
	}
	w.t.Fatal("the core never comes to rest")
}

// step does the next event: the core's deadline, or ours; ours first where both
// are due at the same time.
func (w *world) step(due time.Duration, armed bool) bool {
	if len(w.events) > 0 {
		i := 0
		for j := range w.events {
			if cmp.Or(cmp.Compare(w.events[j].at, w.events[i].at), cmp.Compare(w.events[j].order, w.events[i].order)) < 0 {
				i = j
			}
		}
		if e := w.events[i]; !armed || e.at <= due {
			w.events = slices.Delete(w.events, i, i+1)
			w.now = e.at
			e.run()
			return true
		}
	}
	if armed {
		w.now = max(w.now, due)
		w.do(w.core.Tick(w.now, nil))
	}
	return armed
}

// request starts a request with a tag.
func (w *world) request(tag uint64, q Request) ID {
	w.t.Helper()
	if q.MAD == nil {
		q.MAD = getNodeInfo(w.t)
	}
	q.Tag = tag
	id, actions := w.core.Request(w.now, &q, nil)
	w.tags[id] = tag
	w.do(actions)
	return id
}

func (w *world) arrive(m mad.Datagram) {
	w.do(w.core.Arrived(w.now, &Datagram{Addr: Directed(), MAD: m}, nil))
}

func (w *world) giveBack(m mad.Datagram) {
	w.do(w.core.Arrived(w.now, &Datagram{Addr: Directed(), MAD: m[:mad.Header.Size], Undelivered: true}, nil))
}

// do carries out what the core wants. The datagrams are copied, since the core may
// reuse their memory.
func (w *world) do(actions []Action) {
	w.t.Helper()
	for i := range actions {
		a := &actions[i]
		a.Datagram.MAD = slices.Clone(a.Datagram.MAD)
	}
	if w.core.inFlight > w.core.cfg.Window {
		w.t.Fatalf("%d requests in flight, window %d", w.core.inFlight, w.core.cfg.Window)
	}
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case Send:
			tag := w.tags[a.ID]
			w.sent[tag] = append(w.sent[tag], sentCopy{w.now, uint32(a.Datagram.MAD.TID())})
			w.medium(a)
		case Complete:
			tag := a.Result.Tag
			w.results[tag] = append(w.results[tag], outcome{w.now, a.Result})
		case Deliver:
			w.heard = append(w.heard, a.Datagram.MAD)
		}
	}
}

// answerAfter is a medium that answers every copy after the delays given, one
// after the other; a negative delay is a loss, and so is every further copy.
func (w *world) answerAfter(delays ...time.Duration) func(*Action) {
	return func(a *Action) {
		if len(delays) == 0 {
			return
		}
		d := delays[0]
		delays = delays[1:]
		if m := answerTo(a.Datagram.MAD); d >= 0 {
			w.after(d, func() { w.arrive(m) })
		}
	}
}

// one is the only result of a request.
func (w *world) one(tag uint64) outcome {
	w.t.Helper()
	if n := len(w.results[tag]); n != 1 {
		w.t.Fatalf("request %d ended %d times", tag, n)
	}
	return w.results[tag][0]
}

func (w *world) wantErr(tag uint64, want error) outcome {
	w.t.Helper()
	got := w.one(tag)
	if !errors.Is(got.Err, want) {
		w.t.Fatalf("request %d ended with %v, want %v", tag, got.Err, want)
	}
	return got
}

func (w *world) wantCounters(want Counters) {
	w.t.Helper()
	if got := w.core.counters; got != want {
		w.t.Errorf("counters\n got %+v\nwant %+v", got, want)
	}
}

func getNodeInfo(t tester) mad.Datagram {
	t.Helper()
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// answerTo is the answer, with the high half of the TID changed as media do.
func answerTo(m mad.Datagram) mad.Datagram {
	m = slices.Clone(m)
	mad.HeaderTransactionID.Put(m, 0x5A5A5A5A<<32|m.TID()&0xFFFFFFFF)
	m.Answer(mad.StatusOK)
	return m
}
