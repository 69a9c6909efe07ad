package dfsssp

import _ "embed"

// The printed tables; counts of Table I are derived from its parameters. The tests read claims.tsv,
// which names the claim that judges each sentence.
var (
	//go:embed published/table1_topologies.tsv
	publishedTable1 string
	//go:embed published/table2_nas_deimos.tsv
	publishedTable2 string
)
