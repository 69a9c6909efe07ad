package ledger

import (
	"weft/fabric"
	"weft/sm/sa"
	"weft/sm/terms"
)

// Standing holds the facts about the Manager that subnet administration goes by.
type Standing struct {
	Role        terms.Role
	Claims      bool        // of one that looks: no other master is there, and it is about to be it
	StandsBy    fabric.GUID // of one that stands by: the port of the manager for which it does
	MasterAlive bool        // that one was the master, and was not just about to be

	Ledger        *Ledger   // of the round whose Plan is in force; nil: none is
	Spread        sa.Spread // of multicast groups over the trees of that Plan
	SpreadVersion int
	Priority      uint8
	SMKey, Acts   uint64 // as SMInfo tells others

	// Of the first round of a Master: ports were Active, or had another manager's LID as that of their
	// master, and our own port had the LID Told there.
	WasActive, Others bool
	Told              fabric.LID
}

// IsAs reports whether nothing has changed by which queries are answered.
func (s *Standing) IsAs(before *Standing) bool {
	return s.Ledger == before.Ledger && s.Role == before.Role && s.SpreadVersion == before.SpreadVersion && s.Claims == before.Claims
}
