package service

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"weft/internal/endpoints"
	"weft/sm/terms"
	"weft/study/whatif"
)

const secret = "0123456789abcdef0123456789abcdef"

// TestReadToken: a token is the first line of a file that only its owner reads.
func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct {
		text, want, wrong string
		mode              os.FileMode
	}{
		{secret + "\nmore\n", secret, "", 0o600},
		{" " + secret + " \r\n", secret, "", 0o400},
		{secret, "", "others may read it", 0o640},
		{secret[:19], "", "want a token of 20", 0o600},
		{"", "", "want a token of 20", 0o600},
		{"0123456789 0123456789", "", "want a token of 20", 0o600},
		{"0123456789\x000123456789", "", "want a token of 20", 0o600},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		got, err := ReadToken(path)
		if got != c.want || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
		os.Remove(path)
	}
	if _, err := ReadToken(path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, none := range []string{path, filepath.Dir(path)} {
		if _, err := ReadToken(none); err == nil || !strings.Contains(err.Error(), "want a file") {
			t.Errorf("%s: %v", none, err)
		}
	}
}

// TestRenew: from when a token is renewed only the new one is let through, and who follows the log
// by the old one is let go of.
func TestRenew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newService(0)
		s.opt.Clock = time.Now
		s.Show(master())
		s.Tell(terms.Incident{Kind: terms.Started})
		g := NewGuard(OneToken(secret), &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, time.Now)
		p, end := serveInMemory(t, g.Protect(s.Handler(), nil))
		defer end()
		ask := func(target, by string) (status int, body io.Reader) {
			conn := p.dial()
			go func() {
				_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", target, by)
			}()
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = answer.Body.Close() })
			return answer.StatusCode, answer.Body
		}
		next := strings.ToUpper(secret)
		_, following := ask("/v1/events?follow=true", secret)
		if g.Renew(OneToken(secret)) || !g.Renew(OneToken(next)) {
			t.Error("what is another token is not told")
		}
		if text, err := io.ReadAll(following); err != nil || strings.Count(string(text), "\n") != 1 {
			t.Errorf("%q, %v", text, err)
		}
		for by, want := range map[string]int{secret: http.StatusUnauthorized, next: http.StatusOK} {
			if status, _ := ask("/v1/status", by); status != want {
				t.Errorf("%s: %d", by, status)
			}
		}
	})
}

// TestLocal: figures without a token are for no web page of elsewhere.
func TestLocal(t *testing.T) {
	s, _ := newService(0)
	loopback := endpoints.Local(&net.TCPAddr{IP: net.IPv6loopback}, s.Metrics())
	open := endpoints.Local(&net.TCPAddr{IP: net.IPv4zero}, s.Metrics())
	for _, c := range []struct {
		host, origin string
		h            http.Handler
		want         int
	}{
		{"127.0.0.1:9461", "", loopback, http.StatusOK},
		{"evil.example:9461", "", loopback, http.StatusMisdirectedRequest},
		{"localhost:9461", "https://evil.example", loopback, http.StatusForbidden},
		{"sm.example:9461", "", open, http.StatusOK},
		{"sm.example:9461", "null", open, http.StatusForbidden},
	} {
		r := httptest.NewRequest("GET", "/metrics", http.NoBody)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		c.h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}

// TestGuard: only a request with the token, for this machine and from no page of elsewhere, is let
// through.
func TestGuard(t *testing.T) {
	s, a := newService(0)
	s.Show(master())
	local := NewGuard(OneToken(secret), &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9462}, time.Now).Protect(s.Handler(), nil)
	open := NewGuard(OneToken(secret), &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 9462}, time.Now).Protect(s.Handler(), nil)
	for _, c := range []struct {
		name    string
		headers string
		h       http.Handler
		want    int
	}{
		{"token", "Host: localhost:9462\nAuthorization: Bearer " + secret, local, http.StatusAccepted},
		{"token, ::1", "Host: [::1]:9462\nAuthorization: bearer " + secret, local, http.StatusAccepted},
		{"page of the same origin", "Host: 127.0.0.1:9462\nOrigin: http://127.0.0.1:9462\nSec-Fetch-Site: same-origin\nAuthorization: Bearer " + secret, local, http.StatusAccepted},
		{"by name, not on loopback", "Host: sm.example:9462\nAuthorization: Bearer " + secret, open, http.StatusAccepted},
		{"none", "Host: localhost", local, http.StatusUnauthorized},
		{"wrong", "Host: localhost\nAuthorization: Bearer " + secret[1:], local, http.StatusUnauthorized},
		{"longer", "Host: localhost\nAuthorization: Bearer " + secret + "0", local, http.StatusUnauthorized},
		{"another scheme", "Host: localhost\nAuthorization: Basic " + secret, local, http.StatusUnauthorized},
		{"twice", "Host: localhost\nAuthorization: Bearer x\nAuthorization: Bearer " + secret, local, http.StatusUnauthorized},
		{"another host", "Host: evil.example\nAuthorization: Bearer " + secret, local, http.StatusMisdirectedRequest},
		{"a name that ends alike", "Host: evil.localhost.example\nAuthorization: Bearer " + secret, local, http.StatusMisdirectedRequest},
		{"no host", "Host: \nAuthorization: Bearer " + secret, local, http.StatusMisdirectedRequest},
		{"another origin", "Host: localhost\nOrigin: http://evil.example\nAuthorization: Bearer " + secret, local, http.StatusForbidden},
		{"no origin", "Host: localhost\nOrigin: null\nAuthorization: Bearer " + secret, local, http.StatusForbidden},
		{"another port", "Host: localhost:9462\nOrigin: http://localhost:80\nAuthorization: Bearer " + secret, local, http.StatusForbidden},
		{"fetched from elsewhere", "Host: localhost\nSec-Fetch-Site: cross-site\nAuthorization: Bearer " + secret, local, http.StatusForbidden},
		{"elsewhere, not on loopback", "Host: sm.example\nOrigin: https://evil.example\nAuthorization: Bearer " + secret, open, http.StatusForbidden},
	} {
		a.list = nil
		r := httptest.NewRequest("POST", "/v1/resweep", http.NoBody)
		for line := range strings.SplitSeq(c.headers, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			if name == "Host" {
				r.Host = value
			} else {
				r.Header.Add(name, value)
			}
		}
		w := httptest.NewRecorder()
		c.h.ServeHTTP(w, r)
		if w.Code != c.want || (len(a.list) == 1) != (w.Code == http.StatusAccepted) {
			t.Errorf("%s: %d, asked %v: %s", c.name, w.Code, a.list, w.Body)
		}
	}
}

// TestNotAsDocumented: what differs from the document is refused and changes nothing, also from who
// knows the token.
func TestNotAsDocumented(t *testing.T) {
	s, a := newService(0)
	s.Show(master())
	many := `{"changes":[` + strings.TrimSuffix(strings.Repeat(`{"kind":"fail","what":"x"},`, whatif.MostChanges+1), ",") + "]}"
	for _, c := range []struct {
		method, target, body string
		want                 int
	}{
		{"GET", "/v1/resweep", "", http.StatusMethodNotAllowed},
		{"BREW", "/v1/resweep", "", http.StatusMethodNotAllowed},
		{"POST", "/v1/resweep?now=1", "", http.StatusBadRequest},
		{"POST", "/v1/resweep", "{}", http.StatusBadRequest},
		{"POST", "/v1/drain", "", http.StatusBadRequest},
		{"POST", "/v1/drain?name=a&name=b", "", http.StatusBadRequest},
		{"POST", "/v1/drain?name=a&names=b", "", http.StatusBadRequest},
		{"POST", "/v1/drain?name=a;b", "", http.StatusBadRequest},
		{"POST", "/v1/drain?name=%zz", "", http.StatusBadRequest},
		{"POST", "/v1/../v1/resweep", "", http.StatusNotFound},
		{"POST", "//v1/resweep", "", http.StatusNotFound},
		{"POST", "/v1/resweep/", "", http.StatusNotFound},
		{"GET", "/v1/plans/0", "", http.StatusNotFound},
		{"GET", "/v1/plans/+7", "", http.StatusBadRequest},
		{"POST", "/v1/drain?name=", "", http.StatusBadRequest},
		{"POST", "/v1/drain?name=%ff", "", http.StatusBadRequest},
		{"POST", "/v1/drain?name=a%0d%0ab", "", http.StatusBadRequest},
		{"POST", "/v1/drain?name=" + strings.Repeat("x", endpoints.MostName+1), "", http.StatusBadRequest},
		{"GET", "/v1/events?since=", "", http.StatusBadRequest},
		{"GET", "/v1/events?run=", "", http.StatusBadRequest},
		{"GET", "/v1/events?follow=", "", http.StatusBadRequest},
		{"GET", "/v1/plans/-1", "", http.StatusBadRequest},
		{"GET", "/v1/plans/99999999999999999999", "", http.StatusBadRequest},
		{"GET", "/v1/plans/7", "", http.StatusNotFound},
		{"GET", "/v1/plans/7?version=8", "", http.StatusBadRequest},
		{"GET", "/v1/events?since=1e3", "", http.StatusBadRequest},
		{"POST", "/v1/whatif", "", http.StatusBadRequest},
		{"POST", "/v1/whatif", "[]", http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":[]}`, http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":[{"kind":"fail","what":"x"}]} {}`, http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":[{"kind":"fail","what":"x","why":"y"}]}`, http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":[{"kind":"radix(99)|fail","what":"x"}]}`, http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":[{"kind":"add","what":"x)|radix(999"}]}`, http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":[],"changes":[{"kind":"fail","what":"x"}]}`, http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":[{"kind":"drain","kind":"fail","what":"x"}]}`, http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"Changes":[{"kind":"fail","what":"x"}]}`, http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":[{"\u212aind":"fail","what":"x"}]}`, http.StatusBadRequest},
		{"POST", "/v1/whatif", "{\"changes\":[{\"kind\":\"fail\",\"what\":\"x\xff\"}]}", http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":` + strings.Repeat("[", 30000), http.StatusBadRequest},
		{"POST", "/v1/whatif", many, http.StatusBadRequest},
		{"POST", "/v1/whatif", `{"changes":[{"kind":"fail","what":"` + strings.Repeat("x", 1<<16) + `"}]}`, http.StatusRequestEntityTooLarge},
	} {
		r := httptest.NewRequest(c.method, "/", strings.NewReader(c.body))
		target, query, _ := strings.Cut(c.target, "?")
		r.URL.Path, r.URL.RawQuery = target, query
		r.Header.Set("Content-Type", endpoints.JSON)
		w := httptest.NewRecorder()
		http.MaxBytesHandler(s.Handler(), endpoints.UsualBody).ServeHTTP(w, r)
		if w.Code != c.want || len(a.list) > 0 || !strings.HasPrefix(w.Body.String(), "{") || w.Header().Get("Content-Type") != endpoints.JSON {
			t.Errorf("%s %s %.60s: %d, asked %v: %s", c.method, c.target, c.body, w.Code, a.list, w.Body)
		}
	}
}

// TestMedia: a body is taken that is JSON, in UTF-8 and as it is, and said to be so once.
func TestMedia(t *testing.T) {
	s, _ := newService(0)
	s.Show(master())
	for _, c := range []struct {
		headers string
		want    int
	}{
		{"Content-Type: application/json", http.StatusConflict}, // no fabric is in force
		{"Content-Type: application/json; charset=UTF-8", http.StatusConflict},
		{"Content-Type: application/json; charset=utf-16", http.StatusUnsupportedMediaType},
		{"Content-Type: text/plain", http.StatusUnsupportedMediaType},
		{"Content-Type: application/json\nContent-Type: text/plain", http.StatusUnsupportedMediaType},
		{"Content-Type: application/json\nContent-Type: application/json", http.StatusUnsupportedMediaType},
		{"Content-Type: application/json\nContent-Encoding: gzip", http.StatusUnsupportedMediaType},
		{"Accept: */*", http.StatusUnsupportedMediaType},
	} {
		r := httptest.NewRequest("POST", "/v1/whatif", strings.NewReader(`{"changes":[{"kind":"fail","what":"spine 1"}]}`))
		for line := range strings.SplitSeq(c.headers, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			r.Header.Add(name, value)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d: %s", c.headers, w.Code, c.want, w.Body)
		}
	}
}

// broken is a body that breaks off.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// TestBrokenBody: what comes with a body that does not come whole is not done, also where none of
// it came.
func TestBrokenBody(t *testing.T) {
	s, a := newService(0)
	s.Show(master())
	for err, want := range map[error]int{
		os.ErrDeadlineExceeded: http.StatusRequestTimeout, io.ErrUnexpectedEOF: http.StatusBadRequest, errors.New("a chunk is wrong"): http.StatusBadRequest,
		&http.MaxBytesError{Limit: 1 << 16}: http.StatusRequestEntityTooLarge,
	} {
		for _, target := range []string{"/v1/resweep", "/v1/rebalance", "/v1/drain?name=a", "/v1/undrain?name=a", "/v1/whatif"} {
			r := httptest.NewRequest("POST", target, broken{err})
			r.Header.Set("Content-Type", endpoints.JSON)
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			if w.Code != want || len(a.list) > 0 || w.Header().Get("Connection") != "close" {
				t.Errorf("%s, %v: %d, asked %v", target, err, w.Code, a.list)
			}
		}
	}
}

// TestPlaces: more than may be under way is told to ask again, and places come back.
func TestPlaces(t *testing.T) {
	s, _ := newService(0)
	s.Show(master())
	h := s.Handler()
	places := s.callers.of(httptest.NewRequest(http.MethodGet, "/", http.NoBody)).requests
	for range cap(places) {
		places.Take()
	}
	if w := get(t, h, "GET", "/v1/status"); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Error(w.Code)
	}
	places.Give()
	for range 3 {
		if w := get(t, h, "GET", "/v1/status"); w.Code != http.StatusOK {
			t.Error(w.Code)
		}
	}
}

// stuck is a body whose rest does not come.
type stuck struct{ reads, comes chan struct{} }

func (b stuck) Read([]byte) (int, error) {
	b.reads <- struct{}{}
	<-b.comes
	return 0, io.ErrUnexpectedEOF
}

// TestHalfSent: a token that leaves as many bodies half sent as it may, short and long ones, has
// no more places. Another token and the owner of the socket are served, long bodies too. When the
// bodies end it is served again.
func TestHalfSent(t *testing.T) {
	s, _ := newService(0)
	s.Show(master())
	h := s.Handler()
	send := func(token, method, target string, body io.Reader, length int64) int {
		r := httptest.NewRequest(method, target, body)
		r.ContentLength = length
		r.Header.Set("Content-Type", endpoints.JSON)
		if token != "" {
			r = r.WithContext(endpoints.WithCaller(r.Context(), endpoints.Caller{Name: token, Role: endpoints.MayEverything}))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	long := strings.Repeat(" ", 2*endpoints.UsualBody) + "]" // read to its end, and then refused
	ask := func(token string) (status, write int) {
		return send(token, http.MethodGet, "/v1/status", http.NoBody, 0), send(token, http.MethodPut, "/v1/partitions", strings.NewReader(long), int64(len(long)))
	}
	b := stuck{make(chan struct{}), make(chan struct{})}
	var clients sync.WaitGroup
	for i := range mostRequests {
		length := int64(100)
		if i < mostLarge {
			length = -1
		}
		clients.Go(func() { send("stuck", http.MethodPut, "/v1/partitions", b, length) })
		<-b.reads
	}
	for token, want := range map[string][2]int{
		"stuck": {http.StatusTooManyRequests, http.StatusTooManyRequests}, "other": {http.StatusOK, http.StatusBadRequest}, "": {http.StatusOK, http.StatusBadRequest},
	} {
		if status, write := ask(token); [2]int{status, write} != want {
			t.Errorf("token %q: %d and %d, want %d", token, status, write, want)
		}
	}
	close(b.comes)
	clients.Wait()
	if status, write := ask("stuck"); status != http.StatusOK || write != http.StatusBadRequest {
		t.Errorf("then: %d and %d", status, write)
	}
}

// FuzzUnauthenticated: whatever bytes come over TCP from who does not know the token, each request
// in them is answered by a status of 400 to 499, and nothing is asked of the manager. What net/http
// refuses by itself, a version or a coding that it does not know, it answers by 505 and 501.
func FuzzUnauthenticated(f *testing.F) {
	s, a := newService(0)
	s.opt.Clock = time.Now
	s.Show(master())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- endpoints.Serve(ctx, l, NewGuard(OneToken(secret), l.Addr(), time.Now).Protect(s.Handler(), nil))
	}()
	f.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			f.Error(err)
		}
	})
	for _, text := range []string{
		"GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /v1/resweep HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\nGET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"POST /v1/drain?name=x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "\x16\x03\x01\x02\x00",
		"POST /v1/rebalance HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "GET //v1/status HTTP/1.0\r\n\r\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte(secret)) {
			t.Skip()
		}
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		go func() {
			_, _ = c.Write(data)
			_ = c.(*net.TCPConn).CloseWrite()
		}()
		for said := bufio.NewReader(c); ; {
			resp, err := http.ReadResponse(said, nil)
			if err != nil { // no more
				break
			}
			if n := resp.StatusCode; (n < 400 || n > 499) && n != http.StatusNotImplemented && n != http.StatusHTTPVersionNotSupported {
				t.Errorf("%q: %s", data, resp.Status)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if len(a.list) > 0 {
			t.Errorf("%q: %v was asked", data, a.list)
		}
	})
}

// FuzzRequest: any request of who knows the token is answered; only a POST of the document that is
// answered by success asks for something.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "/v1/events", "since=3&follow=false", "", endpoints.JSON)
	f.Add("POST", "/v1/resweep", "", "", "")
	f.Add("POST", "/v1/whatif", "", `{"changes":[{"kind":"fail","what":"spine 1"}]}`, endpoints.JSON)
	f.Add("POST", "/v1/drain", "name=spine+1", "", "")
	f.Fuzz(func(t *testing.T, method, path, query, body, media string) {
		s, a := newService(4)
		s.Show(master())
		s.Tell(terms.Incident{Kind: terms.Started})
		r := httptest.NewRequest("GET", "/", strings.NewReader(body))
		r.Method, r.URL.Path, r.URL.RawQuery = method, path, query
		r.Header.Set("Content-Type", media)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		if strings.Contains(query, "follow") {
			cancel() // who follows goes at once
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r.WithContext(ctx))
		if success := w.Code >= 200 && w.Code < 300; len(a.list) > 0 && (method != "POST" || !success) || w.Code >= 500 || !success && w.Code < 400 {
			t.Errorf("%s %s: %d, %v", method, path, w.Code, a.list)
		}
	})
}
