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

// blockSize: one credit lets a sender fill so many bytes of a buffer.
const blockSize = 64

// Headers are the bytes that a packet has besides its payload, without a global route header: LRH 8,
// BTH 12, invariant and variant CRC 4 and 2.
const Headers = 26

// Config holds what a Plan does not say: sizes, times and rates of the hardware.
type Config struct {
	MTU     int // largest payload of a packet, in bytes
	Headers int // bytes of a packet besides its payload
	Buffer  int // bytes of an input buffer, for each VL
	// SwitchLatency is the time from the first byte in to the first byte out, CableDelay that of a cable.
	SwitchLatency, CableDelay Time
	// Inject and Drain bound what the ports of one host node send and take together, in Mbit/s; 0: as their links.
	Inject, Drain int32
	// UnknownRate stands in for the rates of links that are not known, in Mbit/s.
	UnknownRate int32
	// CreditInterval is the time between two packets of 8 bytes that carry credits, which every link sends and
	// which take room; 0: they take none.
	CreditInterval Time
	// VLs is the least number of data VLs that every port has; 0: as many as the Plan uses.
	VLs int
	// OneQueue lets the first packet of an input buffer keep all others in it waiting; else there is a queue for each output.
	OneQueue bool
	// OldestFirst lets the packet that came first go first, in place of a turn for each input.
	OldestFirst bool
	// HeadOfQueue drops a packet that has been the first of its queue for so long; 0: never.
	HeadOfQueue Time
	// DeadlockCheck is the time between two searches for a deadlock; 0: only when nothing moves any more.
	DeadlockCheck Time
	// Congestion is congestion control, nil for none.
	Congestion *congestion.Control
	// GoOn keeps the run going after a deadlock was found. HeadOfQueue does so too: it drops what waits.
	GoOn bool
}

// Default is hardware of the 4x QDR to HDR generations: 2,048 bytes of payload, 16 KB of buffer a VL, 200 ns a switch,
// cables of 5 m.
func Default() Config {
	return Config{
		MTU: 2048, Headers: Headers, Buffer: 16 << 10, SwitchLatency: 200 * Nanosecond, CableDelay: 25 * Nanosecond,
		UnknownRate: 32_000, DeadlockCheck: 100 * Microsecond,
	}
}

// Validate reports what cannot be simulated.
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
		return errors.New("packet: a rate is negative, or that of unknown links 0")
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

// blocks counts the blocks of a buffer that so many bytes take.
func blocks(bytes int) int { return (bytes + blockSize - 1) / blockSize }

// duration is the time that so many bytes take at a rate in Mbit/s, rounded up.
func duration(bytes int32, mbps int32) Time {
	return (Time(bytes)*8_000_000 + Time(mbps) - 1) / Time(mbps)
}
