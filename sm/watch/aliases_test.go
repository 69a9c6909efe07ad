package watch

import (
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestAliasesOutliveTakeovers: an alias that a host was granted is known to the next master, also
// in its first round: no port loses the P_Keys of its aliases for a moment.
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
	if d := master.write(adding(0x10, alias)); d.Err != nil {
		t.Fatal(d.Err)
	}
	m.run(2*time.Second, false)
	m.wrote = func(_ *virtual, a *terms.Action) {
		if a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrPKeyTable {
			t.Errorf("P_KeyTable 0x%X is written", a.Modifier)
		}
	}
	for range 2 {
		if keys, err := m.sub.PKeys(c.at); err != nil || !slices.Contains(keys, 0x8010) {
			t.Errorf("the port has the P_Keys %#x, %v", keys, err)
		}
		if got := master.keeper.r.Registry.Aliases.PortOf(alias); got != port {
			t.Fatalf("the alias is one of %s, and should be one of %s %s", got, port, journals(m.living()))
		}
		if master == m.managers[0] {
			master = m.kill(master)
		}
	}
}

// TestAliasRounds: a host that changes its aliases all the time begins no round, unless partitions
// name them.
func TestAliasRounds(t *testing.T) {
	v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{Elect: true})
	v.runUntil(v.now + 5*time.Second)
	const named, other = fabric.GUID(42), fabric.GUID(43)
	if d := v.write(adding(0x10, named)); d.Err != nil {
		t.Fatal(d.Err)
	}
	v.runUntil(v.now + 2*time.Second)
	port := v.sub.Fabric().Nodes[len(v.sub.Fabric().Nodes)-1].Ports[1].GUID
	for _, c := range []struct {
		aliases map[fabric.GUID]fabric.GUID
		round   bool
	}{
		{map[fabric.GUID]fabric.GUID{other: port}, false},
		{map[fabric.GUID]fabric.GUID{}, false},
		{map[fabric.GUID]fabric.GUID{other: port, named: port}, true},
		{map[fabric.GUID]fabric.GUID{named: port}, false},
		{map[fabric.GUID]fabric.GUID{}, true},
	} {
		rounds := v.told(terms.RoundBegun)
		v.step(&terms.Event{Kind: terms.Told, News: &terms.News{Aliases: c.aliases}})
		if v.runUntil(v.now + time.Second); v.told(terms.RoundBegun) > rounds != c.round {
			t.Errorf("%v: a round begins: %t", c.aliases, !c.round)
		}
	}
}
