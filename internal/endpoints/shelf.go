package endpoints

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// Shelf holds things that users have opened, by id, the oldest first. It is safe for concurrent
// use.
type Shelf[T any] struct {
	Most int    // open at a time
	What string // what is open, for people, as in "fabrics"

	mu   sync.Mutex
	ids  []string
	open []T // by ids
}

// IDOf returns the id of something that is opened: a digest of its origin. Opened again, it is the
// same.
func IDOf(name, text string) string {
	digest := sha256.Sum256([]byte(name + "\x00" + text))
	return hex.EncodeToString(digest[:8])
}

// Find looks up an id. For an unknown one it returns the zero value.
func (s *Shelf[T]) Find(id string) (found T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.Index(s.ids, id); at >= 0 {
		found = s.open[at]
	}
	return found
}

// List copies the list, the oldest first.
func (s *Shelf[T]) List() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.open)
}

// Add opens something, unless its id is open.
func (s *Shelf[T]) Add(id string, x T) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case slices.Contains(s.ids, id):
	case len(s.ids) >= s.Most:
		return fmt.Errorf("%d %s are open, which is the limit: close one", len(s.ids), s.What)
	default:
		s.ids, s.open = append(s.ids, id), append(s.open, x)
	}
	return nil
}

// Remove takes an id off the shelf. For an unknown one it returns the zero value.
func (s *Shelf[T]) Remove(id string) (removed T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.Index(s.ids, id); at >= 0 {
		removed = s.open[at]
		s.ids, s.open = slices.Delete(s.ids, at, at+1), slices.Delete(s.open, at, at+1)
	}
	return removed
}

// Within returns an Endpoint that refuses a request while all places are taken, before it reads the
// body. busy says why.
func Within(e Endpoint, places Places, busy string) Endpoint {
	serve := e.Serve
	e.Serve = func(w http.ResponseWriter, r *http.Request) {
		if !places.Take() {
			TooMany(w, busy)
			return
		}
		defer places.Give()
		serve(w, r)
	}
	return e
}
