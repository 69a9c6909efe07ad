package machine

import (
	"cmp"
	"context"
	"slices"

	"weft/apps/program"
)

// Run executes all that is left on the ideal network. It looks at ctx between events.
func (m *Machine) Run(ctx context.Context) error {
	for n := 0; len(m.queue.events) > 0; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m.Step()
	}
	return nil
}

// Wait is an operation that can not end.
type Wait struct {
	Rank int32
	Op   program.Op
	// Kept is set for a message that is at its target and that no receive takes.
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
	sortWaits(out)
	return out
}

func sortWaits(w []Wait) {
	slices.SortFunc(w, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Op.ID, b.Op.ID))
	})
}
