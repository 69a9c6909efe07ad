package ftree

import (
	"weft/fabric"
	"weft/fabric/shape/fattree"
)

// tree is a network as the engine routes it.
type tree struct {
	fattree.Tree

	acrossFirst bool // paths may begin with a link between partners, see partners
}

// recognise finds the levels and bundles of a network, see fattree.Recognise.
func recognise(g *fabric.Graph, roots, leaves []int32) *tree {
	return &tree{Tree: *fattree.Recognise(g, roots, leaves)}
}
