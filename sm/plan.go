package sm

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/route"
	"weft/route/job"
	"weft/route/quality"
)

// plan runs a routing job that keeps the LIDs in use, or those of the Plan kept. An engine that is to use a switch
// that was not found is passed over: a dead root must not stop a fabric. Hosts know no path
// records, since there is no SA yet.
func plan(ctx context.Context, req job.Request, g *fabric.Graph, held *route.Held) *Event {
	req.LIDs.Held, req.PassDeadSwitch, req.NoPathRecords = held, true, true
	if req.Kept != nil {
		if err := req.Kept.Hold(g, &req); err != nil {
			return &Event{Kind: Planned, Result: &job.Result{}, Err: err}
		}
	}
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

// noteRepair reports what became of the Plan that was to be kept.
func (c *Core) noteRepair(r *job.Result) {
	if f := r.Repaired; f != nil {
		c.report.Routing.Kept = fmt.Sprintf("repaired: %d entries moved, %d had met what was lost", f.Moved, f.Crossed)
		if len(r.Refused) > 0 {
			c.note(PlanKept, Place{}, "every engine refused: the repaired old Plan is distributed")
		}
	}
	if r.NotRepaired != nil {
		c.report.Routing.Kept = "routed afresh: " + r.NotRepaired.Error()
		c.note(NotRepaired, Place{}, "%v", r.NotRepaired)
	}
}
