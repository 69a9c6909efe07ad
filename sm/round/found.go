package round

import (
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/sm/ledger"
	"weft/wire/mad"
)

// The round reads the tables of all switches before it asks for a Plan if no Plan of ours is in
// force, or if its writing was broken off. The planner then orders the writes from the old tables
// to the new Plan. This happens after a start, a handover or a takeover.

// startReading begins to read the forwarding tables of all switches, up to the highest LID found.
// It returns false if there is nothing to read.
func (w *writer) startReading() bool {
	top := fabric.LID(0)
	for end, base := range w.Graph.EndLID {
		if base > 0 && base <= fabric.MaxUnicastLID {
			top = max(top, base+1<<min(w.Graph.EndLMC[end], fabric.MaxLMC)-1)
		}
	}
	if w.given.Before != nil && !w.given.Before.HalfWritten || top == 0 {
		return false
	}
	w.readTop, w.read = min(top, fabric.MaxUnicastLID), map[uint64]*route.Block{}
	w.enterPhase(reading)
	return true
}

// queueRead queues the reads of a switch's blocks.
func (w *writer) queueRead(id int32) {
	if n := &w.Nodes[id]; n.HasSwitch && w.Prog.FabricNode[id] >= 0 {
		top := min(fabric.LID(mad.SwitchInfoLinearFDBTop.Get(n.Sw[:])), w.readTop)
		for b := uint32(0); top > 0 && b <= uint32(top)/mad.LFTBlock; b++ {
			w.enqueue(ledger.MakeTag(ledger.GetLFT, id, b))
		}
	}
}

// foundPlan returns the forwarding tables that were read as a Plan, nil if no switch answered. Its
// service levels are unknown.
func (w *writer) foundPlan() *planner.Kept {
	if len(w.read) == 0 {
		return nil
	}
	blocks := int(w.readTop)/route.BlockSize + 1
	tables := route.NewTables(w.Graph.NumSwitches, w.readTop)
	for s, guid := range w.Graph.SwitchGUID {
		id := w.ByGUID[guid]
		top := fabric.LID(mad.SwitchInfoLinearFDBTop.Get(w.Nodes[id].Sw[:]))
		for b := range blocks {
			has := w.read[ledger.MakeTag(ledger.GetLFT, id, uint32(b))]
			for i := 0; has != nil && i < route.BlockSize; i++ {
				if lid := fabric.LID(b*route.BlockSize + i); lid > 0 && lid <= top {
					tables.Set(int32(s), lid, has[i])
				}
			}
		}
	}
	return planner.Keep(&route.Plan{Ends: route.Seen(w.Graph).Ends, Tables: tables}, w.Graph)
}
