package watch

import (
	"encoding/binary"
	"testing"
	"time"

	"weft/fabric"
	"weft/internal/racing"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/wire/mad"
)

// solicitedNode returns the MGID of the solicited-node group of an IPv6 host (RFC 4391).
func solicitedNode(host int) [16]byte {
	mgid := [16]byte{0xFF, 0x12, 0x60, 0x1B, 0xFF, 0xFF, 11: 1, 12: 0xFF}
	mgid[13] = byte(host >> 16)
	binary.BigEndian.PutUint16(mgid[14:], uint16(host))
	return mgid
}

// allNodes is the MGID of the group of all IPv6 hosts, ff02::1.
var allNodes = [16]byte{0xFF, 0x12, 0x60, 0x1B, 0xFF, 0xFF, 15: 1}

// TestIPv6Hosts: 5,000 hosts join the group of all nodes and each a group of its own, to which
// another one sends, on switches with 1,024 multicast LIDs. All joins are granted, every packet
// reaches its members, and no group shares the MLID of a large one. When most hosts leave, the
// trees shrink to those of the others.
func TestIPv6Hosts(t *testing.T) {
	racing.SkipLong(t)
	const hosts, mlids = 5000, 1024
	b := newCastBed(t, smtest.Formula(t, "rlft(28,3)"), "ftree", 0, mlids)
	if len(b.hosts) < hosts || b.subnet == nil || b.subnet.Plan.Multicast == nil {
		t.Fatalf("%d hosts, %v", len(b.hosts), b.v.entries)
	}
	b.v.onEvent, b.v.onAction = b.follow, nil // checked by TestGroupsThroughFaults
	ask := func(method mad.Method, host int, mgid [16]byte, state uint64) {
		t.Helper()
		if status := b.ask(method, host, mgid, state); status != mad.StatusOK {
			t.Fatalf("%v of host %d: %v, %+v", method, host, status, b.m.Groups.Counts())
		}
	}
	for host := range hosts {
		ask(mad.Set, host, allNodes, mad.JoinFull)
		ask(mad.Set, host, solicitedNode(host), mad.JoinFull)
	}
	for host := range hosts {
		ask(mad.Set, (host+1234)%hosts, solicitedNode(host), mad.JoinSendOnlyNon)
	}
	b.wait(30 * time.Second)
	mlidOf := map[fabric.LID]int{}
	b.m.Groups.All(func(g *sa.Group) { mlidOf[g.MLID]++ })
	c := b.m.Groups.Counts()
	if c.Groups != hosts+2 || c.MLIDsUsed > mlids*7/8+2 || c.MLIDsUsed != len(mlidOf) || mlidOf[b.m.Groups.Find(allNodes[:]).MLID] != 1 || mlidOf[fabric.FirstMLID] != 1 {
		t.Errorf("%+v, %d groups have the MLID of all nodes", c, mlidOf[b.m.Groups.Find(allNodes[:]).MLID])
	}
	for _, n := range mlidOf {
		if n > 7 {
			t.Errorf("%d groups have an MLID", n)
		}
	}
	b.reach(hosts, 1)
	was := b.treePorts()
	for host := range hosts {
		if host%10 > 0 {
			ask(mad.Delete, host, solicitedNode(host), mad.JoinFull)
		}
	}
	b.wait(30 * time.Second)
	b.reach(hosts, 10)
	if now := b.treePorts(); b.m.Groups.Counts().Groups != hosts/10+2 || now == 0 || now > was/5 {
		t.Errorf("%+v, trees have %d ports, before %d", b.m.Groups.Counts(), now, was)
	}
}

// wait lets time pass until all tables are written.
func (b *castBed) wait(most time.Duration) {
	b.t.Helper()
	for end := b.v.now + most; b.v.now < end; {
		b.settle()
		if gs := &b.v.manager.groups; !gs.stale && gs.step == groupsRest && len(gs.told) == len(b.m.Groups.Membership()) {
			return
		}
	}
	b.t.Fatalf("tables are not written after %v", most)
}

// reach sends to every so many-th of the groups of hosts: its host gets the packet once, and so do
// only hosts whose groups have the same MLID.
func (b *castBed) reach(hosts, every int) {
	b.t.Helper()
	for host := 0; host < hosts; host += every {
		mgid := solicitedNode(host)
		g := b.m.Groups.Find(mgid[:])
		b.send((host+1234)%hosts, g.MLID, g.SL)
		n := 0
		for h, copies := range b.got {
			if n += copies; copies == 0 {
				continue
			}
			other := solicitedNode(h)
			if x := b.m.Groups.Find(other[:]); copies > 1 || x == nil || x.MLID != g.MLID {
				b.t.Fatalf("host %d gets %d copies of a packet to host %d", h, copies, host)
			}
		}
		if b.got[host] != 1 || n > 7 {
			b.t.Fatalf("host %d gets %d copies, all hosts %d", host, b.got[host], n)
		}
	}
}

// treePorts counts the ports of the trees of all groups but the one of all nodes.
func (b *castBed) treePorts() (n int) {
	s := &b.v.manager.groups.spread
	for i := range s.Trees {
		if s.Groups[i].MLID == b.m.Groups.Find(allNodes[:]).MLID {
			continue
		}
		for k := range s.Trees[i].Ports {
			s.Trees[i].Ports[k].Each(func(uint8) { n++ })
		}
	}
	return n
}
