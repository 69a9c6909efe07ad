package app

import (
	"testing"

	"weft/apps/collective"
)

// TestSize: the predicted messages of programs that run at once are those that they send, and the
// memory grows with a picture.
func TestSize(t *testing.T) {
	g, r := routed(t, "rlft(8,2)", "ftree")
	jobs, err := OpenTexts([]string{"allreduce(tree,ranks=9,size=64KiB,steps=3)", "training(data=4,tensor=2,layers=2,hidden=64)@5us", "two@ranks"},
		map[string]string{"two@ranks": "num_ranks 2\nrank 0 {\nl1: send 5000b to 1 tag 7\n}\nrank 1 {\nl1: recv 5000b from 0 tag 7\n}\n"}, collective.Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	for _, packets := range []bool{false, true} {
		req := Usual()
		req.Jobs, req.Packets = jobs, packets
		plain, err := req.Size(g)
		if err != nil {
			t.Fatal(err)
		}
		req.Record = true
		drawn, _ := req.Size(g)
		run, err := On(t.Context(), g, r, &req)
		if err != nil {
			t.Fatal(err)
		}
		if want := float64(run.Messages) + float64(run.Bytes)/float64(req.Hardware.MTU); plain.Messages != float64(run.Messages) || packets != (plain.Packets == want) {
			t.Errorf("packets %v: predicted %+v, sent %d messages of %d bytes", packets, plain, run.Messages, run.Bytes)
		}
		if drawn.Memory <= plain.Memory || plain.Memory < messageMemory {
			t.Errorf("%v bytes with a picture, %v without", drawn.Memory, plain.Memory)
		}
	}
}
