package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"weft/fabric/gen"
	"weft/fabric/source"
	"weft/internal/endpoints"
)

// newLab returns a page of weft ui, and a function that asks it.
func newLab() (*Page, func(method, path, body string) *httptest.ResponseRecorder) {
	p := New(Options{Clock: time.Now, Memory: func() float64 { return 0 }, Workers: 1, Questions: endpoints.NewQuestions(time.Now, nil)})
	h := endpoints.Bounded(make(endpoints.Places, 4), endpoints.Handler(p.Endpoints()))
	return p, func(method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		if body != "" {
			r.Header.Set("Content-Type", endpoints.JSON)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
}

// TestHostileDescriptions: whatever 64 bytes devices call themselves, each answer is JSON in UTF-8
// that a browser does not take for anything else.
func TestHostileDescriptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := gen.Parse("rlft(4,2)")
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 0, 64), rapid.Just([]byte("</script><img src=x onerror=alert(1)>")), rapid.Just([]byte("spine 1\x00[3]")))
		for i := range f.Nodes {
			f.Nodes[i].Desc = string(name.Draw(t, "description"))
		}
		p, ask := newLab()
		if err := p.Add(&source.Source{Fabric: f, Format: "formula"}, "hostile"); err != nil {
			t.Fatal(err)
		}
		at := "/v1/fabrics/" + p.shelf.List()[0].ID
		guid := func(i int) string { return f.Nodes[i].GUID.String() }
		for _, w := range []*httptest.ResponseRecorder{
			ask("GET", "/v1/fabrics", ""), ask("GET", at+"/part?name="+guid(0), ""), ask("GET", at+"/parts?q=s", ""), ask("GET", at+"/parts?q=%00", ""),
			ask("POST", at+"/map", "{}"), ask("POST", at+"/path", fmt.Sprintf(`{"from": %q, "to": %q, "engines": "updn"}`, guid(len(f.Nodes)-1), guid(len(f.Nodes)-2))),
		} {
			if body := w.Body.Bytes(); w.Code >= 500 || !json.Valid(body) || !utf8.Valid(body) || w.Header().Get("Content-Type") != endpoints.JSON || w.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%d %v %.300q", w.Code, w.Header(), body)
			}
		}
	})
}

// TestShelf: at most eight fabrics are open; one more is refused until one is closed. What is
// opened again takes no place.
func TestShelf(t *testing.T) {
	p, ask := newLab()
	open := func(i int) *httptest.ResponseRecorder {
		return ask("POST", "/v1/fabrics", fmt.Sprintf(`{"formula": "rlft(4,2,hosts=%d)"}`, i))
	}
	for i := 1; i <= usualLimits.Fabrics; i++ {
		if w := open(i); w.Code != http.StatusOK {
			t.Fatal(i, w.Code, w.Body)
		}
	}
	if w := open(8); w.Code != http.StatusOK {
		t.Error("again:", w.Code, w.Body)
	}
	if w := open(7); len(p.shelf.List()) != usualLimits.Fabrics || w.Code != http.StatusOK {
		t.Error(w.Code, w.Body, len(p.shelf.List()))
	}
	if w := ask("POST", "/v1/fabrics", `{"formula": "torus(3x3)"}`); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "close one") {
		t.Error(w.Code, w.Body)
	}
	first := p.shelf.List()[1]
	if w := ask("POST", "/v1/fabrics/"+first.ID+"/route", `{"engines": "updn"}`); w.Code != http.StatusOK || len(p.routed.list) != 1 {
		t.Error(w.Code, w.Body)
	}
	what := `{"engines": "updn", "changes": [{"kind": "fail", "what": "leaf 1"}], "measure": true}`
	if w := ask("POST", "/v1/fabrics/"+first.ID+"/whatif", what); w.Code != http.StatusOK || p.measured.today == nil {
		t.Error(w.Code, w.Body)
	}
	if w := ask("DELETE", "/v1/fabrics/"+first.ID, ""); w.Code != http.StatusNoContent || len(p.routed.list) != 0 || p.measured.today != nil || p.measured.held != nil {
		t.Error("what was computed for a closed fabric is kept:", w.Code, len(p.routed.list), p.measured.held)
	}
	if w := ask("POST", "/v1/fabrics", `{"formula": "torus(3x3)"}`); w.Code != http.StatusOK {
		t.Error(w.Code, w.Body)
	}
}

// TestRoutedLimits: the routings kept are bounded in number and in memory; the last one stays.
func TestRoutedLimits(t *testing.T) {
	var k routed
	h := &Held{}
	for i := range 3 * mostRouted {
		k.keep(&routedBy{of: h, key: fmt.Sprint(i)})
	}
	if len(k.list) != mostRouted {
		t.Errorf("%d routings are kept", len(k.list))
	}
	k.keep(&routedBy{of: h, key: "large", entries: mostEntries + 1})
	if len(k.list) != 1 || k.list[0].key != "large" {
		t.Errorf("%+v", k.list)
	}
}

// TestHugeFormulas: what would be larger than the page shows is refused before it is built.
func TestHugeFormulas(t *testing.T) {
	p, ask := newLab()
	for _, formula := range []string{"torus(64x64x64,hosts=0)", "torus(8x8x8)|planes(200)", "rlft(64,3)", "torus(4x4)|plane(rlft(64,3))"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := ask("POST", "/v1/fabrics", fmt.Sprintf(`{"formula": %q}`, formula))
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; w.Code != http.StatusConflict || took > 4<<20 {
			t.Errorf("%s: %d %s, %d bytes", formula, w.Code, w.Body, took)
		}
	}
	if p.opening.Take(); ask("POST", "/v1/fabrics", `{"formula": "rlft(4,2)"}`).Code != http.StatusTooManyRequests {
		t.Error("two bodies are read at a time")
	}
}
