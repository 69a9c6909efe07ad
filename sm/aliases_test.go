package sm

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

// TestAliasGUIDs: a host gives its port an alias; the port gets it, records show it, and other
// hosts find paths to it, and groups take it. When it is deleted all that ends.
func TestAliasGUIDs(t *testing.T) {
	wiretest.NoLeaks(t)
	m := manage(t, smtest.Formula(t, "rlft(4,2)"), "updn", 0)
	a, other := m.client(3), m.client(5)
	port, err := m.attach(3).Port(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const alias = fabric.GUID(0x0200_0000_0000_0042)
	rec := make([]byte, 72)
	mad.GUIDInfoRecordLID.Put(rec, uint64(port.LID))
	mad.GUIDInfoGUID.Set(mad.GUIDInfoRecordGUIDInfo.Get(rec), 1, uint64(alias))
	which := mad.GUIDInfoRecord.Mask(mad.GUIDInfoRecordLID, mad.GUIDInfoRecordBlock)
	holds := func(want fabric.GUID) {
		t.Helper()
		for range 200 {
			if other.guid(port.LID, 1) == want {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("the port does not hold %s", want)
	}
	if _, err := other.ask(mad.Set, mad.AttrGUIDInfoRecord, which|1<<5, rec); err == nil {
		t.Error("a stranger names the port")
	}
	answer, err := a.ask(mad.Set, mad.AttrGUIDInfoRecord, which|1<<5, rec)
	if err != nil || mad.GUIDInfoGUID.At(mad.GUIDInfoRecordGUIDInfo.Get(answer.Data()), 1) != uint64(alias) {
		t.Fatalf("%v, %v", answer, err)
	}
	holds(alias)
	m.asked <- &terms.Event{Kind: terms.WritePartitions, Write: &partition.Write{
		Deed: partition.Put, Of: partition.Partitions{{Key: 0x10, Members: []partition.Member{{GUID: alias, As: partition.Limited}, {GUID: fabric.GUID(port.PortGUID), As: partition.Full}}}},
	}}
	hasKeys := func(want ...uint16) {
		t.Helper()
		var has []uint16
		for range 200 {
			m.l.Do(func(s *emulator.Subnet) { has, _ = s.PKeys(m.at(3)) })
			if slices.Sort(has); slices.Equal(has, want) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("the port has the P_Keys %#x, want %#x", has, want)
	}
	hasKeys(0x0010, 0x8010, 0xffff)
	records := other.table(mad.AttrGUIDInfoRecord, which, rec)
	if len(records) != 1 || !bytes.Equal(records[0], answer.Data()[:72]) {
		t.Errorf("%x, want %x", records, answer.Data()[:72])
	}
	path := make([]byte, 64)
	mad.PathRecordDGID.Put(path, gidOfAlias(alias))
	mad.PathRecordSLID.Put(path, uint64(port.SMLID))
	toAlias := mad.PathRecord.Mask(mad.PathRecordDGID, mad.PathRecordSLID)
	found, err := other.ask(mad.Get, mad.AttrPathRecord, toAlias, path)
	if err != nil || mad.PathRecordDLID.Get(found.Data()) != uint64(port.LID) || !bytes.Equal(mad.PathRecordDGID.Get(found.Data()), gidOfAlias(alias)) {
		t.Errorf("%v, %v", found, err)
	}
	join := make([]byte, 52)
	mad.MCMemberRecordMGID.Put(join, []byte{0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 12: 0xff, 13: 0xff, 14: 0xff, 15: 0xff})
	mad.MCMemberRecordPortGID.Put(join, gidOfAlias(alias))
	mad.MCMemberRecordJoinState.Put(join, mad.JoinFull)
	member := mad.MCMemberRecord.Mask(mad.MCMemberRecordMGID, mad.MCMemberRecordPortGID, mad.MCMemberRecordJoinState)
	if _, err := a.ask(mad.Set, mad.AttrMCMemberRecord, member, join); err != nil {
		t.Errorf("the alias does not join: %v", err)
	}
	if _, err := a.ask(mad.Delete, mad.AttrGUIDInfoRecord, which|1<<5, rec); err == nil {
		t.Error("the alias of a group's member is deleted")
	}
	if _, err := a.ask(mad.Delete, mad.AttrMCMemberRecord, member, join); err != nil {
		t.Error(err)
	}
	if _, err := a.ask(mad.Delete, mad.AttrGUIDInfoRecord, which|1<<5, rec); err != nil {
		t.Error(err)
	}
	holds(0)
	hasKeys(0x8010, 0xffff)
	if found, err = other.ask(mad.Get, mad.AttrPathRecord, toAlias, path); err == nil {
		t.Errorf("a path to what is no alias any more: %v", found)
	}
}

// TestAliasesAtOnce: after a restart the first round knows the aliases of the last run, and takes
// no P_Key from their ports.
func TestAliasesAtOnce(t *testing.T) {
	wiretest.NoLeaks(t)
	f := smtest.Formula(t, "rlft(4,2)")
	host := (&managed{f: f}).at(3)
	port := f.Nodes[host.Node].Ports[1].GUID
	e := sa.Entry{EntryName: sa.EntryName{Kind: sa.AliasGUIDs, Key: string(append(gidOfAlias(port)[8:], 0))}, Value: make([]byte, 64)}
	copy(e.Value[8:], gidOfAlias(42)[8:])
	m := manageAs(t, f, "updn", 0, terms.UsualWatch, func(r *Runner) {
		r.Registered, r.Partitions = []sa.Entry{e}, smtest.Partitioning(t, "Default=0x7fff: ALL=full; a=5: 42=full;", true, true)
	})
	var has []uint16
	if m.l.Do(func(s *emulator.Subnet) { has, _ = s.PKeys(host) }); !slices.Contains(has, 0x8005) {
		t.Errorf("the port has the P_Keys %#x after the first round", has)
	}
}

// at returns the port of a host, by its number.
func (m *managed) at(host int) fabric.End {
	for i := range m.f.Nodes {
		if m.f.Nodes[i].Type == fabric.Switch {
			continue
		}
		if host--; host < 0 {
			return fabric.End{Node: fabric.NodeID(i), Port: 1}
		}
	}
	return fabric.End{}
}

// guid asks a port for one of its first GUIDs.
func (a *asker) guid(lid uint16, at int) fabric.GUID {
	a.t.Helper()
	q, err := mad.Request{Method: mad.Get, Attr: mad.AttrGUIDInfo}.Routed(make([]byte, mad.Size))
	if err != nil {
		a.t.Fatal(err)
	}
	told := make(chan fabric.GUID, 1)
	a.r.Start(&wire.Request{Addr: wire.ToLID(lid, 0), MAD: q, Done: func(res *wire.Result) {
		guid := fabric.GUID(0)
		if res.Reply != nil {
			guid = fabric.GUID(mad.GUIDInfoGUID.At(res.Reply.MAD.Data(), at))
		}
		told <- guid
	}})
	return <-told
}

// gidOfAlias is the GID of a GUID with the usual prefix.
func gidOfAlias(guid fabric.GUID) []byte {
	gid := []byte{0xfe, 0x80, 15: 0}
	for i := range 8 {
		gid[8+i] = byte(uint64(guid) >> (56 - 8*i))
	}
	return gid
}
