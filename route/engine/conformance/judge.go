package conformance

import (
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
)

func judge(t rapid.TB, claims Claims, g *fabric.Graph, plan *route.Plan) {}
