package clients

import (
	"fmt"
	"testing"

	"weft/internal/share"
	"weft/sm/partition"
	"weft/sm/sa"
	"weft/sm/terms"
)

// TestStandingGroups: each partition gets the groups of its file, the default partition first.
// Without a file there is the broadcast group of the default partition.
func TestStandingGroups(t *testing.T) {
	ps, err := partition.Read("partitions.conf", []byte("storage=0x10, ipoib, mtu=4096, rate=100G : ALL ;\nDefault=0x7fff, ipoib : ALL=full ;\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    *terms.Partitioning
		want []string
	}{
		{nil, []string{"ff12401bffff0000 0xFFFF mtu 4 rate 3 Q_Key 0xb1b"}},
		{&terms.Partitioning{Partitions: ps}, []string{"ff12401bffff0000 0xFFFF mtu 4 rate 3 Q_Key 0xb1b", "ff12401b80100000 0x8010 mtu 5 rate 16 Q_Key 0xb1b"}},
		{&terms.Partitioning{Partitions: partition.Everyone()}, []string{"ff12401bffff0000 0xFFFF mtu 4 rate 3 Q_Key 0xb1b"}},
	} {
		var got []string
		for _, st := range StandingGroups(c.p) {
			got = append(got, fmt.Sprintf("%x 0x%X mtu %d rate %d Q_Key %#x", st.MGID[:8], st.PKey, st.MTU, st.Rate, st.QKey))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
	if sa.InPartition([16]byte{0xFF, 0x12, 0x60, 0x1B}, 0x10) != [16]byte{0xFF, 0x12, 0x60, 0x1B, 0x80, 0x10} {
		t.Error("an MGID of IPv6 has the P_Key of its partition in it")
	}
}

// TestMembersOfTerm: members are reported for the term as master that they were restored for. The
// loop is woken when they are known, even if there are none.
func TestMembersOfTerm(t *testing.T) {
	m := NewMembers(share.Rule{})
	m.restore(3, nil, nil, nil)
	if list, known := m.Membership(3); !known || len(list) > 0 {
		t.Errorf("%v, %v", list, known)
	}
	if _, known := m.Membership(5); known {
		t.Error("members of an earlier time as a master are told")
	}
	select {
	case <-m.Changed:
	default:
		t.Error("the loop is not told that there are no members")
	}
}

// TestPortsAreNoAliases: a GUID with a LID is a port's own, even of a port that is away.
func TestPortsAreNoAliases(t *testing.T) {
	r := NewRegistrar(RegistrarOptions{Members: NewMembers(share.Rule{})})
	r.Commit(0, &copied{LIDs: terms.LIDMap{7: {Base: 1}}}, func(error) {})
	if !r.Registry.IsPort(7) || r.Registry.IsPort(8) {
		t.Error("ports are not those with LIDs")
	}
}
