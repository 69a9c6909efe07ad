// Package repeat limits how often something is repeated: retries, and entries of a log.
package repeat

import (
	"maps"
	"time"
)

// Longer returns the next wait for something that fails again and again: twice the last one, and at
// least first, at most most. The first last is 0.
func Longer(last, first, most time.Duration) time.Duration { return min(max(first, 2*last), most) }

// Delay puts off something that has failed, longer each time.
type Delay struct {
	Until time.Duration // it waits until then
	Last  time.Duration // the last wait
}

// Grow puts off from now for the next wait (Longer), and returns it.
func (d *Delay) Grow(now, first, most time.Duration) time.Duration {
	d.Last = Longer(d.Last, first, most)
	d.Until = now + d.Last
	return d.Last
}

// mostKeys bounds the memory of a Seldom.
const mostKeys = 8192

// Seldom admits each key once in a period.
type Seldom[K comparable] struct {
	Every time.Duration
	last  map[K]time.Duration // when a key was last admitted
}

// Admits reports whether a key was not admitted within the period, and admits it. It admits no more
// than mostKeys keys in a period.
func (s *Seldom[K]) Admits(now time.Duration, k K) bool {
	recent := func(at time.Duration) bool { return now-at < s.Every }
	if at, known := s.last[k]; known && recent(at) {
		return false
	}
	if len(s.last) >= mostKeys {
		maps.DeleteFunc(s.last, func(_ K, at time.Duration) bool { return !recent(at) })
		if len(s.last) >= mostKeys {
			return false
		}
	}
	if s.last == nil {
		s.last = map[K]time.Duration{}
	}
	s.last[k] = now
	return true
}
