package lab

import "sync"

// Cache stores results by name, for readings, seed blocks and artefacts that share them. The zero
// value is empty. It is safe for concurrent use; two simultaneous requests for a name may both
// compute it.
type Cache[T any] struct {
	lock    sync.Mutex
	results map[string]T
}

// Get returns the result of a name. It computes the result if none is stored.
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
