package service

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

// Guard protects a Handler served over TCP: requests need a token. It is safe for concurrent use.
type Guard struct {
	pages  pages
	tokens atomic.Pointer[[]*bearer]
}

// NewGuard returns a Guard for a listening address.
func NewGuard(tokens []Token, at net.Addr) *Guard {
	g := &Guard{pages: newPages(at)}
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

// Protect wraps a Handler, and refuses requests without the token, and requests that Local refuses.
func (g *Guard) Protect(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var now *bearer
		status, err := g.pages.check(r)
		if err == nil {
			now, status, err = g.find(r)
		}
		if err != nil {
			turnAway(w, r, status, err)
			return
		}
		ctx, cancel := context.WithCancel(context.WithValue(r.Context(), callerKey{}, &now.Token))
		defer cancel()
		defer context.AfterFunc(now.asked, cancel)()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Local wraps a Handler, and refuses requests from web pages of other sites. At a loopback address
// it also refuses other host names in Host: a page may have pointed its own name here (DNS
// rebinding).
func Local(at net.Addr, h http.Handler) http.Handler {
	p := newPages(at)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, err := p.check(r); err != nil {
			turnAway(w, r, status, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// turnAway refuses a request and closes its connection.
func turnAway(w http.ResponseWriter, r *http.Request, status int, err error) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
		if isUFM(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="weft"`)
		}
	}
	w.Header().Set("Connection", "close")
	refuse(w, status, err.Error())
}

// find returns the token of a request; if it has none that is valid, the status and the reason for
// refusing it.
func (g *Guard) find(r *http.Request) (t *bearer, status int, err error) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return nil, http.StatusUnauthorized, errors.New("want the token: Authorization: Bearer TOKEN")
	}
	scheme, text, _ := strings.Cut(given[0], " ")
	name, isBasic := "", false
	if isUFM(r) {
		if user, password, ok := r.BasicAuth(); ok {
			name, text, isBasic = user, password, true
		}
	}
	if !isBasic && !strings.EqualFold(scheme, "Bearer") {
		return nil, http.StatusUnauthorized, errors.New("wrong token")
	}
	hash := sha256.Sum256([]byte(text))
	for _, b := range *g.tokens.Load() {
		if subtle.ConstantTimeCompare(hash[:], b.hash[:]) == 1 && (!isBasic || name == b.Name) {
			t = b
		}
	}
	if t == nil {
		return nil, http.StatusUnauthorized, errors.New("wrong token")
	}
	return t, 0, nil
}

// pages detects requests from web pages of other sites.
type pages struct {
	loopback bool // only programs on this machine reach the address
}

func newPages(at net.Addr) pages {
	to, err := netip.ParseAddrPort(at.String())
	return pages{err == nil && to.Addr().IsLoopback()}
}

// check returns the status and the reason for refusing a request.
func (p pages) check(r *http.Request) (status int, err error) {
	if p.loopback && (r.Host == "" || !IsLocal(r.Host)) {
		return http.StatusMisdirectedRequest, errors.New("want a name of this machine as Host: localhost, 127.0.0.1 or [::1]")
	}
	for _, origin := range r.Header.Values("Origin") {
		if from, err := url.Parse(origin); err != nil || from.Host == "" || from.Host != r.Host {
			return http.StatusForbidden, errors.New("web pages of other sites are refused")
		}
	}
	if from := r.Header.Get("Sec-Fetch-Site"); from != "" && from != "same-origin" && from != "none" {
		return http.StatusForbidden, errors.New("web pages of other sites are refused")
	}
	return 0, nil
}

// IsLocal reports whether a host, with or without a port, is this machine; "" is.
func IsLocal(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if name == "" || strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLoopback()
}
