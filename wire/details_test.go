package wire

import (
	"context"
	"testing"
	"time"

	"weft/wire/mad"
)

// TestReplyAddress: an answer goes back to the LID and the queue pair that asked.
func TestReplyAddress(t *testing.T) {
	a := Address{DLID: 1, SLID: 2, DQP: 3, SQP: 4, QKey: 5, PKeyIndex: 6, SL: 7}
	if got, want := a.Reply(), (Address{DLID: 2, SLID: 1, DQP: 4, SQP: 3, QKey: 5, PKeyIndex: 6, SL: 7}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestSecondReader: if two datagrams arrive before a reader wakes up, that reader wakes another.
func TestSecondReader(t *testing.T) {
	q := NewInbox()
	got := make(chan error, 2)
	for range 2 {
		go func() {
			var d Datagram
			got <- q.Pop(context.Background(), &d)
		}()
	}
	for waiting := 0; waiting < 2; time.Sleep(time.Millisecond) {
		q.mu.Lock()
		if waiting = q.waiting; waiting == 2 { // both at once, by one signal
			q.n = 2
			q.signal()
		}
		q.mu.Unlock()
	}
	for range 2 {
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
}

// TestLargeIsForgotten: the memory of a long message is not kept in the queue.
func TestLargeIsForgotten(t *testing.T) {
	q := NewInbox()
	var d Datagram
	for _, size := range []int{Size, 100 * Size} {
		q.Push(&Datagram{MAD: make(mad.Datagram, size)})
		at := q.head
		if err := q.Pop(context.Background(), &d); err != nil {
			t.Fatal(err)
		}
		if kept := cap(q.ring[at].MAD); (kept > 0) != (size == Size) {
			t.Errorf("of %d bytes room for %d is kept", size, kept)
		}
	}
}

// request is a request to our own node.
func request(t *testing.T, tag uint64) *Request {
	t.Helper()
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Request{Addr: Directed(), MAD: m, Tag: tag}
}

// TestNothingAfterClose: what waited for the window is not sent when all has ended.
func TestNothingAfterClose(t *testing.T) {
	c := NewCore(Config{Window: 1})
	var out []Action
	for tag := range uint64(3) {
		_, out = c.Request(0, request(t, tag), out)
	}
	if out = c.Close(ErrClosed, nil); len(out) != 3 {
		t.Fatalf("%d requests have ended", len(out))
	}
	if out = c.Tick(time.Hour, nil); len(out) > 0 {
		t.Errorf("%+v", out)
	}
}

// TestBusy: an answer that says busy, whatever else it says, ends nothing until the attempts are
// over.
func TestBusy(t *testing.T) {
	c := NewCore(Config{Timeout: time.Second, Retries: NoRetries})
	_, out := c.Request(0, request(t, 1), nil)
	answer := append(mad.Datagram(nil), out[0].Datagram.MAD...)
	answer[3] = byte(mad.GetResp)
	mad.HeaderStatus.Put(answer, 0x8000|uint64(mad.StatusBusy)|0x4)
	if out = c.Arrived(0, &Datagram{MAD: answer}, nil); len(out) > 0 {
		t.Fatalf("%+v", out)
	}
	if out = c.Tick(time.Second, nil); len(out) != 1 || out[0].Kind != Complete || out[0].Result.Err == nil {
		t.Errorf("%+v", out)
	}
}
