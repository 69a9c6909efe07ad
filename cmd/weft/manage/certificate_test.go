package manage

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/sm/service"
	"weft/sm/terms"
)

// TestCertificateIsTold: an operator hears 30, 7 and 1 days before a certificate expires, and when
// it has. Each is told once. A certificate that is not valid yet is told too, and one that will be
// valid for long is not.
func TestCertificateIsTold(t *testing.T) {
	day := 24 * time.Hour
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := certificate{file: "cert.pem", from: start, until: start.Add(90 * day), told: -1}
	var heard []string
	for now := start.Add(-2 * day); now.Before(start.Add(100 * day)); now = now.Add(lookAtCertificate) {
		if i, news := c.look(now); news {
			heard = append(heard, now.Sub(start).String()+" "+string(i.Kind))
			if !strings.Contains(i.Text, "cert.pem") || !strings.Contains(i.Text, "reload") {
				t.Error(i.Text)
			}
		}
	}
	want := []string{"-48h0m0s certificate-bad", "1440h0m0s certificate-due", "1992h0m0s certificate-due", "2136h0m0s certificate-due", "2160h0m0s certificate-bad"}
	if !slices.Equal(heard, want) {
		t.Errorf("%q", heard)
	}
	var none certificate // without TLS
	if _, news := none.look(start); news || !none.expiry().IsZero() {
		t.Error("a manager without TLS has a certificate")
	}
}

// TestExpiredCertificate: a manager whose certificate has expired starts, and says so in the log,
// in its metrics and in its status. A reload uses a new one, and keeps a valid one when the file
// has an expired one; a new token is used all the same.
func TestExpiredCertificate(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	a := &apiFlags{address: ":0", token: in("token"), cert: in("cert.pem"), key: in("key.pem")}
	write := func(number int64, until time.Time, token string) {
		t.Helper()
		if err := os.WriteFile(a.token, []byte(strings.Repeat(token, 32)), 0o600); err != nil {
			t.Fatal(err)
		}
		writeCertificateUntil(t, number, until, a.cert, a.key)
	}
	expired := time.Now().Add(-time.Hour).Truncate(time.Second)
	write(1, expired, "a")
	if err := a.check(); err != nil {
		t.Fatal(err)
	}
	s, err := a.listen()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var c certificate
	c.use(a.cert, s.cert.Load())
	if i, news := c.look(time.Now()); !news || i.Kind != terms.CertificateBad || i.Kind.Severity() != terms.Error || !c.expiry().Equal(expired) {
		t.Errorf("%v %+v, %v", news, i, c.expiry())
	}
	until := time.Now().Add(3 * 24 * time.Hour).Truncate(time.Second)
	write(2, until, "a")
	if changed, err := s.renew(a); err != nil || !slices.Equal(changed, []string{"the certificate of api"}) {
		t.Errorf("%v, %v", changed, err)
	}
	c.use(a.cert, s.cert.Load())
	if i, news := c.look(time.Now()); !news || i.Kind != terms.CertificateDue || !c.expiry().Equal(until) {
		t.Errorf("%v %+v, %v", news, i, c.expiry())
	}
	write(3, expired, "b")
	if changed, err := s.renew(a); !errors.Is(err, errExpired) || !slices.Equal(changed, []string{"the tokens of api"}) {
		t.Errorf("%v, %v", changed, err)
	}
	if _, shown, err := validity(s.cert.Load()); err != nil || !shown.Equal(until) {
		t.Errorf("a certificate until %v is shown: %v", shown, err)
	}
	api := service.New(service.Options{Clock: time.Now, Certificate: c.expiry})
	w := httptest.NewRecorder()
	api.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	if !strings.Contains(w.Body.String(), "weft_sm_api_certificate_expiry_timestamp_seconds") || api.Status().Certificate != until.UTC().Format(time.RFC3339) {
		t.Errorf("%q\n%s", api.Status().Certificate, w.Body.String())
	}
}

// TestChain: a chain is valid as long as all its certificates are.
func TestChain(t *testing.T) {
	dir := t.TempDir()
	var chain tls.Certificate
	first := time.Now().Add(time.Hour).Truncate(time.Second)
	for n, until := range []time.Time{first.Add(time.Hour), first, first.Add(2 * time.Hour)} {
		cert, key := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
		writeCertificateUntil(t, int64(n), until, cert, key)
		one, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		chain.Certificate = append(chain.Certificate, one.Certificate...)
	}
	if _, until, err := validity(&chain); err != nil || !until.Equal(first) {
		t.Errorf("%v, %v", until, err)
	}
}
