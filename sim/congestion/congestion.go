// Package congestion has the settings of congestion control. sim/packet simulates them, and
// sm/congestion tells them to devices.
package congestion

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Control is the part of congestion control (annex A10 of the specification) that changes traffic.
// A switch port marks packets (FECN) when more than a threshold waits for it. The host that takes a
// marked packet answers with a notification (BECN), a packet of its own on the way back. The source
// then raises the index of the flow into a table of delays, and waits after each packet of the
// flow; a timer lowers the index again.
//
// A flow is a source and a target at a level of service. The annex leaves open which packets wait
// for a port and lane: here all packets in queues whose first packet asks for them, except the one
// that leaves. A packet does not ask yet while it comes in over a slower link than it will leave
// through.
type Control struct {
	// Threshold is 1 to 15: a port marks when more than (16-Threshold)/16 of an input buffer waits
	// for it.
	Threshold uint8
	// MarkingRate is the number of packets between two that a port marks.
	MarkingRate uint16
	// PacketSize: smaller packets are not marked, in blocks of 64 bytes.
	PacketSize uint8
	// MarkVictims lets ports between switches mark also where they wait for credits themselves, so
	// that the congestion began behind them. Ports to hosts always mark (Victim_Mask).
	MarkVictims bool
	// Table has the delays: entry CCTI of a flow. The first should be 0.
	Table []Delay
	// A notification adds Increase to the index of a flow, which stays between Min and Limit.
	Increase, Limit, Min uint16
	// Timer is the time after which an index falls by one.
	Timer Picoseconds
}

// Picoseconds count time as sim/packet does.
type Picoseconds int64

// Nanosecond is a unit of them.
const Nanosecond Picoseconds = 1000

// longest bounds the timer, so that times stay in range.
const longest = 1000 * 1_000_000_000 * Nanosecond

// Delay is an entry of the congestion control table: a source waits Multiplier/2^Shift times the
// time of the packet that it sent before the next one of the flow.
type Delay struct {
	Shift      uint8
	Multiplier uint16
}

// Usual returns settings that mark early. Delays grow slowly at first and fast later, from a
// quarter of the time of a packet to 2,032 times that. So few flows find their shares of a host,
// and hundreds do. The timer is 30 of its units of 1.024 us; with 150, flows stayed slow for
// milliseconds after they met congestion once.
func Usual() *Control {
	c := &Control{Threshold: 15, Increase: 1, Limit: 127, Timer: 30 * 1024 * Nanosecond, Table: make([]Delay, 128)}
	for i := range c.Table {
		c.Table[i] = usualDelay(i, 0.25)
	}
	return c
}

// usualDelay returns entry i of a table whose entry 1 waits step times the time of a packet:
// step*i*(1 + (i/16)^2).
func usualDelay(i int, step float64) Delay {
	x := float64(i)
	return Delay{3, uint16(min(8*step*x*(1+x*x/256), 1<<14-1))}
}

// Validate reports settings that the annex does not allow.
func (c *Control) Validate() error {
	switch {
	case c.Threshold < 1 || c.Threshold > 15:
		return fmt.Errorf("congestion control: a threshold of %d: want 1 to 15", c.Threshold)
	case len(c.Table) == 0 || int(c.Limit) >= len(c.Table):
		return fmt.Errorf("congestion control: an index up to %d, but %d delays", c.Limit, len(c.Table))
	case c.Min > c.Limit:
		return fmt.Errorf("congestion control: the least index is %d, the greatest %d", c.Min, c.Limit)
	case c.Timer <= 0 || c.Timer > longest:
		return fmt.Errorf("congestion control: a timer of %d ps", c.Timer)
	}
	for i, d := range c.Table {
		if d.Shift > 3 || d.Multiplier >= 1<<14 {
			return fmt.Errorf("congestion control: delay %d is %d/2^%d: want less than 16384, and a shift of at most 3", i, d.Multiplier, d.Shift)
		}
	}
	return nil
}

// Parse reads settings: "" or "off" for none, "on" for the usual ones, or NAME=VALUE,... for
// changes to these. Names are threshold, rate, size, victims (yes or no), increase, limit, least,
// step, timer and table. step is the wait of index 1, as a share of the time of a packet. table has
// the delays themselves, SHIFT:MULTIPLIER/..., in place of limit and step.
func Parse(text string) (*Control, error) {
	if text == "" || text == "off" {
		return nil, nil
	}
	c, step := Usual(), 0.25
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
		return c, c.Validate()
	}
	c.Table = make([]Delay, int(c.Limit)+1)
	for i := range c.Table {
		c.Table[i] = usualDelay(i, step)
	}
	return c, c.Validate()
}

// String writes the settings as Parse reads them; off for none.
func (c *Control) String() string {
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

// mostDelays bounds the length of a table that is given.
const mostDelays = 1 << 14

// readTable reads the delays of a table, SHIFT:MULTIPLIER, separated by slashes.
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

// set reads one setting. step is the wait of index 1, which defines the table of delays.
func (c *Control) set(name, value string, step *float64) (err error) {
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
		c.Timer = Picoseconds(d) * Nanosecond
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
