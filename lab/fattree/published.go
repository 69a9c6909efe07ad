package fattree

import _ "embed"

// The printed tables.
var (
	//go:embed published/p1_claims.tsv
	sentencesI string
	//go:embed published/p3_claims.tsv
	sentencesIII string
	//go:embed published/p4_claims.tsv
	sentencesIV string
	//go:embed published/p6_claims.tsv
	sentencesVI string
	//go:embed published/p1_table1_distributions.tsv
	publishedDistributions string
	//go:embed published/p1_table2_hpcc.tsv
	publishedRings string
	//go:embed published/p1_table3_time.tsv
	publishedTimes1 string
	//go:embed published/p3_table1_hpcc_vl0.tsv
	publishedBench1 string
	//go:embed published/p3_table2_hpcc_vl1.tsv
	publishedBench2 string
	//go:embed published/p3_table3_algorithms.tsv
	publishedEngines string
	//go:embed published/p3_lash_vls.tsv
	publishedLanes string
	//go:embed published/p3_table4_time.tsv
	publishedTimes3 string
	//go:embed published/p6_topologies.tsv
	publishedTopologies string
	//go:embed published/p6_table1_time.tsv
	publishedTimes6 string
)

// formulas maps the fabrics that the printed tables name to formulas.
var formulas = map[string]string{
	"648-port switch":                                 "fat648",
	"648-port":                                        "fat648",
	"648-port fat-tree switch":                        "fat648",
	"648-port fat-tree switch (2-stage)":              "fat648",
	"648-port 2-stage fat-tree":                       "fat648",
	"3456-port switch":                                "fat3456",
	"3456-port fat-tree switch":                       "fat3456",
	"3456-port 3-stage fat-tree":                      "fat3456",
	"648-port switch with cross-linked rack switches": "racks648",
	"648-port racks":                                  "racks648",
	"648-port fat-tree with rack switches":            "racks648",
	"648-port fat-tree with rack switches (3-stage)":  "racks648",
	"JuRoPA-like supercomputer":                       "juropa",
	"JuRoPA-like":                                     "juropa",
	"Ranger-like supercomputer":                       "ranger",
	"2-stage 384-port":                                "over384",
	"2-stage 384-port oversubscribed":                 "over384",
	"2-stage 648-port":                                "fat648",
	"3-stage 216-port":                                "racks216",
	"3-stage 432-port":                                "racks432",
	"3-stage 648-port":                                "racks648",
	"3-stage 3456-port":                               "fat3456",
	"4-stage 4608-port":                               "dual4608",
}
