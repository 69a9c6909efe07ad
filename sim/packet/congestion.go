package packet

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CongestionControl is the part of the specification's annex A10 (congestion control) that changes traffic. A port of a
// switch marks packets (FECN) when more waits for it than a threshold. The host that takes a marked packet answers
// with a notification (BECN), a packet of its own on the way back. The source then raises the index of the flow into
// a table of delays, and waits after each packet of the flow; a timer lowers the index again.
//
// A flow is a source and a target at a level of service. The annex leaves open what counts as waiting: here the packets in all
// queues of which the first asks for the port and lane, but for the one that leaves. A packet does not ask yet while it comes by a
// slower link than it will leave by.
type CongestionControl struct {
	// Threshold is 1 to 15: a port marks when more than (16-Threshold)/16 of an input buffer waits for it.
	Threshold uint8
	// MarkingRate is the number of packets between two that a port marks.
	MarkingRate uint16
	// PacketSize: smaller packets are not marked, in blocks of 64 bytes.
	PacketSize uint8
	// MarkVictims lets ports between switches mark also where they wait for credits themselves, so that
	// the congestion began behind them. Ports to hosts always mark (Victim_Mask).
	MarkVictims bool
	// Table has the delays: entry CCTI of a flow. The first should be 0.
	Table []Delay
	// A notification adds Increase to the index of a flow, which stays between Min and Limit.
	Increase, Limit, Min uint16
	// Timer is the time after which an index falls by one.
	Timer Time
}

// Delay is an entry of the congestion control table: a source waits Multiplier/2^Shift times the time of the packet
// that it sent before the next one of the flow.
type Delay struct {
	Shift      uint8
	Multiplier uint16
}

// After returns the wait after a packet that took so long.
func (d Delay) After(packet Time) Time { return packet * Time(d.Multiplier) >> d.Shift }

// UsualCongestionControl marks early. Its delays grow slowly at first and fast later, from a quarter of the time of a packet to
// 2,032 times that, so that few flows find their shares of a host, and hundreds.
// The timer is 30 of its units of 1.024 us; with 150 of them flows stayed slow for milliseconds after they met congestion once.
func UsualCongestionControl() *CongestionControl {
	c := &CongestionControl{Threshold: 15, Increase: 1, Limit: 127, Timer: 30 * 1024 * Nanosecond, Table: make([]Delay, 128)}
	for i := range c.Table {
		c.Table[i] = usualDelay(i, 0.25)
	}
	return c
}

// usualDelay is entry i of a table of which entry 1 waits step times as long as a packet takes: step*i*(1 + (i/16)^2).
func usualDelay(i int, step float64) Delay {
	x := float64(i)
	return Delay{3, uint16(min(8*step*x*(1+x*x/256), 1<<14-1))}
}

// validate reports what the annex does not allow.
func (c *CongestionControl) validate() error {
	switch {
	case c.Threshold < 1 || c.Threshold > 15:
		return fmt.Errorf("packet: congestion control: a threshold of %d: want 1 to 15", c.Threshold)
	case len(c.Table) == 0 || int(c.Limit) >= len(c.Table):
		return fmt.Errorf("packet: congestion control: an index up to %d, but %d delays", c.Limit, len(c.Table))
	case c.Min > c.Limit:
		return fmt.Errorf("packet: congestion control: the least index is %d, the greatest %d", c.Min, c.Limit)
	case c.Timer <= 0 || c.Timer > longest:
		return fmt.Errorf("packet: congestion control: a timer of %d ps", c.Timer)
	}
	for i, d := range c.Table {
		if d.Shift > 3 || d.Multiplier >= 1<<14 {
			return fmt.Errorf("packet: congestion control: delay %d is %d/2^%d: want less than 16384, and a shift of at most 3", i, d.Multiplier, d.Shift)
		}
	}
	return nil
}

// noticeSize is the payload of a notification, in bytes.
const noticeSize = 16

// controlled is the state of congestion control.
type controlled struct {
	flows   []controlledFlow
	byEnds  map[[3]int32]int32 // by source, target and level: flow
	starved []Time             // by link and VL: when it last had a packet and no credits
	skipped []uint16           // by link and VL: packets since the last that was marked
	marks   int64
}

// controlledFlow holds the state of a flow at its source.
type controlledFlow struct {
	index uint16 // into the table of delays
	ticks bool   // a timer runs
	ready Time   // when the next packet may be sent

	waiting ring // messages of it that wait for their turns
	sends   bool // a message of it is in the ring of its lane, to send one packet
	wakes   bool // an event comes when it is ready
}

func newControlled(queues int) *controlled {
	return &controlled{byEnds: map[[3]int32]int32{}, starved: make([]Time, queues), skipped: make([]uint16, queues)}
}

// flow numbers a source and a target at a level of service.
func (c *controlled) flow(src, dst int32, level uint8, least uint16) int32 {
	key := [3]int32{src, dst, int32(level)}
	f, ok := c.byEnds[key]
	if !ok {
		f = int32(len(c.flows))
		c.byEnds[key] = f
		c.flows = append(c.flows, controlledFlow{index: least, waiting: ring{none, none}})
	}
	return f
}

// mark decides whether a switch marks a packet that it sends on by a link and lane; the packet is still the first of its queue, which asks no more.
func (s *Sim) mark(p *packet, at int32, vl uint8) {
	cc := s.config.Congestion
	if s.blocksOf(p) < int32(cc.PacketSize) || s.messages[p.message].notice {
		return
	}
	key := at*s.vls + int32(vl)
	if s.links[at].to >= 0 && !cc.MarkVictims && s.control.starved[key] >= p.head && s.control.starved[key] > 0 {
		return
	}
	waits := int32(0)
	for i := range s.packetsFrom(p.next) {
		waits += s.blocksOf(&s.packets[i])
	}
	sw := s.owner[at]
	for input := range members(s.askers(at, vl)) {
		for i := range s.packetsFrom(s.list[s.queueOf(sw, input, at)].head) {
			waits += s.blocksOf(&s.packets[i])
		}
	}
	if waits*16 <= s.size*int32(16-cc.Threshold) {
		return
	}
	if s.control.skipped[key] < cc.MarkingRate {
		s.control.skipped[key]++
		return
	}
	s.control.skipped[key] = 0
	p.marked = true
	s.control.marks++
}

// notify sends a notification back for a marked packet.
func (s *Sim) notify(p *packet) {
	m := &s.messages[p.message]
	src, dst := m.Dst, m.Src
	if s.planOf(src).Ends.Base[dst] == 0 {
		return
	}
	s.enqueue(&Message{Src: src, Dst: dst, Bytes: noticeSize, Level: m.Level, Start: s.now}, true)
}

// slow raises the index of the flow from a source to a target at a level.
func (s *Sim) slow(src, dst int32, level uint8) {
	cc := s.config.Congestion
	f := s.control.flow(src, dst, level, cc.Min)
	flow := &s.control.flows[f]
	flow.index = uint16(min(int(flow.index)+int(cc.Increase), int(cc.Limit)))
	if !flow.ticks && flow.index > cc.Min {
		flow.ticks = true
		s.events.Put(s.now+cc.Timer, occasion{recovers, f, 0})
	}
}

// quicken lowers the index of a flow, as its timer says.
func (s *Sim) quicken(f int32) {
	flow, cc := &s.control.flows[f], s.config.Congestion
	if flow.index > cc.Min {
		flow.index--
	}
	if flow.ticks = flow.index > cc.Min; flow.ticks {
		s.events.Put(s.now+cc.Timer, occasion{recovers, f, 0})
	}
}

// serve lets the first message of a flow that waits send a packet, unless another of the flow is about to or the flow must wait.
func (s *Sim) serve(f int32) {
	flow := &s.control.flows[f]
	i := flow.waiting.head
	switch {
	case flow.sends || flow.wakes || i == none:
	case flow.ready > s.now:
		flow.wakes = true
		s.events.Put(flow.ready, occasion{resume, f, 0})
	default:
		s.takeFirst(&flow.waiting)
		flow.sends = true
		s.enter(i)
	}
}

// served ends the turn of a message of a flow: the next one has its turn, and this one again later if it has more to send.
func (s *Sim) served(i int32) {
	m := &s.messages[i]
	flow := &s.control.flows[m.flow]
	flow.sends = false
	if m.left > 0 {
		s.putLast(&flow.waiting, i)
	}
	s.serve(m.flow)
}

// delay lets the flow of a message wait after a packet that took so long.
func (s *Sim) delay(m *message, took Time) {
	if s.control != nil && !m.notice {
		flow := &s.control.flows[m.flow]
		if wait := s.config.Congestion.Table[flow.index].After(took); wait > 0 {
			flow.ready = s.now + took + wait
		}
	}
}

// ParseCongestionControl reads "" for none, "on" for the usual one, or NAME=VALUE,... for what differs from it: threshold,
// rate, size, victims (yes or no), increase, limit, least, step (the wait of index 1, as a share of the time of a
// packet), timer, and table (the delays themselves, SHIFT:MULTIPLIER/..., in place of limit and step).
func ParseCongestionControl(text string) (*CongestionControl, error) {
	if text == "" || text == "off" {
		return nil, nil
	}
	c, step := UsualCongestionControl(), 0.25
	c.Table = nil
	for setting := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(setting, "=")
		switch {
		case setting == "on" || setting == "":
			continue
		case !ok:
			return nil, fmt.Errorf("%q: want on, or a list of NAME=VALUE", setting)
		}
		if err := c.set(name, value, &step); err != nil {
			return nil, fmt.Errorf("%s=%.40s: %w", name, value, err)
		}
	}
	if c.Table != nil { // it was given
		c.Limit = uint16(len(c.Table) - 1)
		return c, c.validate()
	}
	c.Table = make([]Delay, int(c.Limit)+1)
	for i := range c.Table {
		c.Table[i] = usualDelay(i, step)
	}
	return c, c.validate()
}

// String writes the settings as ParseCongestionControl reads them; off for none.
func (c *CongestionControl) String() string {
	if c == nil {
		return "off"
	}
	victims := "no"
	if c.MarkVictims {
		victims = "yes"
	}
	table := make([]string, len(c.Table))
	for i, d := range c.Table {
		table[i] = fmt.Sprintf("%d:%d", d.Shift, d.Multiplier)
	}
	return fmt.Sprintf("threshold=%d,rate=%d,size=%d,victims=%s,increase=%d,least=%d,timer=%v,table=%s", c.Threshold, c.MarkingRate, c.PacketSize, victims, c.Increase, c.Min,
		strings.Replace(time.Duration(c.Timer/Nanosecond).String(), "µ", "u", 1), strings.Join(table, "/"))
}

// mostDelays bounds a table that is given.
const mostDelays = 1 << 14

// readTable reads the delays of a table, SHIFT:MULTIPLIER, parted by slashes.
func readTable(text string) (table []Delay, err error) {
	for entry := range strings.SplitSeq(text, "/") {
		var d Delay
		shift, multiplier, ok := strings.Cut(entry, ":")
		if err := errors.Join(whole(&d.Shift, shift, 2), whole(&d.Multiplier, multiplier, 14)); err != nil || !ok {
			return nil, fmt.Errorf("%.20q: want SHIFT:MULTIPLIER, 0 to 3 and 0 to 16383, and a slash between two", entry)
		}
		if table = append(table, d); len(table) > mostDelays {
			return nil, fmt.Errorf("more than %d delays", mostDelays)
		}
	}
	return table, nil
}

// set reads one setting; step is the wait of index 1, from which the table of delays follows.
func (c *CongestionControl) set(name, value string, step *float64) (err error) {
	switch name {
	case "threshold":
		return whole(&c.Threshold, value, 8)
	case "rate":
		return whole(&c.MarkingRate, value, 16)
	case "size":
		return whole(&c.PacketSize, value, 8)
	case "increase":
		return whole(&c.Increase, value, 14)
	case "limit":
		return whole(&c.Limit, value, 14)
	case "least":
		return whole(&c.Min, value, 14)
	case "victims":
		if c.MarkVictims = value == "yes"; !c.MarkVictims && value != "no" {
			err = errors.New("want yes or no")
		}
	case "step":
		if *step, err = strconv.ParseFloat(value, 64); err != nil || !(*step >= 0.125 && *step <= 1000) {
			err = errors.New("want 0.125 to 1000")
		}
	case "table":
		c.Table, err = readTable(value)
	case "timer":
		var d time.Duration
		if d, err = time.ParseDuration(value); err == nil && d > time.Minute {
			err = errors.New("want at most a minute")
		}
		c.Timer = Time(d) * Nanosecond
	default:
		err = errors.New("there is no such setting")
	}
	return err
}

// whole reads a number of so many bits.
func whole[T uint8 | uint16](to *T, value string, bits int) error {
	n, err := strconv.ParseUint(value, 10, bits)
	if err != nil {
		return fmt.Errorf("want a whole number from 0 to %d", 1<<bits-1)
	}
	*to = T(n)
	return nil
}
