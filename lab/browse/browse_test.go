package browse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/internal/endpoints"
	"weft/lab/report"
	"weft/lab/stats"
	"weft/lab/store"
	"weft/lab/sweep"
)

// server answers requests of a test.
type server struct {
	t *testing.T
	h http.Handler
}

func newServer(t *testing.T) *server {
	b := New(Options{Questions: endpoints.NewQuestions(time.Now, nil), Example: func(context.Context) (*report.Results, error) { return nil, errors.New("no example here") }})
	return &server{t, endpoints.Handler(b.Endpoints())}
}

// ask sends a request, and decodes the answer into an object unless that is nil.
func (s *server) ask(method, target string, body, into any) (status int, text string) {
	s.t.Helper()
	var data bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&data).Encode(body); err != nil {
			s.t.Fatal(err)
		}
	}
	r := httptest.NewRequest(method, target, &data)
	r.Header.Set("Content-Type", endpoints.JSON)
	w := httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	if into != nil {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			s.t.Fatalf("%s: %v: %.300s", target, err, w.Body)
		}
	}
	return w.Code, w.Body.String()
}

// made returns rows of networks, damages, draws, engines and seeds, with figures by a seed.
func made(seed uint64) (rows []sweep.Row) {
	r := rand.New(rand.NewPCG(seed, 1))
	for _, network := range []string{"rlft(4,2)", "torus(4x4)"} {
		for _, damage := range []string{"none", "0.1", "0.05"} {
			for draw := range int64(3) {
				for _, engine := range []string{"updn", "nue"} {
					for traffic := range int64(2) {
						row := sweep.Row{Case: fmt.Sprintf("%024x", r.Uint64())}
						row.Network, row.Damage, row.Draw, row.Graph = network, damage, draw, fmt.Sprint(network, damage, draw)
						row.Fabric, row.Engine, row.Workload, row.TrafficSeed = network+"|"+damage, engine, "flow", traffic
						row.Status = sweep.Proven
						if r.IntN(6) == 0 {
							row.Status = sweep.Refused
						} else {
							x := r.Float64()
							row.EBB = &x
						}
						rows = append(rows, row)
					}
				}
			}
		}
	}
	return rows
}

// text returns rows as weft lab export writes them, with a derived column.
func text(t *testing.T, rows []sweep.Row) string {
	var b strings.Builder
	if err := store.WriteText("x.csv", &b, rows, []string{"twice"}, func(i int) ([]string, error) {
		if rows[i].EBB == nil {
			return []string{""}, nil
		}
		return []string{store.Text(2 * *rows[i].EBB)}, nil
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestChart: the points of a chart have the means and intervals that a plain computation has; each
// leads to its rows, and a row to its columns and a command.
func TestChart(t *testing.T) {
	for seed := range uint64(5) {
		s, rows := newServer(t), made(seed)
		var open description
		if status, text := s.ask("POST", "/v1/sweeps", source{Name: "rows.csv", Text: text(t, rows)}, &open); status != 200 {
			t.Fatal(text)
		}
		at := "/v1/sweeps/" + open.ID
		if f := open.First; f.Y != "ebb_share" || f.X != "damage" || f.By != "engine" || len(f.Only) != 1 || f.Only[0].Values[0] != "rlft(4,2)" {
			t.Fatalf("first %+v", f)
		}
		var p picture
		if status, text := s.ask("POST", at+"/chart", open.First, &p); status != 200 {
			t.Fatal(text)
		}
		want := map[string][]float64{} // by point: the means of fabrics over seeds
		count := map[string]int{}
		for draw := range int64(3) {
			sums := map[string][]float64{}
			for i := range rows {
				if r := &rows[i]; r.Network == "rlft(4,2)" && r.Draw == draw && r.Status == sweep.Proven {
					key := r.Engine + " " + r.Damage
					sums[key] = append(sums[key], *r.EBB)
					count[key]++
				}
			}
			for key, list := range sums {
				want[key] = append(want[key], stats.Mean(list))
			}
		}
		last := -1.0
		for i, point := range p.Points {
			key := point.Series + " " + point.At
			if w := stats.IntervalOf(want[key]); w != point.Interval || point.Rows != count[key] || point.Of != "fabrics" {
				t.Errorf("%s: %+v, want %+v of %d rows", key, point, w, count[key])
			}
			delete(want, key)
			if point.X <= last && i > 0 && p.Points[i-1].Series == point.Series || point.X < 0 || point.X > p.Width || point.Y < 0 || point.Y > p.Height {
				t.Errorf("%s is at %g, %g, after %g", key, point.X, point.Y, last)
			}
			last = point.X
			var list rowList
			s.ask("POST", at+"/rows", picked{open.First, point.Series, point.At}, &list)
			if len(list.Rows) != count[key] {
				t.Errorf("%s has %d rows, want %d", key, len(list.Rows), count[key])
			}
			for _, l := range list.Rows {
				if r := &rows[l.Row]; r.Case != l.Case || r.Engine != point.Series || r.Damage != point.At || store.Text(*r.EBB) != l.Value {
					t.Errorf("%s: row %+v is %+v", key, l, r)
				}
			}
		}
		if len(want) > 0 {
			t.Errorf("no points for %v", want)
		}
		var one wholeRow
		s.ask("GET", at+"/row?number=3", nil, &one)
		if one.Case != rows[3].Case || !strings.Contains(one.Command, "weft lab sweep row.yaml") || !slices.Contains(one.Cells, cell{Column: "engine", Value: "nue"}) {
			t.Errorf("%+v", one)
		}
		// Means over both networks count a network once, and say what they mix.
		s.ask("POST", at+"/chart", asked{Y: "twice", X: "damage", By: "engine"}, &p)
		if p.Points[0].Of != "networks" || p.Points[0].N != 2 || !strings.Contains(strings.Join(p.Notes, " "), "several values of network") {
			t.Errorf("%+v %q", p.Points[0], p.Notes)
		}
	}
}

// TestRefuses: what is no table, or cannot be drawn, is refused in words.
func TestRefuses(t *testing.T) {
	usual := usualLimits.Rows
	usualLimits.Rows = 500
	t.Cleanup(func() { usualLimits.Rows = usual })
	s, rows := newServer(t), made(1)
	good := text(t, rows)
	var open description
	s.ask("POST", "/v1/sweeps", source{Name: "rows.csv", Text: good}, &open)
	at := "/v1/sweeps/" + open.ID
	huge := slices.Clone(rows)
	for i := range huge {
		x := 1e300
		huge[i].EBB, huge[i].Network, huge[i].Hosts = &x, fmt.Sprint("n", i), int64(i)
	}
	var far description
	s.ask("POST", "/v1/sweeps", source{Name: "huge.csv", Text: text(t, huge)}, &far)
	for _, c := range []struct {
		method, target string
		body           any
		status         int
		want           string
	}{
		{"POST", "/v1/sweeps", source{}, 400, "want the example, or the text"},
		{"POST", "/v1/sweeps", source{Text: "x", Example: true}, 400, "want the example, or the text"},
		{"POST", "/v1/sweeps", source{Text: "x", Name: "a\nb"}, 400, "control characters"},
		{"POST", "/v1/sweeps", map[string]string{"path": "/etc/passwd"}, 400, "unknown field"},
		{"POST", "/v1/sweeps", source{Example: true}, 409, "no example here"},
		{"POST", "/v1/sweeps", source{Text: "<b>no</b>"}, 409, "rows.csv:1: no column case"},
		{"POST", "/v1/sweeps", source{Text: "case,fabric,engine\n"}, 409, "no column status"},
		{"POST", "/v1/sweeps", source{Text: "case,fabric,engine,status\n"}, 409, "no rows"},
		{"POST", "/v1/sweeps", source{Text: "case,fabric,engine,status,case\na,b,c,d,e\n"}, 409, "there twice"},
		{"POST", "/v1/sweeps", source{Text: "case,fabric,engine,status,vls\na,b,c,proven,many\n"}, 409, "rows.csv:2: column vls"},
		{"POST", "/v1/sweeps", source{Text: "case,fabric,engine,status\na,b\n"}, 409, "wrong number of fields"},
		{"POST", "/v1/sweeps", source{Text: "case,fabric,engine,status" + strings.Repeat(",", 300)}, 409, "more than 256 columns"},
		{"POST", "/v1/sweeps", source{Text: "case,fabric,engine,status\n" + strings.Repeat("a,b,c,d\n", usualLimits.Rows+1)}, 409, "more than 500 rows"},
		{"POST", "/v1/sweeps", source{Text: "PAR1xx", Name: "rows.parquet"}, 409, "want the CSV or TSV"},
		{"POST", "/v1/sweeps/none/chart", asked{Y: "vls", X: "hosts"}, 404, "not open"},
		{"POST", at + "/chart", asked{}, 400, "want columns y and x"},
		{"POST", at + "/chart", asked{Y: "vls", X: "hosts", By: "hosts"}, 400, "another column than x"},
		{"POST", at + "/chart", asked{Y: "ebb_share", X: "nothing"}, 409, "x: the sweep has no column"},
		{"POST", at + "/chart", asked{Y: "vls", X: "damage"}, 409, "y: the sweep has no column"},
		{"POST", at + "/chart", asked{Y: "engine", X: "damage"}, 409, "has texts"},
		{"POST", at + "/chart", asked{Y: "ebb_share", X: "damage", Only: []condition{{"engine", nil}}}, 400, "want 1 to 50 values"},
		{"POST", at + "/chart", asked{Y: "ebb_share", X: "damage", Only: []condition{{"engine", []string{"x"}}}}, 409, "no row meets the conditions"},
		{"POST", at + "/chart", asked{Y: "ebb_share", X: "damage", Only: []condition{{"status", []string{"refused"}}}}, 409, "have no ebb_share"},
		{"POST", at + "/chart", asked{Y: "ebb_share", X: "case"}, 409, "too many for bars"},
		{"POST", "/v1/sweeps/" + far.ID + "/chart", asked{Y: "ebb_share", X: "damage"}, 409, "no chart can show"},
		{"POST", at + "/rows", picked{open.First, "updn", "0.2"}, 409, "no such point"},
		{"GET", at + "/row?number=72", nil, 404, "it has 72, from 0"},
		{"GET", at + "/row?number=-1", nil, 400, "want a number"},
		{"DELETE", "/v1/sweeps/none", nil, 404, "not open"},
	} {
		if status, text := s.ask(c.method, c.target, c.body, nil); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s %.100v: %d, want %d with %q: %.300s", c.method, c.target, c.body, status, c.status, c.want, text)
		}
	}
	for i := range usualLimits.Sweeps - 2 {
		s.ask("POST", "/v1/sweeps", source{Name: fmt.Sprint(i), Text: good}, nil)
	}
	if status, text := s.ask("POST", "/v1/sweeps", source{Name: "one more", Text: good}, nil); status != 409 || !strings.Contains(text, "limit") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := s.ask("DELETE", at, nil, nil); status != http.StatusNoContent {
		t.Error(text)
	}
}

// FuzzTable: no table makes the reader or the chart that comes first fail but by a refusal.
func FuzzTable(f *testing.F) {
	f.Add("case,fabric,engine,status,ebb_share,damage,hosts\na,b,c,proven,0.5,none,1\nb,b,c,proven,1e18,0.1,2\n")
	f.Add("case\tfabric\tengine\tstatus\tx\na\tb\tc\tproven\t1000000000000000000\nd\tb\te\tproven\t1000000000000001000\n")
	f.Add("case,fabric,engine,status,x\na,b,\"\x01\",proven,-1e-320\n")
	f.Fuzz(func(t *testing.T, text string) {
		o := source{Name: "x", Text: text}
		if o.Check() != nil {
			return
		}
		h, err := o.read()
		if err != nil {
			return
		}
		for _, c := range h.columns {
			a := h.about.First
			if a.X = c.name; a.X == a.By {
				a.By = ""
			}
			if a.Check() != nil {
				continue
			}
			if s, err := h.choose(&a); err == nil {
				_, _ = s.draw()
			}
		}
		h.row(0)
	})
}
