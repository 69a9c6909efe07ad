package starting

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/joblanes"
	"weft/sm/partition"
	"weft/sm/terms"
	"weft/wire/mad"
)

// laned returns a network and its Plan with copies of the lanes.
func laned(t *testing.T, text string, copies int) (*fabric.Graph, *route.Plan) {
	t.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := planner.Run(context.Background(), g, &planner.Request{Chain: chain, JobLanes: joblanes.Ask(copies), Multicast: true})
	if err != nil || !r.Report.OK || r.NoMulticast != nil || r.Plan.Recipe.Copies != copies || len(r.Plan.JobLanes) != copies-1 {
		t.Fatalf("%v: %v, %d copies", err, r.NoMulticast, len(r.Plan.JobLanes)+1)
	}
	return g, r.Plan
}

// pairOf is a pair of hosts by number.
type pairOf [2]int32

// TestLanesStay: jobs start, end and get other nodes, on nodes of other jobs too. As long as a job
// runs on two hosts, the copy of their packets stays. A Machine that takes over the list agrees.
func TestLanesStay(t *testing.T) {
	g, plan := laned(t, "rlft(8,2)", 4)
	rng := rand.New(rand.NewPCG(43, 1))
	m := Resume(nil, 0, rule)
	m.On(g, plan)
	held, runs, copies, shared := map[pairOf]int{}, map[string][]int32{}, map[int]int{}, 0
	for step := range 400 {
		id := fmt.Sprint(rng.IntN(8))
		w := &terms.JobWrite{End: id}
		if rng.IntN(3) > 0 {
			var names []string
			var hosts []int32
			for _, h := range rng.Perm(g.NumHosts)[:2+rng.IntN(10)] {
				names, hosts = append(names, fmt.Sprintf("host%d", h)), append(hosts, int32(h))
			}
			w = &terms.JobWrite{Start: &terms.Job{ID: id, Nodes: strings.Join(names, ","), Count: len(names)}}
			runs[id] = hosts
		} else {
			delete(runs, id)
		}
		write(t, &m, time.Duration(step), w)
		pairs, now := m.Pairs(), map[pairOf]int{}
		other := Resume(m.List(), 0, rule)
		other.On(g, plan)
		for _, hosts := range runs {
			for _, a := range hosts {
				for _, b := range hosts {
					if a == b {
						continue
					}
					p := pairOf{a, b}
					now[p] = pairs.Copy(a, b)
					if was, ran := held[p]; ran && was != now[p] {
						t.Fatalf("step %d, job %s: packets from %d to %d had copy %d, now %d: %+v", step, id, a, b, was, now[p], m.List())
					}
					if other.Pairs().Copy(a, b) != now[p] || now[p] != pairs.Copy(b, a) {
						t.Fatalf("step %d: packets from %d to %d", step, a, b)
					}
				}
			}
		}
		held = now
		for _, j := range m.List() {
			copies[j.Copy]++
			shared += len(j.Shares)
		}
	}
	if len(copies) != 4 || shared == 0 {
		t.Errorf("copies %v, %d shares", copies, shared)
	}
	m.On(g, &route.Plan{})
	if m.Pairs() != nil {
		t.Error("pairs are on copies that are not there")
	}
}

// TestLongList: a job that starts behind a long list is answered after the next placing, before the
// list, and so is one that the list has given other nodes. Copies of pairs stay from placing to
// placing, and those of the end are those of a Machine that takes over.
func TestLongList(t *testing.T) {
	g, plan := laned(t, "rlft(8,2)", 4)
	rng := rand.New(rand.NewPCG(43, 2))
	m := Resume(nil, 0, rule)
	m.On(g, plan)
	draw := func(id string) terms.Job {
		var names []string
		for _, h := range rng.Perm(g.NumHosts)[:2+rng.IntN(3)] {
			names = append(names, fmt.Sprintf("host%d", h))
		}
		return terms.Job{ID: id, Nodes: strings.Join(names, ","), Count: len(names)}
	}
	first := draw("first")
	write(t, &m, 0, &terms.JobWrite{Start: &first})
	w := &terms.JobWrite{Whole: true, All: []terms.Job{draw("first")}}
	for i := range 3 * mostPlaced {
		w.All = append(w.All, draw(fmt.Sprint(i)))
	}
	start := &terms.JobWrite{Start: &w.All[0]}
	var out []terms.Action
	for tag, w := range []*terms.JobWrite{w, {Start: &terms.Job{ID: "later", Nodes: "host[0-3]", Count: 4}}, {End: fmt.Sprint(3*mostPlaced - 1)}, start} {
		jobs, _, err := m.Write(time.Second, w, rule, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = m.Answer(terms.Action{Kind: terms.Decided, Tag: uint64(tag), Jobs: jobs}, w, out)
	}
	held, answered := map[pairOf]int{}, [4]int{}
	for placings := 1; len(out) > 0; placings++ {
		out[len(out)-1].Do()
		out = m.Placed(nil)
		for _, a := range out {
			if a.Kind == terms.Decided {
				answered[a.Tag] = placings
			}
		}
		if out = slices.DeleteFunc(out, func(a terms.Action) bool { return a.Kind != terms.Compute }); len(out) > 1 {
			t.Fatalf("%d placings at once", len(out))
		}
		pairs := m.Pairs()
		for a := range int32(g.NumHosts) {
			for b := range int32(g.NumHosts) {
				p, now := pairOf{a, b}, pairs.Copy(a, b)
				if was, met := held[p]; met && was != now {
					t.Fatalf("placing %d: packets from %d to %d had copy %d, now %d", placings, a, b, was, now)
				}
				if now > 0 && a != b {
					held[p] = now
				}
			}
		}
	}
	if want := [4]int{4, 2, 2, 2}; answered != want {
		t.Errorf("answered after placings %v, want %v", answered, want)
	}
	other := Resume(m.List(), 0, rule)
	other.On(g, plan)
	for a := range int32(g.NumHosts) {
		for b := range int32(g.NumHosts) {
			if m.Pairs().Copy(a, b) != other.Pairs().Copy(a, b) {
				t.Fatalf("packets from %d to %d", a, b)
			}
		}
	}
}

// TestLeast: a job gets the copy on which it meets the fewest jobs, and the counts of channels are
// those of the jobs that run. A job of one node has none.
func TestLeast(t *testing.T) {
	g, plan := laned(t, "rlft(8,2)|without(roots=2)", 3)
	m := Resume(nil, 0, rule)
	m.On(g, plan)
	for i, c := range []struct {
		nodes string
		count int
		want  int
	}{{"host[0-7]", 8, 0}, {"host[0-7]", 8, 0}, {"host[8-9,12-13]", 4, 0}, {"host[10-11,14-15]", 4, 1}, {"host[16]", 1, 0}} {
		write(t, &m, 0, &terms.JobWrite{Start: &terms.Job{ID: fmt.Sprint(i), Nodes: c.nodes, Count: c.count}})
		if j := m.List()[i]; j.Copy != c.want {
			t.Errorf("%+v: copy %d", c, j.Copy)
		}
	}
	write(t, &m, 0, &terms.JobWrite{Whole: true})
	m.lanes.counts.follow(nil)
	for copied, load := range m.lanes.counts.load {
		if slices.Max(load) > 0 {
			t.Errorf("copy %d has channels of jobs, and none runs", copied)
		}
	}
}

// TestPartitionsAreJobs: a partition that is named is a job as long as it has two nodes. It changes
// with its members, and a list of all jobs does not end it.
func TestPartitionsAreJobs(t *testing.T) {
	g, plan := laned(t, "rlft(4,2)", 2)
	m := Resume([]terms.Job{{ID: "4711", Nodes: "host[6-7]", Count: 2}}, 0, rule)
	m.On(g, plan)
	rule := terms.JobRule{Interval: rule.Interval, Moves: rule.Moves, Partitions: []string{"team*", "Default"}}
	list := partition.Partitions{{Name: "Default", Key: partition.DefaultKey}, {Name: "team-a", Key: 5}, {Name: "storage", Key: 6}, {Name: "team-b", Key: 7}}
	keys := make([][]uint16, g.NumEnds)
	for h := range keys {
		keys[h] = []uint16{partition.DefaultKey | mad.PKeyFull, 6}
	}
	follow := func() (told []terms.IncidentKind) {
		out := m.FollowPartitions(time.Second, list, func() [][]uint16 { return keys }, rule, nil)
		for i := 0; i < len(out); i++ {
			switch a := out[i]; a.Kind {
			case terms.Note:
				told = append(told, a.Incident.Kind)
			case terms.Compute:
				a.Do()
				out = m.Placed(out)
			default:
				if a.Kind != terms.Decided || len(a.Jobs.List) != len(m.List()) {
					t.Errorf("%+v", a)
				}
			}
		}
		return told
	}
	is := func(want ...string) {
		t.Helper()
		var got []string
		for _, j := range m.List() {
			got = append(got, j.ID+": "+j.Nodes)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if follow(); len(m.List()) != 1 {
		t.Errorf("%+v", m.List())
	}
	keys[0], keys[2], keys[3] = append(keys[0], 5|mad.PKeyFull), append(keys[2], 5), append(keys[3], 7)
	if told := follow(); !slices.Equal(told, []terms.IncidentKind{terms.JobStarted}) || m.Due(time.Second) == terms.Never {
		t.Errorf("%v", told)
	}
	is("4711: host[6-7]", "partition team-a: host[0,2]")
	write(t, &m, 0, &terms.JobWrite{Whole: true})
	is("partition team-a: host[0,2]")
	if told := follow(); told != nil {
		t.Errorf("nothing has changed: %v", told)
	}
	keys[3] = append(keys[3], 5)
	follow()
	is("partition team-a: host[0,2-3]")
	rule.Partitions = nil
	if told := follow(); !slices.Equal(told, []terms.IncidentKind{terms.JobEnded}) {
		t.Errorf("%v", told)
	}
	is()
}
