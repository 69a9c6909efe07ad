// Package sweep runs engines on many fabrics, whole and damaged, under workloads, and compares
// them. A Description says what to run (describe.go, read.go). Expand makes its cases; the name of
// a case is a digest of everything that decides its result (expand.go). A Run computes the cases
// that no store has yet, on several cores (run.go, draws.go). Summarise compares the engines
// (summary.go). Package lab/measure computes a case; lab/store keeps the rows.
//
// A network is a fabric without damage. A cell is a network with a damage, and its draws fail
// different links. A contestant is an engine with its lanes and LMC.
package sweep

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/vm"

	"weft/lab/measure"
	"weft/lab/measure/appload"
	"weft/lab/measure/flowload"
	"weft/lab/measure/packetload"
	"weft/planner"
)

// Description is a sweep as its file has it. The tags doc and usual make the file of weft lab init
// and the JSON schema.
type Description struct {
	Title     string     `yaml:"title" doc:"the question that the sweep answers: the title of its report"`
	Fabrics   []string   `yaml:"fabrics" doc:"FABRICs: files, or formulas of weft gen --list"`
	List      string     `yaml:"list" doc:"a file with more FABRICs, one a line; # begins a comment"`
	Damage    []string   `yaml:"damage" doc:"none, a share of the links between switches that fail, or a degrading suffix of weft gen --list" usual:"[none]"`
	Draws     Draws      `yaml:"draws" doc:"random draws of each damage"`
	Engines   []string   `yaml:"engines" doc:"engines with their options, or chains of engines; the others are compared with the first"`
	Options   []string   `yaml:"options" doc:"engine options NAME=VALUE, or ENGINE.NAME=VALUE, for all engines that have them"`
	Lanes     []int      `yaml:"lanes" doc:"most data VLs; 0: as many as the hardware has" usual:"[0]"`
	LMC       []int      `yaml:"lmc" doc:"LID mask controls, 0 to 7" usual:"[0]"`
	FreshLIDs bool       `yaml:"fresh_lids" doc:"do not keep the LIDs that ports have" usual:"false"`
	Roles     string     `yaml:"roles" doc:"a file with the roles of switches in a tree, as --roles of weft route reads it"`
	Kinds     string     `yaml:"kinds" doc:"a file with the kinds of hosts, as --kinds of weft route reads it"`
	Levels    string     `yaml:"levels" doc:"a file with levels of service, as --levels of weft route reads it"`
	Seeds     Seeds      `yaml:"seeds" doc:"seeds of engines and of traffic; those of damage count the draws"`
	Workloads []Workload `yaml:"workloads" doc:"what each Plan is measured under" usual:"[flow: {}]"`
	Only      []string   `yaml:"only" doc:"conditions that a case must meet, such as hosts <= 1000 && engine != \"lash\""`
	Skip      []string   `yaml:"skip" doc:"conditions under which a case is left out"`
	Columns   []Derived  `yaml:"columns" doc:"further columns of exported tables, computed from the others"`
	TimeLimit string     `yaml:"time_limit" doc:"longest time of a routing, and of a measurement; a case above it is \"not run\", and tried again by the next run" usual:"none"`

	programs map[string]*vm.Program // compiled conditions and formulas
}

// Draws says how many random draws each damage has.
type Draws struct {
	First  uint64  `yaml:"first" doc:"seed of the first draw" usual:"1"`
	Least  int     `yaml:"least" doc:"draws of each damage" usual:"3"`
	Most   int     `yaml:"most" doc:"with within: draws are doubled until they are this many" usual:"48"`
	Within float64 `yaml:"within" doc:"draw until half the 95 % interval of each engine's mean is below this share of it; 0: no more than least" usual:"0"`
	Figure string  `yaml:"figure" doc:"with within: the column that is to be so exact" usual:"ebb_share"`
}

// Seeds are the seeds of engines and of traffic. The seeds of damage count the draws.
type Seeds struct {
	Engine  []uint64 `yaml:"engine" doc:"of engines that draw at random" usual:"[1]"`
	Traffic []uint64 `yaml:"traffic" doc:"of bisections, patterns and packets" usual:"[1]"`
}

// Workload is one workload: exactly one of its fields.
type Workload struct {
	Flow    *flowload.Params   `json:"flow,omitempty" yaml:"flow,omitempty" doc:"static flows"`
	Packets *packetload.Params `json:"packets,omitempty" yaml:"packets,omitempty" doc:"packets in time"`
	App     *appload.Params    `json:"app,omitempty" yaml:"app,omitempty" doc:"an application in time"`
}

// Derived is a further column.
type Derived struct {
	Name    string `yaml:"name" doc:"of the column, with its unit"`
	Formula string `yaml:"formula" doc:"such as ebb_share / vls"`
}

// NoDamage is the damage of a whole fabric.
const NoDamage = "none"

// SetUsual sets missing options to their usual values.
func (d *Description) SetUsual() {
	usual(&d.Damage, NoDamage)
	usual(&d.Lanes, 0)
	usual(&d.LMC, 0)
	usual(&d.Seeds.Engine, 1)
	usual(&d.Seeds.Traffic, 1)
	usual(&d.Workloads, Workload{Flow: &flowload.Params{}})
	if d.Draws.First == 0 {
		d.Draws.First = 1
	}
	if d.Draws.Least == 0 {
		d.Draws.Least = 3
	}
	if d.Draws.Most == 0 {
		d.Draws.Most = max(48, d.Draws.Least)
	}
	if d.Draws.Figure == "" {
		d.Draws.Figure = "ebb_share"
	}
	if d.TimeLimit == "none" {
		d.TimeLimit = ""
	}
}

func usual[T any](list *[]T, value T) {
	if len(*list) == 0 {
		*list = []T{value}
	}
}

// mostDraws limits the draws of a damage.
const mostDraws = 100_000

// Validate returns an error for an option out of range, by its name in the file.
func (d *Description) Validate() error {
	if len(d.Fabrics) == 0 {
		return errors.New("fabrics: name a FABRIC, or a file of them with list")
	}
	if err := errors.Join(checkQuotes("fabrics", d.Fabrics), checkQuotes("damage", d.Damage)); err != nil {
		return err
	}
	if len(d.Engines) == 0 {
		return errors.New("engines: name an engine (weft route --engines lists them)")
	}
	for _, text := range d.Engines {
		if _, err := measure.ParseEngines(text, nil); err != nil {
			return fmt.Errorf("engines: %w", err)
		}
	}
	if _, err := measure.ParseEngines(strings.Join(d.Engines, ","), d.Options); err != nil {
		return fmt.Errorf("options: %w", err)
	}
	for _, text := range d.Damage {
		if _, _, err := damageOf(text); err != nil {
			return err
		}
	}
	for _, n := range d.Lanes {
		for _, lmc := range d.LMC {
			r := planner.Request{MaxVLs: n}
			if r.LIDs.LMC = uint8(lmc); lmc < 0 || lmc > math.MaxUint8 {
				r.LIDs.LMC = math.MaxUint8
			}
			if err := r.Validate(); err != nil {
				return err
			}
		}
	}
	if _, err := d.Limit(); err != nil {
		return err
	}
	return errors.Join(d.Draws.validate(), d.Seeds.validate(), d.validateWorkloads(), d.compile())
}

// checkQuotes returns an error for a formula that YAML split at its commas, because it had no
// quotes.
func checkQuotes(option string, list []string) error {
	for i, text := range list {
		if strings.Count(text, "(") > strings.Count(text, ")") {
			whole := text
			for k := i + 1; k < len(list) && strings.Count(whole, "(") > strings.Count(whole, ")"); k++ {
				whole += "," + list[k]
			}
			return fmt.Errorf("%s: %q: quote a formula with a comma: %q", option, text, whole)
		}
	}
	return nil
}

// Limit returns the time limit, 0 for none.
func (d *Description) Limit() (time.Duration, error) {
	if d.TimeLimit == "" {
		return 0, nil
	}
	limit, err := time.ParseDuration(d.TimeLimit)
	if err != nil || limit <= 0 {
		return 0, fmt.Errorf("time_limit %q: want a time, such as 90s or 1h", d.TimeLimit)
	}
	return limit, nil
}

func (d *Draws) validate() error {
	switch {
	case d.Least < 1 || d.Least > mostDraws:
		return fmt.Errorf("draws: least %d: want 1 to %d", d.Least, mostDraws)
	case d.Most < d.Least || d.Most > mostDraws:
		return fmt.Errorf("draws: most %d: want %d (least) to %d", d.Most, d.Least, mostDraws)
	case !(d.Within >= 0 && d.Within < 1):
		return fmt.Errorf("draws: within %g: want a share from 0 to 1", d.Within)
	case d.Within > 0 && d.Least < 2:
		return errors.New("draws: within needs at least 2 draws: least: 2")
	case d.First > math.MaxInt64-mostDraws:
		return fmt.Errorf("draws: first %d is too large", d.First)
	}
	return CheckFigure(d.Figure)
}

func (s *Seeds) validate() error {
	for name, list := range map[string][]uint64{"engine": s.Engine, "traffic": s.Traffic} {
		for i, seed := range list {
			if seed > math.MaxInt64 {
				return fmt.Errorf("seeds: %s: %d is too large", name, seed)
			}
			if slices.Contains(list[:i], seed) {
				return fmt.Errorf("seeds: %s: %d is named twice", name, seed)
			}
		}
	}
	return nil
}

func (d *Description) validateWorkloads() error {
	for i, w := range d.Workloads {
		err := w.validate()
		if err != nil {
			return fmt.Errorf("workloads: number %d: %w", i+1, err)
		}
	}
	return nil
}

// validate returns an error unless exactly one field is set, and right.
func (w *Workload) validate() error {
	var set []interface{ Validate() error }
	if w.Flow != nil {
		set = append(set, w.Flow)
	}
	if w.Packets != nil {
		set = append(set, w.Packets)
	}
	if w.App != nil {
		set = append(set, w.App)
	}
	if len(set) != 1 {
		return errors.New("want flow, packets or app")
	}
	return set[0].Validate()
}

// damageOf returns the degrading suffix of a damage, "" for none. If the damage is drawn at random,
// the suffix lacks its seed and its last parenthesis (withSeed adds them).
func damageOf(text string) (suffix string, drawn bool, err error) {
	var share float64
	text = strings.TrimSpace(text)
	switch n, scan := fmt.Sscanf(text+"|", "%g|", &share); {
	case text == NoDamage:
		return "", false, nil
	case n == 1 && scan == nil && !strings.ContainsAny(text, "(|"):
		if !(share >= 0 && share <= 1) {
			return "", false, fmt.Errorf("damage %s: want shares from 0 to 1", text)
		}
		if share == 0 {
			return "", false, nil
		}
		return fmt.Sprintf("fail(share=%g,links=all", share), true, nil
	case strings.HasSuffix(text, ")") && strings.Contains(text, "("):
		named := strings.Contains(text, "seed=") || strings.Contains(text, "switch=") || strings.Contains(text, "link=") ||
			strings.Contains(text, "host=") || strings.Contains(text, "server=")
		if named {
			return text, false, nil
		}
		return strings.TrimSuffix(text, ")"), true, nil
	}
	return "", false, fmt.Errorf("damage %q: want none, a share of links such as 0.05, or a degrading suffix such as fail(switches=2)", text)
}

// FailedPercent returns the share of failed links of a damage in per cent; false for other damages.
func FailedPercent(damage string) (float64, bool) {
	if damage == NoDamage {
		return 0, true
	}
	share, err := strconv.ParseFloat(damage, 64)
	return share * 100, err == nil
}

// withSeed completes the suffix of a random damage with the seed of a draw.
func withSeed(suffix string, seed uint64) string {
	if strings.HasSuffix(suffix, "(") {
		return fmt.Sprintf("%sseed=%d)", suffix, seed)
	}
	return fmt.Sprintf("%s,seed=%d)", suffix, seed)
}
