package endpoints

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Sites detects requests from web pages of other sites, by the address that a server listens at.
type Sites struct {
	loopback bool // only programs on this machine reach the address
}

// NewSites returns the Sites for a listening address.
func NewSites(at net.Addr) Sites {
	to, err := netip.ParseAddrPort(at.String())
	return Sites{err == nil && to.Addr().IsLoopback()}
}

// Local wraps a Handler, and refuses requests from web pages of other sites. At a loopback address
// it also refuses other host names in Host: a page may have pointed its own name here (DNS
// rebinding).
func Local(at net.Addr, h http.Handler) http.Handler {
	s := NewSites(at)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, err := s.Check(r); err != nil {
			TurnAway(w, status, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// TurnAway refuses a request and closes its connection.
func TurnAway(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Connection", "close")
	Refuse(w, status, err.Error())
}

// CheckHost returns the status and the reason for refusing a request by its host.
func (s Sites) CheckHost(r *http.Request) (status int, err error) {
	if s.loopback && (r.Host == "" || !IsLocal(r.Host)) {
		return http.StatusMisdirectedRequest, errors.New("want a name of this machine as Host: localhost, 127.0.0.1 or [::1]")
	}
	return 0, nil
}

// Check returns the status and the reason for refusing a request by its host or its origin.
func (s Sites) Check(r *http.Request) (status int, err error) {
	if status, err := s.CheckHost(r); err != nil {
		return status, err
	}
	for _, origin := range r.Header.Values("Origin") {
		if from, err := url.Parse(origin); err != nil || from.Host == "" || from.Host != r.Host {
			return http.StatusForbidden, errOtherSite
		}
	}
	if from := r.Header.Get("Sec-Fetch-Site"); from != "" && from != "same-origin" && from != "none" {
		return http.StatusForbidden, errOtherSite
	}
	return 0, nil
}

var errOtherSite = errors.New("web pages of other sites are refused")

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
