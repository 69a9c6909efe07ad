package service

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"weft/internal/endpoints"
)

// TestSession: a token in a form becomes a cookie that scripts and other sites do not get; it
// stands for the token until it ends, and changes nothing without the headers of a browser.
func TestSession(t *testing.T) {
	s, _ := newService(0)
	s.Show(master())
	now := time.Unix(1_800_000_000, 0)
	g := NewGuard(OneToken(secret), &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9462}, func() time.Time { return now })
	h := g.Protect(s.Handler(), http.NotFoundHandler())
	send := func(method, target, body string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Host = "127.0.0.1:9462"
		r.Header.Set("Content-Type", endpoints.JSON)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	if w := send("POST", "/v1/session", `{"token":"`+secret[1:]+`0"}`); w.Code != http.StatusUnauthorized || w.Header().Get("Set-Cookie") != "" {
		t.Error(w.Code, w.Header())
	}
	if w := send("POST", "/v1/session", `{"token":"`+secret+`"}`, "Origin", "http://evil.example"); w.Code != http.StatusForbidden {
		t.Error(w.Code)
	}
	w := send("POST", "/v1/session", `{"token":"`+secret+`"}`)
	set := w.Header().Get("Set-Cookie")
	cookie, rest, _ := strings.Cut(set, ";")
	if w.Code != http.StatusNoContent || rest != " Path=/; Max-Age=43200; HttpOnly; SameSite=Strict" || strings.Contains(set, secret) || !strings.HasPrefix(cookie, "weft-9462=") {
		t.Fatal(w.Code, set)
	}
	same := []string{"Cookie", cookie, "Origin", "http://127.0.0.1:9462"}
	for _, c := range []struct {
		method, target string
		headers        []string
		want           int
	}{
		{"GET", "/v1/status", []string{"Cookie", cookie}, http.StatusOK},
		{"POST", "/v1/resweep", []string{"Cookie", cookie}, http.StatusUnauthorized},
		{"POST", "/v1/resweep", same, http.StatusAccepted},
		{"POST", "/v1/resweep", []string{"Cookie", cookie, "Origin", "http://127.0.0.1:80"}, http.StatusForbidden},
		{"GET", "/v1/status", []string{"Cookie", cookie + "A"}, http.StatusUnauthorized},
		{"GET", "/v1/status", []string{"Cookie", "weft-9462=" + secret}, http.StatusUnauthorized},
		{"GET", "/v1/status", nil, http.StatusUnauthorized},
	} {
		if w := send(c.method, c.target, "", c.headers...); w.Code != c.want {
			t.Errorf("%s %s %q: %d, want %d: %s", c.method, c.target, c.headers, w.Code, c.want, w.Body)
		}
	}
	if w := send("DELETE", "/v1/session", "", same...); !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Error(w.Code, w.Header())
	}
	now = now.Add(sessionTime)
	if w := send("GET", "/v1/status", "", "Cookie", cookie); w.Code != http.StatusUnauthorized {
		t.Error("a session that has ended is taken", w.Code)
	}
}
