package browse

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// TestHostileTables: tables with numbers, texts and shapes of any kind are drawn or refused with
// the reason, and markup in them is text.
func TestHostileTables(t *testing.T) {
	const head = "case,network,fabric,graph,engine,status,ebb_share"
	further := ""
	for i := range 249 {
		further += fmt.Sprintf(",x%d", i)
	}
	for name, c := range map[string]struct {
		head string
		rows int
		row  func(i int) string
		want string // in the error; "" if it is drawn
	}{
		"far": {head, 4, func(i int) string {
			return fmt.Sprintf("c%d,n,f%d,g%d,updn,proven,%g", i, i, i, []float64{1, 2, 1e200, -1e308}[i])
		}, "row 3 has a number beyond"},
		"wide":   {head + further, mostCells/249 + 1, func(int) string { return "c,n,f,g,updn,proven,1" + strings.Repeat(",", 249) }, "more than 16844 rows with 249 columns"},
		"narrow": {head + ",x", 20000, func(int) string { return "c,n,f,g,updn,proven,1," }, ""},
		"quoted": {head + ",\"a\nb\"", 2, func(i int) string { return fmt.Sprintf("c,n,f,g%d,updn,proven,%d,\"x\ny\"", i, i) }, ""},
		"markup": {head, 4, func(i int) string {
			return fmt.Sprintf("<b>%d,\"<img src=x>\",=1+1,\"\x01\x1b[31m\",</text><script>,proven,%d", i, i)
		}, ""},
	} {
		s := newServer(t)
		var b strings.Builder
		b.WriteString(c.head + "\n")
		for i := range c.rows {
			b.WriteString(c.row(i) + "\n")
		}
		var open description
		status, text := s.ask("POST", "/v1/sweeps", source{Name: name + ".csv", Text: b.String()}, &open)
		var p picture
		if status == 200 {
			status, text = s.ask("POST", "/v1/sweeps/"+open.ID+"/chart", open.First, &p)
		}
		if (status == 200) != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %.300s, want %q", name, status, text, c.want)
		}
		if strings.Contains(p.SVG, "<script") || strings.Contains(p.SVG, "<img") {
			t.Errorf("%s: markup in the picture", name)
		}
		for d := xml.NewDecoder(strings.NewReader(p.SVG)); p.SVG != ""; {
			if _, err := d.Token(); err != nil {
				if err.Error() != "EOF" {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
		}
	}
}
