package machine

import (
	"context"

	"weft/internal/par"
)

// sharer is a Program that knows how far it is.
type sharer interface {
	// Share returns the share of the Program that has been done, from 0 to 1.
	Share() float64
}

// watchSteps is the number of steps of the progress that Watch reports.
const watchSteps = 1000

// watchEvery is the number of events between two looks at the progress.
const watchEvery = 1 << 14

// Watch reports the progress of the run under a context, until end is called. From time to time it
// also calls look with the present time, unless that is nil.
func (m *Machine) Watch(ctx context.Context, look func(now Time)) (end func()) {
	p, ok := m.program.(sharer)
	if !ok {
		return func() {}
	}
	step, end := par.Steps(ctx, watchSteps)
	done := 0
	m.watch = func() {
		for now := int(p.Share() * watchSteps); done < now; done++ {
			step()
		}
		if look != nil {
			look(m.now)
		}
	}
	return end
}
