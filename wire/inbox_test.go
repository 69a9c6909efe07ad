package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"weft/wire/mad"
)

// TestInboxAgainstSlice compares the queue with a slice, also when it grows while
// its oldest datagram is not the first of the ring.
func TestInboxAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := NewInbox()
		var model []Datagram
		next := uint32(0)
		poll, cancel := context.WithCancel(context.Background())
		cancel()
		for range rapid.IntRange(1, 20).Draw(t, "rounds") {
			for range rapid.IntRange(0, 100).Draw(t, "pushes") {
				next++
				d := Datagram{Addr: Address{DQP: next}, MAD: binary.BigEndian.AppendUint32(nil, next)}
				if !q.Push(&d) {
					t.Fatal("Push refused")
				}
				model = append(model, d)
				d.MAD = nil
			}
			for range rapid.IntRange(0, 100).Draw(t, "pops") {
				var d Datagram
				err := q.Pop(poll, &d)
				if len(model) == 0 {
					if !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) {
						t.Fatalf("empty: %v", err)
					}
					break
				}
				if err != nil || d.Addr != model[0].Addr || !slices.Equal(d.MAD, model[0].MAD) {
					t.Fatalf("got %+v, %v, want %+v", d, err, model[0])
				}
				model = model[1:]
			}
		}
	})
}

func TestInboxDropsBeyondItsLimit(t *testing.T) {
	q := NewInbox()
	d := Datagram{MAD: make(mad.Datagram, mad.Header.Size)}
	for range inboxLimit {
		if !q.Push(&d) {
			t.Fatal("refused below the limit")
		}
	}
	for range 2 {
		if q.Push(&d) {
			t.Fatal("taken beyond the limit")
		}
	}
	if q.Dropped() != 2 {
		t.Fatalf("dropped %d", q.Dropped())
	}
	if err := q.Pop(t.Context(), &d); err != nil || !q.Push(&d) {
		t.Fatal("no room after Pop")
	}
	cause := errors.New("unplugged")
	q.Close(cause)
	q.Close(nil)
	if err := q.Pop(t.Context(), &d); !errors.Is(err, ErrClosed) || !errors.Is(err, cause) {
		t.Fatalf("after Close: %v", err)
	}
	if q.Push(&d) || q.Dropped() != 2 {
		t.Fatal("a closed queue takes or counts")
	}
}

// TestInboxManyReaders: no datagram is lost, and nobody sleeps while there is one.
func TestInboxManyReaders(t *testing.T) {
	const n = 2000
	q := NewInbox()
	seen := make([]int, n)
	var mu sync.Mutex
	var readers, all sync.WaitGroup
	all.Add(n)
	for range 4 {
		readers.Go(func() {
			var d Datagram
			for q.Pop(context.Background(), &d) == nil {
				mu.Lock()
				seen[d.Addr.DQP]++
				mu.Unlock()
				all.Done()
			}
		})
	}
	for i := range uint32(n) {
		q.Push(&Datagram{Addr: Address{DQP: i}})
	}
	all.Wait()
	q.Close(nil)
	readers.Wait()
	if i := slices.IndexFunc(seen, func(times int) bool { return times != 1 }); i >= 0 {
		t.Fatalf("datagram %d came %d times", i, seen[i])
	}
}

// TestInboxFeed: a Feeder gets every datagram once and in order, those that waited first.
func TestInboxFeed(t *testing.T) {
	const n, waiting = 2000, 100
	q := NewInbox()
	push := func(from, to uint32) {
		for i := from; i < to; i++ {
			q.Push(&Datagram{Addr: Address{DQP: i}})
		}
	}
	push(0, waiting)
	var seen []uint32
	ended, got := make(chan error), make(chan struct{})
	go func() {
		ended <- q.Feed(&Feeder{IsPatient: func() bool { return false }, Take: func(d *Datagram) {
			if seen = append(seen, d.Addr.DQP); len(seen) == n {
				close(got)
			}
		}})
	}()
	push(waiting, n)
	<-got
	for i := range seen {
		if seen[i] != uint32(i) {
			t.Fatalf("datagram %d came in place of %d", seen[i], i)
		}
	}
	q.Close(nil)
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("ended with %v", err)
	}
}

// TestInboxForgetsLongMessages: the memory of a long message goes with it.
func TestInboxForgetsLongMessages(t *testing.T) {
	q := NewInbox()
	var d Datagram
	for _, n := range []int{Size, 100 * Size} {
		q.Push(&Datagram{MAD: make(mad.Datagram, n)})
		if err := q.Pop(t.Context(), &d); err != nil || len(d.MAD) != n {
			t.Fatalf("%d bytes, %v", len(d.MAD), err)
		}
	}
	if cap(q.ring[0].MAD) < Size || q.ring[1].MAD != nil {
		t.Errorf("%d and %d bytes are kept", cap(q.ring[0].MAD), cap(q.ring[1].MAD))
	}
}
