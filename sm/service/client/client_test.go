package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator/attach"

	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/route/job"
	"weft/route/planfile"
	"weft/sm"
	"weft/sm/partition"
	"weft/sm/perf"
	"weft/sm/service"
	"weft/wire"
)

const token = "0123456789abcdef0123456789abcdef"

// managed is a manager of an emulated subnet, with its Service.
type managed struct {
	*service.Service
	socket, url string
	plan        func() []byte
}

// manage brings an emulated subnet up, and serves what is asked of its manager at a socket and over TCP until the test ends.
func manage(t *testing.T, formula string) *managed {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	clock := func() time.Duration { return time.Since(begun) }
	wires, err := attach.Emulate(f, clock)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := job.ParseEngines("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan *sm.Event)
	req := job.Request{Chain: chain, Workers: 1, Seed: 1, Afresh: true} // as of weft sm --engine updn
	m := &managed{socket: filepath.Join(t.TempDir(), "sm.sock")}
	var stored []byte
	m.plan = func() []byte { return stored }
	up := make(chan struct{}, 1)
	m.Service = service.New(service.Options{
		Version: "test", Clock: time.Now, Routing: func() job.Request { return req },
		Ask: func(ctx context.Context, ev *sm.Event) error {
			select {
			case asked <- ev:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		Plans: func() ([]service.Plan, error) {
			return []service.Plan{{Version: 3, Time: "2026-11-24T10:00:00.000Z", Engine: "updn", Verdict: "yes", Bytes: len(stored)}}, nil
		},
		PlanFile: func(version int64) ([]byte, error) {
			if version != 3 {
				return nil, nil
			}
			return stored, nil
		},
	})
	r := &sm.Runner{
		Config: sm.Config{Partitions: &sm.Partitioning{Partitions: partition.Everyone(), In: true}}, Counters: perf.Config{Interval: 10 * time.Millisecond, Rate: 1e6},
		Watch: sm.UsualWatch, Routing: req, Clock: clock, Wire: wire.Config{Window: 32}, Asked: asked, Note: func(i sm.Incident) { m.Tell(i) },
		Decided: func(a *sm.Action) { m.Decide(a.Tag, a.Name, "", a.Err) },
		Show: func(s *sm.Snapshot) {
			m.Show(s)
			if s.Routed != nil && s.Counters != nil && stored == nil {
				var b bytes.Buffer
				if err := planfile.Save(&b, s.Routed.Graph, s.Routed.Plan); err != nil {
					t.Error(err)
				}
				stored = b.Bytes()
				up <- struct{}{}
			}
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = r.Run(ctx, wires)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	select {
	case <-up:
	case <-time.After(time.Minute):
		t.Fatal("the subnet does not come up")
	}
	m.serve(t)
	return m
}

// serve serves at the socket and over TCP.
func (m *managed) serve(t *testing.T) {
	t.Helper()
	unix, err := service.Listen(m.socket)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.url = "http://" + tcp.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- service.Serve(ctx, unix, m.Handler()) }()
	go func() {
		done <- service.Serve(ctx, tcp, service.NewGuard(token, tcp.Addr()).Protect(m.Handler()))
	}()
	t.Cleanup(func() {
		m.End()
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestClient: what the manager of a subnet is asked over its socket, and over TCP with the token, is answered; what it drains is drained.
func TestClient(t *testing.T) {
	m := manage(t, "rlft(8,2)")
	for _, c := range []*Client{Unix(m.socket), TCP(m.url, token, nil)} {
		defer c.Close()
		ctx := t.Context()
		status, err := c.Status(ctx)
		if err != nil || status.Role != sm.Master || status.InForce.Switches != 12 || status.Run == "" {
			t.Fatalf("%+v, %v", status, err)
		}
		plan, err := c.Plan(ctx)
		if err != nil || plan.Engine != "updn" || plan.Recipe.Paths != "updn" || !plan.Verdict.OK {
			t.Errorf("%+v, %v", plan, err)
		}
		plans, err := c.Plans(ctx)
		if err != nil || len(plans.Plans) != 1 || plans.Plans[0].Version != 3 {
			t.Errorf("%+v, %v", plans, err)
		}
		if file, err := c.PlanFile(ctx, 3); err != nil || !bytes.Equal(file, m.plan()) {
			t.Errorf("a Plan of %d bytes: %v", len(file), err)
		}
		links, err := c.Links(ctx)
		for range 600 { // after a round they are read anew
			if err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
			links, err = c.Links(ctx)
		}
		if err != nil || links.Ports == 0 {
			t.Errorf("%+v, %v", links, err)
		}
		if p, err := c.Partitions(ctx); err != nil || len(p.Partitions) != 1 || p.Partitions[0].PKey != 0x7fff || !p.In || p.Out {
			t.Errorf("%+v, %v", p, err)
		}
		text, err := c.Fabric(ctx)
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := netfile.Read("fabric", text, netfile.Options{})
		if err != nil || len(f.Links) != 64 {
			t.Errorf("%v", err)
		}
		answer, err := c.WhatIf(ctx, service.Change{Kind: "fail", What: "spine 1"})
		if err != nil || !answer.OK || answer.AsIs.Lost == 0 || answer.Repaired.Lost != 0 {
			t.Errorf("%+v, %v", answer, err)
		}
		for _, change := range []service.Change{{Kind: "fail", What: "spine 9"}, {Kind: "burn", What: "spine 1"}} {
			_, err = c.WhatIf(ctx, change)
			if refused, ok := errors.AsType[*Refused](err); !ok || refused.Status != http.StatusBadRequest {
				t.Errorf("%+v: %v", change, err)
			}
		}
		if asked, err := c.Drain(ctx, "spine 2"); err != nil || !strings.Contains(asked.Asked, "spine 2") {
			t.Errorf("%+v, %v", asked, err)
		}
		for range 600 { // what is shown follows what is decided
			if status, err = c.Status(ctx); err != nil || len(status.Drains) == 1 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if err != nil || len(status.Drains) != 1 {
			t.Errorf("%v, %v", status.Drains, err)
		}
		if _, err := c.Undrain(ctx, "spine 2"); err != nil {
			t.Error(err)
		}
		if _, err := c.Rebalance(ctx); err != nil {
			t.Error(err)
		}
		if _, err := c.Resweep(ctx); err != nil {
			t.Error(err)
		}
	}
	if _, err := TCP(m.url, token[1:], nil).Resweep(t.Context()); err == nil || err.Error() != "this is not the token" {
		t.Error(err)
	}
	_, err := Unix(filepath.Join(t.TempDir(), "none")).Status(t.Context())
	if _, ok := errors.AsType[*NoAnswer](err); !ok || !strings.Contains(err.Error(), "weft sm --socket") {
		t.Error(err)
	}
}

// TestSilent: of a manager that takes questions and says nothing, as one that is stopped, it is told.
func TestSilent(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "sm.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c := Unix(socket)
	c.longest = time.Millisecond
	_, err = c.Status(t.Context())
	if _, ok := errors.AsType[*NoAnswer](err); !ok || !strings.Contains(err.Error(), "nothing came for 1ms") {
		t.Error(err)
	}
	if _, err = c.Fabric(t.Context()); err == nil {
		t.Error("an answer")
	}
}

// TestResume: who follows the log and loses its manager goes on where it was, and gets all of a manager that has been started anew.
func TestResume(t *testing.T) {
	var got []string
	at := Position{}
	for run, lines := range [][]string{{"a", "b", "c"}, {"d", "e", "f", "g", "h"}} {
		now := time.Unix(int64(run+1), 0)
		s := service.New(service.Options{Version: "test", Clock: func() time.Time { return now }})
		server := httptest.NewServer(clockless(s.Handler()))
		c := TCP(server.URL, "", nil)
		for _, text := range lines {
			s.Tell(sm.Incident{Kind: sm.TrapCame, Text: text})
			err := c.Events(t.Context(), at, false, func(to Position, line *sm.LogLine) error {
				got, at = append(got, line.Text), to
				if line.Text == "b" || line.Text == "e" {
					return io.ErrUnexpectedEOF // as where the connection breaks
				}
				return nil
			})
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatal(err)
			}
		}
		c.Close()
		server.Close()
	}
	if !slices.Equal(got, strings.Split("abcdefgh", "")) {
		t.Error(got)
	}
}

// clockless hides that a connection has deadlines, from a Service whose clock stands.
func clockless(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(struct{ http.ResponseWriter }{w}, r) })
}

// TestDocument: every operation of the document is answered as it says, and the answers have the keys of the document and no others.
func TestDocument(t *testing.T) {
	m := manage(t, "rlft(8,2)")
	h := m.Handler()
	do := func(method, target, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	var doc object
	if err := json.Unmarshal(do("GET", "/v1/openapi.json", "").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	targets := map[string]string{"/v1/plans/{version}": "/v1/plans/3", "/v1/drain": "/v1/drain?name=spine+1", "/v1/undrain": "/v1/undrain?name=spine+1"}
	s := schemas{t, doc["components"].(object)["schemas"].(object)}
	paths := doc["paths"].(object)
	for _, method := range []string{"get", "post"} {
		for _, path := range slices.Sorted(maps.Keys(paths)) { // what is drained is used again
			op, ok := paths[path].(object)[method].(object)
			if !ok {
				continue
			}
			target, body := path, ""
			if targets[path] != "" {
				target = targets[path]
			}
			if op["requestBody"] != nil {
				body = `{"changes":[{"kind":"drain","what":"spine 3"}]}`
			}
			w := do(strings.ToUpper(method), target, body)
			said, ok := op["responses"].(object)[fmt.Sprint(w.Code)].(object)
			if !ok || said["content"] == nil {
				t.Errorf("%s %s: %d is no success of the document: %s", method, target, w.Code, w.Body)
				continue
			}
			media, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
			for as, content := range said["content"].(object) {
				if want, _, _ := strings.Cut(as, ";"); want != media {
					t.Errorf("%s %s: %s, want %s", method, target, media, want)
				}
				s.answer(target, media, w.Body.Bytes(), content.(object)["schema"].(object))
			}
			if w := do("DELETE", target, ""); w.Code != http.StatusMethodNotAllowed {
				t.Errorf("DELETE %s: %d", target, w.Code)
			}
		}
	}
}

// object is a JSON object.
type object = map[string]any

// schemas compares answers with those of the document.
type schemas struct {
	t   *testing.T
	all object
}

// answer compares a body with its schema.
func (s *schemas) answer(at, media string, body []byte, schema object) {
	switch media {
	case "application/json":
		body = append(body, '\n')
	case "application/jsonl":
	default:
		return
	}
	for dec := json.NewDecoder(bytes.NewReader(body)); dec.More(); {
		var v any
		if err := dec.Decode(&v); err != nil {
			s.t.Errorf("%s: %v", at, err)
			return
		}
		if wrong := s.compare(at, v, schema); wrong != "" {
			s.t.Error(wrong)
		}
	}
}

// compare says what of a value is not as a schema has it.
func (s *schemas) compare(at string, v any, schema object) string {
	if ref, ok := schema["$ref"].(string); ok {
		to, ok := s.all[strings.TrimPrefix(ref, "#/components/schemas/")].(object)
		if !ok {
			return at + ": no schema " + ref
		}
		return s.compare(at, v, to)
	}
	if any, ok := schema["anyOf"].([]any); ok {
		first := ""
		for _, one := range any {
			wrong := s.compare(at, v, one.(object))
			if wrong == "" {
				return ""
			}
			if first == "" {
				first = wrong
			}
		}
		return first
	}
	if !isOf(v, schema["type"]) {
		return fmt.Sprintf("%s: %v is no %v", at, v, schema["type"])
	}
	switch v := v.(type) {
	case object:
		return s.compareObject(at, v, schema)
	case []any:
		for i, e := range v {
			if wrong := s.compare(fmt.Sprintf("%s[%d]", at, i), e, schema["items"].(object)); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// compareObject does so for an object: its keys are those of the schema, and all that it must have are there.
func (s *schemas) compareObject(at string, v, schema object) string {
	properties, isStruct := schema["properties"].(object)
	if others, ok := schema["additionalProperties"].(object); ok {
		for key, e := range v {
			if wrong := s.compare(at+"."+key, e, others); wrong != "" {
				return wrong
			}
		}
		return ""
	}
	if !isStruct {
		return ""
	}
	for key, e := range v {
		p, ok := properties[key].(object)
		if !ok {
			return at + ": the document has no key " + key
		}
		if wrong := s.compare(at+"."+key, e, p); wrong != "" {
			return wrong
		}
	}
	for _, key := range schema["required"].([]any) {
		if _, ok := v[key.(string)]; !ok {
			return at + ": the key " + key.(string) + " is missing"
		}
	}
	return ""
}

// isOf reports whether a value is of a type, or one of several.
func isOf(v, kind any) bool {
	switch kind := kind.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(kind, func(k any) bool { return isOf(v, k) })
	}
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int64(v))
	case object:
		return kind == "object"
	default:
		return kind == "array"
	}
}
