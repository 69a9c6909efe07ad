package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/judge/check"
	"weft/planner"
	"weft/route"
	"weft/study/compare"
)

// testLab is a page of weft ui, for tests.
type testLab struct {
	*Page
	handler http.Handler
}

func newTestLab(workers int) *testLab {
	p := New(Options{
		Version: "test", Clock: func() time.Time { return time.Unix(0, 0) }, Memory: func() float64 { return 0 }, Workers: workers,
		Questions: endpoints.NewQuestions(func() time.Time { return time.Unix(0, 0) }, nil),
	})
	return &testLab{p, endpoints.Handler(p.Endpoints())}
}

// post sends a question and decodes the answer of a status.
func (l *testLab) post(t *testing.T, path, body string, status int, into any) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", endpoints.JSON)
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("%s %s: status %d, want %d: %s", path, body, w.Code, status, w.Body)
	}
	if err := json.NewDecoder(bytes.NewReader(w.Body.Bytes())).Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// open opens a formula and returns the path of its questions.
func (l *testLab) open(t *testing.T, formula string) (path string) {
	t.Helper()
	var o Opened
	l.post(t, "/v1/fabrics", `{"formula":"`+formula+`"}`, http.StatusOK, &o)
	return "/v1/fabrics/" + o.ID
}

// ofPath returns the Held of a path.
func (l *testLab) ofPath(path string) *Held { return l.find(strings.TrimPrefix(path, "/v1/fabrics/")) }

// TestPath: hops follow each other from source to target, and the pairs on them are those that a
// count over all paths gives.
func TestPath(t *testing.T) {
	l := newTestLab(2)
	at := l.open(t, "rlft(4,3)")
	h := l.ofPath(at)
	var all Paths
	count := map[[2]fabric.PortName]int64{}
	for from := range int32(h.graph.NumHosts) {
		for to := range int32(h.graph.NumHosts) {
			if from == to {
				continue
			}
			r, err := l.routing(t.Context(), h, &Routing{Engines: "ftree"})
			if err != nil {
				t.Fatal(err)
			}
			w, err := l.ways(t.Context(), r, from, to)
			if err != nil {
				t.Fatal(err)
			}
			if len(w.There) != 1 || w.There[0].Problem != "" || w.There[0].Shortest != len(w.There[0].Hops) {
				t.Fatalf("%d to %d: %+v", from, to, w)
			}
			for _, hop := range w.There[0].Hops {
				count[[2]fabric.PortName{hop.From, hop.To}]++
			}
		}
	}
	l.post(t, at+"/path", `{"from":"host 0","to":"host 15","engines":"ftree"}`, http.StatusOK, &all)
	for _, list := range [][]Trace{all.There, all.Back} {
		hops := list[0].Hops
		if len(hops) < 4 {
			t.Fatalf("%+v", list)
		}
		for i := 1; i < len(hops); i++ {
			if hops[i].From.GUID != hops[i-1].To.GUID {
				t.Errorf("hop %d begins elsewhere: %+v", i, hops)
			}
			if i < len(hops)-1 && (hops[i].Pairs != count[[2]fabric.PortName{hops[i].From, hops[i].To}] || hops[i].Pairs > all.MostPairs) {
				t.Errorf("hop %d: %d pairs, want %d", i, hops[i].Pairs, count[[2]fabric.PortName{hops[i].From, hops[i].To}])
			}
		}
		if len(hops[1].Others) != 1 || hops[1].Others[0].From == hops[1].From {
			t.Errorf("a leaf with two cables up has one other next hop: %+v", hops[1])
		}
	}
	if !strings.HasPrefix(all.Says, "The busiest cable on the way, ") || strings.Contains(all.Says, "slowest") || strings.Contains(all.Says, "shortest") {
		t.Error(all.Says)
	}
	if all.There[0].Hops[0].From != all.From || all.Back[0].Hops[0].From != all.To {
		t.Errorf("%+v", all)
	}
}

// TestPathFailed: after the failure of any cable the paths avoid it, and a path that did not cross
// it stays. A host without a cable is cut off.
func TestPathFailed(t *testing.T) {
	l := newTestLab(2)
	at := l.open(t, "rlft(4,2)")
	f := l.ofPath(at).Fabric
	crossed := 0
	for i := range f.Links {
		port := f.PortName(f.Links[i].A)
		if f.IsSwitchLink(fabric.LinkID(i)) {
			var p Paths
			l.post(t, at+"/path", fmt.Sprintf(`{"from":"host 0","to":"host 7","engines":"updn","fail":"%s[%d]"}`, port.GUID, port.Port), http.StatusOK, &p)
			if p.Failed == nil || p.Failed.CutOff != "" || p.Failed.crosses(port) || p.Failed.Crossed != p.crosses(port) || p.Failed.There[0].Problem+p.Failed.Back[0].Problem != "" {
				t.Errorf("%s fails: %+v", port.Short(), p.Failed)
			}
			if p.Failed.Crossed {
				crossed++
			} else if !slices.EqualFunc(p.There[0].Hops, p.Failed.There[0].Hops, func(a, b Hop) bool { return a.From == b.From }) {
				t.Errorf("%s fails: a path moves that did not cross it", port.Short())
			}
		}
	}
	if crossed == 0 {
		t.Error("no cable is on the path")
	}
	var p Paths
	l.post(t, at+"/path", `{"from":"host 0","to":"host 7","engines":"updn","fail":"host 7"}`, http.StatusOK, &p)
	if p.Failed.CutOff == "" || len(p.Failed.There) > 0 || !p.Failed.Crossed {
		t.Errorf("the cable of a host: %+v", p.Failed)
	}
}

// TestProof: each packet of a cycle holds a cable of its path, waits for the next one, and that is
// held by the next packet. A proven routing has no cycle.
func TestProof(t *testing.T) {
	l := newTestLab(2)
	at := l.open(t, "torus(5x5)")
	var bad, good Proof
	l.post(t, at+"/proof", `{"engines":"sssp"}`, http.StatusOK, &bad)
	if bad.OK || !strings.HasPrefix(bad.Verdict, "Faulty: packets can deadlock") || len(bad.Traffic) != 4 {
		t.Errorf("%s", bad.Verdict)
	}
	steps := bad.Traffic[0].Cycle
	if len(steps) < 3 {
		t.Fatalf("a cycle of %d", len(steps))
	}
	for i, s := range steps {
		next := steps[(i+1)%len(steps)]
		if s.Waits != (Lane{next.From, next.To, next.VL}) {
			t.Errorf("step %d waits for %+v, the next one holds %+v", i, s.Waits, next.Hold)
		}
		at := slices.IndexFunc(s.Packet.Hops, func(h Hop) bool { return h.From == s.From })
		if at < 0 || at+1 == len(s.Packet.Hops) || *s.Packet.Hops[at].VL != s.VL || s.Packet.Hops[at+1].From != s.Waits.From || s.Packet.Hops[0].From != s.Source {
			t.Errorf("step %d: the packet does not take the cable and then the next one: %+v", i, s)
		}
	}
	l.post(t, at+"/proof", `{"engines":"updn"}`, http.StatusOK, &good)
	if !good.OK || !strings.HasPrefix(good.Verdict, "Proven for ") || len(good.Traffic[0].Cycle)+len(good.Lost) > 0 {
		t.Errorf("%s: %+v", good.Verdict, good.Traffic)
	}
}

// TestLost: the list has the first lost pairs by LID, on one core or several.
func TestLost(t *testing.T) {
	l := newTestLab(1)
	h := l.ofPath(l.open(t, "rlft(4,3)"))
	r, err := l.routedBy(t.Context(), h, &Routing{Engines: "updn"})
	if err != nil {
		t.Fatal(err)
	}
	plan := *r.Plan
	plan.Tables = plan.Tables.Clone()
	for lid := range plan.Tables.Top() + 1 {
		plan.Tables.Set(int32(lid)%3, lid, route.NoPort)
	}
	tr := tracer{g: h.graph, plan: &plan}
	one, err := tr.lost(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	four, err := tr.lost(t.Context(), 4)
	if err != nil || !slices.Equal(one, four) || len(one) != mostLost {
		t.Errorf("%d and %d pairs, %v", len(one), len(four), err)
	}
	if !slices.IsSortedFunc(one, func(a, b LostPair) int { return int(a.LID) - int(b.LID) }) || !strings.Contains(one[0].Why, "has no entry for LID") {
		t.Errorf("%+v", one[:3])
	}
	broken := planner.Result{Plan: &plan, Engine: r.Engine}
	if err := broken.Judge(t.Context(), h.graph, &planner.Request{}); err != nil {
		t.Fatal(err)
	}
	if text := verdict(broken.Report, &plan); !strings.HasPrefix(text, "Faulty: packets of ") {
		t.Error(text)
	}
}

// TestMixture: the verdict follows the judge of mixtures, and names a routing that is not proven.
func TestMixture(t *testing.T) {
	l := newTestLab(2)
	at := l.open(t, "torus(4x4)")
	for _, c := range []struct {
		old, after, says string
		any, ordered     bool
	}{
		{"updn", "updn", "nothing has to be written", true, true},
		{"updn", "dfsssp", "on this way neither can happen", false, true},
		{"sssp", "updn", "The old routing is not proven by itself", false, false},
	} {
		var m Mixture
		l.post(t, at+"/mixture", `{"engines":"`+c.old+`","after":{"engines":"`+c.after+`"}}`, http.StatusOK, &m)
		if m.Any.OK != c.any || m.Ordered.OK != c.ordered || !strings.Contains(m.Verdict, c.says) {
			t.Errorf("%s, then %s: %v %v %s", c.old, c.after, m.Any.OK, m.Ordered.OK, m.Verdict)
		}
		if (m.Any.Deadlock.DeadlockFree == check.No) != (len(m.Cycle) > 0) {
			t.Errorf("%s, then %s: %v, a cycle of %d", c.old, c.after, m.Any.Deadlock.DeadlockFree, len(m.Cycle))
		}
	}
}

// TestCompare: rows asked for one by one are those of the whole, which has the recommendation.
func TestCompare(t *testing.T) {
	l := newTestLab(1)
	a, b := l.ofPath(l.open(t, "torus(4x4)")).ID, l.ofPath(l.open(t, "rlft(4,2)")).ID
	ask := func(ids, engines string) *compare.Comparisons {
		var c compare.Comparisons
		l.post(t, "/v1/compare", `{"fabrics":["`+ids+`"],"engines":"`+engines+`","runs":50}`, http.StatusOK, &c)
		return &c
	}
	row := ask(a, "updn").Fabrics[0].Engines[0]
	both := ask(a+`","`+b, "updn,ftree,minhop")
	if len(both.Fabrics) != 2 || len(both.Fabrics[0].Engines) != 3 || both.Best == nil || both.Fabrics[0].Engines[0].EBB.Mean != row.EBB.Mean {
		t.Errorf("%+v", both)
	}
	if refused := both.Fabrics[0].Engines[1].Refused; refused == nil || refused.Engine != "ftree" {
		t.Errorf("ftree on a torus: %+v", refused)
	}
	if best := ask(a, "updn,minhop").Best; best == nil || best.Engine != "updn" {
		t.Errorf("minhop can deadlock, so updn is the best: %+v", best)
	}
	if n := len(l.find(a).rows); n != 3 {
		t.Errorf("%d rows are kept, want 3", n)
	}
}

// TestRefusals: what a question gets wrong is named.
func TestRefusals(t *testing.T) {
	l := newTestLab(1)
	at := l.open(t, "rlft(4,2)")
	for _, c := range []struct {
		path, body string
		status     int
		says       string
	}{
		{at + "/path", `{"from":"","to":"host 1"}`, 400, "from, to"},
		{at + "/path", `{"from":"host 0","to":"host 99"}`, 409, "to: "},
		{at + "/path", `{"from":"host 0","to":"host 1","fail":"nothing"}`, 409, "fail: "},
		{at + "/path", `{"from":"host 0","to":"host 1","fail":"a\nb"}`, 400, "fail: "},
		{at + "/path", `{"from":"host 0","to":"host 1","engines":"none"}`, 400, "none"},
		{at + "/proof", `{"engines":"none"}`, 400, "none"},
		{at + "/proof", `{"engines":"torus"}`, 409, "torus"},
		{at + "/proof", `{"step":1}`, 400, "step"},
		{"/v1/fabrics/x/proof", `{}`, 404, "not open"},
		{at + "/mixture", `{"after":{"engines":"none"}}`, 400, "after: "},
		{"/v1/compare", `{"fabrics":[],"engines":"updn"}`, 400, "fabrics: "},
		{"/v1/compare", `{"fabrics":["x"],"engines":"updn"}`, 409, "fabrics: "},
		{"/v1/compare", `{"fabrics":["x"],"engines":""}`, 400, "engines: "},
		{"/v1/compare", `{"fabrics":["x"],"engines":"updn","runs":100000000}`, 400, "runs: "},
	} {
		var f endpoints.Failure
		l.post(t, c.path, c.body, c.status, &f)
		if !strings.Contains(f.Error, c.says) {
			t.Errorf("%s %s: %s, want %s", c.path, c.body, f.Error, c.says)
		}
	}
}

// TestReaders: a token that may only read asks no question but these, and each of them demands the
// role jobs for a routing that is not in force (needs). A question that embeds Routing inherits
// needs: list it here only if its answer costs little.
func TestReaders(t *testing.T) {
	want := []string{"/v1/fabrics/{id}/map", "/v1/fabrics/{id}/path", "/v1/fabrics/{id}/proof", "/v1/fabrics/{id}/route", "/v1/fabrics/{id}/svg"}
	var got []string
	for _, e := range New(Options{}).Endpoints() {
		if e.Method != http.MethodGet && e.Needs == endpoints.MayRead {
			got = append(got, e.Path)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("readers may ask %v, want %v", got, want)
	}
}
