package sm

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"weft/fabric"
	"weft/route/planfile"
)

// ReadLIDs reads LIDs by port GUID in the form of OpenSM's guid2lid file: a line
// for each port, with the GUID and the first and the last LID; # begins a remark.
func ReadLIDs(name string, data []byte) (map[fabric.GUID]fabric.LID, error) {
	m := map[fabric.GUID]fabric.LID{}
	for i, line := range bytes.Split(data, []byte("\n")) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		words := bytes.Fields(line)
		if len(words) == 0 {
			continue
		}
		guid, err := fabric.ParseGUID(string(words[0]))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		if len(words) < 2 {
			return nil, fmt.Errorf("%s:%d: port %s has no LID", name, i+1, guid)
		}
		lid, err := strconv.ParseUint(string(words[1]), 0, 16)
		if err != nil || lid == 0 || lid > uint64(fabric.MaxUnicastLID) {
			return nil, fmt.Errorf("%s:%d: %q is not a unicast LID", name, i+1, words[1])
		}
		if _, twice := m[guid]; twice {
			return nil, fmt.Errorf("%s:%d: port %s is named twice", name, i+1, guid)
		}
		m[guid] = fabric.LID(lid)
	}
	return m, nil
}

// WritePlan writes the Plan as planfile.Load reads it. There must be one.
func (c *Core) WritePlan(w io.Writer) error { return planfile.Save(w, c.graph, c.plan) }

// WriteLIDs writes the LIDs of the Plan in the form that ReadLIDs reads, and after
// them those that were remembered of ports that are not here now.
func (c *Core) WriteLIDs(w io.Writer) error {
	var b bytes.Buffer
	here := map[fabric.GUID]bool{}
	for end, guid := range c.graph.EndGUID {
		first, n := c.plan.Ends.Base[end], c.plan.Ends.Count(int32(end))
		if n == 0 || here[guid] {
			continue
		}
		here[guid] = true
		fmt.Fprintf(&b, "%s 0x%04x 0x%04x\n", guid, first, int(first)+n-1)
	}
	for _, a := range c.plan.Absent {
		fmt.Fprintf(&b, "%s 0x%04x 0x%04x\n", a.Node, a.Base, a.Base)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func sortedGUIDs(m map[fabric.GUID]fabric.LID) []fabric.GUID {
	return slices.Sorted(maps.Keys(m))
}
