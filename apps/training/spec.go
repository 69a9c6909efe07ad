package training

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Spec describes a training step.
type Spec struct {
	Data         int     `json:"data"`
	Tensor       int     `json:"tensor"`
	Pipeline     int     `json:"pipeline"`
	Expert       int     `json:"expert"`
	Layers       int     `json:"layers"`
	Hidden       int     `json:"hidden"`
	Tokens       int     `json:"tokens"` // of a micro-batch
	MicroBatches int     `json:"micro_batches"`
	Top          int     `json:"top"`    // experts of a token
	TFlops       float64 `json:"tflops"` // of a rank, 10^12 operations a second
}

// usual holds the default options: 32 layers, as in a model of 7 billion parameters.
var usual = Spec{Tensor: 1, Pipeline: 1, Expert: 1, Layers: 32, Hidden: 4096, Tokens: 4096, MicroBatches: 8, Top: 2, TFlops: 400}

// Is reports whether a text is a training step.
func Is(text string) bool { return strings.HasPrefix(text, "training(") || text == "training" }

// Parse reads a step such as training(data=8,tensor=8,pipeline=4,hidden=8192). Without data=, the
// ranks that are left form the data-parallel groups.
func Parse(text string, ranks int) (Spec, error) {
	s := usual
	inner, closed := strings.CutSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "training"), "("), ")")
	if strings.Contains(text, "(") && !closed {
		return s, fmt.Errorf("%q: the closing ) is missing", text)
	}
	for word := range strings.SplitSeq(inner, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		if err := s.set(word); err != nil {
			return s, fmt.Errorf("%q: %w", text, err)
		}
	}
	if s.Data == 0 {
		s.Data = ranks / (s.Tensor * s.Pipeline)
	}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("%q: %w", text, err)
	}
	return s, nil
}

// set takes a word such as tensor=8.
func (s *Spec) set(word string) error {
	key, value, _ := strings.Cut(word, "=")
	if key == "tflops" {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || !(n > 0 && n < 1e9) {
			return fmt.Errorf("%s: 10^12 operations a second are expected, such as 400", word)
		}
		s.TFlops = n
		return nil
	}
	fields := map[string]*int{
		"data": &s.Data, "tensor": &s.Tensor, "pipeline": &s.Pipeline, "expert": &s.Expert, "layers": &s.Layers,
		"hidden": &s.Hidden, "tokens": &s.Tokens, "micro": &s.MicroBatches, "top": &s.Top,
	}
	field, ok := fields[key]
	if !ok {
		return fmt.Errorf("%q: data, tensor, pipeline, expert, layers, hidden, tokens, micro, top or tflops is expected", word)
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > 1<<20 {
		return fmt.Errorf("%s: a number from 1 to %d is expected", word, 1<<20)
	}
	*field = n
	return nil
}

// check returns an error for a step that no ranks can do.
func (s *Spec) check() error {
	switch {
	case s.Data < 1:
		return fmt.Errorf("too few places: tensor=%d times pipeline=%d need that many ranks; give data=, too, if there is no fabric", s.Tensor, s.Pipeline)
	case s.Data > (1<<20)/s.Tensor/s.Pipeline:
		return fmt.Errorf("over %d ranks", 1<<20)
	case s.Ranks() < 2:
		return errors.New("one rank sends nothing: two are needed")
	case s.Layers%s.Pipeline != 0:
		return fmt.Errorf("layers=%d are no whole number for each of %d stages", s.Layers, s.Pipeline)
	case s.Data%s.Expert != 0:
		return fmt.Errorf("expert=%d does not divide data=%d: experts are shared by ranks of a data-parallel group", s.Expert, s.Data)
	case float64(s.Tokens)*float64(s.Hidden)*float64(s.Hidden) > 1e18:
		return errors.New("a layer that large takes days: fewer tokens or a smaller hidden= is expected")
	}
	return nil
}

// Rest returns the kind of a rank's wait after its part of the step: it waits for the other stages.
func (s *Spec) Rest() int {
	if s.Pipeline > 1 {
		return kindPipeline
	}
	return 0
}

// Ranks returns the number of ranks.
func (s *Spec) Ranks() int { return s.Data * s.Tensor * s.Pipeline }

// LayerTime returns the nanoseconds that a rank computes for a layer forward; backward is twice.
func (s *Spec) LayerTime() int64 {
	operations := 24 * float64(s.Tokens) * float64(s.Hidden) * float64(s.Hidden) / float64(s.Tensor)
	return max(2, int64(operations/(s.TFlops*1000)))
}

// Bubble returns the nanoseconds that a rank would wait in the pipeline if messages took no time.
func (s *Spec) Bubble() int64 {
	return int64(s.Pipeline-1) * 3 * s.LayerTime() * int64(s.Layers/s.Pipeline)
}
