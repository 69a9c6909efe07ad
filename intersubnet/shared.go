package intersubnet

import "slices"

// shared stores rows of a Plan, equal ones once.
type shared[T int32 | uint8] struct{ byHash map[uint64][][]T }

// row returns the stored row that equals like. It stores a copy of a new one, so the caller may
// reuse like.
func (r *shared[T]) row(like []T) []T {
	hash := uint64(len(like))
	for _, v := range like {
		hash = (hash ^ uint64(v)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 29
	}
	for _, known := range r.byHash[hash] {
		if slices.Equal(known, like) {
			return known
		}
	}
	if r.byHash == nil {
		r.byHash = map[uint64][][]T{}
	}
	kept := slices.Clone(like)
	r.byHash[hash] = append(r.byHash[hash], kept)
	return kept
}
