package dfsssp

import (
	"context"

	"weft/lab"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// fig2 lets every node of a ring of five send to the node two hops clockwise, until all messages
// have arrived or nothing moves.
func (p *paper) fig2(ctx context.Context, s *lab.Setup) *lab.Result {
	ring := network{"ring", "torus(5,hosts=1)"}
	t := lab.Table{Name: "fig2", Title: "Ring of five: messages of 1 MiB to the node two hops clockwise, buffers of one packet a lane", Columns: []string{"engine", "lanes", "dependencies", "packets", "time (ms)"}}
	result := &lab.Result{}
	for _, said := range []struct {
		engine, text, paper string
		deadlock            bool
	}{
		{sssp, "ring of five: SSSP deadlocks", "can deadlock", true},
		{dfsssp, "ring of five: DFSSSP does not deadlock", "deadlock-free", false},
	} {
		claim := lab.NewClaim(said.text, said.paper)
		if s.Want(said.engine) {
			r := p.route(ctx, s, ring, routingOf(s, said.engine))
			var f traffic.Flows
			for h := range int32(5) {
				f.Add(h, (h+2)%5)
			}
			w := packet.NewRounds([]traffic.Flows{f}, r.flows.Hosts, r.Graph.NumEnds, 1<<20)
			c := packet.Default()
			c.Buffer = 2112 // one packet
			res := lab.Must(lab.Must(packet.New(r.Graph, r.Plan, c, w)).Run(ctx, 0, longest))
			ours := "all arrive"
			if res.Deadlock != nil {
				ours = "deadlock"
			}
			claim.Judge((res.Deadlock != nil) == said.deadlock && w.Done() != said.deadlock, "%s", ours)
			t.Add(said.engine, count(r.Plan.VLs), r.Deadlock(), ours, cell(float64(res.End)/float64(packet.Millisecond)))
		}
		result.Claims = append(result.Claims, claim)
	}
	result.Tables = []lab.Table{t}
	return result
}
