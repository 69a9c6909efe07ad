package terms

import (
	"weft/fabric"
	"weft/route"
)

// Record holds what is stored before a manager distributes a Plan: a restart gives every port the LIDs of the last Record
// that was stored.
type Record struct {
	LIDs    LIDMap // also of ports that are not there
	Graph   *fabric.Graph
	Plan    *route.Plan
	Engine  string
	Verdict string // of the judge, in words
}
