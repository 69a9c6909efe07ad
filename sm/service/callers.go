package service

import (
	"net/http"
	"sync"

	"weft/internal/endpoints"
)

// Limits for each caller.
const (
	mostRequests = 64
	mostLarge    = 2 // requests with a large body, or a large answer
)

// callers holds the places of each caller: of the owner of the Unix socket, and of each token. What
// one leaves half sent or half read takes no place of another. It is safe for concurrent use.
type callers struct {
	mu sync.Mutex
	by map[endpoints.Caller]*caller
}

// caller holds the places of a caller.
type caller struct{ requests, large endpoints.Places }

// of returns the places of a request's caller.
func (c *callers) of(r *http.Request) *caller {
	who, _ := endpoints.CallerOf(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[endpoints.Caller]*caller{}
	}
	found := c.by[who]
	if found == nil {
		found = &caller{make(endpoints.Places, mostRequests), make(endpoints.Places, mostLarge)}
		c.by[who] = found
	}
	return found
}

// roomFor takes a place for a request with a large body. If there is none it answers.
func (s *Service) roomFor(w http.ResponseWriter, r *http.Request) (release func(), ok bool) {
	if 0 <= r.ContentLength && r.ContentLength <= endpoints.UsualBody {
		return func() {}, true
	}
	return s.takeLarge(w, r)
}

// takeLarge takes a place for a large body or a large answer. If there is none it answers.
func (s *Service) takeLarge(w http.ResponseWriter, r *http.Request) (release func(), ok bool) {
	large := s.callers.of(r).large
	if !large.Take() {
		endpoints.TooMany(w, "other large requests are under way")
		return nil, false
	}
	return large.Give, true
}
