package manage

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"time"

	"weft/sm/terms"
)

// certificate watches when the certificate of the API ends, so that an operator hears of it days
// before. An expired one does not keep the manager from starting: the subnet needs it more than the
// API. It is safe for concurrent use.
type certificate struct {
	mu    sync.Mutex
	file  string
	from  time.Time // zero without TLS
	until time.Time
	told  int  // of noticeBefore: the last one that was told; -1: none
	early bool // it was told that the certificate is not valid yet
}

// noticeBefore lists how long before its end a certificate is an event.
var noticeBefore = []time.Duration{30 * 24 * time.Hour, 7 * 24 * time.Hour, 24 * time.Hour, 0}

// lookAtCertificate is the interval between two looks at the certificate.
const lookAtCertificate = time.Hour

// validity returns the period that is common to all certificates of a chain.
func validity(chain *tls.Certificate) (from, until time.Time, err error) {
	for i, der := range chain.Certificate {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return from, until, err
		}
		if i == 0 || c.NotBefore.After(from) {
			from = c.NotBefore
		}
		if i == 0 || c.NotAfter.Before(until) {
			until = c.NotAfter
		}
	}
	return from, until, nil
}

// use takes another chain of a file; nil: there is no TLS.
func (c *certificate) use(file string, chain *tls.Certificate) {
	if chain == nil {
		return
	}
	from, until, err := validity(chain)
	if err != nil {
		return // crypto/tls has parsed it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file, c.from, c.until, c.told, c.early = file, from, until, -1, false
}

// expiry returns when the certificate expires; zero without TLS.
func (c *certificate) expiry() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.until
}

// look returns an incident if the state of the certificate has changed: not yet valid, about to
// end, or ended. Otherwise news is false.
func (c *certificate) look(now time.Time) (i terms.Incident, news bool) {
	const renew = "put a new one into the file and reload the manager (systemctl reload weft-sm)"
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.until.IsZero():
		return i, false
	case now.Before(c.from):
		news, c.early = !c.early, true
		text := fmt.Sprintf("api-cert: %s is not valid before %s: programs refuse it. Set the clock, or %s", c.file, rfc3339(c.from), renew)
		return terms.Incident{Kind: terms.CertificateBad, Text: text}, news
	}
	last := -1 // of noticeBefore
	for k, before := range noticeBefore {
		if !now.Before(c.until.Add(-before)) {
			last = k
		}
	}
	if last <= c.told {
		return i, false
	}
	c.told = last
	if last == len(noticeBefore)-1 {
		return terms.Incident{Kind: terms.CertificateBad, Text: fmt.Sprintf("api-cert: %s expired at %s: programs refuse it. To mend it, %s", c.file, rfc3339(c.until), renew)}, true
	}
	text := fmt.Sprintf("api-cert: %s expires at %s, in %.1f days: %s", c.file, rfc3339(c.until), c.until.Sub(now).Hours()/24, renew)
	return terms.Incident{Kind: terms.CertificateDue, Text: text}, true
}

// rfc3339 formats a time in UTC.
func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// watch tells of the certificate until ctx ends.
func (c *certificate) watch(ctx context.Context, tell func(terms.Incident)) {
	ticks := time.NewTicker(lookAtCertificate)
	defer ticks.Stop()
	for {
		if i, news := c.look(time.Now()); news {
			tell(i)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// errExpired is the error of a new certificate that is worse than the one in use.
var errExpired = errors.New("the new certificate is not valid now, and the old one stays")

// worse returns errExpired if programs would refuse the new chain, but not the old one.
func worse(was, is *tls.Certificate, now time.Time) error {
	valid := func(c *tls.Certificate) bool {
		from, until, err := validity(c)
		return err == nil && !now.Before(from) && now.Before(until)
	}
	if valid(was) && !valid(is) {
		from, until, _ := validity(is)
		return fmt.Errorf("%w: it is valid from %s to %s", errExpired, rfc3339(from), rfc3339(until))
	}
	return nil
}
