package service

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"weft/internal/endpoints"
)

// Guard protects a Handler served over TCP: requests need a token, or the cookie of a session that
// stands for one. It is safe for concurrent use.
type Guard struct {
	sites  endpoints.Sites
	cookie string // name of a session's cookie
	clock  func() time.Time
	tokens atomic.Pointer[[]*bearer]
}

// NewGuard returns a Guard for a listening address.
func NewGuard(tokens []Token, at net.Addr, clock func() time.Time) *Guard {
	g := &Guard{sites: endpoints.NewSites(at), cookie: cookieName(at), clock: clock}
	g.Renew(tokens)
	return g
}

// Renew replaces the tokens. Requests under way with a token that is not among the new ones, or has
// another name or role there, are cut off: a follower of the log needs a new one. It returns false
// if all tokens are the same.
func (g *Guard) Renew(tokens []Token) (another bool) {
	var was []*bearer
	if now := g.tokens.Load(); now != nil {
		was = *now
	}
	next := make([]*bearer, 0, len(tokens))
	for _, t := range tokens {
		b := &bearer{Token: t, hash: sha256.Sum256([]byte(t.Text))}
		b.Text = "" // nothing needs it any more
		if at := slices.IndexFunc(was, func(o *bearer) bool { return o.hash == b.hash && o.Token == b.Token }); at >= 0 {
			next = append(next, was[at])
			continue
		}
		another = true
		b.asked, b.replaced = context.WithCancel(context.Background())
		next = append(next, b)
	}
	g.tokens.Store(&next)
	for _, o := range was {
		if !slices.Contains(next, o) {
			another = true
			o.replaced()
		}
	}
	return another
}

// Protect wraps a Handler, and refuses requests without a token, and requests that endpoints.Local
// refuses. page serves reads outside the API without a token, and to links on other sites: its
// files are public. nil: there is no page.
func (g *Guard) Protect(h, page http.Handler) http.Handler {
	sessions := endpoints.Handler(g.endpoints())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page != nil && isOfPage(r) {
			if status, err := g.sites.CheckHost(r); err != nil {
				turnAway(w, r, status, err)
				return
			}
			page.ServeHTTP(w, r)
			return
		}
		status, err := g.sites.Check(r)
		if err == nil && r.URL.Path == "/v1/session" {
			sessions.ServeHTTP(w, r)
			return
		}
		var now *bearer
		if err == nil {
			now, status, err = g.find(r)
		}
		if err != nil {
			turnAway(w, r, status, err)
			return
		}
		ctx, cancel := context.WithCancel(endpoints.WithCaller(r.Context(), endpoints.Caller{Name: now.Name, Role: now.Role}))
		defer cancel()
		defer context.AfterFunc(now.asked, cancel)()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

// isOfPage reports whether a request reads the page.
func isOfPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.HasPrefix(r.URL.Path, "/") && !endpoints.IsAPI(r) && r.URL.Path != "/metrics" && !isUFM(r)
}

// turnAway refuses a request and closes its connection.
func turnAway(w http.ResponseWriter, r *http.Request, status int, err error) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
		if isUFM(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="weft"`)
		}
	}
	endpoints.TurnAway(w, status, err)
}

// find returns the token of a request; if it has none that is valid, the status and the reason for
// refusing it.
func (g *Guard) find(r *http.Request) (t *bearer, status int, err error) {
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		if t, err = g.session(r); err != nil {
			return nil, http.StatusUnauthorized, err
		}
		return t, 0, nil
	}
	scheme, text, _ := strings.Cut(given[0], " ")
	name, isBasic := "", false
	if isUFM(r) {
		if user, password, ok := r.BasicAuth(); ok {
			name, text, isBasic = user, password, true
		}
	}
	if t = g.bearer(text); t == nil || len(given) != 1 || !isBasic && !strings.EqualFold(scheme, "Bearer") || isBasic && name != t.Name {
		return nil, http.StatusUnauthorized, errors.New("wrong token")
	}
	return t, 0, nil
}

// bearer returns the token of a text; nil if it is none.
func (g *Guard) bearer(text string) (found *bearer) {
	hash := sha256.Sum256([]byte(text))
	for _, b := range *g.tokens.Load() {
		if subtle.ConstantTimeCompare(hash[:], b.hash[:]) == 1 {
			found = b
		}
	}
	return found
}
