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
	"weft/mad"
	"weft/sm/sa"
	"weft/wire"
)

// askAboutGroups has some hosts join the broadcast group and a group of their own, and one leave it, and asks for all records of groups.
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
		mad.MCMemberRecordQKey.Put(rec, usualQKey)
		mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
		mad.MCMemberRecordMtu.Put(rec, usualGroupMTU)
		mad.MCMemberRecordRate.Put(rec, usualGroupRate)
		mad.MCMemberRecordMtuSelector.Put(rec, mad.SelectExactly)
		mad.MCMemberRecordRateSelector.Put(rec, mad.SelectExactly)
		mad.MCMemberRecordJoinState.Put(rec, state)
		return rec
	}
	rates := mad.MCMemberRecord.Mask(mad.MCMemberRecordMtu) | mad.MCMemberRecord.Mask(mad.MCMemberRecordMtuSelector) |
		mad.MCMemberRecord.Mask(mad.MCMemberRecordRate) | mad.MCMemberRecord.Mask(mad.MCMemberRecordRateSelector)
	for _, end := range []int{0, 2, 4} { // links of four lanes
		m, err := a.ask(mad.Set, mad.AttrMCMemberRecord, memberMask, record(broadcast, end, mad.JoinFull))
		say(fmt.Sprintf("join broadcast %d", end), m, err)
		m, err = a.ask(mad.Set, mad.AttrMCMemberRecord, memberMask|rates, record(own, end, mad.JoinFull))
		say(fmt.Sprintf("join own %d", end), m, err)
	}
	m, err := a.ask(mad.Set, mad.AttrMCMemberRecord, memberMask, record(own, 2, mad.JoinNon))
	say("join as another", m, err)
	m, err = a.ask(mad.Delete, mad.AttrMCMemberRecord, memberMask, record(own, 2, mad.JoinFull))
	say("leave in part", m, err)
	m, err = a.ask(mad.Delete, mad.AttrMCMemberRecord, memberMask, record(own, 4, mad.JoinFull))
	say("leave", m, err)
	m, err = a.ask(mad.Delete, mad.AttrMCMemberRecord, memberMask, record(own, 4, mad.JoinFull))
	say("leave again", m, err)
	for _, mgid := range [][16]byte{broadcast, own} {
		for end := range 5 {
			m, err = a.ask(mad.Get, mad.AttrMCMemberRecord, mad.MCMemberRecord.Mask(mad.MCMemberRecordMGID)|mad.MCMemberRecord.Mask(mad.MCMemberRecordPortGID), record(mgid, end, 0))
			say(fmt.Sprintf("member %d of %x", end, mgid), m, err)
		}
	}
	all.freeOfGroups()
	return all
}

// freeOfGroups clears what the specification leaves to subnet administration, and what OpenSM says otherwise: it gives back the MLID and the life time of
// a request to leave, gives groups that hosts make the life time 0 and the scope that was asked for in place of that of their MGID, and has ProxyJoin in the bit of a reserved field.
func (all answers) freeOfGroups() {
	for what, rec := range all {
		if len(rec) != mad.MCMemberRecord.Size {
			continue
		}
		rec[49] = 0
		mad.MCMemberRecordPacketLifeTime.Put(rec, 0)
		mad.MCMemberRecordScope.Put(rec, 0)
		if strings.HasPrefix(what, "leave") {
			mad.MCMemberRecordMLID.Put(rec, 0)
		}
	}
}

// multicastTables asks for the first block of each switch's multicast table, until they have a number of entries.
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

// TestGroupsOfOpenSM: on the same fabric, on ibsim and on the emulator, our answers about groups, and the multicast tables, are those of OpenSM, field by field; and the switches hold what they
// are said to.
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
	end := s.openSM("-R", "minhop")
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
