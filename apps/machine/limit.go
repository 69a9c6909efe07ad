package machine

import (
	"fmt"
	"math/bits"

	"weft/apps/program"
)

// Longest is the latest time at which something may happen: a run that goes beyond fails. Sums of a
// few times up to it do not overflow.
const Longest Time = 1 << 61

// Err returns why the Machine has stopped before its Program's end: a time or the bytes of all
// messages are too large to count. Next has no more events then.
func (m *Machine) Err() error { return m.failed }

// product returns the time of a number of steps, or a time beyond Longest if it is longer.
func product(n int64, each Time) Time {
	high, low := bits.Mul64(uint64(n), uint64(each))
	if high > 0 || low > uint64(Longest) {
		return Longest + 1
	}
	return Time(low)
}

// within stops the Machine if an operation makes its rank busy beyond Longest.
func (m *Machine) within(s *slot, busy Time) {
	if busy > Longest {
		m.fail(s, TooLong(m.unit))
	}
}

// TooLong says that something ends after Longest, which has the given units in a nanosecond.
func TooLong(unit Time) string {
	return fmt.Sprintf("it ends after %d days, the longest time of a run", Longest/unit/1e9/3600/24)
}

// count adds a message to the counts.
func (m *Machine) count(s *slot) {
	m.Messages++
	if m.Bytes += s.Size; m.Bytes < 0 {
		m.fail(s, "the messages up to this one have over 2^63 bytes")
	}
}

// fail stops the Machine; the first reason counts.
func (m *Machine) fail(s *slot, why string) {
	if m.failed == nil {
		m.failed = fmt.Errorf("%s: %s", m.describe(s), why)
	}
}

// describe names an operation, by its label if the Program knows it.
func (m *Machine) describe(s *slot) string {
	if p, ok := m.program.(program.Describer); ok {
		if name, known := p.DescribeOf(s.rank, s.ID); known {
			return name
		}
	}
	return fmt.Sprintf("rank %d: %s", s.rank, s.Op.String())
}
