package app

import (
	"fmt"

	"weft/apps/script"
	"weft/apps/training"
)

// Training holds the figures of a training step: means over its ranks, in nanoseconds.
type Training struct {
	Step        training.Spec  `json:"step"`
	ComputingNS float64        `json:"computing_ns"`
	BubbleNS    float64        `json:"bubble_ns"` // the wait in the pipeline if messages took no time
	Parts       []TrainingPart `json:"parts"`
}

// TrainingPart is the communication of one kind. Exposed is the time that a rank stands still
// because of it. In the pipeline, the exposed time includes the bubble.
type TrainingPart struct {
	Kind      string  `json:"kind"`
	TotalNS   float64 `json:"total_ns"`
	ExposedNS float64 `json:"exposed_ns"`
}

// trainingOf returns the figures of a job that has ended; nil if it is no training step.
func (c *cast) trainingOf(job int, unit float64) *Training {
	run, ok := c.runs[job].(*script.Run)
	if !ok {
		return nil
	}
	s := c.jobs[job].training
	f := run.Figures(s.Rest())
	t := &Training{Step: *s, ComputingNS: f.Computing / unit, BubbleNS: float64(s.Bubble())}
	for kind, name := range training.Names {
		if f.Total[kind] > 0 || f.Exposed[kind] > 0 {
			t.Parts = append(t.Parts, TrainingPart{name, f.Total[kind] / unit, f.Exposed[kind] / unit})
		}
	}
	return t
}

// rows returns lines of a table of figures.
func (t *Training) rows() [][]string {
	s := &t.Step
	rows := [][]string{
		{"step", fmt.Sprintf("data %d, tensor %d, pipeline %d, expert %d; %d layers of %d values, %d micro-batches of %d tokens", s.Data, s.Tensor, s.Pipeline, s.Expert, s.Layers, s.Hidden, s.MicroBatches, s.Tokens)},
		{"computing", duration(t.ComputingNS) + " of each rank, on average"},
	}
	for _, p := range t.Parts {
		text := fmt.Sprintf("%s, %s of it exposed", duration(p.TotalNS), duration(p.ExposedNS))
		if p.Kind == "pipeline" {
			text = fmt.Sprintf("%s of messages; %s of waiting, of which the bubble would be %s", duration(p.TotalNS), duration(p.ExposedNS), duration(t.BubbleNS))
		}
		rows = append(rows, []string{p.Kind, text})
	}
	return rows
}
