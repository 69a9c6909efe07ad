package simulators

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// tree is a fat-tree of 2 or 3 tiers as htsim builds it from the sizes in its file: every switch of
// a pod's tier 0 has the same cables to every switch of its tier 1. The switch at place i of tier
// 1, in all pods, has the same cables to the same switches of tier 2.
type tree struct {
	*listing
	level []int32
	tiers []tier
	pods  int
}

// tier is a tier of switches that all have the same cables.
type tier struct {
	cables
	switches []fabric.NodeID
}

// cables counts the cables of a switch.
type cables struct {
	down, up     int
	bundle       int   // to each switch below
	mbps         int32 // of the cables down
	below, above int   // neighbours
}

// WriteHTSim writes a topology file of htsim's fat-tree (.topo). The file holds sizes only, so any
// other network is refused with the reason: also a tree that lacks a cable. Rates are rounded to
// whole Gbit/s. Comments at the end say which host has which number in htsim.
func WriteHTSim(w io.Writer, f *fabric.Fabric) ([]lines.Warning, error) {
	l, err := newListing(f)
	if err != nil {
		return nil, err
	}
	t := &tree{listing: l}
	for _, step := range []func() error{t.hostsAtLeaves, t.findTiers, t.findPods, t.findGroups} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("netfile: no fat-tree as htsim builds one: %w", err)
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s\nNodes %d\nTiers %d\nPodsize %d\n", lines.Printable(f.Name), len(l.hosts), len(t.tiers), len(l.hosts)/t.pods)
	for i, r := range t.tiers {
		fmt.Fprintf(out, "\nTier %d\nDownlink_speed_Gbps %d\nRadix_Down %d\n", i, wholeGbps(r.mbps), r.down)
		if r.up > 0 {
			over, err := t.oversubscription(i)
			if err != nil {
				return nil, fmt.Errorf("netfile: no fat-tree as htsim builds one: %w", err)
			}
			fmt.Fprintf(out, "Radix_Up %d\nOversubscribed %d\n", r.up, over)
		}
		if r.bundle > 1 {
			fmt.Fprintf(out, "Bundle %d\n", r.bundle)
		}
		fmt.Fprint(out, "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\n")
	}
	fmt.Fprintln(out)
	for i, id := range t.hostOrder() {
		fmt.Fprintf(out, "# host %d %s %s\n", i, f.Nodes[id].GUID, lines.Printable(f.Nodes[id].Desc))
	}
	return l.warnings, out.Flush()
}

// hostOrder returns the hosts as htsim numbers them: pod by pod, switch by switch.
func (t *tree) hostOrder() (hosts []fabric.NodeID) {
	pod := map[fabric.NodeID]int{} // by a switch of tier 1
	leaves := slices.Clone(t.tiers[0].switches)
	for i, id := range leaves {
		if key := t.neighbours(id, 1)[0]; pod[key] == 0 {
			pod[key] = i + 1
		}
	}
	slices.SortStableFunc(leaves, func(a, b fabric.NodeID) int {
		return cmp.Compare(pod[t.neighbours(a, 1)[0]], pod[t.neighbours(b, 1)[0]])
	})
	below := map[fabric.NodeID][]fabric.NodeID{}
	for _, id := range t.hosts {
		for leaf := range t.SwitchPeers(id, t.LinkUp) {
			below[leaf] = append(below[leaf], id)
		}
	}
	for _, leaf := range leaves {
		hosts = append(hosts, below[leaf]...)
	}
	return hosts
}

// hostsAtLeaves finds the levels of the switches, from those with hosts upwards.
func (t *tree) hostsAtLeaves() error {
	if len(t.hosts) == 0 {
		return fmt.Errorf("no hosts")
	}
	var leaves []fabric.NodeID
	for _, id := range t.hosts {
		at := slices.Collect(t.SwitchPeers(id, t.LinkUp))
		if cables := t.countCables(id); len(at) != 1 || cables != 1 {
			return fmt.Errorf("host %s has %d cables, %d of them to switches: htsim's hosts have one", t.NodeName(id), cables, len(at))
		}
		leaves = append(leaves, at[0])
	}
	t.level = t.SwitchHops(leaves, t.LinkUp)
	return nil
}

func (t *tree) countCables(id fabric.NodeID) (n int) {
	for range t.Cabled(id, t.LinkUp) {
		n++
	}
	return n
}

// findTiers checks that all switches of a tier have the same cables.
func (t *tree) findTiers() error {
	for _, id := range t.switches {
		at := int(t.level[id])
		if at < 0 || at > 2 {
			return fmt.Errorf("switch %s is in none of the 3 tiers above the hosts", t.NodeName(id))
		}
		for len(t.tiers) <= at {
			t.tiers = append(t.tiers, tier{})
		}
		own, err := t.cablesOf(id)
		if err != nil {
			return err
		}
		r := &t.tiers[at]
		if len(r.switches) > 0 && own != r.cables {
			return fmt.Errorf("switches %s and %s of tier %d differ in their cables", t.NodeName(r.switches[0]), t.NodeName(id), at)
		}
		r.cables, r.switches = own, append(r.switches, id)
	}
	if n := len(t.tiers); n < 2 {
		return fmt.Errorf("1 tier of switches: htsim has 2 or 3")
	}
	return nil
}

// cablesOf counts the cables of a switch.
func (t *tree) cablesOf(id fabric.NodeID) (r cables, err error) {
	count, above := map[fabric.NodeID]int{}, map[fabric.NodeID]bool{}
	for p, link := range t.Cabled(id, t.LinkUp) {
		peer := t.Peer(fabric.End{Node: id, Port: p}).Node
		isSwitch := t.Nodes[peer].Type == fabric.Switch
		switch mbps := t.mbps(link); {
		case t.IsAggregationNode(peer):
		case isSwitch && t.level[peer] == t.level[id]:
			return r, fmt.Errorf("switches %s and %s of one tier are joined", t.NodeName(id), t.NodeName(peer))
		case isSwitch && t.level[peer] > t.level[id]:
			r.up++
			above[peer] = true
		case r.mbps != 0 && r.mbps != mbps:
			return r, fmt.Errorf("the cables down from %s differ in rate", t.NodeName(id))
		default:
			r.mbps = mbps
			r.down++
			count[peer]++
		}
	}
	r.below, r.above = len(count), len(above)
	for _, n := range count {
		if r.bundle = n; n*len(count) != r.down {
			return r, fmt.Errorf("switch %s has more cables to some switches below it than to others", t.NodeName(id))
		}
	}
	return r, nil
}

// neighbours returns the switches one level up (1) or down (-1), by index.
func (t *tree) neighbours(id fabric.NodeID, step int32) []fabric.NodeID {
	list := slices.DeleteFunc(slices.Collect(t.SwitchPeers(id, t.LinkUp)), func(o fabric.NodeID) bool { return t.level[o] != t.level[id]+step })
	slices.Sort(list)
	return slices.Compact(list)
}

// findPods checks that the switches of tier 0 with one neighbour in common have all in common, and
// that the pods are the whole of tier 1.
func (t *tree) findPods() error {
	low, high := &t.tiers[0], &t.tiers[1]
	met := map[fabric.NodeID]fabric.NodeID{} // by switch of tier 1: the first of tier 0
	for _, id := range low.switches {
		up := t.neighbours(id, 1)
		if len(up) == 0 {
			return fmt.Errorf("switch %s has no switch above it", t.NodeName(id))
		}
		first, known := met[up[0]]
		if !known {
			first = id
			t.pods++
		}
		if !slices.Equal(up, t.neighbours(first, 1)) {
			return fmt.Errorf("switches %s and %s have some switches of tier 1 in common, but not all", t.NodeName(first), t.NodeName(id))
		}
		for _, o := range up {
			if f, known := met[o]; known && f != first {
				return fmt.Errorf("switches %s and %s have some switches of tier 1 in common, but not all", t.NodeName(f), t.NodeName(id))
			}
			met[o] = first
		}
	}
	if len(t.tiers) == 2 && t.pods > 1 {
		return fmt.Errorf("%d parts without a cable between them", t.pods)
	}
	if t.pods*high.below != len(low.switches) {
		return fmt.Errorf("pods of different sizes")
	}
	return nil
}

// findGroups checks that each switch of tier 2 has one neighbour in each pod, and that these have
// all of their switches of tier 2 in common.
func (t *tree) findGroups() error {
	if len(t.tiers) < 3 {
		return nil
	}
	for _, id := range t.tiers[2].switches {
		down := t.neighbours(id, -1)
		pods := map[fabric.NodeID]bool{} // by a switch of tier 0
		for _, o := range down {
			pods[t.neighbours(o, -1)[0]] = true
			if !slices.Equal(t.neighbours(o, 1), t.neighbours(down[0], 1)) {
				return fmt.Errorf("switches %s and %s have some switches of tier 2 in common, but not all", t.NodeName(down[0]), t.NodeName(o))
			}
		}
		if len(pods) != t.pods || len(down) != t.pods {
			return fmt.Errorf("switch %s has %d neighbours in %d of the %d pods: htsim has one in each", t.NodeName(id), len(down), len(pods), t.pods)
		}
	}
	return nil
}

// oversubscription returns the ratio that htsim demands of a tier: a whole number, and the same by
// cables (tier 0) as by bandwidth.
func (t *tree) oversubscription(i int) (int, error) {
	r := &t.tiers[i]
	down, up := r.down*wholeGbps(r.mbps), r.up*wholeGbps(t.tiers[i+1].mbps)
	if down%up != 0 || i == 0 && r.down/r.up != down/up {
		return 0, fmt.Errorf("switches of tier %d have %d Gbit/s down and %d up: htsim wants a whole ratio", i, down, up)
	}
	return down / up, nil
}
