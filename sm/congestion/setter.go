package congestion

import (
	"bytes"
	"time"

	"weft/fabric"
	"weft/internal/event"
	"weft/wire/mad"
)

// Device is a switch, or a port of an adapter.
type Device struct {
	GUID    fabric.GUID // of the node
	Port    uint8       // 0: a switch
	LID     fabric.LID
	SL      uint8
	Ports   uint8   // of a switch
	ToHosts []uint8 // its ports that lead to what is no switch
	Since   uint32  // another number than in the list before says that it may have restarted
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

// Outcome says how a request has ended.
type Outcome uint8

// The outcomes.
const (
	Answered Outcome = iota
	Refused          // by a status
	Silent
)

// Report counts the devices.
type Report struct {
	Switches int `json:"switches"`  // switches with the intended settings
	Adapters int `json:"adapters"`  // ports of adapters with the intended settings
	Without  int `json:"without"`   // devices that lack congestion control, or refuse part of it
	NotTaken int `json:"not_taken"` // devices whose settings differ after the write
	Silent   int `json:"silent"`
	Waiting  int `json:"waiting"` // devices not asked yet
}

// state says how far a device is.
type state uint8

const (
	waiting state = iota
	underWay
	done
	without
	notTaken
	silent
)

// step says what a device is asked next.
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

// device holds what is known of a Device.
type device struct {
	Device
	state state
	step  step
	block int // of the table
	room  int // blocks of it
	told  [dataSize]byte
	again time.Duration // when it is asked again
	wait  time.Duration
	tag   uint64 // of the request that is under way
}

// Setter tells devices the settings. Times only grow. It is not for concurrent use.
type Setter struct {
	set     Settings
	devices []device
	count   uint64 // tags given
	under   int    // devices that are asked, one thing after the other
	cursor  int    // devices before it do not wait
	ready   []int  // those under way whose next request is to be made
	asleep  event.Queue[time.Duration, int]
}

// atOnce is the number of devices that are asked at a time.
const atOnce = 4

// New makes a Setter that has no devices.
func New(set Settings) *Setter { return &Setter{set: set} }

// Follow takes the devices there are from now on. Those that were there before and have not restarted
// go on as they were.
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

// Next returns what is to be asked now, nil where nothing is: then it is time again at wake, or after an answer.
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

// Busy reports whether devices are asked, or wait to be asked for the first time.
func (s *Setter) Busy() bool { return s.under > 0 || s.cursor < len(s.devices) }

// begin makes the first request to a device.
func (s *Setter) begin(at int) *Ask {
	d := &s.devices[at]
	d.state, d.step, d.block = underWay, askInfo, 0
	if d.Port == 0 {
		d.step = readSwitch
	}
	s.under++
	return s.ask(at)
}

// ask makes the next request to a device.
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

// Ended takes the end of a request. Data is the attribute, where it was answered. Ends of requests that are not under way any more change nothing.
func (s *Setter) Ended(now time.Duration, tag uint64, outcome Outcome, data []byte) {
	at := int(tag & (1<<24 - 1))
	if tag == 0 || at >= len(s.devices) || s.devices[at].tag != tag {
		return
	}
	d := &s.devices[at]
	d.tag = 0
	switch outcome {
	case Silent:
		d.wait = min(max(2*d.wait, firstRetry), mostRetry)
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

// end ends the work on a device.
func (s *Setter) end(d *device, as state) {
	d.state = as
	s.under--
}

// answered takes an answer, and says what comes next.
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

// mostBlocks bounds what an adapter says of its table: an index has 8 bits where adapters set its least.
const mostBlocks = 4

// compare has a device told what differs from what it has.
func (s *Setter) compare(d *device, data []byte, size int) {
	if bytes.Equal(data[:size], d.told[:size]) {
		s.goOn(d)
		return
	}
	d.step++ // from reading to setting
}

// check looks whether a device has taken what it was told.
func (s *Setter) check(d *device, data []byte, size int) {
	if !bytes.Equal(data[:size], d.told[:size]) {
		s.end(d, notTaken)
		return
	}
	d.step-- // from setting to reading
	s.goOn(d)
}

// goOn goes on to the next attribute of a device.
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

// Report counts the devices.
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
