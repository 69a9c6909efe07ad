package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"weft/fabric"
)

// Options configure a picture.
type Options struct {
	Title string
	// Loads colours the cables, by channel of the Graph compiled from the fabric.
	Loads []float64
	Unit  string // unit of Loads: "pairs of hosts"
	// Lanes instead colours the cables by the VLs in use, a set of bits for each channel.
	Lanes []uint16
	Names []string // of the bits, if they are not VLs but kinds of cables; Unit is their heading
	// Odd describes odd cables, by link.
	Odd map[fabric.LinkID]string
	// Missing names the two switches of each missing cable.
	Missing [][2]fabric.GUID
	// Lacking counts the missing cables of switches whose other ends are unknown.
	Lacking map[fabric.GUID]int
	// Around draws only the pod, slice or group of this switch, or the box that it shares; 0: all.
	Around fabric.GUID
}

// network holds the fabric as if all of it were up, and marks the parts that are not.
type network struct {
	g      *fabric.Graph // as if everything were up
	name   []string      // by switch: its short name
	mark   []Mark        // by switch
	lacks  []int         // by switch: missing cables to unknown ends
	system []fabric.GUID // by switch: GUID of a chassis with several switches, or 0
	cable  []cable       // by link: channels 2i and 2i+1
	colour colour
	most   float64  // largest load of a cable
	hot    int      // number of cables with nearly that load
	mean   float64  // mean load of the cables with traffic
	bits   []string // what the bits of lanes are, nil: VLs

	servers []server // those with several host ports
	shared  []int32  // by switch: number of host ports of these servers
	railAt  []int32  // by switch: rail of its hosts, or rails.None
	rails   int      // number of rails
}

// cable is the state of a link between switches.
type cable struct {
	name string // a port of it, "" for a missing one
	mark Mark
	load float64 // of the busier direction
	vls  uint16  // of both directions
	note string
}

// colour is the meaning of the colours of lines.
type colour uint8

const (
	byPlace colour = iota // by level, or by dimension
	byLoad
	byLanes
)

// newNetwork prepares a fabric.
func newNetwork(f *fabric.Fabric, o *Options) *network {
	whole := f.Clone()
	for i := range whole.Nodes {
		whole.Nodes[i].Down, whole.Nodes[i].Drained = false, false
	}
	for i := range whole.Links {
		whole.Links[i].Down, whole.Links[i].Drained = false, false
	}
	for _, ends := range o.Missing {
		connect(whole, ends)
	}
	n := &network{g: whole.Compile()}
	if setMinorLeaves(whole, n.g) {
		n.g = whole.Compile()
	}
	n.name = shortNames(n.g.SwitchDesc, n.g.SwitchGUID)
	n.lacks = make([]int, n.g.NumSwitches)
	n.mark = make([]Mark, n.g.NumSwitches)
	n.system = make([]fabric.GUID, n.g.NumSwitches)
	inside := map[fabric.GUID]int{}
	for s, guid := range n.g.SwitchGUID {
		id, _ := f.NodeByGUID(guid)
		n.lacks[s] = o.Lacking[guid]
		n.system[s] = f.Nodes[id].SystemGUID
		inside[n.system[s]]++
		switch node := &f.Nodes[id]; {
		case node.Down:
			n.mark[s] = Failed
		case node.Drained:
			n.mark[s] = Drained
		}
	}
	for s, system := range n.system {
		if inside[system] < 2 {
			n.system[s] = 0
		}
	}
	n.markCables(f, o)
	n.findServers(f, o.Odd)
	switch {
	case o.Loads != nil:
		n.colour = byLoad
		n.eachUp(f.Compile(), func(c int32, on *cable) { on.load = max(on.load, o.Loads[c]) })
		n.sumLoads()
	case o.Lanes != nil:
		n.colour, n.bits = byLanes, o.Names
		n.eachUp(f.Compile(), func(c int32, on *cable) { on.vls |= o.Lanes[c] })
	}
	return n
}

// connect joins two switches by free ports, if both have one.
func connect(whole *fabric.Fabric, switches [2]fabric.GUID) {
	var ends [2]fabric.End
	for i, guid := range switches {
		id, ok := whole.NodeByGUID(guid)
		if !ok || whole.Nodes[id].Type != fabric.Switch {
			return
		}
		for p := whole.Nodes[id].NumPorts(); p > 0; p-- {
			if e := (fabric.End{Node: id, Port: uint8(p)}); whole.Nodes[id].Ports[p].Link == fabric.NoLink && e != ends[0] {
				ends[i] = e
			}
		}
		if ends[i].Port == 0 {
			return
		}
	}
	_, _ = whole.Connect(ends[0], ends[1], 0, 0) // both are free
}

// cableName names a cable by one of its ports.
func cableName(node fabric.GUID, port uint8) string { return fmt.Sprintf("%s[%d]", node, port) }

// markCables marks cables that are missing, down, drained or odd.
func (n *network) markCables(f *fabric.Fabric, o *Options) {
	n.cable = make([]cable, n.g.NumChannels/2)
	for i := range n.cable {
		guid, port := n.g.SwitchGUID[n.g.From[2*i]], n.g.FromPort[2*i]
		id, _ := f.NodeByGUID(guid)
		link := f.Nodes[id].Ports[port].Link
		if link == fabric.NoLink {
			n.cable[i].mark = Missing
			continue
		}
		n.cable[i].name = cableName(guid, port)
		n.cable[i].note = o.Odd[link]
		switch {
		case !f.LinkUp(link):
			n.cable[i].mark = Failed
		case f.Links[link].Drained:
			n.cable[i].mark = Drained
		case o.Odd[link] != "":
			n.cable[i].mark = Odd
		}
	}
}

// eachUp calls what for every channel that is up, with its cable.
func (n *network) eachUp(up *fabric.Graph, what func(c int32, on *cable)) {
	s := int32(0)
	for c := range int32(up.NumChannels) {
		for n.g.SwitchGUID[s] != up.SwitchGUID[up.From[c&^1]] {
			s++
		}
		if here, _ := n.g.At(s, up.FromPort[c&^1]); here >= 0 {
			what(c, &n.cable[here/2])
		}
	}
}

// sumLoads computes the largest load, and the mean of the cables with traffic.
func (n *network) sumLoads() {
	busy := 0.0
	for i := range n.cable {
		if load := n.cable[i].load; load > 0 {
			busy++
			n.mean += load
			n.most = max(n.most, load)
		}
	}
	n.mean /= max(1, busy)
	for i := range n.cable {
		if n.isHot(n.cable[i].load) {
			n.hot++
		}
	}
}

// isHot reports whether a load is nearly the largest.
func (n *network) isHot(load float64) bool { return n.most > 0 && load >= hotShare*n.most }

// The hottest cables have at least this share of the largest load. If they are more, none stands
// out.
const (
	hotShare = 0.9
	mostHot  = 12
)

// apart reports whether a bundle needs a line of its own where one line stands for many: it has
// marked cables, or one of the few hottest.
func (n *network) apart(b *bundle) bool {
	return slices.ContainsFunc(b.links, func(link int32) bool {
		c := &n.cable[link]
		return c.mark != Fine || n.hot <= mostHot && n.isHot(c.load)
	})
}

// setMinorLeaves assigns the role of a middle switch to switches without a role that have few hosts
// compared to the others, so that a root with a storage server stays a root. It reports whether it
// found any. A switch with fewer cables than the usual leaf, none of them to such a leaf, is a leaf
// with few hosts.
func setMinorLeaves(whole *fabric.Fabric, g *fabric.Graph) bool {
	var counts, cables []int
	for s := range int32(g.NumSwitches) {
		if n := g.HostCount(s); n > 0 {
			counts, cables = append(counts, int(n)), append(cables, len(g.OutOf(s)))
		}
	}
	if len(counts) == 0 {
		return false
	}
	median, usual, found := middleOf(counts), middleOf(cables), false
	minor := func(s int32) bool { return minorShare*int(g.HostCount(s)) <= median }
	for s := range int32(g.NumSwitches) {
		out := g.OutOf(s)
		above := len(out) >= usual || slices.ContainsFunc(out, func(c int32) bool { return !minor(g.To[c]) })
		if g.HostCount(s) == 0 || !minor(s) || !above || g.SwitchRole[s] != fabric.NoRole {
			continue
		}
		id, _ := whole.NodeByGUID(g.SwitchGUID[s])
		whole.Nodes[id].Role = fabric.RoleMiddle
		found = true
	}
	return found
}

// middleOf returns the median of numbers, which it sorts.
func middleOf(numbers []int) int {
	slices.Sort(numbers)
	return numbers[len(numbers)/2]
}

// minorShare is the least ratio of the hosts of the usual leaf to the hosts of a switch that is no
// leaf.
const minorShare = 4

// neighbours lists the switches cabled to a switch.
func (n *network) neighbours(s int32) []int32 {
	var near []int32
	for _, c := range n.g.OutOf(s) {
		if t := n.g.To[c]; t != s {
			near = append(near, t)
		}
	}
	slices.Sort(near)
	return slices.Compact(near)
}

// parts numbers the connected parts of the kept switches, in order of their first switch, by links
// that count; other switches get -1.
func (n *network) parts(kept func(s int32) bool, counts func(link int32) bool) (of []int32, number int) {
	of = slices.Repeat([]int32{-1}, n.g.NumSwitches)
	for s := range int32(n.g.NumSwitches) {
		if of[s] >= 0 || !kept(s) {
			continue
		}
		of[s] = int32(number)
		for queue := []int32{s}; len(queue) > 0; queue = queue[1:] {
			for _, c := range n.g.OutOf(queue[0]) {
				if t := n.g.To[c]; of[t] < 0 && kept(t) && counts(c/2) {
					of[t] = int32(number)
					queue = append(queue, t)
				}
			}
		}
		number++
	}
	return of, number
}

// shortNames returns names for the picture: "name" for "MF0;name:model/L01/U1", with "/L01/U1" if
// several switches are in that system, and the end of the GUID for switches without a unique
// description.
func shortNames(descs []string, guids []fabric.GUID) []string {
	names, rest := make([]string, len(descs)), make([]string, len(descs))
	times, systems := map[string]int{}, map[string]int{}
	for s, d := range descs {
		times[d]++
		names[s] = d
		if _, after, ok := strings.Cut(d, ";"); ok {
			names[s], rest[s], _ = strings.Cut(after, ":")
		}
		systems[names[s]]++
	}
	for s, name := range names {
		if _, chip, ok := strings.Cut(rest[s], "/"); ok && systems[name] > 1 {
			name += "/" + chip
		}
		name = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, name))
		if times[descs[s]] > 1 || name == "" {
			guid := guids[s].String()
			name = "…" + guid[len(guid)-6:]
		}
		names[s] = name
	}
	return bare(names)
}

// bare removes a word that begins all names, if coordinates or a number follow it.
func bare(names []string) []string {
	if len(names) < 2 {
		return names
	}
	word, _, _ := strings.Cut(names[0], " ")
	out := make([]string, len(names))
	for s, name := range names {
		rest, ok := strings.CutPrefix(name, word+" ")
		if !ok || rest == "" || strings.ContainsFunc(rest, unicode.IsLetter) {
			return names
		}
		out[s] = rest
	}
	return out
}

// byName compares names in natural order: digits by their number.
func byName(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if isDigit(a[i]) && isDigit(b[j]) {
			x, y := digits(a[i:]), digits(b[j:])
			i, j = i+len(x), j+len(y)
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if d := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); d != 0 {
				return d
			}
			continue
		}
		if a[i] != b[j] {
			return cmp.Compare(a[i], b[j])
		}
		i, j = i+1, j+1
	}
	return cmp.Compare(len(a)-i, len(b)-j)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// digits returns the leading digits of a text.
func digits(s string) string {
	end := 0
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	return s[:end]
}
