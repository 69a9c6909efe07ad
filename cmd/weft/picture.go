package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/layout"
	"weft/planner"
	"weft/study/routing"
	"weft/study/show"
)

// pictureFlags are the options of weft show for its picture.
type pictureFlags struct {
	svg     string // file
	colour  string
	chain   string
	files   routing.TableFiles
	routing cli.RouteFlags
}

// add adds the flags.
func (p *pictureFlags) add(cmd *cobra.Command) {
	p.routing.Seed, p.routing.Workers = 1, runtime.GOMAXPROCS(0)
	f := cmd.Flags()
	f.StringVar(&p.svg, "svg", "", "draw the fabric to `FILE`; \"-\" draws to standard output and prints nothing else")
	f.StringVarP(&p.chain, "engine", "e", "", "with --svg: colour cables by load, routed by this `ENGINE` (weft route --engines)")
	f.StringVar(&p.files.Plan, "plan", "", "with --svg: colour cables by load under this Plan `FILE` (weft route -o)")
	f.StringVar(&p.files.LFTs, "lfts", "", "with --svg: colour cables by load under forwarding tables in `FILE`, of another subnet manager")
	f.StringVar(&p.colour, "colour", show.ByLoad, "`WHAT` the colour of a cable shows: load (pairs of hosts) or lanes (virtual lanes in use)")
	cli.LaneFileFlags(cmd, &p.files)
}

// alone reports whether the picture replaces all other output.
func (p *pictureFlags) alone() bool { return p.svg == "-" }

// draw writes the picture if one is requested.
func (p *pictureFlags) draw(cmd *cobra.Command, src *show.Inspected) error {
	routed := p.chain != "" || p.files.Given()
	switch {
	case p.colour != show.ByLoad && p.colour != show.ByLanes:
		return fmt.Errorf("--colour %s: want %s or %s", p.colour, show.ByLoad, show.ByLanes)
	case !routed && (cmd.Flags().Changed("colour") || p.files != routing.TableFiles{}):
		return errors.New("--colour, --sl, --sl2vl, --one-lane and --choice need a routing: give --engine, --plan or --lfts too")
	case p.svg == "" && routed:
		return errors.New("--engine, --plan and --lfts colour a picture: give --svg FILE too (weft check and weft simulate print loads)")
	case p.svg == "":
		return nil
	}
	file, err := cli.OpenOutput(cmd, p.svg)
	if err != nil {
		return err
	}
	defer file.Drop()
	routing, err := p.route(cmd, src.Fabric)
	if err != nil {
		return err
	}
	var picture *layout.Picture
	err = cli.WithProgress(cmd, "drawing", func(ctx context.Context) (err error) {
		picture, err = show.Picture(ctx, src, routing, show.Look{Colour: p.colour}, p.routing.Workers)
		return err
	})
	if err != nil {
		return err
	}
	return file.Write(picture.WriteSVG)
}

// route routes the fabric or reads tables, if the picture shows a routing.
func (p *pictureFlags) route(cmd *cobra.Command, f *fabric.Fabric) (*planner.Result, error) {
	switch {
	case p.files != routing.TableFiles{} && p.chain != "":
		return nil, errors.New("give --engine, or tables with --plan or --lfts, not both")
	case p.files.Given():
		if err := p.files.Validate(); err != nil {
			return nil, err
		}
		return cli.LoadTables(cmd, f.Compile(), &p.files)
	case p.chain == "":
		return nil, nil
	}
	if err := p.routing.SetChain(p.chain); err != nil {
		return nil, err
	}
	return cli.RouteFabric(cmd, f.Compile(), &p.routing.Request)
}
