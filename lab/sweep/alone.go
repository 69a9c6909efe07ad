package sweep

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// alone is a description with the options that a row can have.
type alone struct {
	Fabrics   []string   `yaml:"fabrics"`
	Engines   []string   `yaml:"engines"`
	Options   []string   `yaml:"options,omitempty"`
	Lanes     []int64    `yaml:"lanes,omitempty"`
	LMC       []int64    `yaml:"lmc,omitempty"`
	FreshLIDs bool       `yaml:"fresh_lids,omitempty"`
	Seeds     aloneSeeds `yaml:"seeds"`
	Workloads []Workload `yaml:"workloads,omitempty"`
}

type aloneSeeds struct {
	Engine  []int64 `yaml:"engine"`
	Traffic []int64 `yaml:"traffic"`
}

// Alone returns the YAML of a sweep that has the case of a row alone. A row does not say which
// files of roles, kinds and levels its sweep named.
func Alone(row *Row) ([]byte, error) {
	name, params, _ := strings.Cut(row.Workload, " ")
	var w Workload
	if err := json.Unmarshal(fmt.Appendf(nil, "{%q: %s}", name, orEmpty(params)), &w); err != nil {
		return nil, fmt.Errorf("column workload: %q: %w", row.Workload, err)
	}
	if err := w.validate(); err != nil {
		return nil, fmt.Errorf("column workload: %q: %w", row.Workload, err)
	}
	a := alone{
		Fabrics: []string{row.Fabric}, Engines: []string{row.Engine}, Options: strings.Fields(row.Options), FreshLIDs: row.Fresh,
		Seeds: aloneSeeds{[]int64{row.EngineSeed}, []int64{row.TrafficSeed}},
	}
	if row.MostVLs != 0 {
		a.Lanes = []int64{row.MostVLs}
	}
	if row.LMC != 0 {
		a.LMC = []int64{row.LMC}
	}
	if row.Workload != "flow" {
		a.Workloads = []Workload{w}
	}
	return yaml.Marshal(&a)
}

// orEmpty returns the JSON of parameters, that of none for "".
func orEmpty(params string) string {
	if params == "" {
		return "{}"
	}
	return params
}
