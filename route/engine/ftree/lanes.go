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
	spread bool        // packets between hosts spread over the lanes (lanes=vftree)
	second *secondLane // pairs of switches whose packets have the last lane to themselves, nil for none
}

// assign fills in SL and SL2VL. With spread the hosts of every two leaves have a virtual lane of
// their own, as far as there are lanes, the same both ways (paper II, algorithms 1 and 2): packets
// for hosts that share a link upwards do not hold each other up. Any lanes are free of deadlock,
// since the paths are so on a single one. Traffic of switches is on the first lane.
//
// Deviation: for an odd number of lanes line 3 of algorithm 1 yields a missing lane, so assign
// takes it modulo that number.
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
	rows := make([][]uint8, max(1, in.Workers))
	for i := range rows {
		rows[i] = make([]uint8, n)
	}
	spread := newSpreadLanes(c.all, spreadOver)
	err := par.For(ctx, in.Workers, n, func(worker, b int) error {
		row, to := rows[worker], &c.all[b]
		clear(row)
		if y.spread && to.leaf >= 0 {
			spread.fillRow(row, b)
		}
		if y.second != nil {
			y.second.fillRow(row, c.all, to, uint8(spreadOver))
		}
		plan.SL.SetRow(int32(b), row)
		return nil
	})
	var table route.VLTable
	for sl := range y.lanes {
		table[sl] = uint8(sl)
	}
	plan.SL2VL, plan.VLs = route.UniformVL(in.Graph, table), y.lanes
	return err
}

// notes says what the lanes cost: lanes=vftree leaves fewer service levels for QoS (paper II,
// section V-B), and so does a second lane.
func (y *laneLayout) notes(allowed int) []string {
	var notes []string
	if y.second != nil {
		notes = append(notes, "paths that are not up and then down have a lane of their own: on the others' lane they would close a cycle")
	}
	takes := "routing"
	if y.spread {
		takes = "lanes=vftree"
	}
	if takes += fmt.Sprintf(" takes %d SLs and as many VLs", y.lanes); y.second == nil {
		takes += ", the same both ways"
	}
	return append(notes, fmt.Sprintf("%s: the %d VLs allowed have room for %d service levels for QoS, %d on one lane", takes, allowed, allowed/y.lanes, allowed))
}

// spreadLanes holds the lanes by algorithm 1 of paper II. The lane of two leaves is the sum of a
// number of the leaf that comes first and one of the other, modulo the lanes.
type spreadLanes struct {
	classes           []slClass
	asFirst, asSecond []uint8   // by class: its number if its leaf comes first or second
	fromFirst         [][]uint8 // by number of the destination, which comes second, and class: the lane
	fromSecond        [][]uint8 // the same if the destination comes first
}

func newSpreadLanes(classes []slClass, lanes int32) *spreadLanes {
	n := len(classes)
	l := &spreadLanes{
		classes: classes, asFirst: make([]uint8, n), asSecond: make([]uint8, n),
		fromFirst: make([][]uint8, lanes), fromSecond: make([][]uint8, lanes),
	}
	for i, c := range classes {
		if c.leaf >= 0 {
			l.asFirst[i] = uint8((c.leaf + 2*c.leaf/lanes%2 + lanes - 1) % lanes)
			l.asSecond[i] = uint8(c.leaf % lanes)
		}
	}
	for k := range lanes {
		l.fromFirst[k], l.fromSecond[k] = make([]uint8, n), make([]uint8, n)
		for i, c := range classes {
			if c.leaf >= 0 {
				l.fromFirst[k][i] = uint8((int32(l.asFirst[i]) + k) % lanes)
				l.fromSecond[k][i] = uint8((int32(l.asSecond[i]) + k) % lanes)
			}
		}
	}
	return l
}

// fillRow fills in the lanes from the classes of other leaves to one class of a leaf. Classes are
// in the order of their leaves.
func (l *spreadLanes) fillRow(row []uint8, to int) {
	copy(row[:to], l.fromFirst[l.asSecond[to]])
	copy(row[to+1:], l.fromSecond[l.asFirst[to]][to+1:])
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
