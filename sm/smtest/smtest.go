package smtest

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
	"weft/sm/ledger"
	"weft/sm/partition"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Formula returns the fabric of a formula, for example "rlft(4,2)".
func Formula(tb testing.TB, text string) *fabric.Fabric {
	tb.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// Find returns the nth node of a type, counted from 0.
func Find(f *fabric.Fabric, typ fabric.NodeType, n int) fabric.NodeID {
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

// JobOf returns the planner's request for a chain of engines.
func JobOf(chain string, lmc uint8) planner.Request {
	steps, err := engine.Parse(chain, nil)
	if err != nil {
		panic(err)
	}
	return planner.Request{Chain: steps, LIDs: lids.Options{LMC: lmc}, Workers: 1, Seed: 1}
}

// Fataler is the part of testing.T and rapid.T that helpers use.
type Fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Describe returns the method, attribute, modifier and path of a Send.
func Describe(a *terms.Action) string {
	return fmt.Sprintf("%v %s %x via %v", a.Method, ledger.AttrName(a.Attr), a.Modifier, a.Path)
}

// Keys of three managers.
var (
	SecretKeys = terms.Keys{Secret: []byte("a secret of ours"), Protect: 1, Lease: 60}
	OtherKeys  = terms.Keys{Secret: []byte("that of somebody else"), Protect: 1, Lease: 60}
	HidingKeys = terms.Keys{Secret: []byte("a secret that hides"), Protect: 3, Lease: 10}
)

// Partitioning parses a partitions file. in and out set whether switches enforce the partitions.
func Partitioning(t Fataler, text string, in, out bool) *terms.Partitioning {
	ps, err := partition.Read("partitions.conf", []byte(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return &terms.Partitioning{Partitions: ps, In: in, Out: out}
}

// MemberMask is the component mask of a request to join a multicast group.
var MemberMask = mad.MCMemberRecord.Mask(mad.MCMemberRecordMGID) | mad.MCMemberRecord.Mask(mad.MCMemberRecordPortGID) | mad.MCMemberRecord.Mask(mad.MCMemberRecordQKey) |
	mad.MCMemberRecord.Mask(mad.MCMemberRecordPKey) | mad.MCMemberRecord.Mask(mad.MCMemberRecordSL) | mad.MCMemberRecord.Mask(mad.MCMemberRecordFlowLabel) |
	mad.MCMemberRecord.Mask(mad.MCMemberRecordTClass) | mad.MCMemberRecord.Mask(mad.MCMemberRecordJoinState)

// Request returns a datagram to subnet administration. mask is its component mask, rec its record.
func Request(method mad.Method, attr mad.AttrID, mask uint64, rec []byte) mad.Datagram {
	q, err := mad.Request{Method: method, Attr: attr}.SA(make([]byte, mad.Size), mask)
	if err != nil {
		panic(err)
	}
	copy(q.Data(), rec)
	return q
}

// Janus reads the dump of a real cluster with 214 switches. Without WEFT_DUMPS it skips the test.
func Janus(tb testing.TB) *fabric.Fabric {
	tb.Helper()
	return Dump(tb, "janus", dumps.Read(tb, "janus/ibnetdiscover-2014-02-12.txt"))
}

// Same fails the test if the discovered fabric differs from the expected one, LIDs aside.
func Same(t testing.TB, want, got *fabric.Fabric) {
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

// MgidOf returns a different MGID for each n.
func MgidOf(n int) (mgid [16]byte) {
	copy(mgid[:], []byte{0xFF, 0x12, 0xA0, 0x1C})
	binary.BigEndian.PutUint32(mgid[12:], uint32(n+1))
	return mgid
}

// Dump reads a fabric from the bytes of a dump.
func Dump(tb testing.TB, name string, data []byte) *fabric.Fabric {
	tb.Helper()
	f, _, err := netfile.Read(name, data, netfile.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}
