package check

import (
	"fmt"

	"weft/fabric"
	"weft/judge/check/internal/search"
	"weft/route"
)

// copies holds the ports, VLs and dependencies of the packets of the trees. A member may be any end
// port of a switch in the tree, and each member may send. So the packets make every turn between
// cables of the tree, end ports and port 0.
type copies struct {
	ports []uint16      // by switch port: VLs that they leave on, 15 when discarded
	hosts []uint16      // by host: VLs that it sends them on, likewise
	edges []search.Edge // dependencies
	bad   Finding       // invalid trees
}

// readTrees follows the packets of all valid trees; nil without trees.
func (j *judge) readTrees() *copies {
	g, m := j.Graph, j.Plan.Multicast
	if m == nil {
		return nil
	}
	k := &copies{ports: make([]uint16, len(g.Attached)), hosts: make([]uint16, g.NumHosts), bad: Finding{Kind: BadTree}}
	for i := range m.Trees {
		if fault := treeFault(g, &m.Trees[i]); fault != "" {
			k.bad.add(func() route.Remark { return remark(fmt.Sprintf("tree %d: %s", i, fault)) })
			continue
		}
		k.follow(j, &m.Trees[i])
	}
	return k
}

// treeFault says why a tree is invalid, "" if it is valid.
func treeFault(g *fabric.Graph, t *route.SpanningTree) string {
	if t.Up[t.Root] != fabric.Nothing {
		return "its root has a parent"
	}
	cables := make([]int, g.NumSwitches)
	for s := range int32(g.NumSwitches) {
		if c := t.Up[s]; c >= 0 {
			cables[s]++
			cables[g.To[c]]++
		}
		at := s
		for hops := 0; t.Up[at] >= 0; hops++ {
			at = g.To[t.Up[at]]
			if hops > g.NumSwitches {
				return fmt.Sprintf("switch %s is on a ring", fabric.SwitchName(g, s))
			}
		}
		if t.Covers(s) && at != t.Root {
			return fmt.Sprintf("switch %s has no path to the root", fabric.SwitchName(g, s))
		}
	}
	for s, n := range cables {
		if n > 1 && g.Drained[s] {
			return fmt.Sprintf("it leads through %s, which is drained", fabric.SwitchName(g, int32(s)))
		}
	}
	return ""
}

// follow adds the VLs and dependencies of a tree's packets.
func (k *copies) follow(j *judge, t *route.SpanningTree) {
	g, sl := j.Graph, j.Plan.Multicast.SL
	leave := make([][]int32, g.NumSwitches)
	for _, c := range t.Up {
		if c >= 0 {
			leave[g.From[c]] = append(leave[g.From[c]], c)
			leave[g.To[c]] = append(leave[g.To[c]], c^1)
		}
	}
	sent := make([]uint16, g.NumChannels) // VLs
	var in []uint8
	for s := range int32(g.NumSwitches) {
		if !t.Covers(s) {
			continue
		}
		in = append(in[:0], 0)
		for _, c := range leave[s] {
			in = append(in, g.FromPort[c])
		}
		for _, h := range g.AttachedTo(s) {
			in = append(in, g.EndPort[h])
		}
		for _, out := range in[1:] {
			k.ports[g.PortStart[s]+int32(out)] |= j.treeVLs(s, in, out, sl)
		}
		for _, c := range leave[s] {
			sent[c] = j.treeVLs(s, in, g.FromPort[c], sl) &^ (1 << route.DropVL)
			if j.lanes.sl == nil {
				sent[c] = 1 // one lane for all packets
			}
		}
		for _, h := range g.AttachedTo(s) {
			k.hosts[h] |= 1 << j.hostTreeVL(h, sl)
		}
	}
	for s := range int32(g.NumSwitches) {
		k.wait(j, leave[s], sent, sl)
	}
}

// wait adds the dependencies of a tree at a switch. Where the lanes of assigned traffic are unknown
// all packets are on one.
func (k *copies) wait(j *judge, leave []int32, sent []uint16, sl uint8) {
	g := j.Graph
	for _, back := range leave {
		for _, out := range leave {
			if out == back {
				continue
			}
			to := uint8(0)
			if j.lanes.sl != nil {
				to = j.treeVL(g.From[out], g.FromPort[back], g.FromPort[out], sl)
			}
			if to == route.DropVL {
				continue
			}
			for vl := range route.DropVL {
				if sent[back^1]>>vl&1 != 0 {
					k.edges = append(k.edges, search.Edge{From: node(back^1, vl), To: node(out, to)})
				}
			}
		}
	}
}

// treeVLs returns the VLs of packets of the trees that leave a switch by a port, over the ports
// that they may come in by.
func (j *judge) treeVLs(s int32, in []uint8, out, sl uint8) (vls uint16) {
	for _, p := range in {
		if p != out {
			vls |= 1 << j.treeVL(s, p, out, sl)
		}
		if m := j.Plan.SL2VL; m == nil || m.Switch[s].By != route.ByInOut {
			break // in[0] is port 0, which is no output
		}
	}
	return vls
}

// treeVL returns the VL of packets of the trees through a switch, 0 if no tables are known.
func (j *judge) treeVL(s int32, in, out, sl uint8) uint8 {
	if m := j.Plan.SL2VL; m != nil {
		return m.Table(j.Graph, s, in, out)[sl]
	}
	return 0
}

// hostTreeVL returns the VL on which a host sends packets of the trees, 0 if no tables are known.
func (j *judge) hostTreeVL(h int32, sl uint8) uint8 {
	if m := j.Plan.SL2VL; m != nil {
		return m.HostTable(h)[sl]
	}
	return 0
}
