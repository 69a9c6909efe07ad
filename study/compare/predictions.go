package compare

import (
	"fmt"
	"io"

	"weft/planner"
	"weft/route/engine"
	"weft/study"
)

// Predicted sums up, for one kind of network, which engine its features predict and how often that
// was right on the fabrics of a sweep.
type Predicted struct {
	planner.Prediction
	Fabrics int
	Taken   int // auto took the predicted engine, or its Plan with relief
	// EBB, Shift and Both count the fabrics on which auto is within 1 % of the best proven engine
	// in bandwidth, in shifts, and in both.
	EBB, Shift, Both int
}

// Predictions compares the predictions by the features of fabrics with the rows of auto. predict
// recognises a fabric.
func Predictions(rows []SweepRow, predict func(fabric string) (planner.Prediction, error)) (out []Predicted, err error) {
	byFabric := map[string][]*SweepRow{}
	for i := range rows {
		byFabric[rows[i].Fabric] = append(byFabric[rows[i].Fabric], &rows[i])
	}
	at := map[planner.Prediction]int{}
	for i := range rows {
		r := &rows[i]
		if r.Engine != engine.Auto || r.Verdict != Proven {
			continue
		}
		what, err := predict(r.Fabric)
		if err != nil {
			return nil, err
		}
		if _, seen := at[what]; !seen {
			at[what] = len(out)
			out = append(out, Predicted{Prediction: what})
		}
		best := bestOf(byFabric[r.Fabric])
		out[at[what]].add(r, &best)
	}
	return out, nil
}

// add counts a row of auto.
func (p *Predicted) add(r, best *SweepRow) {
	p.Fabrics++
	if r.Chosen == p.Engine || r.Chosen == p.Engine+",relief=true" {
		p.Taken++
	}
	ebb := ratio(best.EBB-r.EBB, best.EBB) <= asGoodShare
	shift := ratio(r.Shift-best.Shift, r.Shift) <= asGoodShare
	for count, is := range map[*int]bool{&p.EBB: ebb, &p.Shift: shift, &p.Both: ebb && shift} {
		if is {
			*count++
		}
	}
}

// WritePredictions prints a table for people.
func WritePredictions(w io.Writer, all []Predicted) error {
	rows := [][]string{{"KIND", "FABRICS", "PREDICTED", "HOW", "TAKEN", "EBB <1 %", "SHIFTS <1 %", "BOTH"}}
	for i := range all {
		p := &all[i]
		how := "tried first"
		if p.Known {
			how = "without trials"
		}
		rows = append(rows, []string{p.Kind, fmt.Sprint(p.Fabrics), p.Engine, how, fmt.Sprint(p.Taken), fmt.Sprint(p.EBB), fmt.Sprint(p.Shift), fmt.Sprint(p.Both)})
	}
	if _, err := fmt.Fprint(w, "\nWhat features of a network predict, on how many fabrics auto took that engine, and on\nhow many it is within 1 % of the best proven engine:\n"); err != nil {
		return err
	}
	return study.Table(w, rows)
}
