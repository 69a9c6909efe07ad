package sm

import (
	"encoding/binary"
	"fmt"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/internal/dumps"
	"weft/planner"
	"weft/route/engine"
	"weft/route/lids"
	"weft/sm/partition"
	"weft/wire/mad"
)

func formula(tb testing.TB, text string) *fabric.Fabric {
	tb.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// find is the nth node of a type.
func find(f *fabric.Fabric, typ fabric.NodeType, n int) fabric.NodeID {
	for i := range f.Nodes {
		if f.Nodes[i].Type == typ {
			if n == 0 {
				return fabric.NodeID(i)
			}
			n--
		}
	}
	panic("no such node")
}

func jobOf(chain string, lmc uint8) planner.Request {
	steps, err := engine.Parse(chain, nil)
	if err != nil {
		panic(err)
	}
	return planner.Request{Chain: steps, LIDs: lids.Options{LMC: lmc}, Workers: 1, Seed: 1}
}

// fataler is a test of package testing or of rapid.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func describe(a *Action) string {
	return fmt.Sprintf("%v %s %x via %v", a.Method, attrName(a.Attr), a.Modifier, a.Path)
}

var (
	secretKeys = Keys{Secret: []byte("a secret of ours"), Protect: 1, Lease: 60}
	otherKeys  = Keys{Secret: []byte("that of somebody else"), Protect: 1, Lease: 60}
	hidingKeys = Keys{Secret: []byte("a secret that hides"), Protect: 3, Lease: 10}
)

func partitioning(t fataler, text string, in, out bool) *Partitioning {
	ps, err := partition.Read("partitions.conf", []byte(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return &Partitioning{ps, in, out}
}

var memberMask = mad.MCMemberRecord.Mask(mad.MCMemberRecordMGID) | mad.MCMemberRecord.Mask(mad.MCMemberRecordPortGID) | mad.MCMemberRecord.Mask(mad.MCMemberRecordQKey) |
	mad.MCMemberRecord.Mask(mad.MCMemberRecordPKey) | mad.MCMemberRecord.Mask(mad.MCMemberRecordSL) | mad.MCMemberRecord.Mask(mad.MCMemberRecordFlowLabel) |
	mad.MCMemberRecord.Mask(mad.MCMemberRecordTClass) | mad.MCMemberRecord.Mask(mad.MCMemberRecordJoinState)

func request(method mad.Method, attr mad.AttrID, mask uint64, rec []byte) mad.Datagram {
	q, err := mad.Request{Method: method, Attr: attr}.SA(make([]byte, mad.Size), mask)
	if err != nil {
		panic(err)
	}
	copy(q.Data(), rec)
	return q
}

// janus reads the dump of a real cluster of 214 switches, which not everyone has.
func janus(tb testing.TB) *fabric.Fabric {
	tb.Helper()
	return dump(tb, "janus", dumps.Read(tb, "janus/ibnetdiscover-2014-02-12.txt"))
}

// same compares a fabric with what was found of it, LIDs aside.
func same(t testing.TB, want, got *fabric.Fabric) {
	t.Helper()
	strip := func(f *fabric.Fabric) *fabric.Fabric {
		c := f.Clone()
		for i := range c.Nodes {
			c.Nodes[i].LinearFDBCap = 0
			c.Nodes[i].EnhancedPort0 = false
			for p := range c.Nodes[i].Ports {
				q := &c.Nodes[i].Ports[p]
				q.LID, q.LMC, q.VLCap, q.Label = 0, 0, 0, ""
				if q.Link == fabric.NoLink && c.Nodes[i].Type != fabric.Switch {
					q.GUID = 0
				}
			}
		}
		for i := range c.Links {
			c.Links[i].Width, c.Links[i].Speed = 4, fabric.QDR
		}
		return c
	}
	for _, d := range fabric.Diff(strip(want), strip(got)) {
		t.Error(d)
	}
}

// mgidOf is one of a few MGIDs.
func mgidOf(n int) (mgid [16]byte) {
	copy(mgid[:], []byte{0xFF, 0x12, 0xA0, 0x1C})
	binary.BigEndian.PutUint32(mgid[12:], uint32(n+1))
	return mgid
}

func dump(tb testing.TB, name string, data []byte) *fabric.Fabric {
	tb.Helper()
	f, _, err := netfile.Read(name, data, netfile.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}
