package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"weft/fabric"
	"weft/fabric/layout"
	"weft/mapping"
)

// RunFabric runs a job on the network of a fabric. If its error concerns a host of the fabric,
// LineOf finds the line.
func RunFabric(ctx context.Context, f *fabric.Fabric, opt *Options) (*Result, error) {
	n, err := mapping.FromFabric(f)
	if err != nil {
		return nil, err
	}
	return Run(ctx, n, opt)
}

// LineOf returns the line, from 1, in the text of a fabric of the host that an error reports for
// too many wires. It returns 0 for other errors.
func LineOf(err error, f *fabric.Fabric, text string) int {
	wires, ok := errors.AsType[*mapping.HostWires](err)
	if !ok {
		return 0
	}
	n := &f.Nodes[wires.Node]
	for i, line := range strings.Split(text, "\n") {
		header := strings.HasPrefix(line, "Ca") || strings.HasPrefix(line, "Hca") || strings.HasPrefix(line, "R") || strings.HasPrefix(strings.TrimSpace(line), `"`)
		if header && (strings.Contains(strings.ToLower(line), fmt.Sprintf("%016x", uint64(n.GUID))) || n.Desc != "" && strings.Contains(line, `"`+n.Desc+`"`)) {
			return i + 1
		}
	}
	return 0
}

// Fabric returns the map as a fabric.
func (r *Result) Fabric(name string) (*fabric.Fabric, error) {
	return r.Map.ToFabric(name, 4, fabric.SDR)
}

// Utility returns the host of the map to ignore when choosing a root: the named one, or the mapping
// host if name is "".
func (r *Result) Utility(name string) (int32, error) {
	if name == "" {
		return r.Map.HostByID(r.Mapper.ID), nil
	}
	return r.Map.FindHost(name)
}

// WriteSVG draws the map.
func (r *Result) WriteSVG(w io.Writer, title string) error {
	f, err := r.Fabric(title)
	if err != nil {
		return err
	}
	return layout.Of(f, layout.Options{Title: title}).WriteSVG(w)
}
