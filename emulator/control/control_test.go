package control_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/control"
	"weft/emulator/live"
	"weft/fabric/gen"
	"weft/fabric/netfile"
)

func TestHandler(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	s, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := live.New(s, func() time.Duration { return 0 })
	defer l.Close()
	h := control.Handler(l)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/state", "", 200, `"init": 32`},
		{"GET", "/help", "", 200, "link NODE PORT"},
		{"POST", "/do", "# a comment\n\nlink \"leaf 0\" 1 down\nlink \"leaf 0\" 2 down\n", 200, "ok"},
		{"GET", "/state", "", 200, `"down": 4`},
		{"POST", "/do", "link \"leaf 0\" 1 up\nlink \"leaf 9\" 1 down\nlink \"leaf 0\" 2 up", 400, "line 2: "},
		{"GET", "/state", "", 200, `"down": 2`},
		{"POST", "/do", strings.Repeat("#", 2<<20), 400, ""},
		{"GET", "/do", "", 405, ""},
		{"GET", "/elsewhere", "", 404, ""},
		{"GET", "/lfts", "", 200, "Unicast lids"},
		{"GET", "/sl2vl", "", 200, "Switch 0x"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: status %d, %q; want %d, %q", c.method, c.path, w.Code, w.Body, c.status, c.want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/fabric", nil))
	seen, _, err := netfile.Read("fabric", w.Body.Bytes(), netfile.Options{})
	if err != nil || len(seen.Links) != len(f.Links)-1 {
		t.Fatalf("fabric: %v", err)
	}
}
