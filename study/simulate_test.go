package study

import (
	"strings"
	"testing"
	"weft/study/studytest"

	"weft/route"
	"weft/sim/flow"
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

// TestFlowRequest: what is out of range is named as the option is.
func TestFlowRequest(t *testing.T) {
	good := FlowRequest{Order: "auto", Options: flow.Options{Runs: 1}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*FlowRequest){
		"order": func(r *FlowRequest) { r.Order = "up" }, "runs 0": func(r *FlowRequest) { r.Runs = 0 },
		"runs 10000001": func(r *FlowRequest) { r.Runs = MaxRuns + 1 }, "ranks": func(r *FlowRequest) { r.Ranks = -1 },
		"equal-rates": func(r *FlowRequest) { r.Equal = true },
	} {
		r := good
		change(&r)
		if err := r.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
