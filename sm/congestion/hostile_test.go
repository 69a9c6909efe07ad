package congestion

import (
	"bytes"
	"testing"
	"time"

	"weft/fabric"
	"weft/wire/mad"
)

// hostileSubnet is a Setter and four devices, whose answers a script changes.
type hostileSubnet struct {
	t       *testing.T
	s       *Setter
	now     time.Duration
	list    []Device
	ports   map[fabric.LID]*port
	doubted map[fabric.LID]bool // an answer of it was not what it said
	under   []*Ask
	ended   []uint64 // tags
	asked   int
}

func newHostileSubnet(t *testing.T) *hostileSubnet {
	h := &hostileSubnet{t: t, s: New(Settings{Control: controlOf(t, "on"), Key: 5}), ports: map[fabric.LID]*port{}, doubted: map[fabric.LID]bool{}}
	for i := range 4 {
		d := Device{GUID: fabric.GUID(i + 1), Port: uint8(i % 2), LID: fabric.LID(i + 1), Ports: 36, ToHosts: []uint8{1, 36}}
		h.list = append(h.list, d)
		h.ports[d.LID] = &port{has: map[[2]uint32][]byte{}, room: 2 * int(d.Port)}
	}
	h.s.Follow(h.list)
	return h
}

// takeAsks takes what the Setter asks now, and returns when it asks again.
func (h *hostileSubnet) takeAsks() (wake time.Duration) {
	var a *Ask
	for a, wake = h.s.Next(h.now); a != nil; a, wake = h.s.Next(h.now) {
		h.asked++
		if h.under = append(h.under, a); a.Key != 5 || h.ports[a.LID] == nil {
			h.t.Fatalf("%+v", a)
		}
	}
	return wake
}

// answer ends a request: as the device does, or with another outcome, or with bytes of the data
// changed.
func (h *hostileSubnet) answer(i int, how, at, by byte) {
	a := h.under[i]
	h.under = append(h.under[:i], h.under[i+1:]...)
	outcome, data := h.ports[a.LID].answer(a)
	switch how % 4 {
	case 1:
		outcome = Refused
	case 2:
		outcome, data = Silent, nil
	case 3:
		data[int(at)%len(data)] ^= by
	}
	h.doubted[a.LID] = h.doubted[a.LID] || how%4 != 0
	h.s.Ended(h.now, a.Tag, outcome, data)
	h.ended = append(h.ended, a.Tag)
}

// FuzzSetter: answers that are changed, refused, lost, late, doubled, or to requests that were
// never made, end no work too early or too late: each device is asked a bounded number of times, no
// more than atOnce at a time, in the end each is counted once, and those whose answers were left
// alone have what they are to have.
func FuzzSetter(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 3, 0, 5, 255, 8, 1, 1, 1, 12, 0, 0, 0, 16, 1, 0, 0, 20, 9, 9, 9})
	f.Add([]byte{2, 0, 0, 0, 2, 0, 0, 0, 20, 255, 0, 0, 16, 3, 0, 0})
	f.Add(bytes.Repeat([]byte{3, 1, 2, 255}, 20))
	f.Fuzz(func(t *testing.T, script []byte) {
		h := newHostileSubnet(t)
		for ; len(script) >= 4; script = script[4:] {
			h.takeAsks()
			op, x, y, z := script[0], script[1], script[2], script[3]
			switch {
			case op%24 < 12 && len(h.under) > 0:
				h.answer(int(x)%len(h.under), op, y, z)
			case op%24 < 16 && len(h.ended) > 0: // once more, late
				h.s.Ended(h.now, h.ended[int(x)%len(h.ended)], Outcome(y%3), bytes.Repeat([]byte{z}, dataSize))
			case op%24 < 20: // a tag that was never given
				h.s.Ended(h.now, uint64(x)|uint64(y)<<40|uint64(z)<<56|1<<30, Answered, make([]byte, dataSize))
			case op%24 < 22:
				for i := range h.list {
					if x>>i&1 == 0 {
						h.list[i].Since++
						h.doubted[h.list[i].LID] = false
					}
				}
				for _, a := range h.under {
					h.ended = append(h.ended, a.Tag)
				}
				h.under = nil
				h.s.Follow(h.list)
			default:
				h.now += time.Duration(x) * time.Minute
			}
			if len(h.under) > atOnce {
				t.Fatalf("%d requests under way", len(h.under))
			}
		}
		h.finish()
	})
}

// finish answers as the devices do, until nothing more is asked.
func (h *hostileSubnet) finish() {
	most := h.asked + 100*len(h.list)
	for wake := h.takeAsks(); ; wake = h.takeAsks() {
		if h.asked > most {
			h.t.Fatalf("%d requests, and no end", h.asked)
		}
		if len(h.under) > 0 {
			h.answer(0, 0, 0, 0)
			continue
		}
		if wake > h.now+2*mostRetry {
			break
		}
		h.now = max(h.now, wake)
	}
	r := h.s.Report()
	if r.Switches+r.Adapters+r.Without+r.NotTaken != len(h.list) || h.s.Busy() {
		h.t.Fatalf("%+v", r)
	}
	for _, d := range h.list {
		if h.doubted[d.LID] {
			continue
		}
		attr := mad.AttrCACongestionSetting
		if d.Port == 0 {
			attr = mad.AttrSwitchCongestionSetting
		}
		has := h.ports[d.LID].has[[2]uint32{uint32(attr)}]
		if d.Port == 0 && mad.SwitchCongestionSettingThreshold.Get(has) != uint64(h.s.set.Control.Threshold) || d.Port != 0 && mad.CACongestionSettingControlMap.Get(has) != allSLs {
			h.t.Fatalf("device %d has %x", d.LID, has)
		}
	}
}
