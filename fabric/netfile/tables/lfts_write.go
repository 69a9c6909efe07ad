package tables

import (
	"bufio"
	"fmt"
	"io"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// WriteDumpLFTs writes tables in the format of dump_fts (infiniband-diags), without hop counts.
func WriteDumpLFTs(w io.Writer, t *LFTs) error {
	out := bufio.NewWriter(w)
	infos := t.infos()
	for i := range t.Switches {
		s := &t.Switches[i]
		fmt.Fprintf(out, "Unicast lids [0x0-0x%x] of switch Lid %d guid 0x%016x (%s):\n", s.top(), s.LID, uint64(s.GUID), lines.Printable(s.Desc))
		fmt.Fprint(out, "  Lid  Out   Destination\n       Port     Info \n")
		for lid, port := range s.Ports {
			if port == NoPort {
				continue
			}
			info := ": (node info not available fabric scan)"
			if lid < len(infos) && infos[lid] != "" {
				info = infos[lid]
			}
			writeEntry(out, lid, port, info)
		}
		fmt.Fprintf(out, "%d valid lids dumped \n", s.Entries())
	}
	return out.Flush()
}

// infos returns the remarks of dump_fts by LID, "" if nothing is known.
func (t *LFTs) infos() []string {
	if len(t.Targets) == 0 {
		return nil
	}
	infos := make([]string, int(t.Targets[len(t.Targets)-1].LID)+1)
	for i := 0; i < len(t.Targets); {
		first := t.Targets[i]
		j := i + 1
		for j < len(t.Targets) && t.Targets[j].GUID == first.GUID && int(t.Targets[j].LID) == int(first.LID)+j-i {
			j++
		}
		for k := i + 1; k < j; k++ {
			infos[t.Targets[k].LID] = fmt.Sprintf(": (path #%d out of %d: portguid %s)", k-i+1, j-i, first.GUID)
		}
		infos[first.LID] = fmt.Sprintf(": (%s portguid %s: '%s')", nodeTypeNames[first.Type], first.GUID, lines.Printable(first.Desc))
		i = j
	}
	return infos
}

// writeEntry writes "0x0001 005 text" without fmt: there may be 10^8 of them.
func writeEntry(out *bufio.Writer, lid int, port uint8, text string) {
	const digits = "0123456789abcdef"
	var b [11]byte
	b[0], b[1] = '0', 'x'
	for i := range 4 {
		b[2+i] = digits[lid>>(12-4*i)&15]
	}
	b[6], b[7], b[8], b[9], b[10] = ' ', '0'+port/100, '0'+port/10%10, '0'+port%10, ' '
	out.Write(b[:])
	out.WriteString(text)
	out.WriteByte('\n')
}

// WriteOpenSMLFTs writes tables in OpenSM's format (opensm-lfts.dump), for its routing engine
// "file": opensm -R file -U FILE. If the port named in an entry has a new LID, OpenSM moves the
// entry to it. The file holds tables only: OpenSM sets SLs and SL2VL by its own rules, and computes
// hop counts itself.
func WriteOpenSMLFTs(w io.Writer, t *LFTs) error {
	out := bufio.NewWriter(w)
	infos := make([]string, int(t.TopLID())+1)
	for lid := range infos {
		infos[lid] = "# unknown node and type"
		if x := t.target(fabric.LID(lid)); x != nil {
			infos[lid] = fmt.Sprintf("# %s portguid %s: '%s'", nodeTypeNames[x.Type], x.GUID, lines.Printable(x.Desc))
		}
	}
	for i := range t.Switches {
		s := &t.Switches[i]
		top := s.top()
		fmt.Fprintf(out, "Unicast lids [0-%d] of switch Lid %d guid %s ('%s'):\n", top, s.LID, s.GUID, lines.Printable(s.Desc))
		for lid, port := range s.Ports {
			if port != NoPort {
				writeEntry(out, lid, port, infos[lid])
			}
		}
		fmt.Fprintf(out, "%d lids dumped\n", top)
	}
	return out.Flush()
}

// WriteFDBs writes tables in the format of OpenSM's opensm.fdbs. Without Claims the hops are
// unknown. The format does not name the ports of LIDs.
func WriteFDBs(w io.Writer, t *LFTs) error {
	out := bufio.NewWriter(w)
	for i := range t.Switches {
		s := &t.Switches[i]
		fmt.Fprintf(out, "dump_ucast_routes: Switch %s\nLID    : Port : Hops : Optimal\n", s.GUID)
		for lid := 1; lid < len(s.Ports); lid++ {
			fmt.Fprintf(out, "0x%04X : %s\n", lid, s.fdbsText(lid))
		}
	}
	return out.Flush()
}

// fdbsText returns an entry in the words of an .fdbs file, after the LID.
func (s *SwitchLFT) fdbsText(lid int) string {
	port, hops := s.Ports[lid], UnknownHops
	if s.Claims != nil && lid < len(s.Claims.Hops) {
		hops = s.Claims.Hops[lid]
	}
	switch {
	case port == NoPort:
		return "UNREACHABLE"
	case hops == UnknownHops:
		return fmt.Sprintf("%03d  : HOPS UNKNOWN", port)
	case s.Claims.Best[lid] < hops:
		return fmt.Sprintf("%03d  : %02d   : No %d hop path possible via port %d!", port, hops, s.Claims.Best[lid], s.Claims.BestVia[lid])
	}
	return fmt.Sprintf("%03d  : %02d   : yes", port, hops)
}
