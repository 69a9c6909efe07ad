package demo

import (
	"context"
	"strings"

	"weft/planner"
	"weft/study/show"
)

// draw draws the cluster under both routings.
func (c *Config) draw(ctx context.Context, of *cluster) (paths []string, err error) {
	if c.Draw == nil {
		return nil, nil
	}
	for _, r := range []struct {
		name, title string
		routing     *planner.Result
	}{
		{"opensm", "Tables of OpenSM: the slow cable carries as much as any other", of.opensm},
		{"weft", "Routing of weft: the cables beside the slow one carry its load", of.best},
	} {
		p, err := show.Picture(ctx, show.Inspect(of.src), r.routing, show.Look{Colour: show.ByLoad}, c.Workers)
		if err != nil {
			return nil, err
		}
		p.Title = r.title
		path, err := c.Draw(r.name, p)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// picturesText returns the part about the pictures.
func picturesText(paths []string) string {
	text := heading(5, "A picture")
	if len(paths) == 0 {
		return text + paragraph("weft demo --svg FOLDER draws the cluster under both routings: the colour of a cable shows its load, and the slow cable is marked.")
	}
	return text + paragraph("The cluster under both routings: the colour of a cable shows its load, and the slow cable is marked.") + table([][]string{{strings.Join(paths, ", ")}})
}

// nextText returns the part about what to type next: a command for each kind of user. All end by
// themselves.
func nextText() string {
	text := heading(6, "What to type next")
	text += paragraph("Once: go build -o bin/weft ./cmd/weft; export PATH=$PWD/bin:$PATH")
	return text + table([][]string{
		{"I run a cluster", "weft whatif examples/trinityx.ibnetdiscover --fail ec8200"},
		{"I plan a cluster", "weft suggest --hosts 500 --radix 36"},
		{"I study routing", "weft compare 'torus(4x4x4,hosts=2)'"},
		{"I write tools", "weft sm --once --transport emulate:fat648 --json"},
	}) + paragraph("For your own cluster, run ibnetdiscover > fabric.txt and name fabric.txt instead. More: README.md.")
}
