package ledger

import (
	"fmt"

	"weft/fabric"
	"weft/wire/mad"
)

// ManagerAt returns the name and GUID of the port with a LID, in words if there is none.
func (l *Ledger) ManagerAt(lid fabric.LID) (string, fabric.GUID) {
	if slot := l.PortOfLID(lid); slot != NoSlot {
		return fmt.Sprintf("the manager at %s (LID %d)", l.PortName(slot), lid), l.GUID[slot]
	}
	return fmt.Sprintf("a manager that says its LID is %d", lid), 0
}

// RunsManager reports whether the port with a GUID is there and says IsSM.
func (l *Ledger) RunsManager(guid fabric.GUID) bool {
	for slot, is := range l.GUID {
		if is == guid && mad.PortInfoCapabilityMask.Get(l.Info[slot][:])&mad.CapIsSM != 0 {
			return true
		}
	}
	return false
}
