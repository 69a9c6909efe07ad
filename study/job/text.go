package job

import (
	"fmt"
	"io"
	"time"

	"weft/fabric"
	"weft/study"
)

// Write prints the answer in four lines.
func (j *Job) Write(w io.Writer) error {
	return study.Table(w, [][]string{
		{"nodes", j.nodesText()},
		{"others", j.othersText()},
		{"cables", j.cablesText()},
		{"better", j.betterText()},
	})
}

func (j *Job) nodesText() string {
	return fmt.Sprintf("%d on %s; random pairs of them get %.0f %% of full speed", j.Nodes, spanText(j.Leaves, j.Pods), 100*j.EBB.Mean)
}

// spanText counts leaves, and pods if there are several.
func spanText(leaves, pods int) string {
	text := fmt.Sprintf("%d leaf switches", leaves)
	if leaves == 1 {
		text = "1 leaf switch"
	}
	if pods > 1 {
		text += " in " + study.Plural(pods, "pod")
	}
	return text
}

func (j *Job) othersText() string {
	switch {
	case j.Others == 0:
		return "none is given (--beside)"
	case len(j.Shares) == 0:
		return fmt.Sprintf("none of %s uses its cables: slow-down %.3f", study.Plural(j.Others, "job"), j.SlowDown)
	}
	verb := "share"
	if len(j.Shares) == 1 {
		verb = "shares"
	}
	return fmt.Sprintf("%d of %s %s its cables: beside them it takes %.2f times as long, most for %s",
		len(j.Shares), study.Plural(j.Others, "job"), verb, j.SlowDown, j.Shares[0].name())
}

func (s *Shared) name() string {
	if s.User == "" {
		return "job " + s.Job
	}
	return fmt.Sprintf("job %s (%s)", s.Job, s.User)
}

func (j *Job) cablesText() string {
	if len(j.Trouble) > 0 {
		t := &j.Trouble[0]
		return fmt.Sprintf("%d of %d need a look: %s: %s", len(j.Trouble), j.Cables, t.cable(), t.Text)
	}
	text := fmt.Sprintf("%d, none looks sick", j.Cables)
	if !j.Counters {
		text += " (errors and load are unknown: --counters, --from)"
	}
	return text
}

// cable names a cable by its two ports.
func (t *Trouble) cable() string {
	return shorts(t.Ports)
}

func shorts(ports []fabric.PortName) (text string) {
	for i, p := range ports {
		if i > 0 {
			text += " -- "
		}
		text += p.Short()
	}
	return text
}

// noticed is the least gain that makes other nodes better: predictions of less are often wrong.
const noticed = 1.05

// longList is the length above which a list of nodes is left to -v.
const longList = 60

func (j *Job) betterText() string {
	var own *Placement
	for i := range j.Placements {
		if j.Placements[i].Strategy == asGiven {
			own = &j.Placements[i]
		}
	}
	best := &j.Placements[0]
	switch {
	case len(j.Placements) == 1:
		return fmt.Sprintf("no other choice: %s free", study.Plural(j.Free, "node"))
	case own.Time < best.Time*noticed:
		return fmt.Sprintf("none of %d other choices of free nodes is 5 %% faster", len(j.Placements)-1)
	}
	list := best.List
	if len(list) > longList {
		list = "-v lists them"
	}
	return fmt.Sprintf("%.2f not %.2f times the ideal time on other nodes (%s): %s", best.Time, own.Time, best.Strategy, list)
}

// WriteAll prints every figure.
func (j *Job) WriteAll(w io.Writer) error {
	if err := j.Write(w); err != nil {
		return err
	}
	rows := [][]string{
		{"list", j.List},
		{"bisections", fmt.Sprintf("%.4f of a port, +-%.4f (effective bisection bandwidth: random pairs of nodes, all at once)", j.EBB.Mean, j.EBB.CI95)},
		{"shifts", fmt.Sprintf("%.3f times the ideal time: all nodes to all others, round by round", j.Shift.Mean)},
		{"exchange", fmt.Sprintf("%.3f times the ideal time alone, all nodes to all others at once; slow-down beside the other jobs %.3f", j.Alone, j.SlowDown)},
	}
	for _, c := range j.Collectives {
		rows = append(rows, []string{"operation", fmt.Sprintf("%s: %v alone, %.3f times the ideal time", c.Program, time.Duration(c.TimeNS), c.Cost)})
	}
	fmt.Fprintln(w)
	if err := study.Table(w, rows); err != nil {
		return err
	}
	if len(j.Shares) > 0 {
		rows := [][]string{{"SHARES WITH", "NODES", "CABLES", "SLOWS THIS", "IS SLOWED", "FULLEST CABLE"}}
		for i := range j.Shares {
			s := &j.Shares[i]
			rows = append(rows, []string{s.name(), fmt.Sprint(s.Nodes), fmt.Sprint(s.Cables), fmt.Sprintf("%.3f", s.SlowDown), fmt.Sprintf("%.3f", s.Slows), s.Worst.Short()})
		}
		fmt.Fprintln(w)
		if err := study.Table(w, rows); err != nil {
			return err
		}
	}
	if len(j.Trouble) > 0 {
		rows := [][]string{{"CABLE", "KIND", "WHAT"}}
		for i := range j.Trouble {
			t := &j.Trouble[i]
			rows = append(rows, []string{t.cable(), t.Kind, t.Text})
		}
		fmt.Fprintln(w)
		if err := study.Table(w, rows); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return writePlacements(w, j.Placements)
}

// Write prints the table.
func (t *Table) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s of %s free, beside %s\n\n", study.Plural(t.Nodes, "node"), study.Plural(t.Free, "node"), study.Plural(t.Others, "job"))
	return writePlacements(w, t.Placements)
}

// writePlacements prints choices of nodes, and the list of each.
func writePlacements(w io.Writer, all []Placement) error {
	rows := [][]string{{"NODES", "LEAVES", "PODS", "ALONE", "SLOW-DOWN", "TIME", "SHARES WITH", "SLOWS OTHERS BY"}}
	for i := range all {
		p := &all[i]
		worst := fmt.Sprintf("%.3f", p.OthersSlowDown)
		if p.Worst != "" {
			worst += " (" + p.Worst + ")"
		}
		rows = append(rows, []string{
			p.Strategy, fmt.Sprint(p.Leaves), fmt.Sprint(p.Pods), fmt.Sprintf("%.3f", p.Alone), fmt.Sprintf("%.3f", p.SlowDown),
			fmt.Sprintf("%.3f", p.Time), study.Plural(p.Sharing, "job"), worst,
		})
	}
	if err := study.Table(w, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for i := range all {
		study.Remark(w, all[i].Strategy+": ", all[i].List)
	}
	return nil
}
