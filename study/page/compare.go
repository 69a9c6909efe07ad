package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"weft/internal/endpoints"
	"weft/route"
	"weft/study"
	"weft/study/compare"
	"weft/study/routing"
)

// Engines lists the engines that one can choose.
type Engines struct {
	Engines []Engine `json:"engines"`
}

// Engine is an engine in a list.
type Engine struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// engines returns the endpoint that lists engines.
func (p *Page) engines() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodGet, Path: "/v1/engines", About: "The engines, as weft route --engines lists them.", Answer: reflect.TypeFor[Engines](),
		Media: endpoints.JSON, Status: http.StatusOK,
		Serve: func(w http.ResponseWriter, _ *http.Request) {
			out := Engines{Engines: []Engine{}}
			for _, e := range routing.ListEngines().Engines {
				out.Engines = append(out.Engines, Engine{e.Name, e.Summary})
			}
			endpoints.Answer(w, http.StatusOK, &out)
		},
	}
}

// Compared asks for the figures of engines on fabrics.
type Compared struct {
	Fabrics []string `json:"fabrics"` // ids of open fabrics
	Engines string   `json:"engines"` // a,b,c; each is a row
	Options []string `json:"options,omitempty"`
	Runs    int      `json:"runs,omitempty"` // random bisections; 0: as weft compare takes
	Seed    uint64   `json:"seed,omitempty"` // of them
}

// mostBisections is the maximum number of random bisections of a question.
const mostBisections = 100_000

// Check returns errors that hold on any fabric.
func (q *Compared) Check() error {
	switch {
	case len(q.Fabrics) == 0 || len(q.Fabrics) > usualLimits.Fabrics:
		return fmt.Errorf("fabrics: want 1 to %d ids", usualLimits.Fabrics)
	case q.Engines == "":
		return errors.New("engines: want a,b,c")
	case q.Runs < 0 || q.Runs > mostBisections:
		return fmt.Errorf("runs: want 0 to %d", mostBisections)
	}
	r := Routing{q.Engines, q.Options}
	return r.Check()
}

// compared keeps the rows of a fabric, by engine, options and bisections.
type compared map[string]*compare.Row

// mostRows is the maximum number of rows that are kept of each fabric.
const mostRows = 256

// compare returns the endpoint that compares engines and fabrics. Rows are kept: a page asks for
// them one by one, and at last for all with the recommendation.
func (p *Page) compare() endpoints.Endpoint {
	return question(p, "/v1/compare", "Compare engines on a fabric, or fabrics with each other, as weft compare does.", "run weft compare, which has no limit",
		func(ctx context.Context, _ *Held, q *Compared) (*compare.Comparisons, error) {
			chain, err := (&Routing{q.Engines, q.Options}).chain()
			if err != nil {
				return nil, err
			}
			out := &compare.Comparisons{Fabrics: []*compare.Comparison{}}
			for _, id := range q.Fabrics {
				h := p.find(id)
				if h == nil {
					return nil, fmt.Errorf("fabrics: %.40q is not open: open it again", id)
				}
				c, err := p.rows(ctx, h, q, chain)
				if err != nil {
					return nil, err
				}
				out.Fabrics = append(out.Fabrics, c)
			}
			if len(out.Fabrics) == 1 {
				out.Fabrics[0].Recommend()
				out.Best = out.Fabrics[0].Best
			} else {
				out.Recommend()
			}
			return out, nil
		})
}

// rows compares engines on a fabric.
func (p *Page) rows(ctx context.Context, h *Held, q *Compared, chain route.Chain) (*compare.Comparison, error) {
	if h.parts == nil {
		c, err := compare.New(ctx, h.Fabric, h.graph, nil)
		if err != nil {
			return nil, err
		}
		h.parts, h.rows = c, compared{}
	}
	c := *h.parts
	c.Runs, c.Seed, c.Engines = cmp.Or(q.Runs, study.UsualRuns(h.graph.NumHosts)), q.Seed, []compare.Row{}
	for _, step := range chain {
		key := fmt.Sprintf("%s\x00%s\x00%d\x00%d", step.Engine.Name, strings.Join(q.Options, "\x00"), c.Runs, c.Seed)
		row := h.rows[key]
		if row == nil {
			req := p.request()
			req.Seed = q.Seed
			begun := p.opt.Clock()
			req.Now = func() time.Duration { return p.opt.Clock().Sub(begun) }
			var err error
			if row, err = compare.NewRow(ctx, h.graph, step, req, compare.Figures{Runs: c.Runs}, func() float64 { return 0 }); err != nil {
				return nil, fmt.Errorf("%s: %w", step.Engine.Name, err)
			}
			if len(h.rows) < mostRows {
				h.rows[key] = row
			}
		}
		c.Engines = append(c.Engines, *row)
	}
	return &c, nil
}
