package dfsssp

import _ "embed"

// The printed tables, and the sentences with their claims; counts of Table I are derived from its
// parameters.
var (
	//go:embed published/claims.tsv
	sentences string
	//go:embed published/table1_topologies.tsv
	publishedTable1 string
	//go:embed published/table2_nas_deimos.tsv
	publishedTable2 string
)
