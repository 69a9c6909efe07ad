package endpoints

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestAnswerLarge: the answer to a question is the same, compressed or not, as the client accepts.
func TestAnswerLarge(t *testing.T) {
	q := NewQuestions(time.Now, nil)
	for accept, compressed := range map[string]bool{"": false, "gzip": true, "br;q=1.0, GZIP;q=0.5": true, "gzip;q=0": false, "gzip;q=0.0": false, "deflate": false} {
		r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		q.Serve(w, r, "", func() (func(context.Context) (any, error), error) {
			return func(context.Context) (any, error) { return Failure{"<none>"}, nil }, nil
		})
		var body io.Reader = w.Body
		if is := w.Header().Get("Content-Encoding") == "gzip"; is != compressed {
			t.Errorf("%q: compressed %v", accept, is)
		} else if is {
			var err error
			if body, err = gzip.NewReader(w.Body); err != nil {
				t.Fatal(err)
			}
		}
		var got Failure
		if text, err := io.ReadAll(body); err != nil || string(text) != `{"error":"<none>"}`+"\n" || json.Unmarshal(text, &got) != nil {
			t.Errorf("%q: %s %v", accept, text, err)
		}
	}
}
