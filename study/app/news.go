package app

import (
	"fmt"

	"weft/apps/machine"
)

// News are functions that a run calls before its end; nil for news that nobody wants.
type News struct {
	Now    func(what string) // what the run does
	Result func(line string) // a result that will not change
}

func (n *News) now(format string, args ...any) {
	if n.Now != nil {
		n.Now(fmt.Sprintf(format, args...))
	}
}

func (n *News) result(format string, args ...any) {
	if n.Result != nil {
		n.Result(fmt.Sprintf(format, args...))
	}
}

// news returns a function that tells how far a run is, and which of several jobs have ended. It is
// nil for comparisons.
func (s *stage) news(c *cast, m *machine.Machine) func(now machine.Time) {
	n := &s.req.News
	if s.compared {
		return nil
	}
	over := make([]bool, len(c.jobs))
	return func(now machine.Time) {
		n.now("simulating, at %s of the run's time", duration(float64(now)/unit))
		for i, run := range c.runs {
			if p, ok := run.(interface{ Done() bool }); over[i] || !ok || len(c.jobs) == 1 || !p.Done() {
				continue
			}
			over[i] = true
			n.result("%s has ended, after %s", c.jobs[i].Name, duration(c.timeOf(i, m)))
		}
	}
}

// timeOf returns how long a job took that has ended, in nanoseconds.
func (c *cast) timeOf(job int, m *machine.Machine) (ns float64) {
	first, last := c.joined.Ranks(job)
	for r := first; r < last; r++ {
		ns = max(ns, float64(m.End(r))/unit-c.jobs[job].StartNS)
	}
	return ns
}
