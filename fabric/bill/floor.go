package bill

import (
	"cmp"
	"math"
	"slices"

	"weft/fabric"
)

// floor holds the heights of racks and servers, in rack units.
type floor struct{ rack, host int }

// usualFloor has racks of 42 units, and servers of 1.
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

// machine is a server or router: its nodes stand in one rack.
type machine []fabric.NodeID

// placed is a switch with its servers and its place in the row.
type placed struct {
	switchID fabric.NodeID
	servers  []machine // servers whose first cable leads to the switch
	at       float64   // place in the row of all switches: from 0 on for switches with servers, -1 until known
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
	put := func(units int, nodes ...fabric.NodeID) {
		if units > left {
			racks, left = racks+1, l.rack
		}
		left -= units
		for _, id := range nodes {
			rack[id] = racks - 1
		}
	}
	for _, s := range l.row(f) {
		units := (f.Nodes[s.switchID].NumPorts() + portsPerUnit - 1) / portsPerUnit
		if need := units + len(s.servers)*l.host; need > left && need <= l.rack {
			left = 0 // they stay together
		}
		put(units, s.switchID)
		for _, m := range s.servers {
			put(l.host, m...)
		}
	}
	return rack, max(1, racks)
}

// row lists the switches in the order of the row: switches with servers in the order of the fabric,
// other switches with cables to servers in the middle of these, and all others in the middle of the
// switches that they are cabled to.
func (l floor) row(f *fabric.Fabric) []placed {
	var row []placed
	index := make([]int, len(f.Nodes))
	for i := range f.Nodes {
		if index[i] = len(row); f.Nodes[i].Type == fabric.Switch {
			row = append(row, placed{switchID: fabric.NodeID(i), at: -1})
		}
	}
	near, through := hang(f, row, index)
	next := 0.0
	for i := range row {
		if len(row[i].servers) > 0 {
			row[i].at = next
			next++
		}
	}
	settle(row, through)
	for settle(row, near) {
	}
	slices.SortStableFunc(row, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	return row
}

// settle puts switches without a place in the middle of their neighbours with one. It reports
// whether it has placed any.
func settle(row []placed, near [][]int) (some bool) {
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
			at[i], some = sum/n, true
		}
	}
	for i := range row {
		row[i].at = at[i]
	}
	return some
}

// hang assigns servers to the switches of their first cables. It returns the switches that each
// switch is cabled to, and, for each cable to a server, the switch of that server.
func hang(f *fabric.Fabric, row []placed, index []int) (near, through [][]int) {
	near, through = make([][]int, len(row)), make([][]int, len(row))
	of, nodes := machines(f)
	stands := slices.Repeat([]int{-1}, len(nodes)) // by machine: its switch
	for i := range f.Links {
		a, b := f.Links[i].A.Node, f.Links[i].B.Node
		switch {
		case f.IsSwitchLink(fabric.LinkID(i)):
			near[index[a]], near[index[b]] = append(near[index[a]], index[b]), append(near[index[b]], index[a])
			continue
		case f.Nodes[a].Type == fabric.Switch:
			a, b = b, a
		}
		if f.Nodes[b].Type != fabric.Switch || of[a] < 0 {
			continue
		}
		if m := of[a]; stands[m] < 0 {
			stands[m] = index[b]
			row[index[b]].servers = append(row[index[b]].servers, nodes[m])
		}
		through[index[b]] = append(through[index[b]], stands[of[a]])
	}
	return near, through
}

// machines numbers servers and routers; -1 stands for the machine of a switch or of an aggregation
// node.
func machines(f *fabric.Fabric) (of []int32, nodes []machine) {
	servers := f.Servers()
	of = slices.Clone(servers.Of)
	for _, s := range servers.List {
		var m machine
		for _, node := range s.Adapters {
			m = append(m, fabric.NodeID(node))
		}
		nodes = append(nodes, m)
	}
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Router {
			of[i] = int32(len(nodes))
			nodes = append(nodes, machine{fabric.NodeID(i)})
		}
	}
	return of, nodes
}
