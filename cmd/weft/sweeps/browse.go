package sweeps

import (
	"context"

	"github.com/goccy/go-yaml"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/endpoints"
	"weft/lab/browse"
	"weft/lab/report"
	"weft/lab/sweep"
)

// Browser returns the questions of the page about sweeps, with no sweep open.
func Browser(questions *endpoints.Questions, workers int) *browse.Browser {
	return browse.New(browse.Options{
		Questions: questions, Example: func(ctx context.Context) (*report.Results, error) { return example(ctx, workers) },
	})
}

// OpenStore opens a store for the page.
func OpenStore(b *browse.Browser, path string) error {
	r, err := readResults(path)
	if err != nil {
		return err
	}
	return b.Add(path, &r.Results)
}

// example runs the sweep of weft lab init. It opens formulas only.
func example(ctx context.Context, workers int) (*report.Results, error) {
	d, err := sweep.Parse("sweep.yaml", []byte(sweep.Template()))
	if err != nil {
		return nil, err
	}
	d.SetUsual()
	r := &sweep.Run{
		Description: d, Keep: nothing{}, Rows: map[string]*sweep.Row{}, Begin: func(*sweep.Plan, int) {}, Step: func(string) {}, Done: func(*sweep.Row) {},
		Setup: &sweep.Setup{
			Open: func(formula string) (*fabric.Graph, error) {
				f, err := gen.Parse(formula)
				if err != nil {
					return nil, err
				}
				return f.Compile(), nil
			},
			Digest: cli.SourceDigest(), Workers: workers, Now: cli.Clock(),
			Made: sweep.Made{Version: cli.Version, Commit: cli.Commit(), Platform: cli.Platform(), Host: cli.HostName()},
		},
	}
	p, err := r.Do(ctx)
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(d)
	return &report.Results{Description: d, Sheet: r.SheetOf(p, string(text), "weft lab sweep sweep.yaml"), Rows: r.Rows}, err
}
