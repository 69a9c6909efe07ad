package service

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/internal/endpoints"
	"weft/sm/watch"
)

// TestStudy: a question that a Service is handed is answered on the subnet in force, one at a time
// and not for long; what is wrong with it, and that it cannot be answered, is told by status and
// text.
func TestStudy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := newService(0)
		s.opt.Clock = time.Now
		ask := func(part string, wantStatus int, want string) {
			t.Helper()
			r := httptest.NewRequest("POST", "/v1/whatif", strings.NewReader(`{"changes":[{"kind":"fail","what":"`+part+`"}]}`))
			r.Header.Set("Content-Type", endpoints.JSON)
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			if w.Code != wantStatus || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d %s, want %d %s", part, w.Code, w.Body, wantStatus, want)
			}
		}
		a.answer = func(context.Context) (*Asked, error) { return &Asked{Asked: "it would hold"}, nil }
		ask("spine 1", http.StatusConflict, "this manager has not written any routes yet")
		snap := master()
		snap.Routed = &watch.Routed{}
		s.Show(snap)
		ask("spine 1", http.StatusOK, `"asked":"it would hold"`)
		ask("none", http.StatusBadRequest, `"error": "fail none: no such part"`)
		ask("a|b", http.StatusBadRequest, "without |")
		a.answer = func(context.Context) (*Asked, error) { return nil, errors.New("--engine: refused") }
		ask("spine 1", http.StatusConflict, `"error": "engine: refused"`)
		a.answer = func(ctx context.Context) (*Asked, error) {
			ask("spine 2", http.StatusTooManyRequests, "another question is under way")
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ask("spine 1", http.StatusServiceUnavailable, "no answer within 2m0s: run weft whatif on /v1/fabric, which has no limit")
	})
}
