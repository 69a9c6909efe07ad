package routing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/route/engine"
	"weft/route/engine/pathset"
	"weft/route/names"
	"weft/route/names/colouring"
	"weft/route/pathfile"
	"weft/route/paths"
	"weft/route/planfile"
)

// FromFile is the PATHS of PATHS+NAMES when a file gives the paths.
const FromFile = pathset.FromFile

// IsEngine reports whether an engine has this name.
func IsEngine(name string) bool {
	_, err := engine.Find(name)
	return err == nil
}

// PathFile is a file of paths: a table of paths (package pathfile), a Plan of weft, or forwarding
// tables of another subnet manager.
type PathFile struct {
	Path    string
	Choice  string // beside forwarding tables, an H table: by which LIDs hosts send to each other; "" for any
	Partial bool   // forwarding tables may lack switches
}

// ReadPaths sets the file for the engines of a chain that take their paths from one. warn receives
// the odd parts of the file.
func ReadPaths(c route.Chain, file *PathFile, open func(path string) (io.ReadCloser, error), warn func(texts []string)) error {
	source := func(ctx context.Context, in *route.Input, _ route.Options) (*paths.Set, *route.Plan, error) {
		set, plan, warnings, err := file.read(ctx, in, open)
		warn(warnings)
		return set, plan, err
	}
	for i := range c {
		if scheme, ok := strings.CutPrefix(c[i].Engine.Name, FromFile+"+"); ok {
			var err error
			if c[i].Engine, err = pathset.GivenByFile(scheme, source); err != nil {
				return err
			}
		}
	}
	return nil
}

// read returns the paths, and their Plan if the file has one.
func (f *PathFile) read(ctx context.Context, in *route.Input, open func(path string) (io.ReadCloser, error)) (set *paths.Set, plan *route.Plan, warnings []string, err error) {
	data, err := readAll(f.Path, open)
	if err != nil {
		return nil, nil, nil, err
	}
	files := TableFiles{LFTs: f.Path, Choice: f.Choice, Partial: f.Partial}
	isPlan := planfile.Is(data) // asked first: the bytes of a Plan may look like a table
	switch table := !isPlan && isPathTable(data); {
	case f.Choice != "" && (isPlan || table):
		return nil, nil, nil, fmt.Errorf("--choice goes with forwarding tables, and %s says itself which paths are used", f.Path)
	case table:
		set, err = pathfile.Read(f.Path, data, in.Graph)
		return set, nil, nil, err
	case isPlan:
		files = TableFiles{Plan: f.Path}
	}
	plan, warnings, err = files.Load(in.Graph, func(path string) (io.ReadCloser, error) {
		if path == f.Path {
			return io.NopCloser(bytes.NewReader(data)), nil
		}
		return open(path)
	})
	if err != nil {
		return nil, nil, warnings, err
	}
	set, err = paths.FromPlan(ctx, in.Graph, plan, in.Graph.NumEnds, in.Workers)
	return set, plan, warnings, err
}

// readAll reads a file.
func readAll(path string, open func(path string) (io.ReadCloser, error)) ([]byte, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(file)
	return data, errors.Join(err, file.Close())
}

// isPathTable reports whether a file is a table of paths: its first line that is not empty or a
// comment has fields separated by tabs.
func isPathTable(data []byte) bool {
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			return bytes.IndexByte(line, '\t') >= 0
		}
	}
	return true
}

// hostPaths returns the paths of a Plan between hosts. If paths were computed or read before the
// LIDs, it returns them in their order, without the paths that other pairs have added.
func hostPaths(ctx context.Context, g *fabric.Graph, plan *route.Plan) (*paths.Set, error) {
	if intended, ok := plan.Intended.(*names.Intended); ok {
		return intended.Set().Between(g.NumHosts)
	}
	return paths.FromPlan(ctx, g, plan, g.NumHosts, 1)
}

// writePaths writes the paths of a Plan as a table.
func writePaths(w io.Writer, g *fabric.Graph, plan *route.Plan) error {
	set, err := hostPaths(context.Background(), g, plan)
	if err != nil {
		return err
	}
	if plan.VLs > 1 {
		fmt.Fprintf(w, "# on %d lanes, which this table leaves out; a Plan holds them\n", plan.VLs)
	}
	return pathfile.Write(w, set)
}

// WriteSplits writes the split graph of the paths to each host as a DIMACS graph; create makes a
// file.
func WriteSplits(ctx context.Context, g *fabric.Graph, plan *route.Plan, create func(name string, data []byte) error) error {
	set, err := hostPaths(ctx, g, plan)
	if err != nil {
		return err
	}
	for dst := range int32(g.NumHosts) {
		splits, err := names.SplitGraph(set, dst)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := colouring.WriteDIMACS(&text, splits); err != nil {
			return err
		}
		name := fmt.Sprintf("%s-%d.col", g.EndNodeGUID[dst], g.EndNum[dst])
		if err := create(name, text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
