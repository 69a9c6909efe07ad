package watch

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/jobs"
	"weft/route/joblanes"
	"weft/sm/partition"
	"weft/sm/terms"
)

// teams is a subnet with programs that write partitions, some of which are jobs.
type teams struct {
	*market
	nodes  map[string][]int // hosts of the jobs that run, by ID
	stored []terms.Job      // as last decided
	was    map[string]uint8 // entries by switch and LID
	copies map[string]int   // of jobs that are checked
}

// put writes a partition of some hosts.
func (x *teams) put(v *virtual, name string, key uint16, hosts ...int) {
	x.t.Helper()
	p := partition.Partition{Name: name, Key: key}
	for _, h := range hosts {
		n := slices.IndexFunc(x.f.Nodes, func(n fabric.Node) bool { return n.Desc == fmt.Sprintf("host %d", h) })
		p.Members = append(p.Members, partition.Member{GUID: x.f.Nodes[n].Ports[1].GUID, As: partition.Full})
	}
	if d := v.write(&partition.Write{By: "token k8s", Deed: partition.Put, Of: partition.Partitions{p}, Force: true}); d.Err != nil {
		x.t.Fatal(d.Err)
	}
}

// settles lets a time pass. Then the jobs are those of nodes, each after its turn, with the copies
// that they had; the same list is stored; and only entries towards some jobs have moved.
func (x *teams) settles(v *virtual, when string, moved ...string) {
	x.t.Helper()
	x.run(12*time.Second, false)
	g, plan, find := v.manager.inForce.Graph, v.manager.inForce.Plan, jobs.NewFinder(v.manager.inForce.Graph)
	list, hosts, may := v.manager.jobs.List(), map[string][]int32{}, map[fabric.LID]bool{}
	for _, j := range list {
		hosts[j.ID], _, _ = find.Match(j.Nodes)
		var want []int32
		for _, h := range x.nodes[j.ID] {
			at, _ := find.Find(fmt.Sprintf("host%d", h))
			want = append(want, at...)
		}
		slices.Sort(want)
		got := slices.Sorted(slices.Values(hosts[j.ID]))
		if c, had := x.copies[j.ID]; !slices.Equal(got, want) || j.Turn == nil || had && c != j.Copy {
			x.t.Errorf("%s: %+v, want %v, copy %d", when, j, x.nodes[j.ID], c)
		}
		if slices.Contains(moved, j.ID) {
			for _, h := range hosts[j.ID] {
				may[plan.Ends.Base[h]] = true
			}
		}
		x.copies[j.ID] = j.Copy
	}
	if len(list) != len(x.nodes) || !slices.EqualFunc(list, x.stored, func(a, b terms.Job) bool { return a.ID == b.ID && a.Nodes == b.Nodes && a.Copy == b.Copy }) {
		x.t.Errorf("%s: %+v run, want %v, stored are %+v", when, list, slices.Sorted(maps.Keys(x.nodes)), x.stored)
	}
	n, now := 0, map[string]uint8{}
	for s, guid := range g.SwitchGUID {
		for lid := fabric.LID(1); lid <= plan.Ends.Top(); lid++ {
			name := fmt.Sprint(guid, lid)
			now[name] = plan.Tables.Port(int32(s), lid)
			if x.was != nil && x.was[name] != now[name] {
				if n++; !may[lid] {
					x.t.Errorf("%s: the entry of %s for LID %d moves, which is of no job that started", when, fabric.SwitchName(g, int32(s)), lid)
				}
			}
		}
	}
	if n > jobRule.Moves || (n > 0) != (len(moved) > 0) {
		x.t.Errorf("%s: %d entries move, for %q", when, n, moved)
	}
	x.was = now
	v.verify(x.t)
	pairs := v.manager.Standing().Jobs
	for _, h := range hosts["partition team-b"] {
		if other := hosts["partition team-b"][0]; h != other && pairs.Copy(h, other) == 0 && x.copies["partition team-b"] > 0 {
			x.t.Errorf("%s: packets of team-b have the lanes of the paths", when)
		}
	}
}

// TestPartitionsAsJobs: partitions that programs make, change and remove are jobs at once, with
// lanes and turns, beside a job of the batch system. A restart and a takeover keep them all, and
// then nothing moves.
func TestPartitionsAsJobs(t *testing.T) {
	x := &teams{market: newMarket(t, "rlft(8,2)|without(roots=2)", 1, 2), nodes: map[string][]int{}, copies: map[string]int{}}
	x.routing = *jobOf("ftree", 0)
	x.routing.JobLanes = joblanes.Ask(4)
	x.made = func(_ int, v *virtual) {
		w := &v.manager.watch
		w.Moves, w.Rebalance = 0, 0
		w.Jobs = terms.JobRule{Interval: 3 * time.Second, Moves: jobRule.Moves, Partitions: []string{"team*"}}
		v.besides, v.computes = 300*time.Millisecond, 200*time.Millisecond
	}
	x.wrote = func(v *virtual, a *terms.Action) {
		if a.Kind == terms.Decided && a.Jobs != nil {
			x.stored = a.Jobs.List
		}
	}
	x.start(0)
	x.run(5*time.Second, false)
	v := x.only("at first")
	x.settles(v, "without partitions")

	a, b := []int{0, 4, 8, 12, 16, 20, 24, 28}, []int{1, 4, 7, 10, 13, 16, 19, 22}
	x.put(v, "storage", 6, 2, 3)
	x.put(v, "team-a", 5, a...)
	x.put(v, "team-alone", 8, 5)
	v.step(&terms.Event{Kind: terms.WriteJobs, Jobs: &terms.JobWrite{Start: &terms.Job{ID: "4711", Nodes: "host[6,9,11,14]", Count: 4}}})
	x.nodes["partition team-a"], x.nodes["4711"] = a, []int{6, 9, 11, 14}
	x.settles(v, "team-a", "partition team-a", "4711")
	x.put(v, "team-b", 7, b...)
	x.nodes["partition team-b"] = b
	x.settles(v, "team-b", "partition team-b")
	a = append(a, 30, 31)
	x.put(v, "team-a", 5, a...)
	x.nodes["partition team-a"] = a
	x.settles(v, "team-a grows", "partition team-a")

	x.sub.Detach(v.id)
	x.config = func(_ int, c *terms.Config) {
		*c = v.manager.Successor()
		c.Jobs = x.stored
	}
	x.start(0)
	x.run(5*time.Second, false)
	v = x.only("after a restart")
	x.settles(v, "after a restart")

	x.config = nil
	x.start(1)
	x.run(15*time.Second, false)
	if v = x.kill(v); v != x.managers[1] {
		t.Fatal("nobody takes over")
	}
	x.settles(v, "after a takeover")
	v.step(&terms.Event{Kind: terms.WriteJobs, Jobs: &terms.JobWrite{Whole: true}})
	delete(x.nodes, "4711")
	x.settles(v, "after a list of no jobs")
	if d := v.write(&partition.Write{Deed: partition.Delete, Of: partition.Partitions{{Key: 5}}, Force: true}); d.Err != nil {
		t.Fatal(d.Err)
	}
	delete(x.nodes, "partition team-a")
	x.settles(v, "without team-a")
}
