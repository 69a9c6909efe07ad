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

// Guard lets only those through that know a token: it stands before a Handler that is served over TCP. It is for concurrent use.
type Guard struct {
	pages pages
	token atomic.Pointer[bearer]
}

// bearer is a token that is asked for, until another one is.
type bearer struct {
	hash     [sha256.Size]byte
	asked    context.Context // ends when another one is asked for
	replaced context.CancelFunc
}

// NewGuard makes a Guard for an address at which is listened.
func NewGuard(token string, at net.Addr) *Guard {
	g := &Guard{pages: newPages(at)}
	g.Renew(token)
	return g
}

// Renew asks for a token from now on. Where it is another one, requests that are under way by the one before end: who follows the log needs the new one.
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

// least is the number of characters that a token has at least.
const least = 20

// ReadToken reads the token of a file that only its owner reads: its first line.
func ReadToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // of a pipe too it is told at once
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
		return "", fmt.Errorf("%s: others may read it: chmod 600 %[1]s", path)
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

// Protect makes a Handler that refuses requests without the token, and those that Local refuses.
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

// Local makes a Handler that refuses requests that a web page of elsewhere sends, and where an address is of loopback those for another host than this
// machine, as they come from pages whose name has been made to lead here.
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

// turnAway refuses a request, and ends its connection.
func turnAway(w http.ResponseWriter, status int, err error) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Connection", "close")
	refuse(w, status, err.Error())
}

// check returns why a request is refused that does not show this token.
func (t *bearer) check(r *http.Request) (status int, err error) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return http.StatusUnauthorized, errors.New("want the token: Authorization: Bearer TOKEN")
	}
	scheme, text, _ := strings.Cut(given[0], " ")
	hash := sha256.Sum256([]byte(text))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(hash[:], t.hash[:]) != 1 {
		return http.StatusUnauthorized, errors.New("this is not the token")
	}
	return 0, nil
}

// pages tells requests of web pages of elsewhere.
type pages struct {
	loopback bool // only programs of this machine reach the address
}

func newPages(at net.Addr) pages {
	to, err := netip.ParseAddrPort(at.String())
	return pages{err == nil && to.Addr().IsLoopback()}
}

// check returns why a request is refused.
func (p pages) check(r *http.Request) (status int, err error) {
	if p.loopback && (r.Host == "" || !IsLocal(r.Host)) {
		return http.StatusMisdirectedRequest, errors.New("want a name of this machine as Host: localhost, 127.0.0.1 or [::1]")
	}
	for _, origin := range r.Header.Values("Origin") {
		if from, err := url.Parse(origin); err != nil || from.Host == "" || from.Host != r.Host {
			return http.StatusForbidden, errors.New("pages of elsewhere may not ask")
		}
	}
	if from := r.Header.Get("Sec-Fetch-Site"); from != "" && from != "same-origin" && from != "none" {
		return http.StatusForbidden, errors.New("pages of elsewhere may not ask")
	}
	return 0, nil
}

// IsLocal reports whether a host, with or without a port, is this machine; no host is it too.
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
