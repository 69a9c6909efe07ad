package opensm_test

import (
	"strconv"
	"testing"

	"weft/fabric/gen"
	"weft/sm/ledger"
	"weft/sm/opensm"
	"weft/sm/terms"
	"weft/sm/tuning"
	"weft/wire/mad"
)

// held are the times that devices hold.
func (s *subnet) held() map[ledger.PortKey][4]uint64 {
	s.t.Helper()
	l := s.weft(terms.Config{ReadOnly: true}, 0).Ledger
	out := map[ledger.PortKey][4]uint64{}
	for slot := range l.Info {
		info, n := l.Info[slot][:], &l.Nodes[l.Owner[slot]]
		v := [4]uint64{}
		if l.TakesLID(int32(slot)) {
			v[0] = mad.PortInfoSubnetTimeOut.Get(info)
		}
		if l.IsSwitch(int32(slot)) && l.Peer[slot] != ledger.NoSlot {
			v[1], v[2] = mad.PortInfoHOQLife.Get(info), mad.PortInfoVLStallCount.Get(info)
		}
		if n.HasSwitch {
			v[3] = mad.SwitchInfoLifeTimeValue.Get(n.Sw[:])
		}
		out[l.PortKey(int32(slot))] = v
	}
	return out
}

// TestTimesAsOpenSM: after an import weft writes to all devices the times that OpenSM writes by the
// same configuration, and others without it.
func TestTimesAsOpenSM(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	s := switchOn(t, f)
	conf := opensm.File{Name: "opensm.conf", Data: []byte("subnet_timeout 20\npacket_life_time 0x13\nhead_of_queue_lifetime 0x11\nleaf_head_of_queue_lifetime 15\nvl_stall_count 3\nleaf_vl_stall_count 0x02\n")}
	s.write(conf)
	s.openSM(nil, "-F", s.Path(conf.Name))
	theirs := s.held()
	r, err := opensm.Import(&opensm.Input{Config: &conf})
	if err != nil {
		t.Fatal(err)
	}
	times := tuning.UsualTimes
	for _, set := range r.Settings {
		n, err := strconv.ParseUint(set.Values[0], 10, 8)
		if err != nil || times.Named()[set.Option] == nil {
			t.Fatalf("%+v, %v", set, err)
		}
		*times.Named()[set.Option] = uint8(n)
	}
	for _, tuned := range []bool{false, true} {
		cfg := terms.Config{TakeOver: true}
		if tuned {
			cfg.Tuning = &tuning.Settings{Times: &times}
		}
		s.weft(cfg, 0)
		ours, same := s.held(), 0
		for at, v := range theirs {
			if ours[at] == v {
				same++
			} else if tuned {
				t.Errorf("%v: timeout, head of queue, stall count and packet life %v, by OpenSM %v", at, ours[at], v)
			}
		}
		if !tuned && same > len(theirs)/2 {
			t.Errorf("without the import %d of %d ports are as by OpenSM: the test shows nothing", same, len(theirs))
		}
	}
}
