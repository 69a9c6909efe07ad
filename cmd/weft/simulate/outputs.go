package simulate

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"weft/study/packets"
)

// packetOutputs names the files that weft simulate packet writes.
type packetOutputs struct {
	csv    string
	svg    string
	beside []string // documents of earlier simulations, drawn beside this one
	links  string
	hosts  string
	flows  string
	times  []string // for the steps of a run
}

func (o *packetOutputs) add(f *pflag.FlagSet, steps *int) {
	f.StringVar(&o.csv, "csv", "", "write the rows to `FILE`, comma-separated")
	f.StringVar(&o.svg, "svg", "", "draw throughput and latency against --load to `FILE`")
	f.StringSliceVar(&o.beside, "beside", nil, "with --svg: `FILES` with results of earlier runs (--json), drawn beside this one")
	f.StringSliceVar(&o.times, "over-time", nil, "write throughput, latency, link use and buffer filling over time to `FILES`, for the first run of the last row: a picture if the name ends in .svg, else comma-separated")
	f.StringVar(&o.links, "links", "", "for the first run of the last row, write use, time waiting for credits and buffer filling of each link to `FILE`, tab-separated, busiest first")
	f.StringVar(&o.hosts, "hosts", "", "for the first run of the last row, write what each host port sent and received to `FILE`, tab-separated")
	f.StringVar(&o.flows, "flows", "", "for the first run of the last row, write what each host port received from each other one, and the latency, to `FILE`, tab-separated")
	f.IntVar(steps, "steps", 0, "split the first run of the last row into `N` time steps, also with --json (default: 100 with --over-time or --links, else none)")
}

// set checks the options and requests the time steps that they need.
func (o *packetOutputs) set(r *packets.Request) error {
	overTime := len(o.times) > 0 || o.links != ""
	r.CountFlows = o.flows != ""
	switch {
	case r.IsBEff() && (o.hosts != "" || o.flows != ""):
		return errors.New("--hosts and --flows do not work with b_eff, which is many short runs")
	case r.IsBEff() && (r.Steps > 0 || overTime):
		return errors.New("--over-time, --links and --steps do not work with b_eff, which is many short runs")
	case len(o.beside) > 0 && o.svg == "":
		return errors.New("--beside needs --svg")
	case o.svg != "" && len(r.Loads) == 0:
		return errors.New("--svg draws results against the offered load: give --load (--over-time draws a single run)")
	case overTime && r.Steps == 0:
		r.Steps = 100
	}
	return nil
}

// paths returns the file names; "" for an unwanted file.
func (o *packetOutputs) paths() []string {
	return append([]string{o.csv, o.links, o.svg, o.hosts, o.flows}, o.times...)
}

// earlier reads the results of --beside.
func (o *packetOutputs) earlier() (list []*packets.Simulation, err error) {
	for _, path := range o.beside {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		earlier, err := packets.Read(path, data)
		if err != nil {
			return nil, err
		}
		list = append(list, earlier)
	}
	return list, nil
}

// writers returns the functions that write the files, in the order of paths.
func (o *packetOutputs) writers(out *packets.Simulation, earlier []*packets.Simulation) []func(io.Writer) error {
	curves := append(earlier, out)
	list := []func(io.Writer) error{out.WriteCSV, out.WriteLinks, func(w io.Writer) error { return packets.DrawCurves(w, curves) }, out.WriteHosts, out.WriteFlows}
	for _, path := range o.times {
		if strings.HasSuffix(path, ".svg") {
			list = append(list, out.DrawTimes)
		} else {
			list = append(list, out.WriteTimes)
		}
	}
	return list
}
