package service

import (
	"bytes"
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
)

// Guard lets only those through that know a token: it stands before a Handler that is served over TCP.
type Guard struct {
	token    [sha256.Size]byte
	loopback bool // only programs of this machine reach it
}

// NewGuard makes a Guard for an address at which is listened.
func NewGuard(token string, at net.Addr) *Guard {
	to, err := netip.ParseAddrPort(at.String())
	return &Guard{sha256.Sum256([]byte(token)), err == nil && to.Addr().IsLoopback()}
}

// least is the number of characters that a token has at least.
const least = 20

// ReadToken reads the token of a file that only its owner reads: its first line.
func ReadToken(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
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

// Protect makes a Handler that refuses requests without the token, those that a web page of elsewhere sends, and on loopback those for another host than
// this machine, as they come from pages whose name has been made to lead here.
func (g *Guard) Protect(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := g.check(r)
		if err != nil {
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			w.Header().Set("Connection", "close")
			refuse(w, status, err.Error())
			return
		}
		h.ServeHTTP(w, r)
	})
}

// check returns why a request is refused.
func (g *Guard) check(r *http.Request) (status int, err error) {
	if g.loopback && (r.Host == "" || !IsLocal(r.Host)) {
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
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return http.StatusUnauthorized, errors.New("want the token: Authorization: Bearer TOKEN")
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	hash := sha256.Sum256([]byte(token))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(hash[:], g.token[:]) != 1 {
		return http.StatusUnauthorized, errors.New("this is not the token")
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
