package job

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/apps/places"
	"weft/fabric"
	"weft/fabric/jobs"
	"weft/planner"
	"weft/sim/flow"
	"weft/study"
)

// Table is the document of `weft job --place N --json`.
type Table struct {
	Fabric     string          `json:"fabric"`
	Engine     string          `json:"engine,omitempty"` // none: tables of a file
	Refused    []study.Refusal `json:"refused,omitempty"`
	Choice     *planner.Choice `json:"auto,omitempty"` // how engine auto chose the engine
	Nodes      int             `json:"nodes"`          // of the job
	Free       int             `json:"free"`           // nodes to choose from
	Others     int             `json:"other_jobs"`
	Placements []Placement     `json:"placements"` // the best first
}

// Placement is a choice of nodes for a job, and its costs.
type Placement struct {
	Strategy string  `json:"strategy"` // "as given", "fewest leaves", "whole leaves", "spread", "random:SEED"
	List     string  `json:"node_list"`
	Leaves   int     `json:"leaves"`
	Pods     int     `json:"pods"`
	Alone    float64 `json:"alone"`      // time of an exchange without other jobs, in times of an ideal network
	SlowDown float64 `json:"slow_down"`  // of the job by all others
	Time     float64 `json:"time"`       // of an exchange with all others: Alone times SlowDown
	Sharing  int     `json:"other_jobs"` // that use a cable of it
	// Worst is the job that it slows down most, by OthersSlowDown; absent if it slows none.
	Worst          string  `json:"worst_job,omitempty"`
	OthersSlowDown float64 `json:"others_slow_down"` // largest; 1 for none
}

// asGiven is the strategy of the nodes that the job has.
const asGiven = "as given"

// table compares choices of nodes.
type table struct {
	*crowd
	g      *fabric.Graph
	find   *jobs.Finder
	req    *Request
	others []*member
	before []float64      // times of the others without the job
	order  []int32        // all hosts in the order of leaves
	choose []int32        // hosts to choose from, in this order
	pod    []int32        // by switch with hosts: its pod
	cable  []int32        // by link: its cable
	busy   map[int32]bool // by switch: another job has nodes there
}

func newTable(ctx context.Context, g *fabric.Graph, routing *planner.Result, req *Request, others []jobs.Job) (*table, error) {
	net, err := flow.New(ctx, g, routing.Plan, req.Workers)
	if err != nil {
		return nil, err
	}
	t := &table{crowd: newCrowd(net, req.Workers), g: g, find: jobs.NewFinder(g), req: req, busy: map[int32]bool{}}
	if t.others, err = t.add(ctx, others); err != nil {
		return nil, err
	}
	t.before, t.order = equilibrium(t.others), net.ByLeaf()
	t.findPods()
	t.numberCables()
	taken := make([]bool, g.NumHosts)
	for _, o := range t.others {
		for _, h := range o.Hosts {
			taken[h], t.busy[g.EndSwitch[h]] = true, true
		}
	}
	if req.Free != nil {
		taken = slices.Repeat([]bool{true}, g.NumHosts)
		for _, h := range req.Free {
			taken[h] = false
		}
	}
	for _, h := range t.order {
		if !taken[h] {
			t.choose = append(t.choose, h)
		}
	}
	return t, nil
}

// Place compares choices of nodes for a job of some nodes.
func Place(ctx context.Context, g *fabric.Graph, routing *planner.Result, nodes int, req *Request) (*Table, error) {
	t, err := newTable(ctx, g, routing, req, req.Beside)
	if err != nil {
		return nil, err
	}
	out := &Table{
		Fabric: g.Name, Refused: study.RefusalsOf(routing.Refused), Choice: routing.Choice,
		Nodes: nodes, Free: t.free(), Others: len(req.Beside),
	}
	if routing.Engine != nil {
		out.Engine = routing.Engine.Name
	}
	if nodes < 2 || nodes > out.Free {
		return nil, fmt.Errorf("a job of %d nodes: want 2 to %d, the number of free nodes", nodes, out.Free)
	}
	out.Placements, err = t.placements(ctx, nodes, nil)
	return out, err
}

// member measures one job.
func (t *table) member(ctx context.Context, j *jobs.Job) (*member, error) {
	all, err := t.add(ctx, []jobs.Job{*j})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// free returns the number of nodes to choose from.
func (t *table) free() int {
	met := map[int32]bool{}
	for _, h := range t.choose {
		met[t.find.Server(h)] = true
	}
	return len(met)
}

// placements returns the choices of nodes by all strategies, the best first. given, if not nil, is
// the job on the nodes that it has.
func (t *table) placements(ctx context.Context, nodes int, given *member) ([]Placement, error) {
	var rows []Placement
	if given != nil {
		rows = append(rows, *t.judge(asGiven, given))
	}
	if nodes <= t.free() {
		for _, s := range []struct {
			name, by string
			hosts    []int32
		}{
			{"whole leaves", "leaf", t.wholeFirst(nodes)},
			{"fewest leaves", "leaf", t.fewest(nodes)},
			{"spread", "spread", t.choose},
			{fmt.Sprintf("random:%d", t.req.Seed), fmt.Sprintf("random:%d", t.req.Seed), t.choose},
		} {
			hosts, err := t.take(s.by, s.hosts, nodes)
			if err != nil {
				return nil, err
			}
			m, err := t.member(ctx, &jobs.Job{Name: s.name, Hosts: hosts})
			if err != nil {
				return nil, err
			}
			rows = append(rows, *t.judge(s.name, m))
		}
	}
	slices.SortStableFunc(rows, func(a, b Placement) int {
		return cmp.Or(cmp.Compare(rounded(a.Time), rounded(b.Time)), cmp.Compare(rounded(a.OthersSlowDown), rounded(b.OthersSlowDown)))
	})
	return rows, nil
}

// rounded returns a figure in thousandths, as printed.
func rounded(v float64) int { return int(v*1000 + 0.5) }

// take returns the host ports of the first nodes, in an order of package places.
func (t *table) take(by string, hosts []int32, nodes int) (out []int32, err error) {
	p, err := places.On(&places.Request{
		By: by, Ranks: nodes, Hosts: hosts, Servers: t.servers,
		Names: places.Names{Leaf: func(h int32) int32 { return t.g.EndSwitch[h] }},
	})
	if err != nil {
		return nil, err
	}
	for _, ports := range p.Ports {
		out = append(out, ports...)
	}
	return out, nil
}

// judge measures the costs of a choice of nodes.
func (t *table) judge(strategy string, m *member) *Placement {
	p := &Placement{Strategy: strategy, List: t.find.List(m.Hosts), Alone: m.alone, OthersSlowDown: 1}
	p.Leaves, p.Pods = t.spans(m.Hosts)
	times := equilibrium(append(slices.Clone(t.others), m))
	p.Time = times[len(t.others)]
	p.SlowDown = p.Time / p.Alone
	for i, o := range t.others {
		if !o.meets(m) {
			continue
		}
		p.Sharing++
		if slow := times[i] / t.before[i]; slow > p.OthersSlowDown {
			p.Worst, p.OthersSlowDown = o.String(), slow
		}
	}
	return p
}

// spans returns the number of leaves and pods of some hosts.
func (t *table) spans(hosts []int32) (leaves, pods int) {
	leaf, pod := map[int32]bool{}, map[int32]bool{}
	for _, h := range hosts {
		s := t.g.EndSwitch[h]
		leaf[s], pod[t.pod[s]] = true, true
	}
	return len(leaf), len(pod)
}

// inLeafOrder sorts hosts by their leaves.
func (t *table) inLeafOrder(hosts []int32) []int32 {
	in := map[int32]bool{}
	for _, h := range hosts {
		in[h] = true
	}
	return slices.DeleteFunc(slices.Clone(t.order), func(h int32) bool { return !in[h] })
}
