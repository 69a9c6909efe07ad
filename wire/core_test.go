package wire

import (
	"errors"
	"testing"
	"time"

	"weft/wire/mad"
)

const ms = time.Millisecond

func TestAnswered(t *testing.T) {
	w := newWorld(t, Config{})
	w.medium = w.answerAfter(7 * ms)
	w.request(1, Request{})
	w.run()
	if got := w.wantErr(1, nil); got.at != 7*ms || got.Attempts != 1 || got.Reply == nil {
		t.Errorf("ended %+v", got)
	}
	w.wantCounters(Counters{Started: 1, Sent: 1, Answered: 1})
}

func TestLossIsRetriedAtTheTimeout(t *testing.T) {
	w := newWorld(t, Config{Timeout: 100 * ms, Retries: 2})
	w.medium = w.answerAfter(-1, -1, 5*ms)
	w.request(1, Request{})
	w.run()
	if got := w.wantErr(1, nil); got.at != 205*ms || got.Attempts != 3 {
		t.Errorf("ended %+v", got)
	}
	if s := w.sent[1]; s[0].tid != s[1].tid || s[1].tid != s[2].tid {
		t.Errorf("the TID changed between attempts: %+v", s)
	}
	w.wantCounters(Counters{Started: 1, Sent: 3, Retried: 2, Answered: 1})
}

func TestTimeout(t *testing.T) {
	w := newWorld(t, Config{Timeout: 100 * ms, Retries: 2})
	w.request(1, Request{})
	w.request(2, Request{Retries: NoRetries})
	w.request(3, Request{Timeout: 10 * ms, Retries: 1})
	w.run()
	for tag, want := range map[uint64]struct {
		at       time.Duration
		attempts int
	}{1: {300 * ms, 3}, 2: {100 * ms, 1}, 3: {20 * ms, 2}} {
		got := w.wantErr(tag, ErrTimeout)
		var re *RequestError
		if !errors.As(got.Err, &re) || re.Attempts != want.attempts || re.Class != mad.ClassDirectedSMP {
			t.Errorf("request %d: error %v", tag, got.Err)
		}
		if got.at != want.at || got.Attempts != want.attempts || got.Reply != nil {
			t.Errorf("request %d ended %+v, want %+v", tag, got, want)
		}
	}
	w.wantCounters(Counters{Started: 3, Sent: 6, Retried: 3, TimedOut: 3})
}

// TestLateAnswer: the answer to the first copy comes after the second was sent.
func TestLateAnswer(t *testing.T) {
	w := newWorld(t, Config{Timeout: 100 * ms})
	w.medium = w.answerAfter(130*ms, 60*ms)
	w.request(1, Request{})
	w.run()
	if got := w.wantErr(1, nil); got.at != 130*ms || got.Attempts != 2 {
		t.Errorf("ended %+v", got)
	}
	w.wantCounters(Counters{Started: 1, Sent: 2, Retried: 1, Answered: 1, Stray: 1})
}

// TestTooLateAnswer: an answer to a request that was given up is nobody's, also
// when another request has the place.
func TestTooLateAnswer(t *testing.T) {
	w := newWorld(t, Config{Timeout: 100 * ms, Retries: NoRetries, Window: 1})
	w.medium = w.answerAfter(150*ms, 99*ms)
	w.request(1, Request{})
	w.request(2, Request{})
	w.run()
	w.wantErr(1, ErrTimeout)
	if got := w.wantErr(2, nil); got.at != 199*ms {
		t.Errorf("ended %+v", got)
	}
	w.wantCounters(Counters{Started: 2, Sent: 2, TimedOut: 1, Answered: 1, Stray: 1})
}

// TestSamePlaceInTheTable: nor does it matter that the other's TID differs by the
// size of the table only.
func TestSamePlaceInTheTable(t *testing.T) {
	w := newWorld(t, Config{Retries: NoRetries})
	w.request(1, Request{})
	w.run()
	w.wantErr(1, ErrTimeout)
	late := answerTo(getNodeInfo(t))
	mad.HeaderTransactionID.Put(late, uint64(w.sent[1][0].tid))
	w.core.tid += uint32(len(w.core.byTID)) - 1
	w.request(2, Request{})
	w.arrive(late)
	if len(w.results[2]) != 0 {
		t.Fatal("a late answer ended another request")
	}
	w.wantCounters(Counters{Started: 2, Sent: 2, TimedOut: 1, Stray: 1})
}

func TestDuplicates(t *testing.T) {
	w := newWorld(t, Config{})
	w.medium = func(a *Action) {
		m := answerTo(a.Datagram.MAD)
		for d := range 3 {
			w.after(time.Duration(d)*ms, func() { w.arrive(m) })
		}
	}
	w.request(1, Request{})
	w.run()
	w.wantErr(1, nil)
	w.wantCounters(Counters{Started: 1, Sent: 1, Answered: 1, Stray: 2})
}

func TestWindow(t *testing.T) {
	w := newWorld(t, Config{Window: 2})
	w.medium = func(a *Action) {
		m := answerTo(a.Datagram.MAD)
		w.after(10*ms, func() { w.arrive(m) })
	}
	for tag := range uint64(5) {
		w.request(tag, Request{})
	}
	w.run()
	for tag, want := range []time.Duration{10 * ms, 10 * ms, 20 * ms, 20 * ms, 30 * ms} {
		if got := w.one(uint64(tag)); got.at != want {
			t.Errorf("request %d ended at %v, want %v", tag, got.at, want)
		}
	}
}

// TestPatient: patient requests leave room in the window for others, up to a limit.
func TestPatient(t *testing.T) {
	w := newWorld(t, Config{Window: 1})
	w.medium = func(a *Action) {
		m := answerTo(a.Datagram.MAD)
		w.after(10*ms, func() { w.arrive(m) })
	}
	for tag := range uint64(maxPatient + 1) {
		w.request(tag, Request{Patient: true})
		if tag < maxPatient && !w.core.IsPatient() {
			t.Fatalf("%d patient requests are in flight, and no others", tag+1)
		}
	}
	if w.core.IsPatient() {
		t.Errorf("the request beyond the limit does not count for the window")
	}
	const next = maxPatient + 1
	w.request(next, Request{})
	w.run()
	for tag := range uint64(next) {
		if got := w.wantErr(tag, nil); got.at != 10*ms {
			t.Errorf("patient request %d ended at %v", tag, got.at)
		}
	}
	if got := w.wantErr(next, nil); got.at != 20*ms {
		t.Errorf("the request behind a full window ended at %v", got.at)
	}
	w.request(next+1, Request{Patient: true})
	if !w.core.IsPatient() {
		t.Errorf("requests that ended are still counted")
	}
}

func TestBadStatus(t *testing.T) {
	w := newWorld(t, Config{})
	w.medium = func(a *Action) {
		m := answerTo(a.Datagram.MAD)
		m.SetStatus(mad.StatusBadField)
		w.arrive(m)
	}
	w.request(1, Request{})
	got := w.one(1)
	var se *StatusError
	if !errors.As(got.Err, &se) || se.Status != mad.StatusBadField || got.Reply == nil {
		t.Errorf("ended %+v", got)
	}
	w.wantCounters(Counters{Started: 1, Sent: 1, Answered: 1})
}

// TestBusyPeer: busy means try again, at the end of the attempt.
func TestBusyPeer(t *testing.T) {
	busy := func(w *world, a *Action) {
		m := answerTo(a.Datagram.MAD)
		m.SetStatus(mad.StatusBusy)
		w.after(ms, func() { w.arrive(m) })
	}
	w := newWorld(t, Config{Timeout: 100 * ms, Retries: 1})
	answer := w.answerAfter(-1, 5*ms)
	w.medium = func(a *Action) {
		if len(w.sent[1]) == 1 {
			busy(w, a)
		}
		answer(a)
	}
	w.request(1, Request{})
	w.run()
	if got := w.wantErr(1, nil); got.at != 105*ms {
		t.Errorf("ended %+v", got)
	}

	// Busy once and silent then is silent.
	w = newWorld(t, Config{Timeout: 100 * ms, Retries: 1})
	w.medium = func(a *Action) {
		if len(w.sent[1]) == 1 {
			busy(w, a)
		}
	}
	w.request(1, Request{})
	w.run()
	w.wantErr(1, ErrTimeout)

	w = newWorld(t, Config{Timeout: 100 * ms, Retries: 1})
	w.medium = func(a *Action) { busy(w, a) }
	w.request(1, Request{})
	w.run()
	got := w.one(1)
	var se *StatusError
	if !errors.As(got.Err, &se) || se.Status != mad.StatusBusy || got.at != 200*ms {
		t.Errorf("ended %+v", got)
	}
}

func TestUnsolicited(t *testing.T) {
	w := newWorld(t, Config{})
	w.request(1, Request{})
	tid := uint64(w.sent[1][0].tid)
	request := getNodeInfo(t)
	mad.HeaderTransactionID.Put(request, tid) // a peer may use the same number
	w.arrive(request)
	trap, err := mad.Request{Method: mad.Trap, Attr: mad.AttrNotice, TID: tid}.Routed(make([]byte, mad.Size))
	if err != nil {
		t.Fatal(err)
	}
	w.arrive(trap)
	if len(w.heard) != 2 || len(w.results) != 0 {
		t.Fatalf("heard %d, %d requests ended", len(w.heard), len(w.results))
	}
	// Answers of another class, or of another kind, are not the request's.
	other := answerTo(request)
	other[1] = byte(mad.ClassSMP)
	w.arrive(other)
	repress := answerTo(request)
	repress[3] = byte(mad.TrapRepress)
	w.arrive(repress)
	w.arrive(request[:mad.Header.Size-1])
	if len(w.results) != 0 {
		t.Fatal("ended by another's answer")
	}
	w.wantCounters(Counters{Started: 1, Sent: 1, Unsolicited: 2, Stray: 2, Malformed: 1})
}

func TestTrapIsEndedByRepress(t *testing.T) {
	w := newWorld(t, Config{})
	w.medium = w.answerAfter(ms)
	trap, err := mad.Request{Method: mad.Trap, Attr: mad.AttrNotice}.Routed(make([]byte, mad.Size))
	if err != nil {
		t.Fatal(err)
	}
	w.request(1, Request{MAD: trap})
	w.run()
	if got := w.wantErr(1, nil); got.Reply.MAD.Method() != mad.TrapRepress {
		t.Errorf("ended by %v", got.Reply.MAD.Method())
	}
}

// TestRMPP: acknowledgements and segments of no request are not answers.
func TestRMPP(t *testing.T) {
	w := newWorld(t, Config{})
	table, err := mad.Request{Method: mad.GetTable, Attr: 0x11}.SA(make([]byte, mad.Size), 0)
	if err != nil {
		t.Fatal(err)
	}
	w.request(1, Request{Addr: ToLID(1, 1), MAD: table})
	mad.HeaderTransactionID.Put(table, uint64(w.sent[1][0].tid))
	segment := answerTo(table)
	mad.RMPPVersion.Put(segment, 1)
	mad.RMPPFlags.Put(segment, mad.RMPPActive)
	mad.RMPPType.Put(segment, mad.RMPPTypeAck)
	w.arrive(segment)
	if len(w.heard) != 1 || len(w.results) != 0 {
		t.Fatalf("after an ACK: heard %d, %d requests ended", len(w.heard), len(w.results))
	}
	mad.RMPPType.Put(segment, mad.RMPPTypeData)
	w.arrive(segment)
	w.arrive(segment)
	w.wantErr(1, nil)
	if len(w.heard) != 2 {
		t.Errorf("heard %d", len(w.heard))
	}
}

func TestClose(t *testing.T) {
	w := newWorld(t, Config{Window: 1})
	w.request(1, Request{})
	w.request(2, Request{})
	died := Closed(errors.New("unplugged"))
	w.do(w.core.Close(died, nil))
	w.do(w.core.Close(ErrClosed, nil))
	w.request(3, Request{})
	for tag := range uint64(3) {
		w.wantErr(tag+1, ErrClosed)
		w.wantErr(tag+1, died)
	}
	if _, ok := w.core.Deadline(); ok || w.core.inFlight != 0 {
		t.Errorf("%d in flight after Close", w.core.inFlight)
	}
	w.wantCounters(Counters{Started: 3, Sent: 1, Failed: 3})
}

// TestTIDs: they come round, 0 is left out, and so are those in flight.
func TestTIDs(t *testing.T) {
	w := newWorld(t, Config{Window: 8})
	size := uint32(len(w.core.byTID))
	w.core.tid = -size - 2
	w.request(0, Request{}) // stays in flight
	first := w.sent[0][0].tid
	w.medium = func(a *Action) { w.arrive(answerTo(a.Datagram.MAD)) }
	seen := map[uint32]bool{first: true}
	for tag := range uint64(3 * size) {
		w.request(tag+1, Request{})
		tid := w.sent[tag+1][0].tid
		if tid == 0 || seen[tid] || tid%size == first%size {
			t.Fatalf("TID %#x, first %#x", tid, first)
		}
		seen[tid] = true
	}
}

func TestMalformed(t *testing.T) {
	w := newWorld(t, Config{})
	w.request(1, Request{MAD: make(mad.Datagram, mad.Header.Size-1)})
	w.wantErr(1, ErrMalformed)
	w.medium = w.answerAfter(0)
	w.request(2, Request{})
	w.run()
	w.wantErr(2, nil)
}
