package machine

import (
	"cmp"
	"context"
	"slices"

	"weft/apps/program"
)

// Run executes the Program on the ideal network, to its end or until nothing moves. It looks at ctx
// between events.
func (m *Machine) Run(ctx context.Context) error {
	for n := 0; ; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, ok := m.Next(); !ok {
			return m.failed
		}
		m.Step()
	}
}

// Wait is an operation that cannot end.
type Wait struct {
	Rank int32
	Op   program.Op
	// Kept is set for a message at its target; otherwise the operation is a receive.
	Kept bool
}

// Waiting returns the receives without a message, and the messages without a receive, by rank and
// number of the operation. It is empty if the Program has come to its end.
func (m *Machine) Waiting() []Wait {
	unused := make([]bool, len(m.slots))
	for _, s := range m.unused {
		unused[s] = true
	}
	var out []Wait
	for i := range m.slots {
		if s := &m.slots[i]; !unused[i] {
			out = append(out, Wait{s.rank, s.Op, s.Kind == program.Send})
		}
	}
	slices.SortFunc(out, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Op.ID, b.Op.ID))
	})
	return out
}
