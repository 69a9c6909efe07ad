package ftree

import (
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// laneLayout says which lane every packet takes.
type laneLayout struct {
	lanes  int
	spread string      // how packets between hosts spread over the lanes: vftree, fewest or none
	second *secondLane // pairs of switches whose packets have the last lane to themselves, nil for none

	counted string // a note with the numbers of victims of hot-spots; "" without lanes=victims
}

// assign fills in SL and SL2VL. With spread the hosts of every two leaves have a virtual lane, the
// same both ways: by paper II, algorithms 1 and 2 (printedLanes), or by victims (fewestVictims).
// Any lanes are free of deadlock, since the paths are so on a single one. Traffic of switches is on
// the first lane.
func (y *laneLayout) assign(ctx context.Context, in *route.Input, t *tree, plan *route.Plan) error {
	spreadOver := int32(y.lanes)
	if y.second != nil {
		spreadOver--
	}
	c := y.slClasses(t)
	of := make([]int32, int(in.Ends.Top())+1)
	for lid, end := range in.Ends.ByLID() {
		of[lid] = -1
		if end >= 0 {
			of[lid] = c.of[end]
		}
	}
	n := len(c.all)
	plan.SL = route.NewSLs(c.of, of, n, n)
	plan.SL.OneWay = y.second != nil && y.second.oneWay
	var vls route.VLTable
	for sl := range y.lanes {
		vls[sl] = uint8(sl)
	}
	plan.SL2VL, plan.VLs = route.UniformVL(in.Graph, vls), y.lanes
	var table leafLanes
	switch y.spread {
	case vftree:
		table = printedLanes(int32(len(t.Leaves)), spreadOver)
	case fewest:
		var err error
		if table, err = y.fewestVictims(ctx, in, t, plan, c, spreadOver); err != nil {
			return err
		}
	}
	return y.fill(ctx, in, plan, c, table, uint8(spreadOver))
}

// fill fills in the SLs by a table of lanes, nil for one lane; last is the second lane's number.
func (y *laneLayout) fill(ctx context.Context, in *route.Input, plan *route.Plan, c *slClasses, table leafLanes, last uint8) error {
	n := len(c.all)
	rows := make([][]uint8, max(1, in.Workers))
	for i := range rows {
		rows[i] = make([]uint8, n)
	}
	return par.For(ctx, in.Workers, n, func(worker, b int) error {
		row, to := rows[worker], &c.all[b]
		clear(row)
		if table != nil && to.leaf >= 0 {
			for a, from := range c.all {
				if from.leaf >= 0 {
					row[a] = table[to.leaf][from.leaf]
				}
			}
		}
		if y.second != nil {
			y.second.fillRow(row, c.all, to, last)
		}
		plan.SL.SetRow(int32(b), row)
		return nil
	})
}

// notes describes the costs of the lanes: lanes=vftree leaves fewer service levels for QoS (paper
// II, section V-B), and so does a second lane.
func (y *laneLayout) notes(allowed int) []string {
	var notes []string
	if y.second != nil {
		notes = append(notes, "paths that are not up and then down have a lane of their own: on the others' lane they would close a cycle")
	}
	takes := "routing"
	if y.spread != none {
		takes = "lanes=" + y.spread
	}
	if takes += fmt.Sprintf(" takes %d SLs and as many VLs", y.lanes); y.second == nil {
		takes += ", the same both ways"
	}
	if y.counted != "" {
		notes = append(notes, y.counted)
	}
	return append(notes, fmt.Sprintf("%s: the %d VLs allowed have room for %d service levels for QoS, %d on one lane", takes, allowed, allowed/y.lanes, allowed))
}

// leafLanes is a table of the lane of every two leaves, by their numbers, the same both ways.
type leafLanes [][]uint8

func newLeafLanes(leaves int32) leafLanes {
	t := make(leafLanes, leaves)
	for i := range t {
		t[i] = make([]uint8, leaves)
	}
	return t
}

// set changes the lane of two leaves.
func (t leafLanes) set(a, b int32, lane uint8) { t[a][b], t[b][a] = lane, lane }

// printedLanes returns the lanes by algorithm 1 of paper II: in each row they begin with twice the
// leaf's number, and one more in every other round of the lanes.
//
// Deviation: for an odd number of lanes line 3 yields a missing lane, so all is modulo that number.
func printedLanes(leaves, lanes int32) leafLanes {
	t := newLeafLanes(leaves)
	for a := range leaves {
		first := 2*a + 2*a/lanes%2
		for b := a + 1; b < leaves; b++ {
			t.set(a, b, uint8((first+b-a-1)%lanes))
		}
	}
	return t
}

// slClass is a set of end ports whose packets take the same lanes.
type slClass struct {
	at   int32 // switch, -1 for any
	zero bool  // port 0 of the switch
	leaf int32 // number of the leaf, -1 for other switches and for port 0
}

type slClasses struct {
	all []slClass
	of  []int32 // by end port
}

// slClasses puts the hosts of each leaf into a class, if packets are spread or there is a second
// lane, and gives other switches classes of their own if there is a second lane.
func (y *laneLayout) slClasses(t *tree) *slClasses {
	g := t.G
	c := &slClasses{all: []slClass{{at: -1, leaf: -1}}, of: make([]int32, g.NumEnds)}
	add := func(class slClass, ends []int32) {
		for _, end := range ends {
			c.of[end] = int32(len(c.all))
		}
		if len(ends) > 0 {
			c.all = append(c.all, class)
		}
	}
	order := append(slices.Clone(t.Leaves), t.ByLevel(false)[len(t.Leaves):]...)
	for i, s := range order {
		hosts := slClass{at: s, leaf: -1}
		if i < len(t.Leaves) {
			hosts.leaf = int32(i)
		}
		if y.second != nil || hosts.leaf >= 0 {
			add(hosts, g.HostsOf(s))
		}
		if y.second != nil {
			add(slClass{at: s, zero: true, leaf: -1}, g.OthersOf(s))
		}
	}
	return c
}

// secondLane says which packets need a lane of their own.
type secondLane struct {
	hosts, zeros [][]bool // by target switch, source switch; nil for none: to its hosts, to its port 0
	oneWay       bool     // some packets need it, but not their answers
}

// fillRow fills in a lane for packets to a class that need the second one.
func (l *secondLane) fillRow(row []uint8, classes []slClass, to *slClass, lane uint8) {
	if to.at < 0 {
		return
	}
	sources := l.hosts[to.at]
	if to.zero {
		sources = l.zeros[to.at]
	}
	for a, from := range classes {
		if sources != nil && from.at >= 0 && sources[from.at] {
			row[a] = lane
		}
	}
}

// isSymmetric reports whether answers need the second lane exactly where requests do. Packets from
// a switch and from its hosts take the same lane.
func (l *secondLane) isSymmetric(g *fabric.Graph) bool {
	has := func(of [][]bool, target, source int32) bool { return of[target] != nil && of[target][source] }
	for x := range int32(g.NumSwitches) {
		for s := range int32(g.NumSwitches) {
			back := has(l.zeros, s, x)
			if has(l.zeros, x, s) != back || len(g.HostsOf(x)) > 0 && has(l.hosts, x, s) != back {
				return false
			}
		}
	}
	return true
}
