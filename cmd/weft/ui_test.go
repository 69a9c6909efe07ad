package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"weft/cmd/weft/sweeps"
	"weft/internal/endpoints"
	"weft/internal/peer"
	"weft/internal/racing"
	"weft/study/page"
)

// newUI returns the handler of weft ui at a loopback address.
func newUI() http.Handler {
	questions := endpoints.NewQuestions(time.Now, nil)
	p := page.New(page.Options{Version: "test", Clock: time.Now, Memory: func() float64 { return 0 }, Workers: 1, Questions: questions})
	return uiHandler(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, append(p.Endpoints(), sweeps.Browser(questions, 1).Endpoints()...))
}

// TestUIRefuses: what other sites send, another name of this machine, and what is too large or
// malformed is refused, and opens nothing.
func TestUIRefuses(t *testing.T) {
	h := newUI()
	for _, c := range []struct {
		name, method, target, headers, body string
		want                                int
	}{
		{"the page", "GET", "/", "", "", http.StatusOK},
		{"a view", "GET", "/map?fabric=x", "", "", http.StatusOK},
		{"a view, linked from elsewhere", "GET", "/map", "Sec-Fetch-Site: cross-site", "", http.StatusOK},
		{"a file that is not there", "GET", "/assets/../../etc/passwd.js", "", "", http.StatusNotFound},
		{"another host", "GET", "/", "Host: evil.example", "", http.StatusMisdirectedRequest},
		{"another host, the API", "GET", "/v1/fabrics", "Host: evil.example:8080", "", http.StatusMisdirectedRequest},
		{"another origin", "POST", "/v1/fabrics", "Origin: http://evil.example", `{"formula":"rlft(4,2)"}`, http.StatusForbidden},
		{"another port", "POST", "/v1/fabrics", "Origin: http://127.0.0.1:9", `{"formula":"rlft(4,2)"}`, http.StatusForbidden},
		{"fetched from elsewhere", "GET", "/v1/fabrics", "Sec-Fetch-Site: same-site", "", http.StatusForbidden},
		{"a path", "POST", "/v1/fabrics", "", `{"formula":"/etc/passwd"}`, http.StatusConflict},
		{"a path as a name", "POST", "/v1/fabrics", "", `{"name":"/etc/passwd"}`, http.StatusBadRequest},
		{"a huge formula", "POST", "/v1/fabrics", "", `{"formula":"rlft(64,9)"}`, http.StatusConflict},
		{"a formula beyond the page", "POST", "/v1/fabrics", "", `{"formula":"torus(50x50x30)"}`, http.StatusConflict},
		{"a long formula", "POST", "/v1/fabrics", "", `{"formula":"rlft(4,2` + strings.Repeat(" ", 1000) + `)"}`, http.StatusBadRequest},
		{"many suffixes", "POST", "/v1/fabrics", "", `{"formula":"rlft(4,2)` + strings.Repeat("|planes(2)", 20) + `"}`, http.StatusBadRequest},
		{"no file of ours", "POST", "/v1/fabrics", "", `{"name":"x","text":"<script>alert(1)</script>"}`, http.StatusConflict},
		{"an unknown key", "POST", "/v1/fabrics", "", `{"path":"x"}`, http.StatusBadRequest},
		{"a fabric that is not open", "POST", "/v1/fabrics/x/map", "", `{}`, http.StatusNotFound},
	} {
		r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
		if c.body == "" {
			r = httptest.NewRequest(c.method, c.target, http.NoBody)
		}
		r.Host = "127.0.0.1:8080"
		r.Header.Set("Content-Type", endpoints.JSON)
		if name, value, ok := strings.Cut(c.headers, ": "); ok && name == "Host" {
			r.Host = value
		} else if ok {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d: %.200s", c.name, w.Code, c.want, w.Body)
		}
		if policy := w.Header().Get("Content-Security-Policy"); c.want == http.StatusOK && (!strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe")) {
			t.Errorf("%s: policy %q", c.name, policy)
		}
	}
	r := httptest.NewRequest("GET", "/v1/fabrics", http.NoBody)
	r.Host = "localhost:8080"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), `"fabrics": []`) {
		t.Errorf("something was opened: %s", w.Body)
	}
}

// TestUIMaps: a picture and a question about changes are answered; bad ones are refused in words.
func TestUIMaps(t *testing.T) {
	h := newUI()
	ask := func(target, body string) (int, string) {
		r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
		r.Host = "127.0.0.1:8080"
		r.Header.Set("Content-Type", endpoints.JSON)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	_, body := ask("/v1/fabrics", `{"formula":"rlft(4,2)"}`)
	var open page.Opened
	if err := json.Unmarshal([]byte(body), &open); err != nil {
		t.Fatal(err, body)
	}
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"map", `{"colour":"speed"}`, 200, "100 Gbit/s"},
		{"map", `{"changes":[{"kind":"fail","what":"leaf 1"}],"colour":"load","engines":"updn"}`, 200, "1 switch failed"},
		{"map", `{"colour":"taste"}`, 400, "want load, lanes, speed or errors"},
		{"map", `{"around":"leaf"}`, 400, "is not a GUID"},
		{"map", `{"changes":[{"kind":"fail","what":"nobody"}]}`, 409, "nobody"},
		{"svg", `{}`, 200, "svg xmlns"},
		{"whatif", `{"engines":"updn","changes":[{"kind":"fail","what":"leaf 1"}]}`, 200, `"rerouted"`},
		{"whatif", `{"engines":"updn","changes":[{"kind":"fail","what":"leaf 1"}],"measure":true}`, 200, `"old_tables"`},
		{"whatif", `{}`, 400, "at least one"},
		{"whatif", `{"changes":[{"kind":"burn","what":"leaf 1"}]}`, 400, "want fail, drain, add or move"},
		{"whatif", `{"changes":[{"kind":"fail","what":"a|b"}]}`, 400, "without |"},
		{"whatif", `{"changes":[` + strings.Repeat(`{"kind":"fail","what":"leaf 1"},`, 32) + `{"kind":"fail","what":"leaf 1"}]}`, 400, "at most 32"},
	} {
		if status, body := ask("/v1/fabrics/"+open.ID+"/"+c.path, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d, want %d with %q: %.300s", c.path, c.body, status, c.status, c.want, body)
		}
	}
}

// TestUIAddr: weft ui is for this machine only.
func TestUIAddr(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:8080", "10.0.0.1:8080", "example.org:80", "8080"} {
		var out strings.Builder
		if status := run([]string{"ui", "--addr", addr}, strings.NewReader(""), &out, &out); status != 2 || !strings.Contains(out.String(), "--addr "+addr) {
			t.Errorf("%s: %d %s", addr, status, out.String())
		}
	}
}

// TestPageInBrowser runs the Playwright tests of ui/page/e2e in Debian's chromium, but for the long
// ones: make page-test runs axe on all states too.
func TestPageInBrowser(t *testing.T) {
	racing.SkipLong(t)
	node := peer.Program(t, "node")
	peer.Program(t, "chromium")
	if _, err := os.Stat("../../ui/page/node_modules/@playwright/test"); err != nil {
		t.Skip("ui/page has no node_modules: run scripts/page first")
	}
	weft, err := exec.LookPath("weft")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "node_modules/@playwright/test/cli.js", "test", "page.spec", "hostile.spec", "map.spec", "proof.spec", "live.spec", "lab.spec", "glossary.spec")
	cmd.Dir = "../../ui/page"
	cmd.Env = append(os.Environ(), "WEFT_BIN="+weft)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
