package lab

import "sync"

// Cache holds results by name: readings, seed blocks and artefacts that ask for the same share it. The zero value is empty. It is
// for concurrent use; two that ask for the same at once may both compute it.
type Cache[T any] struct {
	lock    sync.Mutex
	results map[string]T
}

// Get returns the result of a name, and computes it where there is none yet.
func (c *Cache[T]) Get(name string, compute func() T) T {
	c.lock.Lock()
	v, ok := c.results[name]
	c.lock.Unlock()
	if ok {
		return v
	}
	v = compute()
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.results == nil {
		c.results = map[string]T{}
	}
	c.results[name] = v
	return v
}
