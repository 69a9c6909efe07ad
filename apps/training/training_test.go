package training

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/apps/machine"
	"weft/apps/script"
)

// play runs a step on an ideal network.
func play(t *testing.T, s Spec, costs machine.Parameters) (*script.Run, *machine.Machine, int64) {
	t.Helper()
	x, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	run := script.New(x)
	m := machine.New(run, costs)
	if err := m.Run(context.Background()); err != nil || len(m.Waiting()) > 0 || m.Unequal > 0 {
		t.Fatalf("%+v: %v, %d waiting, %d unequal", s, err, len(m.Waiting()), m.Unequal)
	}
	end := int64(0)
	for r := range s.Ranks() {
		end = max(end, int64(m.End(int32(r))))
	}
	return run, m, end
}

// TestNoTime: if messages take no time, a step takes what the formula says, and each rank waits for
// the bubble alone.
func TestNoTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 41))
	for range 30 {
		s := usual
		s.Pipeline, s.Tensor = 1+rng.IntN(4), 1+rng.IntN(3)
		s.Expert = 1 + rng.IntN(3)
		s.Data = s.Expert * (1 + rng.IntN(3))
		s.Layers, s.MicroBatches = s.Pipeline*(1+rng.IntN(3)), 1+rng.IntN(6)
		s.Tokens, s.Hidden = 64, 128
		if s.Ranks() < 2 {
			continue
		}
		for _, eager := range []int64{0, 1 << 50} {
			run, _, end := play(t, s, machine.Parameters{Eager: eager})
			forward := s.LayerTime()
			if s.Tensor > 1 || s.Expert > 1 {
				forward = forward / 2 * 2 // two halves
			}
			slot := (forward + 2*s.LayerTime()) * int64(s.Layers/s.Pipeline)
			if want := int64(s.MicroBatches+s.Pipeline-1) * slot; end != want {
				t.Errorf("%+v, eager %d: %d ns, want %d", s, eager, end, want)
			}
			f := run.Figures(s.Rest())
			if f.Computing != float64(int64(s.MicroBatches)*slot) || f.Exposed[kindTensor]+f.Exposed[kindExpert]+f.Exposed[kindData] != 0 {
				t.Errorf("%+v: %+v", s, f)
			}
			if bubble := float64(int64(s.Pipeline-1) * slot); f.Exposed[kindPipeline] != bubble {
				t.Errorf("%+v: waits %v ns for other stages, the bubble is %v", s, f.Exposed[kindPipeline], bubble)
			}
		}
	}
}

// TestHidden: an all-reduce of gradients that fits beside the rest of the backward pass is hidden;
// tensor-parallel operations never are. What computes and what is exposed fill the step.
func TestHidden(t *testing.T) {
	s := usual
	s.Data, s.Layers, s.MicroBatches = 4, 8, 2
	s.Tokens, s.Hidden = 4096, 1024
	run, _, end := play(t, s, machine.Parameters{Latency: 1000, GapPerByte: 0, Eager: 1 << 40})
	f := run.Figures(s.Rest())
	if f.Total[kindData] < 8*6*1000 || f.Exposed[kindData] > 6*1000 || f.Exposed[kindData] < 5*1000 {
		t.Errorf("fast network: %+v", f)
	}
	if sum := f.Computing + f.Exposed[kindData]; sum != float64(end) {
		t.Errorf("%f ns of work and waits in a step of %d ns", sum, end)
	}
	slow, _, late := play(t, s, machine.Parameters{Latency: 1000, GapPerByte: 1, Eager: 1 << 40})
	if g := slow.Figures(s.Rest()); g.Exposed[kindData] < 100*f.Exposed[kindData] || late <= end {
		t.Errorf("slow network: %+v", g)
	}
	s.Data, s.Tensor = 1, 4
	run, _, _ = play(t, s, machine.Parameters{Latency: 1000, Eager: 1 << 40})
	if f := run.Figures(s.Rest()); f.Exposed[kindTensor] != f.Total[kindTensor] || f.Total[kindTensor] != 2*8*4*6*1000 {
		t.Errorf("tensor: %+v", f)
	}
}

// TestPlaces: slot and place are the reverse of each other.
func TestPlaces(t *testing.T) {
	for _, micro := range []int{1, 2, 3, 8} {
		x := &step{Spec: Spec{Pipeline: 4, MicroBatches: micro}}
		for stage := range 4 {
			for place := range 2 * micro {
				m, backward := x.slot(stage, place)
				if got := x.place(stage, m, backward); got != place || m < 0 || m >= micro {
					t.Errorf("%d micro-batches, stage %d: place %d is micro-batch %d backward %v, whose place is %d", micro, stage, place, m, backward, got)
				}
			}
		}
	}
}

// TestParse: what no ranks can do is refused, with what to do.
func TestParse(t *testing.T) {
	s, err := Parse("training(tensor=4,pipeline=2,hidden=1024)", 32)
	if err != nil || s.Data != 4 || s.Ranks() != 32 {
		t.Errorf("%+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"training(tensor=64)":                            "too few places",
		"training(data=2":                                "closing )",
		"training(data=2,layers=3,pipeline=2)":           "no whole number",
		"training(data=6,expert=4)":                      "does not divide",
		"training(data=2,tflops=NaN)":                    "operations a second",
		"training(data=2,size=3)":                        "is expected",
		"training(data=1)":                               "two are needed",
		"training(data=1048576,tensor=2)":                "over",
		"training(data=2,hidden=1048576,tokens=1048576)": "a layer that large",
	} {
		if _, err := Parse(text, 32); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestManyItems: a step of more items than can be counted one by one begins at once.
func TestManyItems(t *testing.T) {
	s := usual
	s.Data, s.Expert, s.Tokens, s.Hidden = 2, 2, 64, 64
	s.Layers, s.MicroBatches = 1<<20, 1<<20
	x, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	const last = 1<<20*1<<20*2*4 - 1 // two directions of four parts
	if _, ok := x.Item(0, 0, last); !ok {
		t.Error("the last item is not there")
	}
	if _, ok := x.Item(0, 0, last+1); ok {
		t.Error("there is one item more")
	}
	if share := script.New(x).Share(); share != 0 {
		t.Errorf("%v is done before the begin", share)
	}
}

// TestSize: the predicted messages and bytes of a step are those of its run.
func TestSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 42))
	for range 30 {
		s := usual
		s.Pipeline, s.Tensor, s.Expert = 1+rng.IntN(3), 1+rng.IntN(4), 1+rng.IntN(3)
		s.Data = s.Expert * (1 + rng.IntN(3))
		s.Layers, s.MicroBatches = s.Pipeline*(1+rng.IntN(3)), 1+rng.IntN(4)
		s.Tokens, s.Hidden = 64, 128
		if s.Ranks() < 2 {
			continue
		}
		size, err := s.Size()
		_, m, _ := play(t, s, machine.Usual)
		if err != nil || size.Messages != float64(m.Messages) || size.Bytes != float64(m.Bytes) {
			t.Errorf("%+v: predicted %+v, sent %d messages of %d bytes; %v", s, size, m.Messages, m.Bytes, err)
		}
	}
}
