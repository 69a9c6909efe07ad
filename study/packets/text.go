package packets

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"weft/internal/fold"
	"weft/study"
)

// Write prints the simulation for people.
func (o *Simulation) Write(w io.Writer) error {
	rows := [][]string{
		{"engine", cmp.Or(o.Engine, "tables of a file")},
		{"pattern", fmt.Sprintf("%s, %d ranks, %s order", o.Pattern, o.Ranks, o.Order)},
		{"lanes", strconv.Itoa(o.VLs)},
		{"runs", study.Plural(o.Seeds*len(o.Rows), "run") + ", " + study.Plural(o.Packets, "packet") + " in all"},
	}
	switch {
	case o.BEff != nil:
		rows[len(rows)-1] = []string{"messages", fmt.Sprintf("8 bytes and %s, %s in all", study.Plural(o.Message, "byte"), study.Plural(o.Packets, "packet"))}
	case o.MostMessage > 0:
		rows = append(rows, []string{"messages", fmt.Sprintf("%d to %s, drawn", o.Message, study.Plural(o.MostMessage, "byte"))})
	case o.Message > 0:
		rows = append(rows, []string{"messages", study.Plural(o.Message, "byte") + " each"})
	}
	if o.Window > 0 {
		rows = append(rows, []string{"measured", time.Duration(o.Window).String() + " of each run"})
	}
	if err := study.Table(w, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if o.BEff != nil {
		return study.Table(w, o.beffTable())
	}
	if err := study.Table(w, o.table()); err != nil {
		return err
	}
	if o.Limit != nil {
		fmt.Fprintf(w, "\nlimited by %s\n", fold.Text(2, o.Limit.text()))
	}
	for i := range o.Rows {
		if d := o.Rows[i].Deadlock; d != nil {
			d.write(w, &o.Rows[i], o.Seeds)
			break
		}
	}
	writeChanges(w, o.Changes)
	var all Losses
	for i := range o.Rows {
		all.add(o.Rows[i].Losses)
	}
	reasons := all.reasons()
	study.WriteSome(w, "packets lost", reasons, len(reasons))
	if len(o.Busiest) > 0 {
		items := make([]string, len(o.Busiest))
		for i, b := range o.Busiest {
			items[i] = fmt.Sprintf("%s -> %s: %.0f %% used, %.0f %% waiting for credits", b.Ports[0].Short(), b.Ports[1].Short(), 100*b.Used, 100*b.Waiting)
			if len(o.OverTime) > 0 {
				items[i] += fmt.Sprintf("; %.1f kB in the buffers behind it, at most %.1f in one", b.Filled/1000, b.Most/1000)
			}
		}
		study.WriteSome(w, "busiest links", items[:min(len(items), busiestShown)], busiestShown)
	}
	return nil
}

// table returns a row for each load.
func (o *Simulation) table() [][]string {
	number := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	us := func(ns float64) string { return number(ns/1000, 2) }
	head := []string{"LOAD", "GBIT/S", "+-95%", "SHARE", "SLOWEST", "FAIR", "US MEAN", "+-95%", "P99", "MAX", "LOST"}
	once := o.Window == 0
	if once {
		head[0] = "ENDS, US"
	}
	list := [][]string{head}
	for i := range o.Rows {
		r := &o.Rows[i]
		first := "full"
		switch {
		case once:
			first = us(r.Finished.Mean)
		case r.Load > 0:
			first = number(r.Load, 2)
		}
		throughput, latency := r.interval(o.Seeds)
		list = append(list, []string{
			first, number(r.Throughput.Mean, 2), number(throughput, 2), number(r.Share.Mean, 3), number(r.Slowest.Mean, 2), number(r.Fairness.Mean, 3),
			us(r.Latency.Mean), us(latency), us(r.Latency.P99), us(r.Latency.Max), strconv.FormatInt(r.Lost, 10),
		})
	}
	return list
}

// interval returns half the width of the 95 % confidence intervals of throughput and latency: over
// the seeds, or within the run if there is only one.
func (r *Row) interval(seeds int) (throughput, latency float64) {
	if seeds == 1 && r.Within != nil {
		return r.Within.Throughput, r.Within.Latency
	}
	return r.Throughput.CI95, r.RunLatency.CI95
}

func (d *Deadlock) write(w io.Writer, row *Row, seeds int) {
	fmt.Fprintf(w, "\nDEADLOCK in %d of %s, in that of seed %d by %s\n", row.Deadlocks, study.Plural(seeds, "run"), d.Seed, time.Duration(d.At))
	shown := d.Cycle[:min(len(d.Cycle), deadlockShown)]
	items := make([]string, len(shown))
	for i, b := range shown {
		where := "behind a host"
		if len(b.Ports) == 2 {
			where = fmt.Sprintf("%s -> %s", b.Ports[0].Short(), b.Ports[1].Short())
		}
		items[i] = fmt.Sprintf("%s, VL %d: %s, the first from %s to %s", where, b.VL, study.Plural(b.Packets, "packet"), b.From.Short(), b.To.Short())
	}
	if more := len(d.Cycle) - len(shown); more > 0 {
		items = append(items, fmt.Sprintf("and %d more (--json lists all)", more))
	}
	study.WriteSome(w, "each waits for room in the next", items, len(items))
}

// busiestShown limits the printed links.
const busiestShown = 3

// deadlockShown limits the printed buffers of a cycle; JSON has all.
const deadlockShown = 8

// WriteCSV writes a line of names, and one for each load or each figure of b_eff. Times are in
// nanoseconds.
func (o *Simulation) WriteCSV(w io.Writer) error {
	if o.BEff != nil {
		_, err := io.WriteString(w, o.beffCSV())
		return err
	}
	var b strings.Builder
	b.WriteString("load,throughput_gbps,throughput_ci95,share,slowest_gbps,fairness,latency_mean_ns,latency_ci95,latency_p50_ns,latency_p99_ns,latency_p999_ns,latency_max_ns,lost,deadlocks\n")
	for i := range o.Rows {
		r := &o.Rows[i]
		throughput, latency := r.interval(o.Seeds)
		fmt.Fprintf(&b, "%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%d,%d\n", r.Load, r.Throughput.Mean, throughput, r.Share.Mean, r.Slowest.Mean, r.Fairness.Mean,
			r.Latency.Mean, latency, r.Latency.Median, r.Latency.P99, r.Latency.P999, r.Latency.Max, r.Lost, r.Deadlocks)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
