package ledger

import (
	"weft/fabric"
	"weft/route/joblanes"
	"weft/sm/sa"
	"weft/sm/terms"
)

// Standing holds the facts about the Manager that subnet administration needs.
type Standing struct {
	Role        terms.Role
	Claims      bool        // while looking: it is about to become the master
	StandsBy    fabric.GUID // as a standby: port GUID of the manager it stands by for
	MasterAlive bool        // that manager is the master, and not just about to become it

	Ledger        *Ledger   // of the round whose Plan is in force; nil: none
	Spread        sa.Spread // multicast groups on the trees of that Plan
	SpreadVersion int
	Jobs          *joblanes.Pairs // copies of the lanes that jobs have; nil: none
	Priority      uint8
	SMKey, Acts   uint64     // as reported in SMInfo
	Keys          terms.Keys // M_Keys of ports

	// These three describe the ports before a Master's first round: some were Active; some had
	// another manager's LID as MasterSMLID; and the MasterSMLID of our own port.
	WasActive, Others bool
	Told              fabric.LID
}

// IsAs reports whether two Standings lead to the same answers.
func (s *Standing) IsAs(before *Standing) bool {
	return s.Ledger == before.Ledger && s.Role == before.Role && s.SpreadVersion == before.SpreadVersion && s.Jobs == before.Jobs && s.Claims == before.Claims
}
