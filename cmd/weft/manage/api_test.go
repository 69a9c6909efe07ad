package manage

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// writeCertificate writes a certificate of this machine, and its key.
func writeCertificate(t *testing.T, number int64, cert, key string) {
	t.Helper()
	writeCertificateUntil(t, number, time.Now().Add(time.Hour), cert, key)
}

// writeCertificateUntil writes one that expires then.
func writeCertificateUntil(t *testing.T, number int64, until time.Time, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(number), NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRenewAPI: a token and a certificate that have become others are asked for and shown at once;
// what cannot be so is told.
func TestRenewAPI(t *testing.T) {
	in := func(name string) string { return filepath.Join(t.TempDir(), name) }
	a := &apiFlags{address: ":0", token: in("token"), cert: in("cert.pem"), key: in("key.pem")}
	tokens := []string{strings.Repeat("a", 32), strings.Repeat("b", 32)}
	write := func(i int) {
		if err := os.WriteFile(a.token, []byte(tokens[i]+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		writeCertificate(t, int64(i+1), a.cert, a.key)
	}
	write(0)
	s, err := a.listen()
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: s.guard.Protect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }), nil), ReadHeaderTimeout: time.Minute}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(s) }) // until it is closed
	defer serving.Wait()
	defer func() { _ = server.Close() }()
	shows := func(i int) {
		t.Helper()
		for j, token := range tokens {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
			r, err := http.NewRequest(http.MethodGet, "https://"+s.Addr().String(), http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+token)
			answer, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if (answer.StatusCode == http.StatusOK) != (i == j) || answer.TLS.PeerCertificates[0].SerialNumber.Int64() != int64(i+1) {
				t.Errorf("token %d: %s, certificate %v", j, answer.Status, answer.TLS.PeerCertificates[0].SerialNumber)
			}
		}
	}
	shows(0)
	if changed, err := s.renew(a); err != nil || len(changed) > 0 {
		t.Errorf("%v, %v", changed, err)
	}
	write(1)
	shows(0)
	if changed, err := s.renew(a); err != nil || !slices.Equal(changed, []string{"the certificate of api", "the tokens of api"}) {
		t.Errorf("%v, %v", changed, err)
	}
	shows(1)
	if _, err := s.renew(&apiFlags{token: a.token}); err == nil || !strings.Contains(err.Error(), "restart the manager to switch TLS") {
		t.Error(err)
	}
	if err := os.Chmod(a.key, 0o604); err != nil {
		t.Fatal(err)
	}
	if _, err := s.renew(a); err == nil || !strings.Contains(err.Error(), "others may read the secret in it: run chmod 600") {
		t.Error(err)
	}
	shows(1)
}
