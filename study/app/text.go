package app

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"weft/study"
)

// Write prints the run for people.
func (r *Run) Write(w io.Writer) error {
	var rows [][]string
	add := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	if r.Fabric != "" {
		add("fabric", "%s, engine %s", r.Fabric, cmp.Or(r.Engine, "tables of a file"))
	}
	add("program", "%s, %s", r.Program, study.Plural(len(r.Ranks), "rank"))
	if o := r.Operation; o != nil {
		text := fmt.Sprintf("%s by %s, %s", o.Name, o.Algorithm, study.Plural(o.Bytes, "byte"))
		if o.Why != "" {
			text += " (" + o.Why + ")"
		}
		add("operation", "%s", text)
	}
	network := map[string]string{"ideal": "ideal: the LogGOPS model", "flows": "routed, by flows", "packets": "routed, by packets"}[r.Network]
	if r.Placement != "" {
		network += ", ranks by " + r.Placement
		if r.Sends != Usual().Sends.String() {
			network += ", sends " + r.Sends
		}
	}
	add("network", "%s", network)
	add("messages", "%d, %s in all", r.Messages, study.Plural(r.Bytes, "byte"))
	if r.Unequal > 0 {
		add("sizes", "%s of another size than the receive; the first: %s", study.Plural(r.Unequal, "message"), r.FirstUnequal)
	}
	if r.LeftOut != "" {
		add("trace", "%s", r.LeftOut)
	}
	add("end", "%s", duration(r.EndNS))
	if b := r.Bandwidth; b != nil {
		port := "on each rank's port"
		if r.Operation.Group > 0 {
			port = "of each rank, inside its server too"
		}
		add("bandwidth", "%.2f GB/s; %.2f GB/s %s (bus bandwidth)", b.Algorithm, b.Bus, port)
	}
	if r.Training != nil {
		rows = append(rows, r.Training.rows()...)
	}
	if r.Cost > 0 {
		add("ideal", "%s on one switch for all hosts, by flows: this run takes %.3f times as long", duration(r.IdealNS), r.Cost)
	}
	if err := study.Table(w, rows); err != nil {
		return err
	}
	if err := r.writeJobs(w); err != nil {
		return err
	}
	items := make([]string, len(r.Busiest))
	for i, l := range r.Busiest {
		items[i] = fmt.Sprintf("%s: %.0f %% of its rate in use, %.0f bytes", l.Port.Short(), 100*l.Share, l.Bytes)
	}
	study.WriteSome(w, "busiest links", items, len(items))
	return nil
}

// writeJobs prints a line for each of several programs.
func (r *Run) writeJobs(w io.Writer) error {
	if len(r.Jobs) == 0 {
		return nil
	}
	rows := [][]string{{"JOB", "RANKS", "START", "TIME", "ALONE", "SLOW-DOWN", "IDEAL", "COST OF PLACES"}}
	for _, j := range r.Jobs {
		rows = append(rows, []string{
			j.Program, fmt.Sprint(j.Ranks), duration(j.StartNS), duration(j.TimeNS), duration(j.AloneNS),
			fmt.Sprintf("%.3f", j.SlowDown), duration(j.IdealNS), fmt.Sprintf("%.3f", j.Cost),
		})
	}
	fmt.Fprintln(w)
	return study.Table(w, rows)
}

func duration(ns float64) string {
	return time.Duration(ns).String()
}
