package watch

import (
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/tally"
)

// kindOf returns the kind by which an SMP is counted.
func kindOf(tag uint64) ledger.Kind {
	k, index, arg := ledger.SplitTag(tag)
	switch {
	case k == terms.SweepTag && index == ledger.NoSlot, k == terms.ElectionTag && arg == askedOwnPort:
		k = ledger.GetPort
	case k == terms.LookTag && uint32(index) == clearedByLook:
		k = ledger.ClearChange
	case k == terms.LookTag, k == terms.SpeedTag && tag&terms.ReadsSpeed != 0:
		k = ledger.GetPort
	case k == terms.PortTag, k == terms.SpeedTag:
		k = ledger.SetPort
	case k == terms.SweepTag:
		k = ledger.GetSwitch
	case k == terms.BlockTag:
		k = ledger.GetLFT
	case k == terms.ElectionTag && (arg == 0 || arg == askedTaker):
		k = ledger.GetManager
	case k >= ledger.NumKinds:
		k = tally.SetManager
	}
	return k
}
