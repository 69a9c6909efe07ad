package replica

import (
	"bytes"
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
)

// peer is a manager in a line of masters.
type peer struct {
	leader   *Leader
	table    Table
	follower *Follower
	state    string      // "master", "standby", "looking", "dead"
	told     fabric.GUID // port of the master that its own port knows
}

// reigns are managers of which one is the master at a time, in virtual time.
type reigns struct {
	now    time.Duration
	peers  []*peer
	nonces uint64
	wire   []func() // what arrives, in order of at
	at     []time.Duration
	fate   func(from, to int) (late time.Duration, lost bool)
}

func (r *reigns) start(i int) {
	p := &peer{table: Table{}, state: "looking"}
	p.leader = NewLeader(testKey, 1+guid(i), p.table)
	p.follower = NewFollower(testKey, 1+guid(i), func() uint64 { r.nonces++; return r.nonces })
	r.peers[i] = p
}

// later does something at a time.
func (r *reigns) later(at time.Duration, do func()) {
	i, _ := slices.BinarySearch(r.at, at+1)
	r.at, r.wire = slices.Insert(r.at, i, at), slices.Insert(r.wire, i, do)
}

// carry sends a datagram, and what is done with it there.
func (r *reigns) carry(from, to int, d *wire.Datagram, do func(p *peer, d *wire.Datagram)) {
	late, lost := r.fate(from, to)
	if lost {
		return
	}
	var c wire.Datagram
	c.CopyFrom(d)
	is := r.peers[to]
	r.later(r.now+late, func() {
		if r.peers[to] == is && is.state != "dead" { // not another one in its place
			do(is, &c)
		}
	})
}

func (r *reigns) master() int {
	return slices.IndexFunc(r.peers, func(p *peer) bool { return p.state == "master" })
}

// run lets time pass.
func (r *reigns) run(until time.Duration) {
	for {
		at, due := r.master(), until
		if at >= 0 {
			for {
				l := r.peers[at].leader
				d, tag, ok := l.Next(r.now)
				if !ok {
					break
				}
				r.later(r.now+Timeout, func() { l.Ended(r.now, tag, nil, false) })
				to := int(d.Addr.DLID) - 1
				r.carry(at, to, &d, func(p *peer, d *wire.Datagram) {
					if p.follower.Take(r.now, p.state == "standby", d) {
						r.carry(to, at, d, func(_ *peer, d *wire.Datagram) { l.Ended(r.now, tag, d.MAD, false) })
					}
				})
			}
			due = min(due, max(r.now, r.peers[at].leader.Deadline()))
		}
		switch {
		case len(r.at) > 0 && r.at[0] <= due:
			do := r.wire[0]
			r.now = max(r.now, r.at[0])
			r.at, r.wire = r.at[1:], r.wire[1:]
			do()
		case due >= until:
			r.now = until
			return
		default:
			r.now = due
		}
	}
}

// crown makes a manager the master: it finds all that live, and says so at their ports. It reports
// whether it has a good copy.
func (r *reigns) crown(i int) (good bool) {
	p := r.peers[i]
	c := p.follower.Copy()
	good = p.follower.Close(r.now, p.told != 0 && p.told != 1+guid(i) && p.told != c.Of && p.told != c.Since)
	clear(p.table)
	if good {
		maps.Copy(p.table, c.Table)
	}
	var members []Member
	for k, o := range r.peers {
		if o.state != "dead" {
			o.told = 1 + guid(i)
		}
		if k != i && o.state != "dead" {
			members = append(members, Member{1 + guid(k), wire.ToLID(uint16(k+1), 1)})
		}
	}
	p.state = "master"
	p.leader.Follow(r.now, members)
	return good
}

// TestReigns: masters die and hand over one after the other, at any moment, on wires that lose and
// delay. Who becomes the master with a copy that is good has all that was ever acknowledged since
// somebody had none.
func TestReigns(t *testing.T) {
	goods, bad := 0, 0
	draws.Check(t, func(t *rapid.T) {
		r := &reigns{peers: make([]*peer, rapid.IntRange(2, 4).Draw(t, "managers"))}
		loss := rapid.SampledFrom([]int{0, 0, 5, 40}).Draw(t, "loss")
		late := rapid.SampledFrom([]int{1, 20, 200}).Draw(t, "late")
		percent := rapid.IntRange(0, 99)
		r.fate = func(int, int) (time.Duration, bool) {
			return time.Duration(percent.Draw(t, "late")*late/100) * time.Millisecond, percent.Draw(t, "lost") < loss
		}
		for i := range r.peers {
			r.start(i)
		}
		acked, open := Table{}, map[sa.EntryName]bool{}
		var waiting []sa.Entry
		var numbers []uint64
		release := func() {
			if at := r.master(); at >= 0 {
				for len(waiting) > 0 && numbers[0] <= r.peers[at].leader.Taken() {
					acked.Put(waiting[0])
					delete(open, waiting[0].EntryName)
					waiting, numbers = waiting[1:], numbers[1:]
				}
			}
		}
		ended := time.Duration(0)
		leave := func() { // what waits may be there or not
			ended = r.now
			for i := range waiting {
				open[waiting[i].EntryName] = true
			}
			waiting, numbers = nil, nil
		}
		reign := func(i int, why string) {
			looksLong := ended-r.peers[i].follower.Copy().good >= Patience // it has begun to look while the last master lived, and has not found out
			if !r.crown(i) || looksLong {
				bad++
				for key := range keys { // what clients register again is not modelled
					open[nameOf(key)] = true
				}
				return
			}
			goods++
			got, want := maps.Clone(r.peers[i].table), maps.Clone(acked)
			for name := range open {
				delete(got, name)
				delete(want, name)
			}
			if !maps.EqualFunc(got, want, slices.Equal[[]byte]) {
				t.Fatalf("at %v manager %d, %s, has %v, acknowledged are %v", r.now, i, why, got, want)
			}
		}
		pause := func(list ...int) {
			for range rapid.IntRange(1, 3).Draw(t, "steps") {
				r.run(r.now + time.Duration(rapid.SampledFrom(list).Draw(t, "ms"))*time.Millisecond)
				release()
			}
		}
		reign(0, "which is the first")
		for i := range r.peers[1:] {
			r.peers[i+1].state = "standby"
			r.peers[i+1].follower.StandBy(0, 1, true)
		}
		pause(300, 3000)
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			pause(0, 1, 5, 20, 300, 3000)
			at, i := r.master(), rapid.IntRange(0, len(r.peers)-1).Draw(t, "which")
			p := r.peers[i]
			switch event := rapid.IntRange(0, 9).Draw(t, "event"); {
			case p.state == "dead":
				r.start(i)
			case at < 0: // somebody finds that there is none
				if p.state == "standby" {
					p.state = "looking"
					p.follower.Look(r.now)
				}
				pause(0, 20, 300)
				if p.state == "looking" {
					reign(i, "which has found no master")
				}
			case event == 0: // it dies
				p.state = "dead"
				if i == at {
					leave()
				}
			case event == 1 && i != at && p.state == "standby": // it looks around, or is handed the subnet
				p.state = "looking"
				p.follower.Look(r.now)
				if rapid.Bool().Draw(t, "handed") {
					m := r.peers[at]
					m.state = "standby"
					m.leader.Stop()
					m.follower.Keep(r.now, m.table)
					m.follower.StandBy(r.now, 1+guid(i), false)
					leave()
					pause(0, 20, 300)
					if p.state == "looking" {
						reign(i, "to which it is handed over")
					}
				}
			case p.state == "looking": // it finds the master
				p.state = "standby"
				p.follower.StandBy(r.now, 1+guid(at), true)
			case at >= 0:
				for range rapid.IntRange(1, 4).Draw(t, "changes") {
					e := sa.Entry{EntryName: nameOf(rapid.IntRange(0, keys-1).Draw(t, "key"))}
					if rapid.IntRange(0, 3).Draw(t, "ends") > 0 {
						e.Value = bytes.Repeat([]byte(fmt.Sprint(r.now, len(numbers))), rapid.IntRange(1, 100).Draw(t, "length"))
					}
					open[e.EntryName] = true
					waiting, numbers = append(waiting, e), append(numbers, r.peers[at].leader.Put([]sa.Entry{e}))
				}
				release()
			}
		}
	}, func() string {
		if goods == 0 || bad == 0 {
			return fmt.Sprintf("%d good copies, %d times there was none", goods, bad)
		}
		return ""
	})
	t.Logf("%d good copies, %d times there was none", goods, bad)
}

const keys = 6

func nameOf(key int) sa.EntryName { return sa.EntryName{Kind: sa.Service, Key: fmt.Sprint(key)} }
