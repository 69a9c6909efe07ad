package job

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

// FromFile is the name of paths that a file gives, in PATHS+NAMES.
const FromFile = pathset.FromFile

// IsEngine reports whether an engine has this name.
func IsEngine(name string) bool {
	_, err := engine.Find(name)
	return err == nil
}

// ReadPaths makes the engines of a chain whose paths a file gives read that file: a table of paths (package pathfile), a Plan of
// weft, or forwarding tables of another subnet manager. warn is told what is odd in it.
func (c Chain) ReadPaths(path string, open func(path string) (io.ReadCloser, error), warn func(texts []string)) error {
	source := func(ctx context.Context, in *route.Input, _ route.Options) (*paths.Set, *route.Plan, error) {
		data, err := readAll(path, open)
		if err != nil {
			return nil, nil, err
		}
		if isPathTable(data) {
			set, err := pathfile.Read(path, data, in.Graph)
			return set, nil, err
		}
		files := TableFiles{LFTs: path}
		if planfile.Is(data) {
			files = TableFiles{Plan: path}
		}
		plan, warnings, err := files.Load(in.Graph, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
		warn(warnings)
		if err != nil {
			return nil, nil, err
		}
		set, err := paths.FromPlan(ctx, in.Graph, plan, in.Graph.NumEnds, in.Workers)
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

// readAll reads a file.
func readAll(path string, open func(path string) (io.ReadCloser, error)) ([]byte, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(file)
	return data, errors.Join(err, file.Close())
}

// isPathTable reports whether a file is a table of paths: the first line that says anything has fields parted by tabs.
func isPathTable(data []byte) bool {
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			return bytes.IndexByte(line, '\t') >= 0
		}
	}
	return true
}

// writePaths writes the paths of a Plan as a table.
func writePaths(w io.Writer, g *fabric.Graph, plan *route.Plan) error {
	set, err := paths.FromPlan(context.Background(), g, plan, g.NumHosts, 1)
	if err != nil {
		return err
	}
	return pathfile.Write(w, set)
}

// WriteSplits writes the split graph of the paths to each host as a DIMACS graph, by a function that makes a file.
func WriteSplits(ctx context.Context, g *fabric.Graph, plan *route.Plan, create func(name string, data []byte) error) error {
	set, err := paths.FromPlan(ctx, g, plan, g.NumHosts, 1)
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
