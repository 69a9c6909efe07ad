package opensm

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/sm/partition"
)

// drawPartitions draws a file of partitions in weft's syntax, which all but patterns and units
// OpenSM has too.
func drawPartitions(t *rapid.T, patterns bool) string {
	var b strings.Builder
	members := []string{"ALL", "ALL_CAS", "ALL_SWITCHES", "SELF", "0x10", "0x0200004800000301"}
	if patterns {
		members = append(members, `"host*"`, `"leaf ?"`, `"nobody"`)
	}
	flags := []string{"", ",ipoib", ",indx0", ",ipoib,mtu=4096,rate=100G,sl=3", ",ipoib,Q_Key=0xb1b,scope=5,TClass=7,FlowLabel=9", ",indx0,defmember=full", ",sl=4"}
	for i := range rapid.IntRange(0, 4).Draw(t, "partitions") {
		fmt.Fprintf(&b, "p%d=0x%04x%s :", i, 5+i, rapid.SampledFrom(flags).Draw(t, "flags"))
		if rapid.Bool().Draw(t, "group") {
			b.WriteString("\n mgid=ff12:401b::5,mtu=2048,sl=1\n")
		}
		for k := range rapid.IntRange(0, 3).Draw(t, "members") {
			if k > 0 {
				b.WriteString(",")
			}
			b.WriteString(rapid.SampledFrom(members).Draw(t, "member") + rapid.SampledFrom([]string{"", "=full", "=limited", "=both"}).Draw(t, "as"))
		}
		b.WriteString(";\n")
	}
	return b.String()
}

// TestPartitionsThereAndBack: partitions that are written for OpenSM are read as they were, and
// where they have patterns all ports of the subnet have the P_Keys that they had.
func TestPartitionsThereAndBack(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		patterns := rapid.Bool().Draw(t, "patterns")
		was, err := partition.Read("was", []byte(drawPartitions(t, patterns)))
		if err != nil {
			t.Fatal(err)
		}
		text, both, notes := Partitions(was, f)
		if strings.ContainsAny(string(text), `"*G`) || strings.Contains(string(text), "mtu=4096") {
			t.Fatalf("OpenSM does not read this:\n%s", text)
		}
		now, err := partition.Read("now", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		named := slices.ContainsFunc(was, func(p partition.Partition) bool {
			return slices.ContainsFunc(p.Members, func(m partition.Member) bool { return m.Who == partition.Described })
		})
		if named != (len(notes) > 0) || both != strings.Contains(string(text), "=both") {
			t.Fatalf("both %t, notes %v:\n%s", both, notes, text)
		}
		if !named && !reflect.DeepEqual(was, now) && len(was)+len(now) > 0 {
			t.Fatalf("got %+v\nwant %+v\nby\n%s", now, was, text)
		}
		for i := range f.Nodes {
			n := &f.Nodes[i]
			for number := range n.Ports {
				if (number == 0) != (n.Type == fabric.Switch) {
					continue
				}
				p := partition.Port{GUID: n.Ports[number].GUID, Type: n.Type, Desc: n.Desc, Manager: i == len(f.Nodes)-1}
				got, _ := partition.NewIndex(now, nil).KeysOf(&p)
				if want, _ := partition.NewIndex(was, nil).KeysOf(&p); !slices.Equal(got, want) {
					t.Fatalf("%s: got %x, want %x by\n%s", n.Desc, got, want, text)
				}
			}
		}
	})
}
