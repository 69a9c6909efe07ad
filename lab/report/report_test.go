package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/internal/chart"
	"weft/lab/sweep"
)

// results makes the results of a small sweep with all statuses. Its names would be markup.
func results(t *testing.T, damages ...string) Results {
	t.Helper()
	d := &sweep.Description{Fabrics: []string{"a<b>|c", "d*_e", "g"}, Engines: []string{"updn", "nue", "dor", "ftree"}, Damage: damages}
	d.SetUsual()
	r := Results{Description: d, Sheet: &sweep.Sheet{Description: "fabrics: [`x`]\n", Command: "weft lab sweep '<i>'", Sources: []string{"source1"}}, Rows: map[string]*sweep.Row{}}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, network := range d.Fabrics {
		for _, damage := range damages {
			for draw := range 4 {
				for e, engine := range d.Engines {
					row := &sweep.Row{Case: fmt.Sprint(network, damage, draw, engine)}
					row.Network, row.Damage, row.Graph, row.Engine = network, damage, fmt.Sprint(network, damage, draw), engine
					row.Draw, row.Version, row.Commit, row.Workload = int64(draw+1), "v1", "c0ffee", "flow"
					ebb := .5 + rng.Float64()/4
					row.EBB, row.Status = &ebb, sweep.Proven
					if e > 1 && (network != "g" || engine == "ftree") {
						row.EBB, row.Status = nil, failures[(draw+e)%3]
						row.Reason = fmt.Sprintf("switch \"<s %d>\" is odd", draw)
					}
					r.Rows[row.Case] = row
					r.Sheet.Cases = append(r.Sheet.Cases, row.Case)
				}
			}
		}
	}
	return r
}

func html(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHTML: the page needs nothing from elsewhere, escapes texts, and is the same each time.
func TestHTML(t *testing.T) {
	r := results(t, "none", "0.05", "0.1")
	p, err := New(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := html(t, p)
	outside := regexp.MustCompile(`(?i)<script|<link|<img|@import|url\(|src=|https?://`)
	for _, at := range outside.FindAllStringIndex(text, -1) {
		if part := text[max(0, at[0]-14):at[1]]; !strings.Contains(part, "xmlns") {
			t.Errorf("not self-contained: %s", text[max(0, at[0]-40):min(len(text), at[1]+40)])
		}
	}
	if strings.Contains(text, "<b>") || strings.Contains(text, "<i>") || strings.Contains(text, "<s 0") {
		t.Error("a name is taken for markup")
	}
	for _, want := range []string{"<title>Which engine keeps most bandwidth when links fail?</title>", "prefers-color-scheme: dark", "a&lt;b&gt;|c", "weft lab sweep &#39;&lt;i&gt;&#39;", "c0ffee", "source1", "fabrics: [`x`]"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	again, err := New(r, Options{})
	if err != nil || html(t, again) != text {
		t.Errorf("made twice, the bytes differ (%v)", err)
	}
}

// TestFigures: charts and tables show the numbers of the summary, each in its place, and nothing
// where there is none.
func TestFigures(t *testing.T) {
	for _, damages := range [][]string{{"none", "0.05", "0.2"}, {"none", "fail(switches=1)"}, {"0.1"}} {
		r := results(t, damages...)
		p, err := New(r, Options{Against: "nue", Figures: []string{"ebb_share"}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := r.Summarise(r.Sheet, r.Rows, "ebb_share", "nue")
		if err != nil {
			t.Fatal(err)
		}
		points := 0
		for _, b := range p.blocks {
			if b.chart == nil || strings.HasPrefix(b.chart.Name, "ebb-share-difference") {
				continue
			}
			for _, series := range b.chart.Series {
				for _, pt := range series.Points {
					if !slices.ContainsFunc(s.Cells, func(c sweep.Cell) bool {
						return strings.HasSuffix(b.chart.Title, "  "+c.Network) && c.Contestant == series.Name && c.Mean == pt.Y && pt.Low == c.Mean-c.Half && pt.High == c.Mean+c.Half && damageAt(b.chart, c.Damage) == pt.X
					}) {
						t.Errorf("%v: %s, %s: %+v is no mean of the summary", damages, b.chart.Title, series.Name, pt)
					}
					points++
				}
			}
		}
		if points != len(s.Cells) {
			t.Errorf("%v: %d points of %d means", damages, points, len(s.Cells))
		}
		var text bytes.Buffer
		if err := p.WriteMarkdown(&text, ""); err != nil {
			t.Fatal(err)
		}
		for _, v := range s.Pairs {
			if line := fmt.Sprintf("| %s | %d %s | %.6g | %.3g | %d | %d | %d |", v.Contestant, v.Difference.N, v.Of, v.Difference.Mean, v.Difference.Half, v.Wins, v.Losses, v.Ties); v.Difference.N > 1 && !strings.Contains(text.String(), line) {
				t.Errorf("%v: no line %s", damages, line)
			}
		}
		for _, c := range s.Contestants {
			if line := fmt.Sprintf("| %s | %d | %d | %d | %d |", c.Name, c.Proven, c.NotProven, c.Refused, c.NotRun); !strings.Contains(text.String(), line) {
				t.Errorf("%v: no line %s", damages, line)
			}
		}
		c := s.Contestants[3]
		for status, n := range map[string]int{"not proven": c.NotProven, "refused": c.Refused, "not run": c.NotRun} { // all for one reason, with other names
			if !strings.Contains(text.String(), fmt.Sprintf("| ftree | %s | %d |", status, n)) || n < 2 {
				t.Errorf("%v: the reasons for %q are missing, or not %d", damages, status, n)
			}
		}
	}
}

// TestBetterSide: the axis of differences says on which side of 0 an engine is better than the
// base.
func TestBetterSide(t *testing.T) {
	r := results(t, "none", "0.05")
	lids := int64(40)
	for _, row := range r.Rows {
		row.LIDs = &lids
	}
	for figure, want := range map[string]string{"ebb_share": "above 0 is better", "lids": "below 0 is better"} {
		p, err := New(r, Options{Figures: []string{figure}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(html(t, p), want) {
			t.Errorf("%s: no %q in the page", figure, want)
		}
	}
}

// damageAt returns the place of a damage on the axis of a chart.
func damageAt(c *chart.Chart, damage string) float64 {
	if c.Kind == chart.Bars {
		if damage == "none" {
			damage = "whole"
		}
		return float64(slices.Index(c.Categories, damage))
	}
	return map[string]float64{"none": 0, "0.05": 5, "0.2": 20}[damage]
}

// TestMarkdown: every picture that the page shows is a file, and tables keep their columns whatever
// the names are.
func TestMarkdown(t *testing.T) {
	p, err := New(results(t, "none", "0.05"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := p.WriteMarkdown(&text, "x-"); err != nil {
		t.Fatal(err)
	}
	pictures, err := p.Pictures()
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?m)^!\[.*\]\(x-(.*)\)$`).FindAllStringSubmatch(text.String(), -1)
	if len(shown) != len(pictures) || len(shown) < 4 {
		t.Errorf("%d pictures shown, %d made", len(shown), len(pictures))
	}
	seen := map[string]bool{}
	for i, picture := range pictures {
		if seen[picture.Name] || shown[i][1] != picture.Name || !bytes.Contains(picture.SVG, []byte("prefers-color-scheme")) {
			t.Errorf("picture %s", picture.Name)
		}
		seen[picture.Name] = true
	}
	columns := 0
	for line := range strings.Lines(text.String()) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if n > 0 && columns > 0 && n != columns && !strings.HasPrefix(line, "!") {
			t.Errorf("%d columns after %d: %s", n, columns, line)
		}
		columns = n
	}
}

// TestOptions: filters leave only what they name; without rows there is an error.
func TestOptions(t *testing.T) {
	r := results(t, "none")
	p, err := New(r, Options{Engines: []string{"nue", "updn"}, Networks: []string{"d*"}})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := p.WriteMarkdown(&text, ""); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "ftree") || strings.Contains(text.String(), "a<b>") || !strings.Contains(text.String(), "nue") {
		t.Error(text.String())
	}
	for _, o := range []Options{{Engines: []string{"x"}}, {Against: "x"}, {Figures: []string{"x"}}} {
		if _, err := New(r, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if !slices.ContainsFunc(r.Sheet.Cases, func(name string) bool { return strings.HasSuffix(name, "ftree") }) {
		t.Error("the filter changed the caller's sheet")
	}
}
