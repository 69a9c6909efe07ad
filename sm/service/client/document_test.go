package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"weft/cmd/weft/manage/studies"
	"weft/internal/endpoints"
	"weft/lab/browse"
	"weft/sm/service"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/study/page"
)

// document is openapi.json, as a validator that is not ours reads it.
type document struct {
	t    *testing.T
	spec *openapi3.T
	find routers.Router
	seen map[string]map[int]bool // statuses that were answered, by method and path of the document
}

// readDocument asks for the document. It must be valid by OpenAPI 3.1, with JSON Schema 2020-12.
func readDocument(t *testing.T, h http.Handler) *document {
	t.Helper()
	openapi3filter.RegisterBodyDecoder("application/jsonl", openapi3filter.RegisteredBodyDecoder("application/json")) // of each line
	spec, err := openapi3.NewLoader().LoadFromData(answerTo(h, httptest.NewRequest(http.MethodGet, "/v1/openapi.json", http.NoBody)).Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := spec.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	spec.Servers = nil // any
	find, err := legacy.NewRouter(spec)
	if err != nil {
		t.Fatal(err)
	}
	return &document{t, spec, find, map[string]map[int]bool{}}
}

// answerTo serves a request.
func answerTo(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// check demands that an answer is one of the document: its status, headers and media, and each key
// and type of the body. It returns the status.
func (d *document) check(h http.Handler, r *http.Request, as *routers.Route) int {
	d.t.Helper()
	return d.compare(answerTo(h, r), r, as)
}

// compare demands the same of an answer.
func (d *document) compare(w *httptest.ResponseRecorder, r *http.Request, as *routers.Route) int {
	d.t.Helper()
	at := as.Method + " " + as.Path
	if d.seen[at] == nil {
		d.seen[at] = map[int]bool{}
	}
	d.seen[at][w.Code] = true
	parts := [][]byte{w.Body.Bytes()}
	if w.Header().Get("Content-Type") == "application/jsonl" {
		parts = bytes.SplitAfter(bytes.TrimSpace(parts[0]), []byte("\n"))
	}
	for _, part := range parts {
		err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: as},
			Status:                 w.Code, Header: w.Header(), Body: io.NopCloser(bytes.NewReader(part)),
			Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
		})
		if err != nil {
			d.t.Errorf("%s %s: %d is not as the document says: %v\n%.300s", r.Method, r.URL, w.Code, err, part)
		}
	}
	return w.Code
}

// route finds what a request is in the document; the request must be valid too.
func (d *document) route(r *http.Request) *routers.Route {
	d.t.Helper()
	as, in, err := d.find.FindRoute(r)
	if err != nil {
		d.t.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: in, Route: as, Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
		d.t.Errorf("%s %s is not as the document says: %v", r.Method, r.URL, err)
	}
	return as
}

const question = `{"changes": [{"kind": "drain", "what": "spine 3"}]}`

// request makes one, with the body that it takes.
func request(method, target, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// local makes the request of an operation, from this machine.
func local(o [3]string) *http.Request {
	r := request(o[0], o[1], o[2])
	r.Host = "localhost"
	return r
}

// operations are requests of all operations of the document that a manager grants. What is drained
// is used again.
var operations = [][3]string{
	{"GET", "/v1/status"},
	{"GET", "/v1/events"},
	{"GET", "/v1/events?since=1&run=x&follow=false"},
	{"GET", "/v1/codes"},
	{"GET", "/v1/plan"},
	{"GET", "/v1/plans"},
	{"GET", "/v1/plans/3"},
	{"GET", "/v1/fabric"},
	{"GET", "/v1/links"},
	{"GET", "/v1/hot?at=2026-11-29T14:05:00Z"},
	{"GET", "/v1/history?port=leaf+1[3]"},
	{"GET", "/v1/ports"},
	{"GET", "/v1/ports?follow=false"},
	{"GET", "/v1/partitions"},
	{"GET", "/v1/openapi.json"},
	{"GET", "/metrics"},
	{"POST", "/v1/whatif", question},
	{"POST", "/v1/drain?name=spine+1"},
	{"POST", "/v1/undrain?name=spine+1"},
	{"PUT", "/v1/partitions", `{"partitions": [{"p_key": 16, "name": "storage", "flags": ["ipoib"], "members": ["0x0002c90300001234=full", "ALL_CAS=limited"]}]}`},
	{"PUT", "/v1/partitions/0x0011?force=false", `{"members": ["SELF=full"]}`},
	{"POST", "/v1/partitions/0x0010/add", `{"members": ["0x0002c90300001235=both"]}`},
	{"POST", "/v1/partitions/0x0010/remove", `{"members": ["0x0002c90300001235=both"]}`},
	{"DELETE", "/v1/partitions/0x0011?force=true"},
	{"PUT", "/v1/jobs/4711", `{"user": "alice", "nodes": "host[1-3,9],nowhere"}`},
	{"PUT", "/v1/jobs", `{"jobs": [{"id": "4711", "nodes": "host[1-3,9]"}, {"id": "4712_1", "nodes": "host[4,5,12]"}]}`},
	{"GET", "/v1/jobs"},
	{"GET", "/v1/jobs/shares"},
	{"DELETE", "/v1/jobs/4711"},
	{"POST", "/v1/rebalance"},
	{"POST", "/v1/resweep"},
	{"GET", "/v1/page"},
	{"GET", "/v1/glossary"},
	{"GET", "/v1/fabrics"},
	{"GET", "/v1/fabrics/subnet/parts?q=spine"},
	{"GET", "/v1/fabrics/subnet/part?name=spine+1"},
	{"POST", "/v1/fabrics/subnet/map", `{"colour": "load"}`},
	{"POST", "/v1/fabrics/subnet/svg", `{"colour": "speed"}`},
	{"POST", "/v1/fabrics/subnet/whatif", `{"changes": [{"kind": "fail", "what": "spine 1"}]}`},
	{"POST", "/v1/fabrics/subnet/route", `{"engines": "updn"}`},
	{"POST", "/v1/fabrics/subnet/path", `{"from": "host 0", "to": "host 9"}`},
	{"POST", "/v1/fabrics/subnet/plans", `{"before": 3, "after": 3}`},
	{"POST", "/v1/fabrics/subnet/path", `{"from": "host 0", "to": "host 9", "fail": "leaf 0[5]"}`},
	{"POST", "/v1/fabrics/subnet/proof", `{}`},
	{"POST", "/v1/fabrics/subnet/mixture", `{"after": {"engines": "minhop"}}`},
	{"GET", "/v1/engines"},
	{"POST", "/v1/compare", `{"fabrics": ["subnet"], "engines": "updn,torus", "runs": 10}`},
	{"POST", "/v1/fabrics/subnet/app", `{"programs": ["allreduce(size=64KiB)"], "placement": "spread"}`},
}

// sessions are requests that the Guard grants without a token.
var sessions = [][3]string{
	{"POST", "/v1/session", `{"token": "` + token + `"}`},
	{"DELETE", "/v1/session"},
}

// opening are requests that weft ui grants, and a manager does not serve.
var opening = [][3]string{
	{"POST", "/v1/fabrics", `{"formula": "rlft(4,2)"}`},
	{"DELETE", "/v1/fabrics/ID"},
	{"POST", "/v1/sweeps", `{"name": "rows.csv", "text": "case,fabric,network,damage,engine,workload,status,ebb_share\n1,a,a,none,updn,flow,proven,0.5\n"}`},
	{"GET", "/v1/sweeps"},
	{"GET", "/v1/sweeps/ID"},
	{"POST", "/v1/sweeps/ID/chart", `{"y": "ebb_share", "x": "engine"}`},
	{"POST", "/v1/sweeps/ID/rows", `{"y": "ebb_share", "x": "engine", "series": "ebb_share", "at": "updn"}`},
	{"GET", "/v1/sweeps/ID/row?number=0"},
	{"DELETE", "/v1/sweeps/ID"},
}

// laboratory returns what weft ui serves.
func laboratory() http.Handler {
	questions := endpoints.NewQuestions(time.Now, nil)
	p := page.New(page.Options{Clock: time.Now, Memory: func() float64 { return 0 }, Workers: 1, Questions: questions})
	return endpoints.Handler(append(p.Endpoints(), browse.New(browse.Options{Questions: questions}).Endpoints()...))
}

// TestDocument: the document is valid, every operation of it is granted as it says, and what is
// refused, by everything that can be wrong, is refused as it says. A manager that runs answers, and
// a validator that is not ours compares.
func TestDocument(t *testing.T) {
	m := manage(t, "rlft(8,2)")
	h := m.Handler()
	d := readDocument(t, h)
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	guarded := service.NewGuard(service.OneToken(token), at, time.Now).Protect(h, nil)
	lab := laboratory()
	for _, server := range []struct {
		operations [][3]string
		h, guarded http.Handler
	}{{operations, h, guarded}, {sessions, guarded, guarded}, {opening, lab, endpoints.Local(at, lab)}} {
		id := ""
		for _, o := range server.operations {
			o[1] = strings.Replace(o[1], "ID", id, 1)
			as := d.route(local(o))
			w := answerTo(server.h, local(o))
			if status := d.compare(w, local(o), as); status < 200 || status > 299 {
				t.Errorf("%s %s: %d %.300s", o[0], o[1], status, w.Body)
			}
			if (as.Path == "/v1/fabrics" || as.Path == "/v1/sweeps") && o[0] == http.MethodPost {
				var opened struct{ ID string }
				if err := json.Unmarshal(w.Body.Bytes(), &opened); err != nil {
					t.Fatal(err)
				}
				id = opened.ID
			}
			d.refused(server.h, server.guarded, o, as)
		}
	}
	for at, want := range map[string][]int{"GET /v1/plans/{version}": {404}, "POST /v1/drain": {409}, "GET /v1/hot": {404, 503}, "GET /v1/history": {404, 503}, "POST /v1/fabrics/{id}/plans": {400, 409, 413, 415}, "POST /v1/whatif": {400, 413, 415}, "POST /v1/session": {400, 403, 413, 415, 421}, "POST /v1/fabrics": {400, 409, 413, 415, 421}, "GET /v1/fabrics/{id}/part": {404}, "POST /v1/fabrics/{id}/path": {400, 404, 409, 413, 415}, "PUT /v1/partitions": {400, 409, 412, 413, 415}, "POST /v1/partitions/{p_key}/add": {404, 412}} {
		for _, status := range want {
			if !d.seen[at][status] {
				t.Errorf("%s: no %d was met", at, status)
			}
		}
	}
	for path, item := range d.spec.Paths.Map() {
		for method := range item.Operations() {
			if len(d.seen[method+" "+path]) < 6 { // granted, and refused in five ways
				t.Errorf("%s %s: met %v", method, path, d.seen[method+" "+path])
			}
		}
	}
}

// refused checks answers to requests that are wrong in all ways in which those of an operation can
// be.
func (d *document) refused(h, guarded http.Handler, o [3]string, as *routers.Route) {
	unknown := "?"
	if strings.Contains(o[1], "?") {
		unknown = "&"
	}
	d.check(h, local([3]string{o[0], o[1] + unknown + "x=1", o[2]}), as)
	d.check(h, local([3]string{http.MethodPatch, o[1], o[2]}), as)
	foreign := request(o[0], o[1], o[2])
	foreign.Host = "evil.example"
	d.check(guarded, foreign, as)
	d.check(guarded, local(o), as)
	page := local(o)
	page.Header.Set("Origin", "null")
	d.check(guarded, page, as)
	late := local(o)
	late.Body = io.NopCloser(slow{})
	d.check(h, late, as)
	switch as.Path {
	case "/v1/plans/{version}":
		d.check(h, request(o[0], "/v1/plans/99", ""), as)
		d.check(h, request(o[0], "/v1/plans/x", ""), as)
	case "/v1/hot":
		d.check(h, request(o[0], as.Path+"?at=1999-01-01T00:00:00Z", ""), as)
		d.check(h, request(o[0], as.Path+"?at=2000-01-01T00:00:00Z", ""), as)
		d.check(h, request(o[0], as.Path, ""), as)
	case "/v1/history":
		d.check(h, request(o[0], as.Path+"?port=leaf+1[1]", ""), as)
		d.check(h, request(o[0], as.Path+"?port=leaf+1[2]", ""), as)
		d.check(h, request(o[0], as.Path+"?port=leaf+1", ""), as)
		d.check(h, request(o[0], as.Path+"?port=nobody[1]", ""), as)
	case "/v1/fabrics/{id}/parts", "/v1/fabrics/{id}/part":
		d.check(h, request(o[0], strings.Replace(o[1], "subnet", "none", 1), ""), as)
		d.check(h, request(o[0], o[1]+"+none", ""), as)
		d.check(h, request(o[0], o[1]+strings.Repeat("x", 300), ""), as)
	case "/v1/drain", "/v1/undrain":
		d.check(h, request(o[0], as.Path+"?name=none", ""), as)
	case "/v1/partitions", "/v1/partitions/{p_key}/add":
		if o[0] == "GET" {
			break
		}
		d.check(h, request(o[0], o[1]+unknown+"version=0", o[2]), as)
		d.check(h, request(o[0], o[1], `{"partitions": []}`), as)
		d.check(h, request(o[0], "/v1/partitions/0x0009/add", o[2]), as)
		fallthrough
	case "/v1/jobs", "/v1/jobs/{id}", "/v1/whatif", "/v1/session", "/v1/fabrics", "/v1/fabrics/{id}/map", "/v1/fabrics/{id}/svg", "/v1/fabrics/{id}/whatif", "/v1/fabrics/{id}/route", "/v1/fabrics/{id}/path", "/v1/fabrics/{id}/plans", "/v1/fabrics/{id}/app":
		if o[2] == "" {
			break
		}
		d.check(http.MaxBytesHandler(h, 10), local(o), as)
		d.check(h, local([3]string{o[0], o[1], "{"}), as)
		d.check(h, local([3]string{o[0], o[1], `{"unknown": 1}`}), as)
		d.check(h, local([3]string{o[0], strings.Replace(o[1], "subnet", "none", 1), o[2]}), as)
		d.check(h, local([3]string{o[0], o[1], `{"formula": "none(1)"}`}), as)
		d.check(h, local([3]string{o[0], o[1], `{"from": "host 0", "to": "none"}`}), as)
		d.check(h, local([3]string{o[0], o[1], `{"before": 3, "after": 7}`}), as)
		plain := local(o)
		plain.Header.Del("Content-Type")
		d.check(h, plain, as)
	}
}

// TestDocumentBefore: what a manager answers that has brought nothing up, or stands by, is in the
// document too.
func TestDocumentBefore(t *testing.T) {
	for _, role := range []terms.Role{terms.Looking, terms.StandBy} {
		questions := endpoints.NewQuestions(time.Now, nil)
		page := studies.Page(questions, nil, nil, func() *watch.Snapshot { return nil }, nil, nil).Endpoints()
		s := service.New(service.Options{Version: "test", Clock: time.Now, Studies: studies.All(nil), Questions: questions, More: page, Ask: func(context.Context, *terms.Event) error { return context.DeadlineExceeded }})
		s.Show(&watch.Snapshot{Role: role})
		s.Tell(terms.Incident{Kind: terms.Started})
		s.Tell(terms.Incident{Kind: terms.TrapCame})
		d := readDocument(t, s.Handler())
		for _, o := range operations {
			if status := d.check(s.Handler(), request(o[0], o[1], o[2]), d.route(request(o[0], o[1], o[2]))); !slices.Contains([]int{200, 404, 409, 503}, status) {
				t.Errorf("%s: %s %s: %d", role, o[0], o[1], status)
			}
		}
	}
}

// slow is a body that does not come.
type slow struct{}

func (slow) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }
