package fattree

import (
	_ "embed"
	"strconv"
	"strings"
)

// The printed tables.
var (
	//go:embed published/p1_table1_distributions.tsv
	publishedDistributions string
	//go:embed published/p1_table2_hpcc.tsv
	publishedRings string
	//go:embed published/p1_table3_time.tsv
	publishedTimes1 string
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

// row is a line of a printed table, by column.
type row map[string]string

func (r row) number(column string) float64 {
	v, _ := strconv.ParseFloat(r[column], 64)
	return v
}

func (r row) int(column string) int { return int(r.number(column)) }

// rows reads a table.
func rows(tsv string) []row {
	var header []string
	var out []row
	for line := range strings.Lines(tsv) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if header == nil {
			header = cells
			continue
		}
		r := row{}
		for i, name := range header {
			r[name] = cells[i]
		}
		out = append(out, r)
	}
	return out
}

// formulas are the fabrics that the printed tables name.
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
