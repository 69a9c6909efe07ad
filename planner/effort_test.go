package planner

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"weft/internal/racing"
	"weft/route/engine"
)

// The first Plan is that of the first engine that routes, proven. More effort tries more engines.
func TestEfforts(t *testing.T) {
	racing.SkipLong(t)
	for _, c := range []struct {
		formula    string
		unfinished bool // with low effort
	}{
		{"rlft(8,2)", false}, // known
		{"rlft(8,3)|fail(links=20,seed=1)", true},
		{"random(switches=20,hosts=40,links=40,seed=3)", true},
	} {
		g := graph(t, c.formula)
		tried := map[Effort]int{}
		for _, effort := range []Effort{Low, Usual, Most} {
			req := &Request{Chain: chain(t, engine.Auto), Workers: 2, Seed: 7, Effort: effort}
			r, err := Run(context.Background(), g, req)
			if err != nil || !r.Report.OK {
				t.Fatalf("%s, %s: %v", c.formula, &effort, err)
			}
			for _, tr := range r.Choice.Trials {
				if tr.First != nil || tr.VLs > 0 {
					tried[effort]++
				} else if effort == Low && c.unfinished && strings.HasPrefix(tr.Reason, "not tried") && tr.Reason != "not tried: the effort is low" {
					t.Errorf("%s, low: %s was %s", c.formula, tr.Engine, tr.Reason)
				}
			}
			if unfinished := effort == Low && c.unfinished; r.Choice.Unfinished != unfinished || r.Choice.Interrupted {
				t.Errorf("%s, %s: %+v", c.formula, &effort, r.Choice)
			}
		}
		if tried[Low] != 1 || tried[Usual] < tried[Low] || tried[Most] < max(2, tried[Usual]) {
			t.Errorf("%s: engines tried: %v", c.formula, tried)
		}
	}
}

// loopCounter is a context that calls a function when a number of loops have begun.
type loopCounter struct {
	context.Context
	left int
	then func()
}

func (c *loopCounter) Value(key any) any {
	if c.left--; c.left == 0 {
		c.then()
	}
	return c.Context.Value(key)
}

// A job that is interrupted after any number of loops has the best proven Plan so
// far, or none.
func TestInterrupted(t *testing.T) {
	g := graph(t, "rlft(8,3)|fail(links=20,seed=1)")
	whole, err := Run(context.Background(), g, &Request{Chain: chain(t, engine.Auto), Workers: 1, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	var none, some, all int
	for loops := 1; ; loops += 1 + loops/4 {
		enough := make(chan struct{})
		ctx := &loopCounter{Context: context.Background(), left: loops, then: func() { close(enough) }}
		r, err := Route(ctx, g, &Request{Chain: chain(t, engine.Auto), Workers: 1, Seed: 7, Enough: enough})
		if errors.Is(err, context.Canceled) {
			none++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !r.Choice.Interrupted {
			if all++; !reflect.DeepEqual(r.Choice, whole.Choice) {
				t.Errorf("after %d loops %s, not %s", loops, r.Choice, whole.Choice)
			}
			if ctx.left > 0 {
				break // the whole job needs fewer loops
			}
			continue
		}
		some++
		for _, tr := range r.Choice.Trials {
			if strings.HasPrefix(tr.Reason, "not tried") && tr.Reason != "not tried: the trials were interrupted" {
				t.Errorf("after %d loops %s was %s", loops, tr.Engine, tr.Reason)
			}
		}
		if r.Report == nil || !r.Report.OK || !r.Choice.Unfinished || r.Choice.trial(r.Choice.Engine) == nil || r.Choice.String() == "" {
			t.Errorf("after %d loops: %s, not proven", loops, r.Choice)
		}
		if err := r.Judge(context.Background(), g, &Request{}); err != nil {
			t.Fatal(err)
		}
	}
	if none == 0 || some == 0 || all == 0 {
		t.Errorf("interrupted before a Plan %d times, after one %d times, not at all %d times", none, some, all)
	}
}
