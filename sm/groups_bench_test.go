package sm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/sa"
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
	v, err := newVirtual(formula(b, text), emulator.Options{}, Config{}, jobOf("ftree", 0))
	if err != nil {
		b.Fatal(err)
	}
	v.manager = NewManager(v.manager.cfg, UsualWatch)
	v.step(&Event{Kind: Start})
	v.runUntil(30 * time.Second)
	if v.manager.inForce == nil {
		b.Fatal(v.manager.Result().Report.State)
	}
	m := &groupsOf{v: v, now: v.now, rng: rand.New(rand.NewPCG(1, 1))}
	g := v.manager.inForce.graph
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

// told tells the Manager the members, and answers what it sends until it rests. It returns how long the longest Step took.
func (m *groupsOf) told() (all, longest time.Duration) {
	step := func(ev *Event) []Action {
		begun := time.Now()
		list := m.v.manager.Step(m.now, ev, nil)
		took := time.Since(begun)
		all, longest = all+took, max(longest, took)
		return list
	}
	var queue []Action
	queue = append(queue, step(&Event{Kind: MembersTold, Members: m.members})...)
	for gs := &m.v.manager.groups; len(queue) > 0 || gs.stale || gs.step != groupsRest; queue = queue[1:] {
		if len(queue) == 0 {
			m.now = max(m.now, gs.workDue())
			queue = append(step(&Event{Kind: Tick}), Action{})
		}
		a := &queue[0]
		if a.Kind != Send || a.Attr != mad.AttrMulticastForwardingTable {
			continue
		}
		ev := &Event{Kind: Answer, Tag: a.Tag, Attempts: 1}
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

// BenchmarkManyGroups: 10,000 groups on a fabric of 11,664 hosts, of which 1,000 get a member more: what a second with so many joins takes of the Manager's time.
func BenchmarkManyGroups(b *testing.B) {
	m := manyGroups(b, "rlft(36,3)", 10_000)
	all, longest := m.told()
	b.Logf("all for the first time: %v, the longest Step %v, %d reads, %d writes", all, longest, m.gets, m.sets)
	g := m.v.manager.inForce.graph
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
