package sweep

import "github.com/expr-lang/expr/ast"

// identifiers collects the names in a formula.
type identifiers struct{ list []string }

// Visit implements ast.Visitor.
func (v *identifiers) Visit(node *ast.Node) {
	if id, ok := (*node).(*ast.IdentifierNode); ok {
		v.list = append(v.list, id.Value)
	}
}

// names lists the names in a formula.
func names(node ast.Node) []string {
	var v identifiers
	ast.Walk(&node, &v)
	return v.list
}
