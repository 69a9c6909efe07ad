package tables

import (
	"bufio"
	"fmt"
	"io"

	"weft/fabric"
)

// randomEntry is an entry of a random forwarding table: packets to 2^LMC LIDs from LID
// on leave by Port (IBA volume 1, section 14.2.5.11).
type randomEntry struct {
	LID  fabric.LID
	LMC  uint8
	Port uint8
}

// randomEntries returns the entries, by LID, of an equivalent random forwarding table. They are as
// few as possible: a block of LIDs that leave by one port is one entry, whatever ports have them.
func (s *SwitchLFT) randomEntries() []randomEntry {
	var entries []randomEntry
	for lid := 0; lid < len(s.Ports); {
		port, lmc := s.Ports[lid], uint8(0)
		for port != NoPort && lmc < fabric.MaxLMC && lid%(2<<lmc) == 0 && s.all(lid+1<<lmc, 1<<lmc, port) {
			lmc++
		}
		if port != NoPort {
			entries = append(entries, randomEntry{fabric.LID(lid), lmc, port})
		}
		lid += 1 << lmc
	}
	return entries
}

// all reports whether n LIDs all leave by one port.
func (s *SwitchLFT) all(first, n int, port uint8) bool {
	if first+n > len(s.Ports) {
		return false
	}
	for _, p := range s.Ports[first : first+n] {
		if p != port {
			return false
		}
	}
	return true
}

// WriteRandom writes tables as random forwarding tables: a line for each switch with its number of
// entries, then one for each entry.
func WriteRandom(w io.Writer, t *LFTs) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "# random forwarding tables: LID LMC port, for 2^LMC LIDs from LID on")
	for i := range t.Switches {
		s := &t.Switches[i]
		entries := s.randomEntries()
		fmt.Fprintf(out, "switch %s %q %d\n", s.GUID, s.Desc, len(entries))
		for _, e := range entries {
			fmt.Fprintf(out, "0x%04x %d %d\n", uint16(e.LID), e.LMC, e.Port)
		}
	}
	return out.Flush()
}
