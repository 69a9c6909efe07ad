package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
)

// Guard protects a Handler served over TCP: requests need a token. It is safe for concurrent use.
type Guard struct {
	pages pages
	token atomic.Pointer[bearer]
}

// bearer is a required token, until it is replaced.
type bearer struct {
	hash     [sha256.Size]byte
	asked    context.Context // ends when the token is replaced
	replaced context.CancelFunc
}

// NewGuard returns a Guard for a listening address.
func NewGuard(token string, at net.Addr) *Guard {
	g := &Guard{pages: newPages(at)}
	g.Renew(token)
	return g
}

// Renew replaces the token. Requests under way with the old token are cut off: a follower of the
// log needs the new one. It returns false if the token is the same.
func (g *Guard) Renew(text string) (another bool) {
	next := &bearer{hash: sha256.Sum256([]byte(text))}
	was := g.token.Load()
	if was != nil && was.hash == next.hash {
		return false
	}
	next.asked, next.replaced = context.WithCancel(context.Background())
	g.token.Store(next)
	if was != nil {
		was.replaced()
	}
	return true
}

// least is the minimum length of a token.
const least = 20

// ReadToken reads a token from the first line of a file, which only its owner may read.
func ReadToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // O_NONBLOCK: a pipe must not block
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: want a file", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s: others may read it: run chmod 600 %[1]s", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	line, _, _ := bytes.Cut(data, []byte("\n"))
	token := string(bytes.TrimSpace(line))
	switch {
	case err != nil:
		return "", err
	case len(token) < least || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fmt.Errorf("%s: want a token of %d printable characters or more: openssl rand -hex 32 > %[1]s", path, least)
	}
	return token, nil
}

// Protect wraps a Handler, and refuses requests without the token, and requests that Local refuses.
func (g *Guard) Protect(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := g.token.Load()
		status, err := g.pages.check(r)
		if err == nil {
			status, err = now.check(r)
		}
		if err != nil {
			turnAway(w, status, err)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
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
			turnAway(w, status, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// turnAway refuses a request and closes its connection.
func turnAway(w http.ResponseWriter, status int, err error) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Connection", "close")
	refuse(w, status, err.Error())
}

// check returns the status and the reason for refusing a request without this token.
func (t *bearer) check(r *http.Request) (status int, err error) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return http.StatusUnauthorized, errors.New("want the token: Authorization: Bearer TOKEN")
	}
	scheme, text, _ := strings.Cut(given[0], " ")
	hash := sha256.Sum256([]byte(text))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(hash[:], t.hash[:]) != 1 {
		return http.StatusUnauthorized, errors.New("wrong token")
	}
	return 0, nil
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
