package sweep

import (
	"weft/lab/measure/appload"
	"weft/lab/measure/flowload"
	"weft/lab/measure/packetload"
	"weft/lab/store"
)

// Row is the result of a case. The names of its columns have their units; a column without a value
// does not belong to the workload, or the case was not measured.
type Row struct {
	Case string `parquet:"case"` // digest of all that decides the result
	Place
	Asked
	Outcome
	flowFigures
	packetFigures
	appFigures
	Made
}

// The embedded figures of the workloads have different names.
type (
	flowFigures   = flowload.Figures
	packetFigures = packetload.Figures
	appFigures    = appload.Figures
)

// Place is the fabric of a row. Columns with the tag label belong to the sweep, not to the case:
// another sweep, or another cell of the same one, may have the same fabric under another name.
type Place struct {
	Fabric   string `parquet:"fabric" store:"label"`  // with its damage, as commands take it
	Network  string `parquet:"network" store:"label"` // without the damage of the sweep
	Damage   string `parquet:"damage" store:"label"`
	Draw     int64  `parquet:"damage_seed" store:"label"` // 0: not drawn
	Graph    string `parquet:"graph"`                     // digest of the compiled fabric
	Hosts    int64  `parquet:"hosts"`
	Switches int64  `parquet:"switches"`
	Links    int64  `parquet:"links"` // up, between switches
}

// Asked is the job of a row.
type Asked struct {
	Engine      string `parquet:"engine" store:"label"`
	Options     string `parquet:"options" store:"label"`
	MostVLs     int64  `parquet:"vls_allowed"` // 0: as many as the hardware has
	LMC         int64  `parquet:"lmc"`
	Fresh       bool   `parquet:"fresh_lids"`
	EngineSeed  int64  `parquet:"engine_seed"`
	Workload    string `parquet:"workload"`
	TrafficSeed int64  `parquet:"traffic_seed"`
	Identity    string `parquet:"identity"` // all that decides the result, as JSON; its digest is the case
}

// Statuses of a row.
const (
	Proven    = "proven"
	NotProven = "not proven" // measured all the same
	Refused   = "refused"    // by the engine
	NotRun    = "not run"    // an option that the fabric cannot have, a time limit, or a fault of weft
)

// Outcome says how a case ended.
type Outcome struct {
	Status  string `parquet:"status"`
	Reason  string `parquet:"reason"` // of every status but proven
	Chosen  string `parquet:"chosen"` // the engine that routed: the choice of auto, or the first of a chain that did not refuse
	VLs     *int64 `parquet:"vls"`
	LIDs    *int64 `parquet:"lids"`
	Replies string `parquet:"replies"` // SL of replies under which the lanes are safe
}

// Made says who made a row. It does not decide the result.
type Made struct {
	Version  string  `parquet:"version" store:"made"`
	Commit   string  `parquet:"commit" store:"made"`
	Sources  string  `parquet:"sources"` // digest of the sources that compute the result
	Platform string  `parquet:"platform" store:"made"`
	Host     string  `parquet:"host" store:"made"`
	Routed   float64 `parquet:"route_seconds" store:"made"` // wall time of routing and proof, which cases of one Plan share
	Measured float64 `parquet:"measure_seconds" store:"made"`
}

// Label names a case for people: the columns with the tag label.
type Label struct {
	Fabric  string `json:"fabric"`
	Network string `json:"network"`
	Damage  string `json:"damage"`
	Draw    int64  `json:"draw,omitempty"`
	Engine  string `json:"engine"`
	Options string `json:"options,omitempty"`
}

func (row *Row) label() Label {
	return Label{row.Fabric, row.Network, row.Damage, row.Draw, row.Engine, row.Options}
}

// as returns the row with a label: the row itself if it has that label, else a copy.
func (row *Row) as(l *Label) *Row {
	if row.label() == *l {
		return row
	}
	out := *row
	out.Fabric, out.Network, out.Damage, out.Draw, out.Engine, out.Options = l.Fabric, l.Network, l.Damage, l.Draw, l.Engine, l.Options
	return &out
}

// Weak reports whether a row gives way to another one of its case: the case was not run.
func Weak(row *Row) bool { return row.Status == NotRun }

// values returns the cells of a row, or of a part of one, by column, for conditions and formulas.
func values[R any](row *R) map[string]any {
	env := map[string]any{}
	for _, c := range store.Columns[R]() {
		env[c.Name] = store.Value(row, &c)
	}
	return env
}
