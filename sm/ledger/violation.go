package ledger

import (
	"fmt"

	"weft/fabric"
	"weft/wire/mad"
)

// PortOfLID returns the port that has a LID; NoSlot if none has. The Ledger may be nil.
func (c *Ledger) PortOfLID(lid fabric.LID) int32 {
	if c == nil {
		return NoSlot
	}
	for end, base := range c.Plan.Ends.Base {
		if n := fabric.LID(c.Plan.Ends.Count(int32(end))); lid >= base && lid < base+n {
			if slot, ok := c.SlotOf(c.Graph.EndNodeGUID[end], c.Graph.EndNum[end]); ok {
				return slot
			}
		}
	}
	return NoSlot
}

// Violation describes a trap 256: the request with a wrong M_Key, and its sender. It follows a
// directed route back to the sender over known cables.
func (c *Ledger) Violation(slot int32, notice []byte) string {
	what := fmt.Sprintf(": %s(%s) with a wrong M_Key", mad.Method(mad.Trap256Method.Get(notice)), AttrName(mad.AttrID(mad.Trap256AttributeID.Get(notice))))
	if !mad.Trap256DRNotice.Is(notice) {
		lid := fabric.LID(mad.Trap256LID.Get(notice))
		if from := c.PortOfLID(lid); from != NoSlot {
			return fmt.Sprintf("%s from LID %d, %s", what, lid, c.PortName(from))
		}
		return fmt.Sprintf("%s from LID %d", what, lid)
	}
	if slot == NoSlot || mad.Trap256PathTruncated.Is(notice) {
		return what + " by a directed route"
	}
	slot, ok := c.TraceBack(slot, int(mad.Trap256HopCount.Get(notice)), mad.Trap256ReturnPath.Get(notice))
	if !ok {
		return what + " by a directed route"
	}
	text := what + " by a directed route from " + c.PortName(slot)
	if lid := mad.PortInfoLID.Get(c.Info[slot][:]); lid != 0 && !c.IsSwitch(slot) {
		text += fmt.Sprintf(", LID %d", lid)
	}
	return text
}
