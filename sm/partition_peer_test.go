package sm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"weft/internal/peer"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// pkeysOf asks the manager of a subnet for the first block of P_Keys of all ports, by node GUID and
// port number.
func (a *asker) pkeysOf(lids, ports int) map[string][]uint16 {
	keys := map[string][]uint16{}
	get := func(attr mad.AttrID, mask uint64, rec []byte) []byte {
		m, err := a.ask(mad.Get, attr, mask, rec)
		if _, refused := errors.AsType[*wire.StatusError](err); refused {
			return nil
		} else if err != nil {
			a.t.Fatal(err)
		}
		return m.Data()
	}
	for lid := range uint64(lids) {
		rec := make([]byte, mad.NodeRecord.Size)
		mad.NodeRecordLID.Put(rec, lid+1)
		node := get(mad.AttrNodeRecord, mad.NodeRecord.Mask(mad.NodeRecordLID), rec)
		if node == nil {
			continue
		}
		for port := range uint64(ports) {
			rec := make([]byte, mad.PKeyTableRecord.Size)
			mad.PKeyTableRecordLID.Put(rec, lid+1)
			mad.PKeyTableRecordPort.Put(rec, port)
			l := mad.PKeyTableRecord
			rec = get(mad.AttrPKeyTableRecord, l.Mask(mad.PKeyTableRecordLID)|l.Mask(mad.PKeyTableRecordBlock)|l.Mask(mad.PKeyTableRecordPort), rec)
			if rec == nil {
				continue
			}
			at := fmt.Sprintf("%#x[%d]", mad.NodeInfoNodeGUID.Get(mad.NodeRecordNodeInfo.Get(node)), port)
			table := mad.PKeyTableRecordTable.Get(rec)
			for i := range 32 {
				if key := uint16(mad.PKeyTablePKey.At(table, i)); key != 0 {
					keys[at] = append(keys[at], key)
				}
			}
		}
	}
	return keys
}

// openSMWith has OpenSM bring the subnet up, with a file of partitions, and stay; end ends it.
func (s *simulator) openSMWith(partitions string) (end func()) {
	s.tb.Helper()
	file := s.Path("partitions.conf")
	if err := os.WriteFile(file, []byte(partitions), 0o600); err != nil {
		s.tb.Fatal(err)
	}
	return s.OpenSM("-R", "minhop", "-P", file)
}

// TestPartitionsOfOpenSM: from one file, ports get the P_Keys that OpenSM gives them, and so do
// switch ports before hosts.
func TestPartitionsOfOpenSM(t *testing.T) {
	peer.Program(t, "opensm")
	peer.Preload(t)
	for name, text := range map[string]string{
		"default": "Default=0x7fff:ALL=full;\n",
		"limited": "storage=0x0010: 0x1001=full, 0x1003=limited;\n",
		"people":  "Default=0x7fff,rate=3,mtu=4,scope=2,defmember=full:\n\tALL, ALL_SWITCHES=full;\n0x8020,ipoib:ALL_CAS=full,NONE;\nb=0x21,mtu=4,ipoib,:ALL;\n",
		"twice":   "Default=0x7fff:ALL=full;\na=0x20:0x1001=full,ALL_CAS=limited,0x1011=full,0x1013=full;\na=0x20:0x1013=limited;\n",
		"several": "Default=0x7fff,ipoib:ALL=limited,SELF=full;\na=0x20,defmember=full:0x1001,0x1011=limited;\nb=0x21:ALL_CAS=full,ALL_SWITCHES=limited;\na=0x20:0x1013=limited;\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := tree(t)
			g := f.Compile()
			host := nodeID(g.EndNodeGUID[g.NumHosts-1])
			var theirs, ours map[string][]uint16
			t.Run("OpenSM", func(t *testing.T) {
				s := emulate(t, f)
				defer s.openSMWith(text)()
				theirs = s.saClient(host).pkeysOf(g.NumEnds+1, 8)
			})
			t.Run("weft", func(t *testing.T) {
				s := emulate(t, f)
				defer s.administerBy(terms.Config{SMKey: 1, Partitions: smtest.Partitioning(t, text, true, true)}, "minhop", 0)()
				ours = s.saClient(host).pkeysOf(g.NumEnds+1, 8)
			})
			// OpenSM has records of ports that hosts do not have too, and of cables between
			// switches, whose tables nobody writes. It shows a limited member no other one, even
			// where the request is trusted.
			compared := 0
			for _, at := range slices.Sorted(maps.Keys(ours)) {
				if theirs[at] == nil && name == "limited" {
					continue
				}
				compared++
				if !slices.Equal(slices.Sorted(slices.Values(ours[at])), slices.Sorted(slices.Values(theirs[at]))) {
					t.Errorf("%s: OpenSM %#x, ours %#x", at, theirs[at], ours[at])
				}
			}
			if compared < 2 {
				t.Errorf("%d ports are compared", compared)
			}
			if want := g.NumEnds + g.NumHosts; len(ours) != want {
				t.Errorf("P_Keys of %d ports, want those of %d: hosts, the switch ports before them, port 0 of switches", len(ours), want)
			}
		})
	}
}

// TestPathsOfLimitedMembers: who asks without the SM_Key, as hosts do, is told a path to the same
// other ports by weft and by OpenSM: a limited member of all its partitions to full members. weft
// tells it the path to itself too.
func TestPathsOfLimitedMembers(t *testing.T) {
	peer.Program(t, "opensm")
	peer.Preload(t)
	for name, text := range map[string]string{
		"limited": "Default=0x7fff:ALL=limited,SELF=full;\nstorage=0x0010: ALL=limited, 0x1003=full;\n",
		"full":    "Default=0x7fff:ALL=full;\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := tree(t)
			g := f.Compile()
			reached := func(s *simulator) map[string]bool {
				told := map[string]bool{}
				for from := range g.NumHosts {
					a := s.saClient(nodeID(g.EndNodeGUID[from]))
					a.key = 0
					for to := range g.NumHosts {
						rec := make([]byte, 64)
						for at, end := range map[int]int{8: to, 24: from} {
							binary.BigEndian.PutUint64(rec[at:], mad.DefaultGIDPrefix)
							binary.BigEndian.PutUint64(rec[at+8:], uint64(g.EndNodeGUID[end])+1) // as both simulators number ports
						}
						mad.PathRecordNumbPath.Put(rec, 1)
						m, err := a.ask(mad.Get, mad.AttrPathRecord, mad.PathRecord.Mask(mad.PathRecordDGID, mad.PathRecordSGID, mad.PathRecordNumbPath), rec)
						if _, refused := errors.AsType[*wire.StatusError](err); err != nil && !refused {
							t.Fatal(err)
						}
						told[fmt.Sprint(from, " to ", to)] = err == nil && mad.PathRecordDLID.Get(m.Data()) != 0
					}
				}
				return told
			}
			var theirs, ours map[string]bool
			t.Run("OpenSM", func(t *testing.T) {
				s := emulate(t, f)
				defer s.openSMWith(text)()
				theirs = reached(s)
			})
			t.Run("weft", func(t *testing.T) {
				s := emulate(t, f)
				defer s.administerBy(terms.Config{SMKey: 1, Partitions: smtest.Partitioning(t, text, true, true)}, "minhop", 0)()
				ours = reached(s)
			})
			for host := range g.NumHosts {
				self := fmt.Sprint(host, " to ", host)
				theirs[self] = true
			}
			if !maps.Equal(ours, theirs) || !ours["2 to 1"] || ours["2 to 3"] == (name == "limited") {
				t.Errorf("by weft %v\nby OpenSM %v", ours, theirs)
			}
		})
	}
}
