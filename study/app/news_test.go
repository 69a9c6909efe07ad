package app

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/sim/packet"
)

// TestPacketLinks: by packets the pictures have all bytes that the busiest link carried, and a run
// that is recorded ends at the same time.
func TestPacketLinks(t *testing.T) {
	g, r := routed(t, "rlft(4,3)", "ftree")
	req := Usual()
	req.Packets, req.OnPorts, req.Placement = true, true, "random:3"
	var ends []float64
	for _, req.Record = range []bool{false, true} {
		var err error
		if req.Jobs, err = OpenEach([]string{"alltoall(size=16KiB)"}, DefaultsOf(g, true, "leaf")); err != nil {
			t.Fatal(err)
		}
		run, err := On(context.Background(), g, r, &req)
		if err != nil {
			t.Fatal(err)
		}
		if ends = append(ends, run.EndNS); !req.Record {
			continue
		}
		p := run.Pictures.Panels
		links := p[slices.IndexFunc(p, func(p Panel) bool { return strings.HasPrefix(p.Title, "busiest links") })]
		sum, rate := 0.0, run.Busiest[0].Bytes/run.Busiest[0].Share/run.EndNS
		for _, share := range links.Shares[0] {
			sum += float64(share) * links.StepNS * rate
		}
		if name := run.Busiest[0].Port; links.Names[0] != name.Short() || math.Abs(sum/run.Busiest[0].Bytes-1) > 1e-3 {
			t.Errorf("the picture has %.0f bytes of %s, the run %.0f of %s", sum, links.Names[0], run.Busiest[0].Bytes, name.Short())
		}
	}
	if ends[0] != ends[1] {
		t.Errorf("ends %v, without and with pictures", ends)
	}
	if port := packet.LinkPort(g, int32(packet.Links(g)-g.NumEnds)); port != g.EndName(0) {
		t.Errorf("the first link of an end port belongs to %v", port)
	}
}

// TestNews: a job that ends is a result before the others have ended, with the time that the table
// has at the end.
func TestNews(t *testing.T) {
	g, r := routed(t, "rlft(4,3)", "ftree")
	req := Usual()
	jobs, err := OpenAll([]string{"alltoall(ranks=8,size=1KiB)@1us", "allreduce(ring,ranks=8,size=64KiB,steps=300)"}, DefaultsOf(g, false, "leaf"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	req.Jobs, req.News = jobs, News{Result: func(line string) { told = append(told, line) }}
	run, err := On(context.Background(), g, r, &req)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{jobs[0].Name + " has ended, after " + duration(run.Jobs[0].TimeNS), "the run ends at " + duration(run.EndNS) + "; next the same on one switch for all hosts"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
