package sm

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/route"
	"weft/route/job"
	"weft/route/quality"
)

// plan runs a routing job that keeps the LIDs in use. An engine that is to use a switch
// that was not found is passed over: a dead root must not stop a fabric. Hosts know no path
// records, since there is no SA yet.
func plan(ctx context.Context, req job.Request, g *fabric.Graph, held *route.Held) *Event {
	req.LIDs.Held, req.PassDeadSwitch, req.NoPathRecords = held, true, true
	result, err := job.Run(ctx, g, &req)
	return &Event{Kind: Planned, Result: result, Err: err}
}

// notTold lists what hosts learn from path records alone: which LID of a target to use, and
// the SL of a path where it is not the one of clients that never ask.
func notTold(p *route.Plan, r *quality.Report) (lines []string) {
	if p.Ends.MaxLMC() > 0 && p.Choice.By != route.AnyLID && p.Choice.By != route.BaseLID {
		lines = append(lines, fmt.Sprintf("which LID of a target to send to (%s): without path records they use base LIDs", p.Choice.By))
	}
	if p.SL != nil && slDiffers(p.SL, p.Service.Default) {
		free := "not known"
		if r != nil {
			free = r.NoPathRecord.DeadlockFree.String()
		}
		lines = append(lines, fmt.Sprintf("the SL of each path: without path records they use SL %d; deadlock-free then: %s", p.Service.Default, free))
	}
	return lines
}

// slDiffers reports whether some pair of classes has another SL than sl.
func slDiffers(m *route.SLs, sl uint8) bool {
	for dst := range int32(m.NumDst) {
		for src := range int32(m.NumSrc) {
			if m.Class(src, dst) != sl {
				return true
			}
		}
	}
	return false
}
