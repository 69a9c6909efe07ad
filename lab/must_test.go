package lab

import (
	"context"
	"errors"
	"strings"
	"testing"

	"weft/fabric"
)

// TestErrorEndsArtefact: the error of an artefact comes out of RunArtefact, also that of work
// in parallel; another panic does not.
func TestErrorEndsArtefact(t *testing.T) {
	broken := errors.New("broken")
	r := sample()
	for name, run := range map[string]func(*Setup){
		"check": func(*Setup) { Check(broken) },
		"must":  func(*Setup) { Must(0, broken) },
		"parallel": func(s *Setup) {
			s.Parallel(t.Context(), 20, func(k int) {
				if k == 7 {
					Check(broken)
				}
			})
		},
	} {
		went := false
		rec, err := RunArtefact(t.Context(), r, &Artefact{Name: "figX", Run: func(_ context.Context, s *Setup) *Result {
			run(s)
			went = true
			return &Result{}
		}}, &Setup{Workers: 3}, "")
		if rec != nil || !errors.Is(err, broken) || !strings.Contains(err.Error(), "sample figX") || went {
			t.Errorf("%s: %v, %v; went on: %v", name, rec, err, went)
		}
	}
	defer func() {
		if p := recover(); p != "a fault" {
			t.Errorf("recovered %v, want the fault", p)
		}
	}()
	_, _ = RunArtefact(t.Context(), r, &Artefact{Run: func(context.Context, *Setup) *Result { panic("a fault") }}, &Setup{}, "")
}

// TestEach: candidates whose rows are wanted route the network, which is built once, and not
// at all when no row is wanted.
func TestEach(t *testing.T) {
	candidates := []Candidate{{Name: "a", How: Routing{Engine: "minhop"}}, {Name: "b", How: Routing{Engine: "updn"}}, {Name: "c", How: Routing{Engine: "ftree"}}}
	built, met := 0, ""
	build := func() *fabric.Graph {
		built++
		return Must(Graph("torus(3x3,hosts=1)"))
	}
	s := &Setup{Workers: 1, Rows: func(row string) bool { return row == "net a" || row == "net c" }}
	visit := func(c *Candidate, trial *Trial) {
		met += c.Name
		if (trial.Refused != "") != (c.Name == "c") {
			t.Errorf("%s: refused %q", c.Name, trial.Refused)
		}
	}
	s.Each(t.Context(), "net", build, candidates, visit)
	s.Each(t.Context(), "other", build, candidates, visit)
	if built != 1 || met != "ac" {
		t.Errorf("built %d times, met %q", built, met)
	}
}

// TestFastest: routing is repeated as asked for and the least time counts, but not after one
// that took long.
func TestFastest(t *testing.T) {
	g := Must(Graph("rlft(8,2)"))
	for _, c := range []struct {
		seconds []float64 // of each time
		times   int
		runs    int
		want    float64
	}{
		{[]float64{1, 0.5, 0.7, 0.1}, 3, 3, 0.5},
		{[]float64{2.5, 1, 1}, 3, 1, 2.5},
		{[]float64{1, 0.5}, 0, 1, 1},
	} {
		runs := 0
		s := &Setup{Workers: 1, Meter: func(work func() error) (Cost, error) {
			runs++
			return Cost{Seconds: c.seconds[runs-1]}, work()
		}}
		trial, err := s.Route(t.Context(), g, Routing{Engine: "minhop", Times: c.times})
		if err != nil || runs != c.runs || trial.Cost.Seconds != c.want {
			t.Errorf("%v, %d times: routed %d times, %v s, %v", c.seconds, c.times, runs, trial.Cost.Seconds, err)
		}
	}
}
