package app

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"weft/apps/machine"
	"weft/fabric"
	"weft/planner"
	"weft/sim/packet"
)

// playAll runs programs on a fabric.
func playAll(t *testing.T, g *fabric.Graph, r *planner.Result, placement string, byPackets bool, texts ...string) *Run {
	t.Helper()
	jobs, err := OpenAll(texts, DefaultsOf(g, true, placement))
	if err != nil {
		t.Fatal(err)
	}
	run, err := On(context.Background(), g, r, &Request{
		Jobs: jobs, Costs: machine.Parameters{Overhead: 200, Eager: 1 << 40}, Packets: byPackets, Placement: placement, OnPorts: true,
		Hardware: packet.Default(), Memory: memory, Workers: 1, Record: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestSlowDown: jobs on leaves of their own do not slow each other down. Where they share leaves
// with half the cables upwards they do, by flows as much as by packets within 5 %. (Jobs of many
// rounds differ by up to 41 %: rounds of the one meet those of the other at other times.)
func TestSlowDown(t *testing.T) {
	g, r := routed(t, "xgft(2;4,4;1,2)", "ftree")
	jobs := []string{"alltoall(atonce,ranks=8,size=256KiB)", "alltoall(atonce,ranks=8,size=256KiB)"}
	shared := map[bool]float64{}
	for _, byPackets := range []bool{false, true} {
		apart := playAll(t, g, r, "leaf", byPackets, jobs...)
		together := playAll(t, g, r, "random:1", byPackets, jobs...)
		for i := range jobs {
			if s := apart.Jobs[i].SlowDown; math.Abs(s-1) > 0.0005 {
				t.Errorf("by packets %v, job %d on its own leaves: slow-down %.4f", byPackets, i, s)
			}
			shared[byPackets] += together.Jobs[i].SlowDown / float64(len(jobs))
		}
		if together.Jobs[0].Cost < 1.1 {
			t.Errorf("by packets %v: drawn places cost %.3f", byPackets, together.Jobs[0].Cost)
		}
	}
	if shared[false] < 1.1 || math.Abs(shared[true]/shared[false]-1) > 0.05 {
		t.Errorf("slow-down on shared leaves: %.3f by flows, %.3f by packets", shared[false], shared[true])
	}
}

// TestOffsets: a job that starts when the other has ended is not slowed down, its time counts from
// its start, and the same run has the same bytes again.
func TestOffsets(t *testing.T) {
	g, r := routed(t, "rlft(4,2)", "ftree")
	texts := []string{"alltoall(atonce,ranks=4,size=64KiB)", "allreduce(ring,ranks=4,size=1MiB)@10ms"}
	run := playAll(t, g, r, "random:7", false, texts...)
	for i, j := range run.Jobs {
		if math.Abs(j.SlowDown-1) > 1e-9 || j.TimeNS > 1e6 {
			t.Errorf("job %d: %+v", i, j)
		}
	}
	if end := run.Jobs[1].StartNS + run.Jobs[1].TimeNS; run.EndNS != end || run.EndNS < 10e6 {
		t.Errorf("end %v, want %v", run.EndNS, end)
	}
	var first, second bytes.Buffer
	if err := run.Pictures.WriteSVG(&first); err != nil {
		t.Fatal(err)
	}
	again := playAll(t, g, r, "random:7", false, texts...)
	if err := again.Pictures.WriteSVG(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("the second picture differs, %v", err)
	}
}

// TestPictures: the shares of a picture hold what the ranks received, and all panels have the same
// steps; the SVG is sound.
func TestPictures(t *testing.T) {
	g, r := routed(t, "rlft(4,2)", "ftree")
	for _, byPackets := range []bool{false, true} {
		run := playAll(t, g, r, "leaf", byPackets, "halo(2d,steps=3,size=100000,calc=5us)")
		rate := 0.0
		for _, p := range run.Pictures.Panels {
			if len(p.Shares[0]) != len(run.Pictures.Panels[0].Shares[0]) {
				t.Errorf("%s: %d steps", p.Title, len(p.Shares[0]))
			}
			sum := 0.0
			for _, v := range p.Shares[0] {
				sum += float64(v) * p.StepNS
			}
			switch {
			case strings.HasPrefix(p.Title, "ranks computing") && math.Abs(sum-15000) > 1:
				t.Errorf("computing: %v ns, want 15000", sum)
			case strings.HasPrefix(p.Title, "ranks receiving"):
				rate = 3 * 4 * 100000 / sum // bytes in a nanosecond
			}
		}
		h := packet.Default()
		if want := float64(g.EndRate[0]) / 8e3 * float64(h.MTU) / float64(h.MTU+h.Headers); math.Abs(rate/want-1) > 0.03 { // a message is spread evenly over its time
			t.Errorf("by packets %v: a port receives %v bytes in a nanosecond, want %v", byPackets, rate, want)
		}
		var svg bytes.Buffer
		if err := run.Pictures.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&svg)
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		var text bytes.Buffer
		if err := run.Pictures.WriteCSV(&text); err != nil {
			t.Fatal(err)
		}
		if rows, err := csv.NewReader(&text).ReadAll(); err != nil || len(rows) < 16 {
			t.Errorf("%d rows, %v", len(rows), err)
		}
	}
	local := playAll(t, g, r, "leaf", false, "barrier(ranks=2)")
	var svg bytes.Buffer
	if err := local.Pictures.WriteSVG(&svg); err != nil {
		t.Errorf("a run with nearly no bytes: %v", err)
	}
}

// TestTraining: on a fabric a step takes longer than on one switch, never shorter, and what is
// computed and exposed fits in it.
func TestTraining(t *testing.T) {
	g, r := routed(t, "xgft(2;4,4;1,2)", "ftree")
	run := playAll(t, g, r, "leaf", false, "training(tensor=2,pipeline=2,expert=2,layers=4,micro=3,hidden=1024)")
	if run.Cost < 1 || run.Training == nil || len(run.Training.Parts) != 4 {
		t.Fatalf("%+v", run.Training)
	}
	sum := run.Training.ComputingNS
	for _, p := range run.Training.Parts {
		if sum += p.ExposedNS; p.ExposedNS < 0 {
			t.Errorf("%+v", p)
		}
	}
	if sum > run.EndNS*1.0001 || sum < run.EndNS*0.8 {
		t.Errorf("%v ns are explained of %v", sum, run.EndNS)
	}
	var out bytes.Buffer
	if err := run.Write(&out); err != nil || !strings.Contains(out.String(), "bubble") {
		t.Errorf("%s, %v", out.String(), err)
	}
}

// TestOpenAll: what is wrong in a program's start is named.
func TestOpenAll(t *testing.T) {
	for _, at := range []string{"@soon", "@-1ms", "@"} {
		if _, err := OpenAll([]string{"barrier(ranks=2)" + at}, DefaultsOf(&fabric.Graph{}, true, "leaf")); err == nil || !strings.Contains(err.Error(), "a time such as 2ms") {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// TestCheckSeeds: ten drawn placements end at different times, each at the same one again.
func TestCheckSeeds(t *testing.T) {
	g, r := routed(t, "xgft(2;4,4;1,2)", "ftree")
	ends := map[float64]bool{}
	for seed := range 10 {
		placement := fmt.Sprintf("random:%d", seed)
		a := playAll(t, g, r, placement, false, "alltoall(pairwise,ranks=16,size=64KiB)")
		b := playAll(t, g, r, placement, false, "alltoall(pairwise,ranks=16,size=64KiB)")
		if a.EndNS != b.EndNS {
			t.Errorf("%s: %v and %v ns", placement, a.EndNS, b.EndNS)
		}
		ends[a.EndNS] = true
	}
	if len(ends) < 5 {
		t.Errorf("ten seeds have %d ends", len(ends))
	}
}

// TestTrainingLater: a training step that starts later has the same figures, which fill the step.
// No start is beyond the longest run.
func TestTrainingLater(t *testing.T) {
	g, r := routed(t, "rlft(4,2)", "ftree")
	const step = "training(pipeline=2,tensor=2,layers=4,hidden=256,tokens=512,micro=3)"
	now, later := playAll(t, g, r, "leaf", false, step), playAll(t, g, r, "leaf", false, step+"@3ms")
	if later.EndNS != now.EndNS+3e6 || !reflect.DeepEqual(now.Training, later.Training) {
		t.Errorf("at 0 %v: %+v\nlater %v: %+v", now.EndNS, now.Training, later.EndNS, later.Training)
	}
	sum := now.Training.ComputingNS
	for _, p := range now.Training.Parts {
		sum += p.ExposedNS
	}
	if math.Abs(sum/now.EndNS-1) > 1e-9 {
		t.Errorf("a step of %v ns has %v ns of work and waits", now.EndNS, sum)
	}
	for _, start := range []string{"-1s", "2562047h", "481h", "soon"} {
		if _, err := OpenAll([]string{step + "@" + start}, DefaultsOf(g, true, "leaf")); err == nil || !strings.Contains(err.Error(), "up to 480 h, is expected after @") {
			t.Errorf("@%s: %v", start, err)
		}
	}
}
