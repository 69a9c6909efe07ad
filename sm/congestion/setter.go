package congestion

import (
	"bytes"
	"time"

	"weft/fabric"
	"weft/internal/event"
	"weft/internal/repeat"
	"weft/wire/mad"
)

// Device is a switch or an adapter port.
type Device struct {
	GUID    fabric.GUID // of the node
	Port    uint8       // 0: a switch
	LID     fabric.LID
	SL      uint8
	Ports   uint8   // number of a switch's ports
	ToHosts []uint8 // switch ports with a host at the other end
	Since   uint32  // changes when the device may have restarted
}

// Ask is a request to a device.
type Ask struct {
	Tag      uint64 // comes back with the answer
	LID      fabric.LID
	SL       uint8
	Method   mad.Method
	Attr     mad.AttrID
	Modifier uint32
	Key      uint64
	Data     [dataSize]byte
}

// Outcome is the result of a request.
type Outcome uint8

// The outcomes.
const (
	Answered Outcome = iota
	Refused          // with an error status
	Silent
)

// Report counts devices by the state of their congestion control.
type Report struct {
	Switches int `json:"switches"`  // switches with the intended settings
	Adapters int `json:"adapters"`  // ports of adapters with the intended settings
	Without  int `json:"without"`   // devices that lack congestion control, or refuse part of it
	NotTaken int `json:"not_taken"` // devices whose settings differ after the write
	Silent   int `json:"silent"`
	Waiting  int `json:"waiting"` // devices not asked yet
}

// state is the progress of a device.
type state uint8

const (
	waiting state = iota
	underWay
	done
	without
	notTaken
	silent
)

// step is the next request to a device.
type step uint8

const (
	askInfo step = iota
	readSwitch
	setSwitch
	readTable
	setTable
	readAdapter
	setAdapter
)

// device is a Device with its progress.
type device struct {
	Device
	state state
	step  step
	block int // block of the table that is read or written
	room  int // number of blocks that the adapter has
	told  [dataSize]byte
	again time.Duration // time of the next retry, if silent
	wait  time.Duration
	tag   uint64 // of the request under way
}

// Setter configures the devices. Its clock never goes back. It is not for concurrent use.
type Setter struct {
	set     Settings
	devices []device
	count   uint64 // tags used
	under   int    // devices under way, each with at most one request
	cursor  int    // first device that may still be waiting
	ready   []int  // devices under way whose next request can be sent
	asleep  event.Queue[time.Duration, int]
}

// atOnce is the maximum number of devices under way.
const atOnce = 4

// New returns a Setter without devices.
func New(set Settings) *Setter { return &Setter{set: set} }

// Follow replaces the list of devices. A device of the previous list keeps its progress, unless it
// has restarted, its host ports have changed, or it was under way.
func (s *Setter) Follow(list []Device) {
	type key struct {
		guid fabric.GUID
		port uint8
	}
	was := make(map[key]*device, len(s.devices))
	for i := range s.devices {
		was[key{s.devices[i].GUID, s.devices[i].Port}] = &s.devices[i]
	}
	s.devices, s.under, s.cursor, s.ready, s.asleep = make([]device, len(list)), 0, 0, nil, event.Queue[time.Duration, int]{}
	for i, d := range list {
		s.devices[i] = device{Device: d}
		old := was[key{d.GUID, d.Port}]
		if old == nil || old.Since != d.Since || old.state == underWay || !bytes.Equal(old.ToHosts, d.ToHosts) {
			continue
		}
		s.devices[i] = *old
		if s.devices[i].Device = d; old.state == silent {
			s.asleep.Put(old.again, i)
		}
	}
}

// Next returns the next request, or nil if there is none to send now. Then call it again at time
// wake, or after an answer.
func (s *Setter) Next(now time.Duration) (ask *Ask, wake time.Duration) {
	const never = time.Duration(1<<63 - 1)
	if n := len(s.ready); n > 0 {
		at := s.ready[n-1]
		s.ready = s.ready[:n-1]
		return s.ask(at), now
	}
	if s.under >= atOnce {
		return nil, never
	}
	for ; s.cursor < len(s.devices); s.cursor++ {
		if s.devices[s.cursor].state == waiting {
			return s.begin(s.cursor), now
		}
	}
	again, ok := s.asleep.Next()
	switch {
	case !ok:
		return nil, never
	case again > now:
		return nil, again
	}
	_, at := s.asleep.Take()
	return s.begin(at), now
}

// Busy reports whether a device is under way or waiting for its first request.
func (s *Setter) Busy() bool { return s.under > 0 || s.cursor < len(s.devices) }

// begin returns the first request to a device.
func (s *Setter) begin(at int) *Ask {
	d := &s.devices[at]
	d.state, d.step, d.block = underWay, askInfo, 0
	if d.Port == 0 {
		d.step = readSwitch
	}
	s.under++
	return s.ask(at)
}

// ask returns the next request to a device.
func (s *Setter) ask(at int) *Ask {
	d := &s.devices[at]
	s.count++
	d.tag = s.count<<24 | uint64(at)
	a := &Ask{Tag: d.tag, LID: d.LID, SL: d.SL, Method: mad.Get, Key: s.set.Key}
	switch d.step {
	case askInfo:
		a.Attr = mad.AttrCongestionInfo
	case readSwitch, setSwitch:
		a.Attr = mad.AttrSwitchCongestionSetting
	case readTable, setTable:
		a.Attr, a.Modifier = mad.AttrCongestionControlTable, uint32(d.block)
	case readAdapter, setAdapter:
		a.Attr = mad.AttrCACongestionSetting
	}
	if d.step == setSwitch || d.step == setTable || d.step == setAdapter {
		a.Method, a.Data = mad.Set, d.told
	}
	return a
}

// Ended handles the end of a request; data is the attribute, if answered. It ignores unknown tags.
func (s *Setter) Ended(now time.Duration, tag uint64, outcome Outcome, data []byte) {
	at := int(tag & (1<<24 - 1))
	if tag == 0 || at >= len(s.devices) || s.devices[at].tag != tag {
		return
	}
	d := &s.devices[at]
	d.tag = 0
	switch outcome {
	case Silent:
		d.wait = repeat.Longer(d.wait, firstRetry, mostRetry)
		d.again = now + d.wait
		s.asleep.Put(d.again, at)
		s.end(d, silent)
	case Refused:
		s.end(d, without)
	default:
		d.wait = 0
		if s.answered(d, data); d.state == underWay {
			s.ready = append(s.ready, at)
		}
	}
}

// end stores the final state of a device.
func (s *Setter) end(d *device, as state) {
	d.state = as
	s.under--
}

// answered handles an answer and chooses the next step.
func (s *Setter) answered(d *device, data []byte) {
	switch d.step {
	case askInfo:
		d.room = min(int(mad.CongestionInfoTableCap.Get(data)), mostBlocks)
		if d.step = readTable; d.room == 0 {
			s.end(d, without)
		}
	case readSwitch:
		d.told = s.set.ofSwitch(data, d.ToHosts, d.Ports)
		s.compare(d, data, mad.SwitchCongestionSetting.Size)
	case readTable:
		d.told = s.set.ofTable(d.block, d.room)
		s.compare(d, data, mad.CongestionControlTable.Size)
	case readAdapter:
		d.told = s.set.ofAdapter()
		s.compare(d, data, mad.CACongestionSetting.Size)
	case setSwitch:
		s.check(d, data, mad.SwitchCongestionSetting.Size)
	case setTable:
		s.check(d, data, mad.CongestionControlTable.Size)
	case setAdapter:
		s.check(d, data, mad.CACongestionSetting.Size)
	}
}

// mostBlocks bounds the size that an adapter claims for its table: the index has 8 bits.
const mostBlocks = 4

// compare writes the wanted settings if the device holds others, and else goes on.
func (s *Setter) compare(d *device, data []byte, size int) {
	if bytes.Equal(data[:size], d.told[:size]) {
		s.goOn(d)
		return
	}
	d.step++ // from reading to setting
}

// check compares the answer to a Set with the settings sent.
func (s *Setter) check(d *device, data []byte, size int) {
	if !bytes.Equal(data[:size], d.told[:size]) {
		s.end(d, notTaken)
		return
	}
	d.step-- // from setting to reading
	s.goOn(d)
}

// goOn moves a device to its next attribute, or ends it.
func (s *Setter) goOn(d *device) {
	switch d.step {
	case readTable:
		if d.block++; d.block == s.set.blocks(d.room) {
			d.step = readAdapter
		}
	default:
		s.end(d, done)
	}
}

// Report counts the devices by state.
func (s *Setter) Report() (r Report) {
	for i := range s.devices {
		switch d := &s.devices[i]; d.state {
		case waiting, underWay:
			r.Waiting++
		case done:
			if d.Port == 0 {
				r.Switches++
			} else {
				r.Adapters++
			}
		case without:
			r.Without++
		case notTaken:
			r.NotTaken++
		case silent:
			r.Silent++
		}
	}
	return r
}
