package replica

import (
	"testing"
	"time"

	"weft/sm/sa"
)

// TestSettled: a subnet may be handed over to a Follower that has a complete copy and answers, and
// may not when that one falls silent, nor when it has just been given up. One that stays silent
// after that is waited for no longer.
func TestSettled(t *testing.T) {
	w := newWorld(1)
	w.leader.Follow(0, w.members())
	settled := func() bool { return len(w.leader.Settled()) == 1 }
	if settled() {
		t.Fatal("settled before it has a copy")
	}
	w.run(3*time.Second, true)
	if !settled() || !w.followers[0].Good(w.now) {
		t.Fatal("not settled with a good copy")
	}
	answers := w.fate
	w.fate = func() []time.Duration { return nil }
	w.run(w.now+time.Second, true)
	for end := w.now + Patience + time.Second; w.now < end; w.run(w.now+100*time.Millisecond, true) {
		if settled() {
			t.Fatalf("at %v settled, and silent", w.now)
		}
	}
	w.fate = answers
	w.run(w.now+3*time.Second, true)
	if !settled() || !w.followers[0].Live() {
		t.Fatal("not settled after it answers again")
	}
	w.fate = func() []time.Duration { return nil }
	w.run(w.now+3*Patience, true)
	if !settled() {
		t.Error("one that answers nothing any more is waited for")
	}
}

// TestOwnGUID: a manager that says it has the master's own GUID is not waited for.
func TestOwnGUID(t *testing.T) {
	l := NewLeader(testKey, 1, Table{})
	l.Follow(0, []Member{{GUID: 1}})
	if n := l.Put([]sa.Entry{{EntryName: sa.EntryName{Kind: sa.Service, Key: "x"}, Value: []byte{}}}); l.Taken() != n {
		t.Error("the master waits for itself")
	}
}
