package sm

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// dropped counts the rows of SL2VL tables, as smpquery shows them, by which SL 0 is dropped: of all
// outputs of a switch, and of a host.
func (s *simulator) dropped(f *fabric.Fabric, lids map[fabric.GUID]fabric.LID) (dropped, rows int) {
	s.tb.Helper()
	sw, host := f.Nodes[smtest.Find(f, fabric.Switch, 0)], f.Nodes[smtest.Find(f, fabric.CA, 3)]
	queries := [][]string{{fmt.Sprint(lids[host.GUID]), "1"}}
	for port := range sw.NumPorts() {
		queries = append(queries, []string{fmt.Sprint(lids[sw.GUID]), fmt.Sprint(port + 1)})
	}
	for _, q := range queries {
		text := s.Run("smpquery", append([]string{"sl2vl"}, q...)...)
		for _, m := range mapping.FindAllSubmatch(text, -1) {
			if string(m[1]) == string(m[2]) { // no packet goes back
				continue
			}
			rows++
			if first, _, _ := strings.Cut(string(m[3]), "|"); strings.TrimSpace(first) == "15" {
				dropped++
			}
		}
	}
	return dropped, rows
}

// turnOfVL0 matches an arbitration table, as smpquery shows it, whose first entry is of VL 0.
var turnOfVL0 = regexp.MustCompile(`(?s)Low priority.*?VL    : \|0x0 .*?WEIGHT: \|0x[1-9]`)

// TestLanesOfOpenSM: OpenSM has mapped SL 0 to VL 15, by which every packet is dropped, and given
// VL 0 no turn. Our Plan has one lane, and after its bring-up no table drops packets.
func TestLanesOfOpenSM(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	for name, start := range media {
		t.Run(name, func(t *testing.T) {
			s := start(t, f)
			config := s.Path("opensm.conf")
			text := "qos TRUE\n"
			for _, class := range []string{"", "_ca", "_sw0", "_swe"} {
				text += fmt.Sprintf("qos%s_max_vls 4\nqos%s_vlarb_high 1:4\nqos%s_vlarb_low 1:4,2:4\nqos%s_sl2vl 15,1,2,3,0,1,2,3,0,1,2,3,0,1,2,7\n", class, class, class, class)
			}
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s.Run("opensm", "-o", "-e", "-f", s.Path("osm.log"), "-R", "minhop", "-F", config)
			core, err := s.try(nodeID(f.Nodes[smtest.Find(f, fabric.CA, 0)].GUID), terms.Config{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			lids := map[fabric.GUID]fabric.LID{}
			for _, n := range core.Fabric().Nodes {
				for _, p := range n.Ports {
					lids[n.GUID] = max(lids[n.GUID], p.LID)
				}
			}
			if n, rows := s.dropped(f, lids); n == 0 {
				t.Fatalf("OpenSM has mapped SL 0 to VL 15 in none of %d rows", rows)
			}
			core, err = s.try(nodeID(f.Nodes[smtest.Find(f, fabric.CA, 0)].GUID), terms.Config{})
			if err != nil || core.Report.State != terms.Up {
				t.Fatalf("%v, %s: %v", err, core.Report.State, core.Report.Incidents)
			}
			if n, rows := s.dropped(f, lids); n > 0 || rows == 0 {
				t.Errorf("%d of %d rows drop packets of SL 0", n, rows)
			}
			again, err := s.try(nodeID(f.Nodes[smtest.Find(f, fabric.CA, 0)].GUID), terms.Config{})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range again.Report.SMPs.By {
				if n.Method == "Set" && (n.Attribute == "SLtoVLMappingTable" || n.Attribute == "VLArbitrationTable") {
					t.Errorf("the next bring-up: %d times Set(%s)", n.Requests, n.Attribute)
				}
			}
			if text := s.Run("smpquery", "vlarb", fmt.Sprint(lids[f.Nodes[smtest.Find(f, fabric.CA, 3)].GUID])); !turnOfVL0.Match(text) {
				t.Errorf("VL 0 has no turn:\n%s", text)
			}
		})
	}
}
