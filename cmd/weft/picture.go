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
	"weft/fabric/source"
	"weft/planner"
	"weft/study/routing"
	"weft/study/show"
)

// pictureFlags are the options of weft show that are about its picture.
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
	f.StringVar(&p.svg, "svg", "", "file to draw the fabric to; - draws to standard output and prints nothing else")
	f.StringVarP(&p.chain, "engine", "e", "", "with --svg: colour cables by the pairs of hosts that they carry, routed by this engine (weft route --engines)")
	f.StringVar(&p.files.Plan, "plan", "", "with --svg: the same for a Plan that weft route -o wrote")
	f.StringVar(&p.files.LFTs, "lfts", "", "with --svg: the same for forwarding tables of another subnet manager")
	f.StringVar(&p.colour, "colour", show.ByLoad, "what colours of cables tell of the routing: load (pairs of hosts), or lanes (the virtual lanes that packets use)")
	cli.LaneFileFlags(cmd, &p.files)
}

// alone reports whether the picture is all that is written.
func (p *pictureFlags) alone() bool { return p.svg == "-" }

// draw writes the picture, if one was asked for.
func (p *pictureFlags) draw(cmd *cobra.Command, src *source.Source) error {
	routed := p.chain != "" || p.files.Given()
	switch {
	case p.colour != show.ByLoad && p.colour != show.ByLanes:
		return fmt.Errorf("--colour %s: want %s or %s", p.colour, show.ByLoad, show.ByLanes)
	case !routed && (cmd.Flags().Changed("colour") || p.files != routing.TableFiles{}):
		return errors.New("--colour, --sl, --sl2vl, --one-lane and --choice are about a routing: give --engine, --plan or --lfts too")
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
		picture, err = show.Picture(ctx, src, routing, p.colour, p.routing.Workers)
		return err
	})
	if err != nil {
		return err
	}
	return file.Write(picture.WriteSVG)
}

// route routes the fabric or reads tables, where loads were asked for.
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
