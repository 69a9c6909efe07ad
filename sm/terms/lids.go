package terms

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"weft/fabric"
	"weft/route"
)

// PortLIDs is the LID range of a port: 2^LMC LIDs from Base on.
type PortLIDs struct {
	Base fabric.LID
	LMC  uint8
}

// Last returns the highest LID.
func (p PortLIDs) Last() fabric.LID { return p.Base + 1<<p.LMC - 1 }

// Valid reports whether the specification allows this range: unicast LIDs, from a multiple of their
// number on.
func (p PortLIDs) Valid() bool {
	return p.IsUnicast() && int(p.Base)%(1<<p.LMC) == 0
}

// IsUnicast reports whether all these LIDs are LIDs of end ports.
func (p PortLIDs) IsUnicast() bool {
	return p.Base > 0 && p.LMC <= fabric.MaxLMC && int(p.Base)+1<<p.LMC-1 <= int(fabric.MaxUnicastLID)
}

// Mark marks the LIDs as taken.
func (p PortLIDs) Mark(taken map[fabric.LID]bool) {
	for i := range 1 << p.LMC {
		taken[p.Base+fabric.LID(i)] = true
	}
}

// LIDMap holds LIDs by port GUID, also of absent ports.
type LIDMap map[fabric.GUID]PortLIDs

// After returns the LIDs of a Plan, and the LIDs of absent ports unless the Plan reuses them. Of
// several ports with one GUID the first counts. Ports with GUID 0 are left out: they cannot be
// recognised later.
func (m LIDMap) After(g *fabric.Graph, ends *route.Ends) LIDMap {
	out := make(LIDMap, max(len(m), g.NumEnds))
	for end, guid := range g.EndGUID {
		if _, twice := out[guid]; guid != 0 && ends.Count(int32(end)) > 0 && !twice {
			out[guid] = PortLIDs{ends.Base[end], ends.LMC[end]}
		}
	}
	by := ends.ByLID()
	for guid, p := range m {
		if _, here := out[guid]; !here && p.isFree(by) {
			out[guid] = p
		}
	}
	return out
}

// isFree reports whether no end port has one of these LIDs. by holds the end port of each LID, or
// -1.
func (p PortLIDs) isFree(by []int32) bool {
	for l := int(p.Base); l <= int(p.Last()) && l < len(by); l++ {
		if by[l] >= 0 {
			return false
		}
	}
	return true
}

// ReadLIDs parses LIDs in the form of OpenSM's guid2lid file. Each line holds a port GUID, its
// first LID and its last LID; # begins a comment. name is the file name for errors. It finds all
// bad lines, and names 20.
func ReadLIDs(name string, data []byte) (LIDMap, error) {
	m := LIDMap{}
	err := eachLine(name, data, func(words [][]byte) error {
		guid, err := fabric.ParseGUID(string(words[0]))
		if err != nil {
			return err
		}
		if len(words) < 2 {
			return fmt.Errorf("port %s has no LID", guid)
		}
		p, err := parsePortLIDs(words[1:])
		if err != nil {
			return err
		}
		if _, twice := m[guid]; twice {
			return fmt.Errorf("port %s is named twice", guid)
		}
		m[guid] = p
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// eachLine calls parse for the words of each line that is not empty; # begins a comment. It returns
// the errors of all lines, with file and number.
func eachLine(name string, data []byte, parse func(words [][]byte) error) error {
	var errs []error
	for i, line := range bytes.Split(data, []byte("\n")) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		if words := bytes.Fields(line); len(words) > 0 {
			if err := parse(words); err != nil {
				errs = append(errs, fmt.Errorf("%s:%d: %w", name, i+1, err))
			}
		}
	}
	return JoinErrors(errs)
}

// mostErrors is the maximum number of errors that are told of one file.
const mostErrors = 20

// JoinErrors joins the errors of a file, up to a limit; nil if there are none.
func JoinErrors(errs []error) error {
	if more := len(errs) - mostErrors; more > 0 {
		errs = append(errs[:mostErrors:mostErrors], fmt.Errorf("and %d more", more))
	}
	return errors.Join(errs...)
}

// parsePortLIDs parses the first LID of a port and, if present, the last one.
func parsePortLIDs(words [][]byte) (p PortLIDs, err error) {
	var lids [2]uint64
	for i, word := range words[:min(len(words), 2)] {
		if lids[i], err = strconv.ParseUint(string(word), 0, 16); err != nil || lids[i] == 0 || lids[i] > uint64(fabric.MaxUnicastLID) {
			return p, fmt.Errorf("%q is not a unicast LID", word)
		}
	}
	p.Base = fabric.LID(lids[0])
	for lids[1] > uint64(p.Last()) && p.LMC < fabric.MaxLMC {
		p.LMC++
	}
	if len(words) > 1 && (uint64(p.Last()) != lids[1] || !p.Valid()) {
		return p, fmt.Errorf("LIDs %s to %s: a port has 1, 2, 4 ... or 128 LIDs, and the first is a multiple of their number", words[0], words[1])
	}
	return p, nil
}
