package watch

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// groupsOf has a manager with a fabric in force, and many groups of few members.
type groupsOf struct {
	v       *virtual
	now     time.Duration
	members []sa.Members
	rng     *rand.Rand
	sets    int
	gets    int
}

func manyGroups(b testing.TB, text string, groups int) *groupsOf {
	b.Helper()
	v, err := newVirtual(smtest.Formula(b, text), emulator.Options{}, terms.Config{}, smtest.JobOf("ftree", 0))
	if err != nil {
		b.Fatal(err)
	}
	v.manager = NewManager(v.manager.cfg, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(30 * time.Second)
	if v.manager.inForce == nil {
		b.Fatal(v.manager.Result().Report.State)
	}
	m := &groupsOf{v: v, now: v.now, rng: rand.New(rand.NewPCG(1, 1))}
	g := v.manager.inForce.Graph
	for i := range groups {
		x := sa.Members{MLID: fabric.FirstMLID + fabric.LID(i)}
		for range 2 + m.rng.IntN(6) {
			x.Receivers = append(x.Receivers, g.EndGUID[m.rng.IntN(g.NumHosts)])
		}
		slices.Sort(x.Receivers)
		x.Receivers = slices.Compact(x.Receivers)
		m.members = append(m.members, x)
	}
	return m
}

// told gives the Manager the members and answers its SMPs until it rests. It returns the time of
// all Steps and of the longest one.
func (m *groupsOf) told() (all, longest time.Duration) {
	step := func(ev *terms.Event) []terms.Action {
		begun := time.Now()
		list := m.v.manager.Step(m.now, ev, nil)
		took := time.Since(begun)
		all, longest = all+took, max(longest, took)
		return list
	}
	var queue []terms.Action
	queue = append(queue, step(&terms.Event{Kind: terms.MembersTold, Members: m.members})...)
	for gs := &m.v.manager.groups; len(queue) > 0 || gs.stale || gs.step != groupsRest; queue = queue[1:] {
		if len(queue) == 0 {
			m.now = max(m.now, gs.workDue())
			queue = append(step(&terms.Event{Kind: terms.Tick}), terms.Action{})
		}
		a := &queue[0]
		if a.Kind != terms.Send || a.Attr != mad.AttrMulticastForwardingTable {
			continue
		}
		ev := &terms.Event{Kind: terms.Answer, Tag: a.Tag, Attempts: 1}
		copy(ev.Data[:], a.Data)
		if a.Method == mad.Set {
			m.sets++
		} else {
			m.gets++
		}
		queue = append(queue, step(ev)...)
	}
	return all, longest
}

// BenchmarkManyGroups: 10,000 groups on a fabric of 11,664 hosts, and 1,000 groups get one more
// member: the Manager's time for a second with so many joins.
func BenchmarkManyGroups(b *testing.B) {
	m := manyGroups(b, "rlft(36,3)", 10_000)
	all, longest := m.told()
	b.Logf("all for the first time: %v, the longest Step %v, %d reads, %d writes", all, longest, m.gets, m.sets)
	g := m.v.manager.inForce.Graph
	m.sets, m.gets = 0, 0
	all, longest = 0, 0
	for b.Loop() {
		m.members = slices.Clone(m.members)
		for range 1000 {
			x := &m.members[m.rng.IntN(len(m.members))]
			x.Receivers = append(slices.Clone(x.Receivers), g.EndGUID[m.rng.IntN(g.NumHosts)])
			slices.Sort(x.Receivers)
			x.Receivers = slices.Compact(x.Receivers)
		}
		took, most := m.told()
		all, longest = all+took, max(longest, most)
	}
	b.ReportMetric(float64(all.Milliseconds())/float64(b.N), "ms-of-steps")
	b.ReportMetric(float64(longest.Milliseconds()), "ms-longest-step")
	b.ReportMetric(float64(m.sets)/float64(b.N), "blocks")
}

// TestGroupsInPieces: many groups change at once and are worked on in pieces, between which the
// Manager handles events. A Step cuts a bounded number of trees, and a bounded number of SMPs is
// under way. Groups take turns, so that one that changes once gets its tree while others change all
// the time. In the end all switches hold the right tables.
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
	v.step(&terms.Event{Kind: terms.MembersChanged})
	v.runUntil(v.now + 20*time.Second)
	if len(gs.told) != many || gs.stale || gs.partly {
		t.Fatalf("%d of %d groups have trees", len(gs.told), many)
	}
	// The lower half changes all the time; the last one once.
	g := v.manager.inForce.Graph
	members = slices.Clone(members)
	members[many-1].Receivers = g.EndGUID[:6]
	begun := v.now
	for flip := 0; changedMembers(gs.told[many-1:], members[many-1:]) > 0; flip++ {
		members = slices.Clone(members)
		for i := range many / 2 {
			members[i].Receivers = g.EndGUID[(i+flip)%5:][:2]
		}
		v.step(&terms.Event{Kind: terms.MembersChanged})
		if v.runUntil(v.now + 10*time.Millisecond); v.now > begun+10*time.Second {
			t.Fatalf("a group has no tree of its members after %v", v.now-begun)
		}
	}
	v.step(&terms.Event{Kind: terms.MembersChanged})
	v.runUntil(v.now + 20*time.Second)
	if cut == 0 || cut > mostCut || under == 0 || under > mostGroupBlocks {
		t.Errorf("%d trees are cut in a Step, %d SMPs are under way", cut, under)
	}
	// All is read again: nothing is to be written.
	sets := 0
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrMulticastForwardingTable {
			sets++
		}
	}
	gs.held, gs.all, gs.stale = nil, true, true
	v.step(&terms.Event{Kind: terms.Tick})
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
