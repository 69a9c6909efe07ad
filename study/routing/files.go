package routing

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/tables"
	"weft/planner"
	"weft/route"
	"weft/route/foreign"
	"weft/route/pathfile"
	"weft/route/planfile"
)

// TableFiles names the files of a routing, "" for none: a Plan of weft, or the tables of another
// subnet manager.
type TableFiles struct {
	Plan, LFTs, SLs, SL2VLs string
	Choice                  string // an H table: by which LIDs hosts send to each other

	OneLane bool // all traffic shares a lane, whatever the Plan says: a site without QoS
	// Partial allows LFTs without the tables of some switches, which then forward nothing.
	// Otherwise such a file is refused, because a wrong routing and an incomplete file would look
	// the same.
	Partial bool
}

// Given reports whether tables are given. Nothing is routed then.
func (t *TableFiles) Given() bool { return t.Plan != "" || t.LFTs != "" }

// Validate returns an error for files that do not go together.
func (t *TableFiles) Validate() error {
	switch {
	case (t.Plan == "") == (t.LFTs == ""):
		return errors.New("give either --plan FILE or --lfts FILE")
	case t.Plan != "" && (t.SLs != "" || t.SL2VLs != ""):
		return errors.New("--sl and --sl2vl go with --lfts: a Plan holds its lanes")
	case t.Plan != "" && t.Choice != "":
		return errors.New("--choice goes with --lfts: a Plan holds which LIDs are used")
	case t.OneLane && (t.SLs != "" || t.SL2VLs != ""):
		return errors.New("give --one-lane, or lanes with --sl and --sl2vl, not both")
	}
	return nil
}

const (
	claimsShown   = 10 // wrong hop counts that are named
	warningsShown = 10 // of each file
)

// Load reads the Plan of the files for a Graph; open opens a file. Warnings name odd parts of the
// files.
func (t *TableFiles) Load(g *fabric.Graph, open func(path string) (io.ReadCloser, error)) (plan *route.Plan, warnings []string, err error) {
	if t.Plan == "" {
		plan, warnings, err = t.loadForeign(g, open)
	} else {
		plan, warnings, err = t.loadPlan(g, open)
	}
	if err == nil && t.OneLane {
		plan.SingleLane(g)
	}
	return plan, warnings, err
}

// loadPlan reads a Plan of weft. If it was made for other switches or end ports, the present ones
// keep their entries and LIDs, and a warning names the difference.
func (t *TableFiles) loadPlan(g *fabric.Graph, open func(path string) (io.ReadCloser, error)) (plan *route.Plan, warnings []string, err error) {
	data, err := readAll(t.Plan, open)
	if err != nil {
		return nil, nil, err
	}
	plan, err = planfile.Load(bytes.NewReader(data), g)
	if differs, ok := errors.AsType[*planfile.BindError](err); ok {
		kept, err := planner.ReadKept(bytes.NewReader(data))
		if err == nil {
			plan, err = kept.AsIs(g)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", t.Plan, err)
		}
		return plan, []string{fmt.Sprintf("%s: %s %s: what is still there has its entries and LIDs", t.Plan, differs.Name, differs.Problem)}, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", t.Plan, err)
	}
	return plan, nil, nil
}

// loadForeign makes a Plan of the tables of another subnet manager.
func (t *TableFiles) loadForeign(g *fabric.Graph, open func(path string) (io.ReadCloser, error)) (plan *route.Plan, warnings []string, err error) {
	files, warnings, err := t.readForeign(open)
	if err != nil {
		return nil, warnings, err
	}
	plan, notes, err := files.Plan(g)
	warnings = append(warnings, notes...)
	if err != nil {
		return nil, warnings, fmt.Errorf("%s: %w", t.LFTs, err)
	}
	if silent := files.Silent(g); len(silent) > 0 && !t.Partial {
		return nil, nil, fmt.Errorf("%s: %d of %d switches have no table in this file, the first is %s: write the file again, or take what it holds with --partial, as if they forwarded nothing",
			t.LFTs, len(silent), g.NumSwitches, fabric.SwitchName(g, silent[0]))
	}
	if t.Choice != "" {
		data, err := readAll(t.Choice, open)
		if err != nil {
			return nil, warnings, err
		}
		if plan.Choice, err = pathfile.ReadChoice(t.Choice, data, g, &plan.Ends); err != nil {
			return nil, warnings, err
		}
	}
	wrong, total := files.WrongClaims(g, plan, claimsShown)
	for _, text := range wrong {
		warnings = append(warnings, t.LFTs+": "+text)
	}
	if more := total - len(wrong); more > 0 {
		warnings = append(warnings, fmt.Sprintf("%s: and %d more wrong hop counts", t.LFTs, more))
	}
	return plan, warnings, nil
}

// readForeign reads the files of another subnet manager: forwarding tables, service levels of paths
// and SL2VL tables.
func (t *TableFiles) readForeign(open func(path string) (io.ReadCloser, error)) (files *foreign.Files, warnings []string, err error) {
	files = &foreign.Files{}
	for _, file := range []struct {
		path  string
		parse func(name string, data []byte) ([]lines.Warning, error)
	}{
		{t.LFTs, func(name string, data []byte) (w []lines.Warning, err error) {
			files.LFTs, w, err = netfile.ReadLFTs(name, data)
			return w, err
		}},
		{t.SLs, func(name string, data []byte) (w []lines.Warning, err error) {
			files.SLs, w, err = tables.ReadPathSLs(name, data)
			return w, err
		}},
		{t.SL2VLs, func(name string, data []byte) (w []lines.Warning, err error) {
			files.SL2VL, w, err = tables.ReadSL2VLs(name, data)
			return w, err
		}},
	} {
		if file.path == "" {
			continue
		}
		data, err := readAll(file.path, open)
		if err != nil {
			return nil, warnings, err
		}
		odd, err := file.parse(file.path, data)
		if err != nil {
			return nil, warnings, err
		}
		for _, w := range odd[:min(len(odd), warningsShown)] {
			warnings = append(warnings, w.String())
		}
		if more := len(odd) - warningsShown; more > 0 {
			warnings = append(warnings, fmt.Sprintf("%s: and %d more", file.path, more))
		}
	}
	return files, warnings, nil
}

// Outputs names the files to write a Plan to, "" for none.
type Outputs struct{ Plan, LFTs, FDBs, Dump, Random, SLs, SL2VLs, PathTable, Choice string }

// Paths lists all paths.
func (o *Outputs) Paths() []string {
	return []string{o.Plan, o.LFTs, o.FDBs, o.Dump, o.Random, o.SLs, o.SL2VLs, o.PathTable, o.Choice}
}

// Warnings names parts of a Plan that the files leave out and a reader would miss.
func (o *Outputs) Warnings(plan *route.Plan) (warnings []string) {
	if o.PathTable != "" && plan.VLs > 1 {
		warnings = append(warnings, fmt.Sprintf("%s: a table of paths has no lanes, and these paths need %d: a Plan (-o) keeps them, and --paths reads it, too", o.PathTable, plan.VLs))
	}
	return warnings
}

// Write writes the files; create makes one. If one is refused or fails, the others are still
// written.
func (o *Outputs) Write(g *fabric.Graph, plan *route.Plan, create func(path string, write func(io.Writer) error) error) (err error) {
	var lfts *tables.LFTs
	if o.LFTs != "" || o.FDBs != "" || o.Dump != "" || o.Random != "" {
		lfts = foreign.LFTs(g, plan)
	}
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
		fits  func() error
	}{
		{o.Plan, func(w io.Writer) error { return planfile.Save(w, g, plan) }, nil},
		{o.LFTs, func(w io.Writer) error { return tables.WriteOpenSMLFTs(w, lfts) }, func() error {
			return foreign.FitsTables(plan, o.SLs != "" && o.SL2VLs != "")
		}},
		{o.FDBs, func(w io.Writer) error { return tables.WriteFDBs(w, lfts) }, nil},
		{o.Dump, func(w io.Writer) error { return tables.WriteDumpLFTs(w, lfts) }, nil},
		{o.Random, func(w io.Writer) error { return tables.WriteRandom(w, lfts) }, nil},
		{o.SLs, func(w io.Writer) error { return tables.WritePathSLs(w, foreign.PathSLs(g, plan)) }, nil},
		{o.SL2VLs, func(w io.Writer) error { return tables.WriteSL2VLs(w, foreign.SL2VLs(g, plan)) }, nil},
		{o.PathTable, func(w io.Writer) error { return writePaths(w, g, plan) }, nil},
		{o.Choice, func(w io.Writer) error { return pathfile.WriteChoice(w, g, plan) }, nil},
	} {
		if file.path == "" {
			continue
		}
		if file.fits != nil {
			if refused := file.fits(); refused != nil {
				err = errors.Join(err, refused)
				continue
			}
		}
		err = errors.Join(err, create(file.path, file.write))
	}
	return err
}
