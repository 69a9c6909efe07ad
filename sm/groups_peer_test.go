package sm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/clients"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/wire"
	"weft/wire/mad"
)

// askAboutGroups has some hosts join the broadcast group and a group of their own, and one leave
// it, and asks for all records of groups.
func (a *asker) askAboutGroups(g *fabric.Graph) answers {
	a.t.Helper()
	all := answers{}
	say := func(what string, m mad.Datagram, err error) {
		var status *wire.StatusError
		switch {
		case errors.As(err, &status):
			all[what] = []byte(status.Status.String())
		case err != nil:
			a.t.Fatalf("%s: %v", what, err)
		default:
			all[what] = bytes.Clone(m.Data()[:mad.MCMemberRecord.Size])
		}
	}
	broadcast := sa.IPoIBBroadcast(mad.DefaultPKey, 2)
	own := [16]byte{0xFF, 0x12, 0xA0, 0x1C, 15: 1}
	record := func(mgid [16]byte, end int, state uint64) []byte {
		rec := make([]byte, 56)
		copy(rec, mgid[:])
		binary.BigEndian.PutUint64(rec[16:], mad.DefaultGIDPrefix)
		binary.BigEndian.PutUint64(rec[24:], uint64(g.EndNodeGUID[end])+1) // as both simulators number ports
		mad.MCMemberRecordQKey.Put(rec, clients.UsualQKey)
		mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
		mad.MCMemberRecordMtu.Put(rec, clients.UsualGroupMTU)
		mad.MCMemberRecordRate.Put(rec, clients.UsualGroupRate)
		mad.MCMemberRecordMtuSelector.Put(rec, mad.SelectExactly)
		mad.MCMemberRecordRateSelector.Put(rec, mad.SelectExactly)
		mad.MCMemberRecordJoinState.Put(rec, state)
		return rec
	}
	rates := mad.MCMemberRecord.Mask(mad.MCMemberRecordMtu) | mad.MCMemberRecord.Mask(mad.MCMemberRecordMtuSelector) |
		mad.MCMemberRecord.Mask(mad.MCMemberRecordRate) | mad.MCMemberRecord.Mask(mad.MCMemberRecordRateSelector)
	for _, end := range []int{0, 2, 4} { // links of four lanes
		m, err := a.ask(mad.Set, mad.AttrMCMemberRecord, smtest.MemberMask, record(broadcast, end, mad.JoinFull))
		say(fmt.Sprintf("join broadcast %d", end), m, err)
		m, err = a.ask(mad.Set, mad.AttrMCMemberRecord, smtest.MemberMask|rates, record(own, end, mad.JoinFull))
		say(fmt.Sprintf("join own %d", end), m, err)
	}
	m, err := a.ask(mad.Set, mad.AttrMCMemberRecord, smtest.MemberMask, record(own, 2, mad.JoinNon))
	say("join as another", m, err)
	m, err = a.ask(mad.Delete, mad.AttrMCMemberRecord, smtest.MemberMask, record(own, 2, mad.JoinFull))
	say("leave in part", m, err)
	m, err = a.ask(mad.Delete, mad.AttrMCMemberRecord, smtest.MemberMask, record(own, 4, mad.JoinFull))
	say("leave", m, err)
	m, err = a.ask(mad.Delete, mad.AttrMCMemberRecord, smtest.MemberMask, record(own, 4, mad.JoinFull))
	say("leave again", m, err)
	for _, mgid := range [][16]byte{broadcast, own} {
		for end := range 5 {
			m, err = a.ask(mad.Get, mad.AttrMCMemberRecord, mad.MCMemberRecord.Mask(mad.MCMemberRecordMGID)|mad.MCMemberRecord.Mask(mad.MCMemberRecordPortGID), record(mgid, end, 0))
			say(fmt.Sprintf("member %d of %x", end, mgid), m, err)
		}
	}
	for i, odd := range oddJoins {
		for _, created := range []bool{false, true} {
			mgid, end := [16]byte{0xFF, 0x12, 0xA0, 0x1C, 4: byte(i), 15: 2}, 0
			if created {
				mgid[14], end = 1, 2
				if _, err := a.ask(mad.Set, mad.AttrMCMemberRecord, smtest.MemberMask|rates, record(mgid, 0, mad.JoinFull)); err != nil {
					a.t.Fatal(err)
				}
			}
			rec, what := record(mgid, end, mad.JoinFull), fmt.Sprintf("odd join, created %v, %s", created, odd.what)
			m, err = a.ask(mad.Set, mad.AttrMCMemberRecord, odd.change(rec, smtest.MemberMask|rates), rec)
			say(what, m, err)
			m, err = a.ask(mad.Delete, mad.AttrMCMemberRecord, smtest.MemberMask, record(mgid, end, mad.JoinSendOnlyNon))
			say(what+", leave in part", m, err)
			m, err = a.ask(mad.Delete, mad.AttrMCMemberRecord, smtest.MemberMask, record(mgid, end, mad.JoinFull))
			say(what+", leave", m, err)
			for state := range uint64(16) { // what is left: the tables are compared with those of the other groups
				for _, end := range []int{0, 2} {
					gone := record([16]byte(rec[:16]), end, state)
					_, _ = a.ask(mad.Delete, mad.AttrMCMemberRecord, smtest.MemberMask, gone)
				}
			}
		}
	}
	all.freeOfGroups()
	return all
}

// oddJoins are changes of a request to join, which makes a group or joins one. Left out is where
// OpenSM says otherwise: it takes the reserved scope 0 and an MLID that is not that of the group,
// heeds no MTU or rate without its selector, and refuses a selector alone.
var oddJoins = func() []oddJoin {
	bit := mad.MCMemberRecord.Mask
	put := func(f mad.Field, v uint64) func(rec []byte, mask uint64) uint64 {
		return func(rec []byte, mask uint64) uint64 {
			f.Put(rec, v)
			return mask | bit(f)
		}
	}
	without := func(f mad.Field) func(rec []byte, mask uint64) uint64 {
		return func(_ []byte, mask uint64) uint64 { return mask &^ bit(f) }
	}
	set := func(at int, b ...byte) func(rec []byte, mask uint64) uint64 {
		return func(rec []byte, mask uint64) uint64 {
			copy(rec[at:], b)
			return mask
		}
	}
	list := []oddJoin{
		{"nothing", set(0)},
		{"scope 5", put(mad.MCMemberRecordScope, 5)},
		{"scope 2", put(mad.MCMemberRecordScope, 2)},
		{"P_Key 1", put(mad.MCMemberRecordPKey, 0x8001)},
		{"P_Key limited", put(mad.MCMemberRecordPKey, 0x7FFF)},
		{"P_Key 0", put(mad.MCMemberRecordPKey, 0)},
		{"another Q_Key", put(mad.MCMemberRecordQKey, 77)},
		{"another TClass", put(mad.MCMemberRecordTClass, 7)},
		{"another FlowLabel", put(mad.MCMemberRecordFlowLabel, 7)},
		{"another HopLimit", put(mad.MCMemberRecordHopLimit, 7)},
		{"SL 3", put(mad.MCMemberRecordSL, 3)},
		{"SL 15", put(mad.MCMemberRecordSL, 15)},
		{"MTU 5", put(mad.MCMemberRecordMtu, 5)},
		{"MTU 3", put(mad.MCMemberRecordMtu, 3)},
		{"MTU 6", put(mad.MCMemberRecordMtu, 6)},
		{"MTU 0", put(mad.MCMemberRecordMtu, 0)},
		{"MTU greater", put(mad.MCMemberRecordMtuSelector, mad.SelectGreater)},
		{"MTU less", put(mad.MCMemberRecordMtuSelector, mad.SelectLess)},
		{"MTU largest", put(mad.MCMemberRecordMtuSelector, mad.SelectLargest)},
		{"rate 2", put(mad.MCMemberRecordRate, 2)},
		{"rate 99", put(mad.MCMemberRecordRate, 63)},
		{"rate 16", put(mad.MCMemberRecordRate, 16)},
		{"rate greater", put(mad.MCMemberRecordRateSelector, mad.SelectGreater)},
		{"rate less", put(mad.MCMemberRecordRateSelector, mad.SelectLess)},
		{"rate largest", put(mad.MCMemberRecordRateSelector, mad.SelectLargest)},
		{"proxy", put(mad.MCMemberRecordProxyJoin, 1)},
		{"port of another prefix", set(16, 0xFD)},
		{"MGID unicast", set(0, 0xFE)},
		{"MGID flags", set(1, 0x42)},
		{"MGID scope 15", set(1, 0x1F)},
		{"MGID well known", set(1, 0x02)},
		{"MGID made by the SA", set(3, 0x1B)},
		{"MGID IPv4", set(2, 0x40, 0x1B, 0xFF, 0xFF)},
		{"MGID IPv4 of another partition", set(2, 0x40, 0x1B, 0x80, 0x01)},
	}
	for state := range uint64(16) {
		if state < 9 || state&mad.JoinFull == 0 { // OpenSM deletes a group whose full members only send when another state is left
			list = append(list, oddJoin{fmt.Sprintf("state %d", state), put(mad.MCMemberRecordJoinState, state)})
		}
	}
	for _, f := range []mad.Field{mad.MCMemberRecordQKey, mad.MCMemberRecordPKey, mad.MCMemberRecordSL, mad.MCMemberRecordFlowLabel, mad.MCMemberRecordTClass, mad.MCMemberRecordJoinState} {
		list = append(list, oddJoin{fmt.Sprintf("without %s", f.Decl().Name), without(f)})
	}
	return list
}()

// oddJoin is a change of a request to join.
type oddJoin struct {
	what   string
	change func(rec []byte, mask uint64) uint64
}

// freeOfGroups clears fields that the specification leaves to subnet administration, and fields in
// which OpenSM deviates. OpenSM returns the MLID and life time of a request to leave. It gives
// groups of hosts the life time 0, and the requested scope in place of their MGID's. It has
// ProxyJoin in the bit of a reserved field.
func (all answers) freeOfGroups() {
	for what, rec := range all {
		if len(rec) != mad.MCMemberRecord.Size {
			continue
		}
		rec[49] = 0
		mad.MCMemberRecordPacketLifeTime.Put(rec, 0)
		mad.MCMemberRecordScope.Put(rec, 0)
		if strings.HasPrefix(what, "leave") || strings.HasPrefix(what, "odd") {
			mad.MCMemberRecordMLID.Put(rec, 0)
		}
		if strings.HasPrefix(what, "odd") && strings.Contains(what, "leave") { // it gives back the request
			clear(rec[32:48])
		}
	}
}

// multicastTables asks for the first block of each switch's multicast table, until they have a
// number of entries.
func (a *asker) multicastTables(lids, entries int) answers {
	a.t.Helper()
	all := answers{}
	mask := mad.MulticastForwardingTableRecord.Mask(mad.MulticastForwardingTableRecordLID) | mad.MulticastForwardingTableRecord.Mask(mad.MulticastForwardingTableRecordBlock) |
		mad.MulticastForwardingTableRecord.Mask(mad.MulticastForwardingTableRecordPosition)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		n := 0
		clear(all)
		for lid := 1; lid <= lids; lid++ {
			rec := make([]byte, 72)
			mad.MulticastForwardingTableRecordLID.Put(rec, uint64(lid))
			m, err := a.ask(mad.Get, mad.AttrMulticastForwardingTableRecord, mask, rec)
			if err != nil {
				continue // no switch
			}
			data := mad.MulticastForwardingTableRecordTable.Get(m.Data())
			for i := range mad.MFTBlock {
				if mad.MulticastForwardingTablePort.At(data, i) != 0 {
					n++
				}
			}
			all[fmt.Sprintf("table of LID %d", lid)] = bytes.Clone(m.Data()[:72])
		}
		if n == entries {
			return all
		}
	}
	a.t.Errorf("not %d entries: %v", entries, all)
	return all
}

// TestGroupsOfOpenSM: on the same fabric, on ibsim and on the emulator, our answers about groups
// and the multicast tables equal OpenSM's, field by field. The switches hold these tables.
func TestGroupsOfOpenSM(t *testing.T) {
	for medium, serve := range media {
		t.Run(medium, func(t *testing.T) {
			f := tree(t)
			compareGroups(t, serve(t, f), f)
		})
	}
}

// compareGroups compares OpenSM and us on a subnet.
func compareGroups(t *testing.T, s *simulator, f *fabric.Fabric) {
	t.Helper()
	g := f.Compile()
	host := nodeID(g.EndNodeGUID[g.NumHosts-1])
	const entries = 4 + 3 // of the broadcast group at all switches; of the other one at two leaves and the root
	end := s.OpenSM("-R", "minhop")
	a := s.saClient(host)
	theirs := a.askAboutGroups(g)
	theirTables := a.multicastTables(g.NumEnds+1, entries)
	end()
	defer s.administer("minhop", 0)()
	ours := a.askAboutGroups(g)
	ourTables := a.multicastTables(g.NumEnds+1, entries)
	var what []string
	for w := range ours {
		what = append(what, w)
	}
	slices.Sort(what)
	if len(ours) != len(theirs) || len(ours) < 20 {
		t.Errorf("%d answers, theirs %d", len(ours), len(theirs))
	}
	for _, w := range what {
		if !bytes.Equal(ours[w], theirs[w]) {
			t.Errorf("%s:\n theirs %x %q\n ours   %x %q", w, theirs[w], printable(theirs[w]), ours[w], printable(ours[w]))
		}
	}
	if len(ourTables) != len(theirTables) {
		t.Errorf("%d blocks, theirs %d", len(ourTables), len(theirTables))
	}
	for w, rec := range ourTables {
		if !bytes.Equal(rec, theirTables[w]) {
			t.Errorf("%s:\n theirs %x\n ours   %x", w, theirTables[w], rec)
		}
		lid, block, position := mad.MulticastForwardingTableRecordLID.Get(rec), mad.MulticastForwardingTableRecordBlock.Get(rec), mad.MulticastForwardingTableRecordPosition.Get(rec)
		if has := a.smp(uint16(lid), mad.AttrMulticastForwardingTable, mad.MFTModifier(uint8(position), uint16(block))); !bytes.Equal(has[:64], rec[8:72]) {
			t.Errorf("%s: the switch has %x", w, has[:64])
		}
	}
}
