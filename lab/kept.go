package lab

import "sync"

// Kept holds results by name: readings, seed blocks and artefacts that ask for the same share it. The zero value is empty. It is
// for concurrent use; two that ask for the same at once may both compute it.
type Kept[T any] struct {
	lock    sync.Mutex
	results map[string]T
}

// Once returns the result of a name, and computes it where there is none yet.
func (k *Kept[T]) Once(name string, compute func() T) T {
	k.lock.Lock()
	v, ok := k.results[name]
	k.lock.Unlock()
	if ok {
		return v
	}
	v = compute()
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.results == nil {
		k.results = map[string]T{}
	}
	k.results[name] = v
	return v
}
