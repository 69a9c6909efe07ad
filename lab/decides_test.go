package lab

import (
	"slices"
	"strings"
	"testing"

	"weft/internal/chart"
)

// TestDecisions: the first decision that fits is about a claim that differs; claims without one,
// and decisions without a claim, are named.
func TestDecisions(t *testing.T) {
	claim := func(text string, v Verdict) Claim { return Claim{Text: text, Verdict: v} }
	r := &Reproduction{Name: "p", Decisions: []Decision{
		{Artefact: "fig1", Of: "bandwidth", By: TheText, Tried: "It names no rate."},
		{Artefact: "fig1", By: OurModel, Tried: "No software."},
		{Artefact: "fig2", By: TheData, Tried: "Unused."},
	}}
	records := []*Record{
		{Artefact: "fig1", Title: "one", Result: &Result{Claims: []Claim{claim("bandwidth of a", Differs), claim("bandwidth of b", Differs), claim("latency", Differs), claim("bandwidth of c", Holds)}}},
		{Artefact: "fig2", Title: "two", Result: &Result{Claims: []Claim{claim("all", Holds)}}},
		{Artefact: "fig3", Title: "three", Result: &Result{Claims: []Claim{claim("some", Differs)}}},
	}
	if got, want := r.CheckDecisions(records), []string{"no decision on fig3: some", "no such claim differs: fig2: "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	page := string(r.page(records))
	text := strings.Join(strings.Fields(page), " ")
	for _, want := range []string{`2 claims with "bandwidth": **the text**. It names no rate.`, "[fig1](#fig1), 1 claim: **our model**. No software."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(text, "Unused.") {
		t.Error("a decision about no claim is on the page")
	}
}

// TestCover: the first screen has one picture: the one that the paper names, or that of the largest
// difference, or the first.
func TestCover(t *testing.T) {
	charts := func(names ...string) (list []chart.Chart) {
		for _, n := range names {
			list = append(list, chart.Chart{Name: n, Title: n})
		}
		return list
	}
	records := []*Record{
		{Artefact: "fig1", Result: &Result{Charts: charts("fig1a", "fig1b")}},
		{Artefact: "fig2", Result: &Result{Charts: charts("fig2a", "fig2b")}},
	}
	differs := []*Record{records[0], {Artefact: "fig2", Result: &Result{Charts: records[1].Charts, Claims: []Claim{{Text: "x", Verdict: Differs}}}}}
	for _, c := range []struct {
		cover   string
		records []*Record
		want    string
	}{{"", records, "fig1a"}, {"fig1b", records, "fig1b"}, {"", differs, "fig2a"}, {"fig1b", differs, "fig1b"}, {"", nil, ""}} {
		r := &Reproduction{Name: "p", Cover: c.cover}
		got := r.cover(c.records)
		if c.want == "" != (got == nil) || got != nil && got.Name != c.want {
			t.Errorf("%q: %+v, want %s", c.cover, got, c.want)
		}
		page := string(r.page(c.records))
		screen, _, _ := strings.Cut(page, "\n## ")
		if strings.Contains(screen, "("+c.want+".svg)") != (c.want != "") {
			t.Errorf("%q: the screen is\n%s", c.cover, screen)
		}
	}
}
