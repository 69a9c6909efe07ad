package bill

import (
	"cmp"
	"math"
	"slices"

	"weft/fabric"
)

// floor holds the heights of racks and hosts, in rack units.
type floor struct{ rack, host int }

// usualFloor has racks of 42 units, and hosts of 1.
var usualFloor = floor{42, 1}

// Measures of a floor, in metres. A rack and its aisle take the distance between two rows.
const (
	rackWidth  = 0.6
	rowPitch   = 2.4
	withinRack = 2.0 // a cable within a rack
	toTheTray  = 2.0 // from a part of a rack up to the tray, or down again
)

// portsPerUnit is the number of switch ports in one rack unit.
const portsPerUnit = 64

// placed is a switch with its hosts and its place in the row.
type placed struct {
	switchID fabric.NodeID
	hosts    []fabric.NodeID // hosts whose first cable leads to the switch
	at       float64         // place in the row of all switches: from 0 on for switches with hosts, -1 until known
}

// lengths counts the cables of a fabric by their length in metres, rounded up, by the rule of Help.
func (l floor) lengths(f *fabric.Fabric) map[int]int {
	rack, racks := l.racks(f)
	rows := max(1, int(math.Round(math.Sqrt(float64(racks)*rackWidth/rowPitch))))
	perRow := max(1, (racks+rows-1)/rows)
	place := func(rack int) (x, y float64) {
		row, column := rack/perRow, rack%perRow
		if row%2 == 1 { // rows run back and forth
			column = perRow - 1 - column
		}
		return rackWidth * float64(column), rowPitch * float64(row)
	}
	counts := map[int]int{}
	for i := range f.Links {
		a, b := f.Links[i].A.Node, f.Links[i].B.Node
		if f.IsAggregationNode(a) || f.IsAggregationNode(b) {
			continue
		}
		metres := withinRack
		if rack[a] != rack[b] {
			x, y := place(rack[a])
			u, v := place(rack[b])
			metres = 2*toTheTray + math.Abs(x-u) + math.Abs(y-v)
		}
		counts[int(math.Ceil(metres-1e-9))]++
	}
	return counts
}

// racks assigns each node to a rack and returns the number of racks: one row, filled one after the
// other.
func (l floor) racks(f *fabric.Fabric) (rack []int, racks int) {
	rack, left := make([]int, len(f.Nodes)), 0
	put := func(id fabric.NodeID, units int) {
		if units > left {
			racks, left = racks+1, l.rack
		}
		left -= units
		rack[id] = racks - 1
	}
	for _, s := range l.row(f) {
		units := (f.Nodes[s.switchID].NumPorts() + portsPerUnit - 1) / portsPerUnit
		if need := units + len(s.hosts)*l.host; need > left && need <= l.rack {
			left = 0 // they stay together
		}
		put(s.switchID, units)
		for _, h := range s.hosts {
			put(h, l.host)
		}
	}
	return rack, max(1, racks)
}

// row lists the switches in the order of the row: switches with hosts in the order of the fabric,
// the others in the middle of the switches that they are cabled to.
func (l floor) row(f *fabric.Fabric) []placed {
	var row []placed
	index := make([]int, len(f.Nodes))
	for i := range f.Nodes {
		if index[i] = len(row); f.Nodes[i].Type == fabric.Switch {
			row = append(row, placed{switchID: fabric.NodeID(i), at: -1})
		}
	}
	near := l.hangHosts(f, row, index)
	next := 0.0
	for i := range row {
		if row[i].at == 0 { // it has hosts
			row[i].at = next
			next++
		}
	}
	for again := true; again; {
		again = false
		at := make([]float64, len(row))
		for i := range row {
			if at[i] = row[i].at; at[i] >= 0 {
				continue
			}
			sum, n := 0.0, 0.0
			for _, t := range near[i] {
				if row[t].at >= 0 {
					sum, n = sum+row[t].at, n+1
				}
			}
			if n > 0 {
				at[i], again = sum/n, true
			}
		}
		for i := range row {
			row[i].at = at[i]
		}
	}
	slices.SortStableFunc(row, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	return row
}

// hangHosts assigns hosts to the switches of a row, gives place 0 to switches with a cable to any
// host, and returns the switches that each switch is cabled to.
func (l floor) hangHosts(f *fabric.Fabric, row []placed, index []int) (near [][]int) {
	near = make([][]int, len(row))
	stands := make([]bool, len(f.Nodes))
	for i := range f.Links {
		a, b := f.Links[i].A.Node, f.Links[i].B.Node
		switch {
		case f.IsSwitchLink(fabric.LinkID(i)):
			near[index[a]], near[index[b]] = append(near[index[a]], index[b]), append(near[index[b]], index[a])
			continue
		case f.Nodes[a].Type == fabric.Switch:
			a, b = b, a
		}
		if f.Nodes[b].Type != fabric.Switch || f.IsAggregationNode(a) {
			continue
		}
		s := &row[index[b]]
		s.at = 0
		if !stands[a] {
			s.hosts, stands[a] = append(s.hosts, a), true
		}
	}
	return near
}
