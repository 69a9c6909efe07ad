package watch

import (
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestAliasesOutliveTakeovers: an alias that a host was granted is known to the next master.
func TestAliasesOutliveTakeovers(t *testing.T) {
	const alias = fabric.GUID(42)
	m, master, _ := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
	c := m.customers[0]
	info, err := m.sub.PortInfo(c.at)
	if err != nil {
		t.Fatal(err)
	}
	port := m.f.Nodes[c.at.Node].Ports[c.at.Port].GUID
	q, err := mad.Request{Method: mad.Set, Attr: mad.AttrGUIDInfoRecord, TID: 5}.SA(make([]byte, mad.Size), mad.GUIDInfoRecord.Mask(mad.GUIDInfoRecordLID, mad.GUIDInfoRecordBlock)|1<<6)
	if err != nil {
		t.Fatal(err)
	}
	mad.GUIDInfoRecordLID.Put(q.Data(), mad.PortInfoLID.Get(info))
	mad.GUIDInfoGUID.Set(mad.GUIDInfoRecordGUIDInfo.Get(q.Data()), 2, uint64(alias))
	c.send(m.now, q)
	m.run(100*time.Millisecond, false)
	for range 2 {
		if got := master.keeper.r.Registry.Aliases.PortOf(alias); got != port {
			t.Fatalf("the alias is one of %s, and should be one of %s %s", got, port, journals(m.living()))
		}
		if master == m.managers[0] {
			master = m.kill(master)
		}
	}
}
