package sm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/loop"
	"weft/wire/mad"
)

// TestWaitingShares: whatever is asked and however long answers take, each kind of query gets its share of the time and no more while the Manager is at work, all of it otherwise; none waits while it
// may be answered; and sources are answered in turn.
func TestWaitingShares(t *testing.T) {
	methods := [numKindsOfQuery]mad.Method{mad.Get, mad.GetTable, mad.Set}
	rapid.Check(t, func(t *rapid.T) {
		cores := time.Duration(rapid.SampledFrom([]int{1, 2, 4, 16, 200}).Draw(t, "cores"))
		w := newWaiting(int(cores))
		longest := time.Duration(rapid.IntRange(1, 2000).Draw(t, "microseconds at most")) * time.Microsecond
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var used [numKindsOfQuery]time.Duration
		var waits [numKindsOfQuery]int
		var now, begun time.Duration
		var d wire.Datagram
		busy := time.Duration(0)
		for range 3000 {
			for range rng.IntN(3) {
				kind := rng.IntN(numKindsOfQuery)
				m := request(methods[kind], mad.AttrServiceRecord, 0, make([]byte, 200))
				if w.push(&wire.Datagram{Addr: wire.Address{SLID: uint16(1 + rng.IntN(3))}, MAD: m}) == nil {
					waits[kind]++
				}
			}
			if rng.IntN(500) == 0 {
				w.follow(!w.atWork.Load())
				begun, used = now, [numKindsOfQuery]time.Duration{}
			}
			room := rng.IntN(4) > 0
			if !w.pop(now, room, &d) {
				for kind, n := range waits {
					if n > 0 && (room || kind != forChange) && !w.atWork.Load() {
						t.Fatalf("%d queries of kind %d wait for nothing", n, kind)
					}
				}
				due := w.due(room)
				if w.atWork.Load() && due <= now {
					t.Fatalf("nothing may be answered at %v, and is due at %v", now, due)
				}
				now = min(due, now+time.Duration(rng.IntN(2000))*time.Microsecond)
				continue
			}
			kind := w.last
			if methods[kind] != d.MAD.Method() || kind == forChange && !room {
				t.Fatalf("a %v is taken as of kind %d", d.MAD.Method(), kind)
			}
			waits[kind]--
			took := 1 + time.Duration(rng.Int64N(int64(longest)))
			w.took(now, now+took)
			now += took
			slice := min(sharePeriod, sharePeriod*cores/partsAtWork[kind])
			if used[kind] += took; w.atWork.Load() && used[kind] > (now-begun)*slice/sharePeriod+slice+longest {
				t.Fatalf("kind %d has had %v in %v", kind, used[kind], now-begun)
			}
			busy += took
		}
		if busy == 0 {
			t.Fatal("nothing is answered")
		}
	})
}

// TestBusyAtWork: who is left out is told that we are busy, in a bounded share of the time while the Manager is at work: the others are counted.
func TestBusyAtWork(t *testing.T) {
	now := time.Duration(0)
	sent := 0
	medium := loop.New(func(*wire.Datagram, func(*wire.Datagram)) {
		sent++
		now += 10 * time.Microsecond
	}, loop.Options{})
	a := newAdministration(medium, func() time.Duration { return now })
	d := wire.Datagram{Addr: wire.Address{SLID: 7}, MAD: request(mad.Get, mad.AttrNodeRecord, 0, nil)}
	for range mostQueuedOfSource {
		a.ask(&d)
	}
	for range 1000 {
		a.ask(&d)
	}
	if sent != 1000 {
		t.Errorf("of 1000 queries that are left out %d are told that we are busy", sent)
	}
	a.in.follow(true)
	sent = 0
	for range 10_000 {
		now += 10 * time.Microsecond
		a.ask(&d)
	}
	if _, unheeded := a.counts.now(); sent == 0 || sent > 10_000/10 || unheeded != 10_000-sent {
		t.Errorf("while the Manager is at work %d of 10000 are told that we are busy, %d are counted as unheeded", sent, unheeded)
	}
}

// TestGroupsInPieces: many groups whose members change at once are worked on in pieces, between which the Manager looks at what has happened: a Step cuts so many trees and no more, and so many SMPs are
// under way; groups take turns, so that one that changes once gets its tree while others change all the time; and in the end switches hold all as it should be.
func TestGroupsInPieces(t *testing.T) {
	const many = 3*mostCut + 100
	m := manyGroups(t, "rlft(6,2)", many)
	v, gs := m.v, &m.v.manager.groups
	members := m.members
	v.members = func() ([]sa.Members, bool) { return members, true }
	cut, under := 0, 0
	var last []sa.Members
	v.onEvent = func() {
		if n := changedMembers(last, gs.told); n > 0 {
			cut, last = max(cut, n), gs.told
		}
		under = max(under, gs.outstanding)
	}
	v.step(&Event{Kind: MembersChanged})
	v.runUntil(v.now + 20*time.Second)
	if len(gs.told) != many || gs.stale || gs.partly {
		t.Fatalf("%d of %d groups have trees", len(gs.told), many)
	}
	// The lower half changes all the time; the last one once.
	g := v.manager.inForce.graph
	members = slices.Clone(members)
	members[many-1].Receivers = g.EndGUID[:6]
	begun := v.now
	for flip := 0; changedMembers(gs.told[many-1:], members[many-1:]) > 0; flip++ {
		members = slices.Clone(members)
		for i := range many / 2 {
			members[i].Receivers = g.EndGUID[(i+flip)%5:][:2]
		}
		v.step(&Event{Kind: MembersChanged})
		if v.runUntil(v.now + 10*time.Millisecond); v.now > begun+10*time.Second {
			t.Fatalf("a group has no tree of its members after %v", v.now-begun)
		}
	}
	v.step(&Event{Kind: MembersChanged})
	v.runUntil(v.now + 20*time.Second)
	if cut == 0 || cut > mostCut || under == 0 || under > mostGroupBlocks {
		t.Errorf("%d trees are cut in a Step, %d SMPs are under way", cut, under)
	}
	// All is read again: nothing is to be written.
	sets := 0
	v.onAction = func(a *Action) {
		if a.Kind == Send && a.Method == mad.Set && a.Attr == mad.AttrMulticastForwardingTable {
			sets++
		}
	}
	gs.held, gs.all, gs.stale = nil, true, true
	v.step(&Event{Kind: Tick})
	v.runUntil(v.now + 5*time.Second)
	if n := changedMembers(gs.told, members); n > 0 || sets > 0 || gs.step != groupsRest {
		t.Errorf("%d groups have the tree of other members, %d blocks are not as they should be", n, sets)
	}
}

// changedMembers counts the groups that have other members than before.
func changedMembers(before, now []sa.Members) (n int) {
	had := map[fabric.LID]*sa.Members{}
	for i := range before {
		had[before[i].MLID] = &before[i]
	}
	for i := range now {
		if b := had[now[i].MLID]; b == nil || !slices.Equal(b.Receivers, now[i].Receivers) {
			n++
		}
	}
	return n
}
