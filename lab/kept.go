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
	return k.Extend(name, func(T) bool { return true }, func(T) T { return compute() })
}

// Extend returns the result of a name if there is one and it is enough. Otherwise it makes more of what there is, of a zero value at first,
// which must stay as it is for others who have it.
func (k *Kept[T]) Extend(name string, enough func(T) bool, more func(had T) T) T {
	k.lock.Lock()
	v, ok := k.results[name]
	k.lock.Unlock()
	if ok && enough(v) {
		return v
	}
	v = more(v)
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.results == nil {
		k.results = map[string]T{}
	}
	k.results[name] = v
	return v
}
