package flows

import (
	"strings"
	"testing"

	"weft/route"
	"weft/sim/flow"
	"weft/study/studytest"
)

// TestORCS: a Plan that chooses among LIDs is not written.
func TestORCS(t *testing.T) {
	g, r := studytest.Routed(t, "rlft(4,2)", "updn")
	var b strings.Builder
	r.Plan.Choice = route.Choice{By: route.HashedLID}
	if err := WriteORCS(&b, g, r.Plan); err == nil || b.Len() > 0 {
		t.Error("a hashed choice was written")
	}
	r.Plan.Choice = route.Choice{By: route.BaseLID}
	if err := WriteORCS(&b, g, r.Plan); err != nil || b.Len() == 0 {
		t.Error(err)
	}
}

// TestRequest: what is out of range is named as the option is.
func TestRequest(t *testing.T) {
	good := Request{Order: "auto", Options: flow.Options{Runs: 1}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Request){
		"order": func(r *Request) { r.Order = "up" }, "runs 0": func(r *Request) { r.Runs = 0 },
		"runs 10000001": func(r *Request) { r.Runs = MaxRuns + 1 }, "ranks": func(r *Request) { r.Ranks = -1 },
		"equal-rates": func(r *Request) { r.Equal = true },
	} {
		r := good
		change(&r)
		if err := r.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
