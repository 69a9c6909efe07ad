package naming

import "weft/lab"

// LID is paper 000.
func LID() *lab.Reproduction {
	st := &store{rows: map[string]measured{}}
	return &lab.Reproduction{
		Name:  "lid",
		Paper: "Nienaber, Yuan and Duan, \"LID Assignment in InfiniBand Networks\", IEEE TPDS 20(4), 2009 (paper 000).",
		Artefacts: []lab.Artefact{
			{Name: "table1", Title: "LIDs of five heuristics, shortest widest", Place: "Table I", Run: st.table1},
			{Name: "table2", Title: "LIDs of five heuristics, path selection", Place: "Table II", Run: st.table2},
			{Name: "table3", Title: "Optimum, greedy and color/L, shortest widest", Place: "Table III", Measured: true, Run: table3},
			{Name: "table4", Title: "Optimum, greedy and color/L, path selection", Place: "Table IV", Measured: true, Run: table4},
			{Name: "table5", Title: "Networks that a bounded search finished against all networks", Place: "Table V", Run: table5},
			{Name: "table6", Title: "Maximum link load and LIDs of whole routings", Place: "Table VI", Run: st.table6},
			{Name: "fig10", Title: "LIDs on tori with broken links", Place: "Fig. 10", Run: fig10},
			{Name: "fig11", Title: "LIDs on an 8-port 3-tree with broken links", Place: "Fig. 11", Run: fig11},
		},
	}
}

// instances is the number of networks a row: the paper's, or a few.
func instances(s *lab.Setup) int { return lab.Pick(s, 4, 32) }

// wanted says whether a row is run: the quick mode leaves out 512 machines, and what
// --rows leaves out.
func wanted(s *lab.Setup, c conf) bool {
	return c.machines <= lab.Pick(s, 256, 512) && s.Want(c.String())
}
