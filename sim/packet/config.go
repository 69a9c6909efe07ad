package packet

import (
	"errors"
	"fmt"

	"weft/route"
	"weft/sim/congestion"
)

// Time is a time or a duration in picoseconds.
type Time int64

// Units of time.
const (
	Nanosecond  Time = 1000
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// blockSize is the number of bytes of a buffer that one credit stands for.
const blockSize = 64

// Headers is the number of bytes of a packet besides its payload, without a global route header:
// LRH 8, BTH 12, invariant and variant CRC 4 and 2.
const Headers = 26

// Config holds sizes, times and rates of the hardware, which a Plan does not contain.
type Config struct {
	MTU     int // largest payload of a packet, in bytes
	Headers int // bytes of a packet besides its payload
	Buffer  int // bytes of an input buffer, for each VL
	// SwitchLatency is the time from first byte in to first byte out; CableDelay is the delay of a
	// cable.
	SwitchLatency, CableDelay Time
	// Inject and Drain bound what all ports of one host node together send and receive, in Mbit/s;
	// 0: as fast as their links.
	Inject, Drain int32
	// UnknownRate replaces unknown rates of links, in Mbit/s.
	UnknownRate int32
	// CreditInterval is the time between two packets of 8 bytes that carry credits on every link;
	// 0: credits take no bandwidth.
	CreditInterval Time
	// VLs is the least number of data VLs of every port; 0: as many as the Plan uses.
	VLs int
	// OneQueue makes the first packet of an input buffer block all packets behind it; otherwise
	// there is a queue for each output.
	OneQueue bool
	// OldestFirst serves the packet that arrived first, instead of the inputs in turn.
	OldestFirst bool
	// HeadOfQueue is the time after which the first packet of a queue is dropped; 0: never.
	HeadOfQueue Time
	// DeadlockCheck is the time between two searches for a deadlock; 0: search only when nothing
	// moves any more.
	DeadlockCheck Time
	// Congestion configures congestion control; nil for none.
	Congestion *congestion.Control
	// GoOn continues the run after a deadlock was found. So does HeadOfQueue: it drops the waiting
	// packets.
	GoOn bool
}

// Default returns the settings of 4x QDR to HDR hardware: 2,048 bytes of payload, 16 KB of buffer a
// VL, 200 ns a switch, cables of 5 m.
func Default() Config {
	return Config{
		MTU: 2048, Headers: Headers, Buffer: 16 << 10, SwitchLatency: 200 * Nanosecond, CableDelay: 25 * Nanosecond,
		UnknownRate: 32_000, DeadlockCheck: 100 * Microsecond,
	}
}

// Validate returns an error if the settings cannot be simulated.
func (c *Config) Validate() error {
	switch {
	case c.MTU < 1 || c.MTU > 4096:
		return fmt.Errorf("packet: an MTU of %d bytes: want 1 to 4096", c.MTU)
	case c.Headers < 0 || c.Headers > 256:
		return fmt.Errorf("packet: %d bytes of headers: want 0 to 256", c.Headers)
	case c.Buffer < c.MTU+c.Headers:
		return fmt.Errorf("packet: a buffer of %d bytes holds no packet of %d", c.Buffer, c.MTU+c.Headers)
	case c.Buffer > 1<<30:
		return fmt.Errorf("packet: a buffer of %d bytes: want at most 1 GB", c.Buffer)
	case blocks(c.MTU+c.Headers) > c.Buffer/blockSize:
		return fmt.Errorf("packet: a buffer of %d bytes has %d blocks, a packet takes %d", c.Buffer, c.Buffer/blockSize, blocks(c.MTU+c.Headers))
	case max(c.SwitchLatency, c.CableDelay, c.HeadOfQueue, c.DeadlockCheck, c.CreditInterval) > longest:
		return errors.New("packet: a time is longer than 1000 s")
	case c.DeadlockCheck > 0 && c.DeadlockCheck < Microsecond:
		return fmt.Errorf("packet: a search for deadlocks every %d ps: want 0 or at least 1 us", c.DeadlockCheck)
	case c.SwitchLatency < 0 || c.CableDelay < 0 || c.HeadOfQueue < 0 || c.DeadlockCheck < 0 || c.CreditInterval < 0:
		return errors.New("packet: a time is negative")
	case c.VLs < 0 || c.VLs > int(route.DropVL):
		return fmt.Errorf("packet: %d VLs: want 0 to %d", c.VLs, route.DropVL)
	case c.UnknownRate < 1 || c.Inject < 0 || c.Drain < 0:
		return errors.New("packet: a rate is negative, or the rate of unknown links is 0")
	}
	if c.Congestion != nil {
		if err := c.Congestion.Validate(); err != nil {
			return fmt.Errorf("packet: %w", err)
		}
	}
	return nil
}

// longest bounds the times of a Config, so that sums of them stay in range.
const longest = 1000 * Second

// blocks returns the number of buffer blocks for the given bytes.
func blocks(bytes int) int { return (bytes + blockSize - 1) / blockSize }

// duration returns the time to send bytes at a rate in Mbit/s, rounded up.
func duration(bytes int32, mbps int32) Time {
	return (Time(bytes)*8_000_000 + Time(mbps) - 1) / Time(mbps)
}
