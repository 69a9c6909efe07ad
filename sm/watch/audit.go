package watch

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
)

// audit reads forwarding tables again, some blocks in each light sweep, to find switches that do
// not hold the blocks that they have acknowledged: they lost them, never stored them, or somebody
// else wrote others without a sign. It adds one SMP for auditEvery switches asked.
type audit struct {
	credit int          // switches asked since the last block
	node   int32        // the block that comes next, in the order of a ledger
	block  uint32       //
	picked []uint64     // tags of the blocks that this sweep reads
	wrong  []falseTable // blocks that were wrong, to be read again after their repair
}

// falseTable is a block that a switch did not hold although it had acknowledged it.
type falseTable struct {
	node  fabric.GUID
	block uint32
}

// auditEvery is the number of switches asked for each block read.
const auditEvery = 32

// pick picks the blocks for a sweep: first the ones that were wrong before, then the next in turn.
func (a *audit) pick(c *ledger.Ledger) {
	a.picked = a.picked[:0]
	for _, f := range a.wrong {
		if id, ok := c.ByGUID[f.node]; ok && c.Prog.Sw[id] >= 0 && f.block < c.TableBlocks() {
			a.picked = append(a.picked, ledger.MakeTag(ledger.SetLFT, id, f.block))
		}
	}
	a.credit += c.Graph.NumSwitches
	for ; a.credit >= auditEvery; a.credit -= auditEvery {
		if tag, ok := a.next(c); ok {
			a.picked = append(a.picked, tag)
		}
	}
}

// next returns the next block in turn of a switch that is known to hold its table.
func (a *audit) next(c *ledger.Ledger) (tag uint64, ok bool) {
	for range len(c.Nodes) + 1 {
		if int(a.node) >= len(c.Nodes) || a.block >= c.TableBlocks() {
			a.node, a.block = a.node+1, 0
		}
		if int(a.node) >= len(c.Nodes) {
			a.node = 0
		}
		if c.Prog.Sw[a.node] >= 0 && c.Prog.Holds[a.node] {
			a.block++
			return ledger.MakeTag(ledger.SetLFT, a.node, a.block-1), true
		}
		a.block = c.TableBlocks()
	}
	return 0, false
}

// readAgain returns the ith table that this sweep reads.
func (a *audit) readAgain(c *ledger.Ledger, i int) uint64 {
	if i < len(c.Rewritten) {
		return c.Rewritten[i]
	}
	return a.picked[i-len(c.Rewritten)]
}

// onFalseTable handles a block that a switch does not hold. A round writes it again. If the switch
// does not hold it then either, its acknowledgements are false, and paths go around it.
func (a *audit) onFalseTable(m *Manager, now time.Duration, id int32, tag uint64) {
	_, _, block := ledger.SplitTag(tag)
	f := falseTable{m.inForce.Nodes[id].GUID, block}
	if !slices.Contains(a.wrong, f) {
		a.wrong = append(a.wrong, f)
		return
	}
	m.unsteady.avoid(m, now, m.inForce, id, "acknowledges its forwarding table and does not hold it")
}

// onTrueTable handles a block that a switch holds.
func (a *audit) onTrueTable(c *ledger.Ledger, id int32, block uint32) {
	a.wrong = slices.DeleteFunc(a.wrong, func(f falseTable) bool { return f == falseTable{c.Nodes[id].GUID, block} })
}
