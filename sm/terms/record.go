package terms

import (
	"weft/fabric"
	"weft/route"
)

// Record is stored before a manager distributes a Plan. After a restart every port keeps the LIDs
// of the last stored Record.
type Record struct {
	LIDs    LIDMap // also of absent ports
	Graph   *fabric.Graph
	Plan    *route.Plan
	Engine  string
	Verdict string // of the judge, in words
}
