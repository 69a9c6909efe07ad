// Command program routes a dump and has it judged: go run ./examples/program
// examples/psmn-x5.ibnetdiscover
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"weft/fabric/source"
	"weft/planner"
	"weft/route/engine"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: program DUMP")
	}
	if err := run(context.Background(), os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, dump string) error {
	src, err := source.Open(dump, source.Options{})
	if err != nil {
		return err
	}
	chain, err := engine.Parse("ftree,updn", nil) // updn where ftree refuses
	if err != nil {
		return err
	}
	r, err := planner.Run(ctx, src.Fabric.Compile(), &planner.Request{Chain: chain, Workers: 2})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d LIDs on %d VLs, proven: %t\nlongest path %d hops, at most %d pairs of hosts on a channel\n",
		r.Engine.Name, r.Plan.Ends.Total(), r.Plan.VLs, r.Report.OK, r.Report.Hops.Max, r.Report.Load.Max)
	return err
}
