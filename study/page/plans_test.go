package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/fabric/source"
	"weft/internal/endpoints"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/planfile"
	"weft/study/routing"
)

// managed returns the page of a manager whose subnet has two stored Plans, by updn and by minhop.
func managed(t *testing.T) http.Handler {
	t.Helper()
	src, err := source.Generate("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	g := src.Fabric.Compile()
	var last *route.Plan
	stored := map[int64][]byte{}
	for version, name := range map[int64]string{1: "updn", 2: "minhop"} {
		chain, err := engine.Parse(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		result, err := planner.Route(context.Background(), g, &planner.Request{Chain: chain})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := planfile.Save(&b, g, result.Plan); err != nil {
			t.Fatal(err)
		}
		stored[version], last = b.Bytes(), result.Plan
	}
	p := New(Options{
		Clock: time.Now, Questions: endpoints.NewQuestions(time.Now, nil), Subnet: func() *Subnet { return &Subnet{Fabric: src.Fabric, Graph: g, Plan: last} },
		PlanFile: func(version int64) ([]byte, error) {
			if version == 9 {
				return nil, errors.New("the disk is gone")
			}
			return stored[version], nil
		},
	})
	return endpoints.Handler(p.Endpoints())
}

// TestPlans: two stored Plans are compared by the names of the subnet in force; a Plan with itself
// has no change; what is not there is named.
func TestPlans(t *testing.T) {
	h := managed(t)
	ask := func(body string) (status int, answer routing.Change, text string) {
		r := httptest.NewRequest(http.MethodPost, "/v1/fabrics/subnet/plans", strings.NewReader(body))
		r.Header.Set("Content-Type", endpoints.JSON)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		_ = json.Unmarshal(w.Body.Bytes(), &answer)
		return w.Code, answer, w.Body.String()
	}
	if status, c, text := ask(`{"before": 1, "after": 1}`); status != http.StatusOK || c.Blocks != 0 || c.Entries.Kept == 0 || len(c.Switches)+len(c.Moved) != 0 {
		t.Error(status, text)
	}
	status, c, text := ask(`{"before": 1, "after": 2}`)
	if status != http.StatusOK || c.Since != "version 1" || c.Entries.Kept+c.Entries.Moved == 0 {
		t.Fatal(status, text)
	}
	for _, s := range c.Switches {
		if !strings.HasPrefix(s.Name, "leaf ") && !strings.HasPrefix(s.Name, "spine ") {
			t.Errorf("a switch is called %q", s.Name)
		}
	}
	for body, want := range map[string]string{
		`{"before": 1, "after": 7}`:       "409 after: version 7 is not stored",
		`{"before": 9, "after": 1}`:       "409 before: the disk is gone",
		`{"before": -1, "after": 1}`:      "400 before, after: want versions",
		`{"before": 1, "to": 1}`:          "400 ",
		`{"before": 1e99, "after": 1}`:    "400 ",
		`{"before": "1", "after": "two"}`: "400 ",
	} {
		status, _, text := ask(body)
		if code, words, _ := strings.Cut(want, " "); code != strconv.Itoa(status) || !strings.Contains(text, words) {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
}
