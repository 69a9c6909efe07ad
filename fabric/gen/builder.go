package gen

import (
	"fmt"
	"strconv"

	"weft/fabric"
)

// The GUID scheme, see the package comment.
const (
	switchGUID      fabric.GUID = 0x0200005300000000
	hostGUID        fabric.GUID = 0x0200004800000000
	aggregationGUID fabric.GUID = 0x0200004100000000
)

func guidOfSwitch(n int) fabric.GUID { return switchGUID + fabric.GUID(n+1) }
func guidOfHost(n int) fabric.GUID   { return hostGUID + fabric.GUID(n+1)<<8 }

func guidOfAggregation(n int) fabric.GUID { return aggregationGUID + fabric.GUID(n+1) }

// builder adds switches, hosts and links and keeps the first error.
type builder struct {
	f        *fabric.Fabric
	switches int
	hosts    int
	err      error
}

func newBuilder() *builder { return &builder{f: fabric.New("")} }

func (b *builder) done() (*fabric.Fabric, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.f, nil
}

func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// add creates the next switch.
func (b *builder) add(ports int, desc string) fabric.NodeID {
	id, err := b.f.AddNode(fabric.Switch, guidOfSwitch(b.switches), ports, desc)
	if err != nil {
		b.fail(err)
		return -1
	}
	b.f.Nodes[id].SystemGUID = b.f.Nodes[id].GUID
	b.switches++
	return id
}

// addAll creates n switches called "prefix 0", "prefix 1" and so on.
func (b *builder) addAll(n, ports int, prefix string) []fabric.NodeID {
	ids := make([]fabric.NodeID, n)
	for i := range ids {
		ids[i] = b.add(ports, prefix+" "+strconv.Itoa(i))
	}
	return ids
}

// link joins two ports of two nodes.
func (b *builder) link(x fabric.NodeID, xp int, y fabric.NodeID, yp int) {
	if b.err != nil {
		return
	}
	if xp > fabric.MaxPorts || yp > fabric.MaxPorts {
		b.fail(fmt.Errorf("port %d is beyond the largest port number, %d", max(xp, yp), fabric.MaxPorts))
		return
	}
	_, err := b.f.Connect(fabric.End{Node: x, Port: uint8(xp)}, fabric.End{Node: y, Port: uint8(yp)}, 4, fabric.EDR)
	if err != nil {
		b.fail(err)
	}
}

// newHost creates the next host, without cables.
func (b *builder) newHost(ports int) fabric.NodeID {
	id, err := addHost(b.f, b.hosts, ports)
	if err != nil {
		b.fail(err)
	}
	b.hosts++
	return id
}

// nextFree advances n to the first number whose GUID is free, and returns it.
func nextFree(f *fabric.Fabric, scheme func(int) fabric.GUID, n *int) int {
	for ; ; *n++ {
		if _, taken := f.NodeByGUID(scheme(*n)); !taken {
			return *n
		}
	}
}

// addHost creates host n of the GUID scheme.
func addHost(f *fabric.Fabric, n, ports int) (fabric.NodeID, error) {
	id, err := f.AddNode(fabric.CA, guidOfHost(n), ports, "host "+strconv.Itoa(n))
	if err != nil {
		return -1, err
	}
	node := &f.Nodes[id]
	node.SystemGUID = node.GUID
	for p := 1; p <= ports; p++ {
		node.Ports[p].GUID = node.GUID + fabric.GUID(p)
	}
	return id, nil
}

// host creates the next host on a port of a switch.
func (b *builder) host(s fabric.NodeID, port int) {
	b.link(b.newHost(1), 1, s, port)
}

// spread puts the hosts of each leaf on its ports, beginning with first.
func (b *builder) spread(leaves []fabric.NodeID, hosts, first int) {
	for l, s := range leaves {
		for i := range portion(hosts, len(leaves), l) {
			b.host(s, first+i)
		}
	}
}

// portion returns the share of leaf l in n things: an even share, one more for the first leaves.
func portion(n, leaves, l int) int {
	if l < n%leaves {
		return n/leaves + 1
	}
	return n / leaves
}

// ceil returns a/b rounded up.
func ceil(a, b int) int { return (a + b - 1) / b }

// huge stands for every product that is too large to build.
const huge = 1 << 40

// mul multiplies without overflow.
func mul(factors ...int) int {
	p := 1
	for _, f := range factors {
		if f != 0 && p > huge/f {
			return huge
		}
		p *= f
	}
	return p
}

// pow returns a to the power of n, without overflow.
func pow(a, n int) int {
	p := 1
	for range n {
		if p = mul(p, a); p == 0 || p == huge {
			return p
		}
	}
	return p
}

// size counts the parts that a formula would build.
type size struct {
	switches int
	ports    int // of the largest switch
	hosts    int
	links    int // host cables included
}

// Limits limit the size of a fabric that an expression builds.
type Limits struct {
	Nodes, Links int
	SwitchPorts  int // of all switches together
}

// usual are the limits of a Fabric.
var usual = Limits{fabric.MaxNodes, fabric.MaxLinks, fabric.MaxSwitchPorts}

// fits returns an error if the parts exceed a limit.
func (s size) fits(most Limits) error {
	switch {
	case s.ports > fabric.MaxPorts:
		return fmt.Errorf("a switch would have %s ports (at most %d)", count(s.ports), fabric.MaxPorts)
	case s.switches+s.hosts > most.Nodes:
		return fmt.Errorf("%s switches and %s hosts are too many to build (at most %d nodes)", count(s.switches), count(s.hosts), most.Nodes)
	case s.links > most.Links:
		return fmt.Errorf("%s cables are too many to build (at most %d)", count(s.links), most.Links)
	case mul(s.switches, s.ports) > most.SwitchPorts:
		return fmt.Errorf("%s switch ports are too many to build (at most %d)", count(mul(s.switches, s.ports)), most.SwitchPorts)
	}
	return nil
}

// hold returns an error if a fabric exceeds the limits.
func (l Limits) hold(f *fabric.Fabric) error {
	if len(f.Nodes) > l.Nodes || len(f.Links) > l.Links {
		return fmt.Errorf("%d nodes and %d cables are too many (at most %d and %d)", len(f.Nodes), len(f.Links), l.Nodes, l.Links)
	}
	return nil
}

func count(n int) string {
	if n >= huge {
		return "more than 10^12"
	}
	return strconv.Itoa(n)
}
