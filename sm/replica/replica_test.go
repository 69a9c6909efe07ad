package replica

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

var testKey = KeyOf([]byte("secret"))

// world is a Leader and Followers with a wire between them, in virtual time.
type world struct {
	now       time.Duration
	leader    *Leader
	followers []*Follower
	standby   []bool
	flying    []flying
	nonces    uint64
	// fate says how late each copy of a message, or of an answer, comes.
	fate func() []time.Duration
}

// flying is a message or an answer under way, or the end of the patience with it.
type flying struct {
	at    time.Duration
	to    int // Follower; -1: the Leader
	tag   uint64
	d     wire.Datagram
	ended bool // the time for an answer is over
}

func newWorld(n int) *world {
	w := &world{fate: func() []time.Duration { return []time.Duration{time.Millisecond} }}
	w.leader = NewLeader(testKey, 1, Table{})
	for i := range n {
		w.followers = append(w.followers, w.newFollower(i))
		w.standby = append(w.standby, true)
	}
	return w
}

func (w *world) newFollower(i int) *Follower {
	return NewFollower(testKey, 100+guid(i), func() uint64 { w.nonces++; return w.nonces })
}

func (w *world) members() (all []Member) {
	for i := range w.followers {
		all = append(all, Member{100 + guid(i), wire.ToLID(uint16(i+1), 1)})
	}
	return all
}

// pump sends what the Leader wants sent; lost tells that none of it arrives.
func (w *world) pump() {
	for {
		d, tag, ok := w.leader.Next(w.now)
		if !ok {
			return
		}
		w.flying = append(w.flying, flying{at: w.now + Timeout, to: -1, tag: tag, ended: true})
		for _, late := range w.fate() {
			var c wire.Datagram
			c.CopyFrom(&d)
			w.flying = append(w.flying, flying{at: w.now + late, to: int(d.Addr.DLID) - 1, tag: tag, d: c})
		}
	}
}

// step lets time pass until something happens, at most until a moment; leader says whether the
// Leader lives.
func (w *world) step(until time.Duration, leader bool) bool {
	if leader {
		w.pump()
	}
	due := until
	if leader {
		due = min(due, max(w.now, w.leader.Deadline()))
	}
	first := -1
	for i := range w.flying {
		if f := &w.flying[i]; f.at <= due && (first < 0 || f.at < w.flying[first].at) {
			first = i
		}
	}
	if first < 0 {
		w.now = due
		return w.now < until
	}
	f := w.flying[first]
	w.flying = slices.Delete(w.flying, first, first+1)
	w.now = max(w.now, f.at)
	switch {
	case f.to >= 0:
		if w.followers[f.to].Take(w.now, w.standby[f.to], &f.d) {
			for _, late := range w.fate() {
				var c wire.Datagram
				c.CopyFrom(&f.d)
				w.flying = append(w.flying, flying{at: w.now + late, to: -1, tag: f.tag, d: c})
			}
		}
	case !leader:
	case f.ended:
		w.leader.Ended(w.now, f.tag, nil, false)
	default:
		w.leader.Ended(w.now, f.tag, f.d.MAD, false)
	}
	return true
}

func (w *world) run(until time.Duration, leader bool) {
	for w.step(until, leader) {
	}
}

// TestNothingAcknowledgedIsLost: whatever the wire does and whenever the Leader ends, a copy that a
// Follower calls good has all that was acknowledged. A Follower may also end and begin anew, or
// stand by no longer for a while.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	goods := 0
	draws.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.IntRange(1, 3).Draw(t, "followers"))
		loss := rapid.SampledFrom([]int{0, 5, 30, 60}).Draw(t, "loss")
		cut := time.Duration(-1) // until when nothing comes through one way
		percent, late := rapid.IntRange(0, 99), rapid.IntRange(0, 300)
		w.fate = func() (copies []time.Duration) {
			if w.now < cut {
				return nil
			}
			for range 1 + percent.Draw(t, "twice")/90 {
				if percent.Draw(t, "lost") >= loss {
					copies = append(copies, time.Duration(late.Draw(t, "late")/5)*time.Millisecond)
				}
			}
			return copies
		}
		w.leader.Follow(0, w.members())
		acked := Table{}
		var waiting []struct {
			number uint64
			e      sa.Entry
		}
		release := func() {
			for len(waiting) > 0 && waiting[0].number <= w.leader.Taken() {
				acked.Put(waiting[0].e)
				waiting = waiting[1:]
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			w.run(w.now+time.Duration(rapid.SampledFrom([]int{0, 1, 20, 300, 3000, 7000}).Draw(t, "ms"))*time.Millisecond, true)
			release()
			switch i := rapid.IntRange(0, len(w.followers)-1).Draw(t, "which"); rapid.IntRange(0, 9).Draw(t, "event") {
			case 0:
				w.followers[i] = w.newFollower(i)
			case 1:
				switch w.standby[i] = !w.standby[i]; {
				case w.standby[i]: // it has found the same master, which may be silent to it
					w.followers[i].StandBy(w.now, 1, true)
				case rapid.Bool().Draw(t, "becomes master"):
					w.followers[i].Look(w.now)
					w.followers[i].Close(w.now, false)
				default:
					w.followers[i].Look(w.now)
				}
			case 2:
				cut = w.now + time.Duration(rapid.IntRange(0, 8000).Draw(t, "cut"))*time.Millisecond
			default:
				e := sa.Entry{EntryName: sa.EntryName{Kind: sa.Service, Key: fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "key"))}}
				if rapid.IntRange(0, 3).Draw(t, "ends") > 0 {
					e.Value = []byte(fmt.Sprint(w.now, rapid.StringN(0, 300, 300).Draw(t, "value")))
				}
				waiting = append(waiting, struct {
					number uint64
					e      sa.Entry
				}{w.leader.Put([]sa.Entry{e}), e})
				release()
			}
		}
		w.run(w.now+time.Duration(rapid.IntRange(0, 2000).Draw(t, "last ms"))*time.Millisecond, true)
		release()
		died := w.now
		// What was told and not acknowledged may be there or not.
		open := map[sa.EntryName]bool{}
		for _, x := range waiting {
			open[x.e.EntryName] = true
		}
		w.run(w.now+time.Duration(rapid.SampledFrom([]int{0, 1000, 4000, 8000}).Draw(t, "dead ms"))*time.Millisecond, false)
		for i, f := range w.followers {
			if w.standby[i] {
				f.Look(w.now)
			} else if died-f.held.good >= Patience { // who looks for so long has to find out that the master is gone
				continue
			}
			if !f.Close(w.now, false) {
				continue
			}
			goods++
			got := maps.Clone(f.Copy().Table)
			for name := range open {
				delete(got, name)
				delete(acked, name)
			}
			if !maps.EqualFunc(got, acked, slices.Equal[[]byte]) {
				t.Fatalf("Follower %d has %v, acknowledged are %v", i, got, acked)
			}
		}
	}, func() string {
		if goods == 0 {
			return "no copy was ever good"
		}
		return ""
	})
}

// TestQuietWire: where nothing is lost a Follower is complete soon, has each change before it is
// acknowledged, and its copy is good when its master ends; it calls for a look in less than
// Patience. One that was away for longer says that its copy is not good.
func TestQuietWire(t *testing.T) {
	w := newWorld(2)
	for i := range 3000 { // far more than nearly
		w.leader.Put([]sa.Entry{{EntryName: sa.EntryName{Kind: sa.PortLID, Key: fmt.Sprint("port ", i)}, Value: []byte{1, 2, 3}}})
	}
	w.leader.Follow(0, w.members())
	w.run(300*time.Millisecond, true)
	if !w.followers[0].Following() || w.followers[0].Live() {
		t.Fatalf("a part of a copy passes for all of it, or nothing came: %d", len(w.followers[0].incoming.table))
	}
	w.run(5*time.Second, true)
	if w.leader.Synced() != 2 || len(w.followers[0].Copy().Table) != 3000 {
		t.Fatalf("%d are synced, the first has %d entries", w.leader.Synced(), len(w.followers[0].Copy().Table))
	}
	n := w.leader.Put([]sa.Entry{{EntryName: sa.EntryName{Kind: sa.Service, Key: "x"}, Value: []byte{}}})
	if w.leader.Taken() >= n {
		t.Fatal("a change counts as taken before it is sent")
	}
	w.run(w.now+100*time.Millisecond, true)
	if w.leader.Taken() != n || w.followers[1].Copy().Table[sa.EntryName{Kind: sa.Service, Key: "x"}] == nil {
		t.Fatal("a change is not taken")
	}
	w.run(w.now+time.Second, true)
	if quiet := w.followers[0].Quiet(); quiet > w.now+Silence || quiet < w.now {
		t.Errorf("the master is looked for at %v, it is %v", quiet, w.now)
	}
	w.run(w.followers[0].Quiet(), false)
	if w.followers[0].Look(w.now); !w.followers[0].Close(w.now, false) {
		t.Error("the copy is not good when the master is missed")
	}
	w.run(w.now+Patience, false)
	if w.followers[1].Look(w.now); w.followers[1].Close(w.now, false) {
		t.Error("the copy is good for longer than Patience")
	}
}

// TestOthersAreLeftAlone: managers that know no such message are asked once, and hold nothing up;
// messages of those who do not know the key have no answer.
func TestOthersAreLeftAlone(t *testing.T) {
	w := newWorld(1)
	w.leader.Follow(0, w.members())
	_, tag, ok := w.leader.Next(0)
	if !ok {
		t.Fatal("nothing is sent")
	}
	w.leader.Ended(1, tag, nil, true)
	if due := w.leader.Deadline(); due != never {
		t.Errorf("it is asked again at %v", due)
	}
	if n := w.leader.Put([]sa.Entry{{EntryName: sa.EntryName{Kind: sa.Service, Key: "x"}, Value: []byte{}}}); w.leader.Taken() != n {
		t.Error("it holds a change up")
	}
	forged := NewLeader(KeyOf([]byte("other")), 1, Table{})
	forged.Follow(0, w.members())
	d, _, _ := forged.Next(0)
	if w.followers[0].Take(0, true, &d) || w.followers[0].Rejected != 1 {
		t.Error("a message with another key is answered")
	}
}

// FuzzTake: a Follower survives whatever somebody who knows the key sends.
func FuzzTake(f *testing.F) {
	f.Add([]byte{2, 1, 1, 2, 5, 0, 2, 'k', 'v'}, uint8(1))
	f.Add([]byte{1, 0}, uint8(0))
	f.Fuzz(func(t *testing.T, payload []byte, flags uint8) {
		w := newWorld(1)
		w.leader.Follow(0, w.members())
		w.run(10*time.Millisecond, true)
		q, err := mad.Request{Method: mad.Set, Attr: Attr}.SA(make([]byte, mad.Size), 0)
		if err != nil {
			t.Fatal(err)
		}
		fol := w.followers[0]
		for len(payload) > 0 {
			n := min(len(payload), mostPayload)
			testKey.seal(q, &message{kind: kind(1 + flags%3), flags: flags, session: fol.incoming.session, number: fol.incoming.number + 1, from: 1, payload: payload[:n]})
			mad.HeaderMethod.Put(q, uint64(mad.Set))
			d := wire.Datagram{Addr: wire.ToLID(1, 1), MAD: append(mad.Datagram(nil), q...)}
			fol.Take(w.now, true, &d)
			payload = payload[n:]
		}
		if len(fol.incoming.rest) > 4+sa.LongestKey+sa.LongestValue+mostPayload {
			t.Fatalf("%d bytes of a stream are kept", len(fol.incoming.rest))
		}
	})
}

func guid(i int) fabric.GUID { return fabric.GUID(i) }

// TestHeldByOneThatMayBeMaster: nothing is acknowledged while a Follower with a complete copy says
// that it stands by no longer; when it does again, or is silent for long, all goes on. A Leader
// that was away itself asks first.
func TestHeldByOneThatMayBeMaster(t *testing.T) {
	for _, dies := range []bool{false, true} {
		w := newWorld(1)
		w.leader.Follow(0, w.members())
		w.run(2*time.Second, true)
		w.run(w.now+time.Minute, false) // the Leader is away
		w.followers[0].Look(w.now)
		good := w.followers[0].Close(w.now, false)
		w.standby[0] = false
		n := w.leader.Put([]sa.Entry{{EntryName: sa.EntryName{Kind: sa.Service, Key: "x"}, Value: []byte{}}})
		w.run(w.now+20*time.Second, true)
		if good || w.leader.Taken() >= n {
			t.Fatalf("good %v, taken %d of %d", good, w.leader.Taken(), n)
		}
		if dies {
			w.fate = func() []time.Duration { return nil }
		} else {
			w.standby[0] = true
		}
		w.run(w.now+Patience+3*time.Second, true)
		if w.leader.Taken() != n {
			t.Errorf("dies %v: taken %d of %d", dies, w.leader.Taken(), n)
		}
		if synced := w.leader.Synced() == 1; synced == dies {
			t.Errorf("dies %v, synced %v", dies, synced)
		}
	}
}
