package dfsssp

import (
	"slices"

	"weft/lab/plain"
	"weft/route"
)

// orders lists the orders of LIDs that the experiments try: the paper names none.
var orders = slices.Concat(plain.Orders, []plain.Order{plain.Moved})

// plainEngines lists the engines of the experiments beside Figs. 4 and 5: the paper's rivals
// as OpenSM has them, and algorithm 1 to the letter.
func plainEngines() []*route.Spec {
	specs := []*route.Spec{plain.FirstPort()}
	for _, o := range orders {
		specs = append(specs, plain.MinHop(o))
	}
	for _, o := range orders {
		specs = append(specs, plainSSSP(o))
	}
	return specs
}
