package planning

import (
	"context"

	"weft/fabric"
	"weft/fabric/jobs"
	"weft/planner"
	"weft/route/relief"
	"weft/sm/terms"
)

// planTurn makes the Plan of a turn: it moves entries for jobs that have started. If none move,
// ev.Result has the reason.
func planTurn(ctx context.Context, req planner.Request, q *terms.RouteRequest, ev *terms.Event) {
	ev.Result = &planner.Result{}
	ev.Err = caught(func() error {
		r, err := q.Kept.MoveForJobs(ctx, &relief.Jobs{Hosts: hostsOf(q.Graph, q.Jobs), Only: q.Turn, Most: q.MostMoves}, req.Workers)
		if err == nil {
			ev.Result = r
		}
		return err
	})
}

// hostsOf returns the host ports of jobs. Nodes that are not there do not count.
func hostsOf(g *fabric.Graph, list []terms.Job) [][]int32 {
	if len(list) == 0 {
		return nil
	}
	find, hosts := jobs.NewFinder(g), make([][]int32, len(list))
	for i := range list {
		hosts[i], _, _ = find.Match(list[i].Nodes) // it was a list when the job began
	}
	return hosts
}

// hostsTogether returns the host ports of jobs of several nodes. Entries towards them were chosen
// so that these jobs meet few others, which Request.Moves does not know.
func hostsTogether(g *fabric.Graph, list []terms.Job) (together []int32) {
	for i, hosts := range hostsOf(g, list) {
		if list[i].Count > 1 {
			together = append(together, hosts...)
		}
	}
	return together
}
