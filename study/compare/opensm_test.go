package compare

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/fabric/netfile"
	"weft/fabric/netfile/discovery"
	"weft/fabric/source"
	"weft/internal/peer"
	"weft/planner"
	"weft/route/engine"
	"weft/route/foreign"
)

var (
	openSMRows  = flag.String("opensm-rows", "", "file of the rows of OpenSM's engines: those that it has are not run again, others are added")
	openSMList  = flag.String("opensm-list", "", "file of fabrics for TestOpenSM instead of its own, one a line")
	openSMDir   = flag.String("opensm-in", "", "directory that these are in where they are files")
	openSMOnly  = flag.Bool("opensm-only", false, "run OpenSM alone, and compare nothing")
	openSMLimit = flag.Duration("opensm-limit", 30*time.Second, "how long OpenSM may take for a fabric")
)

// openSMEngines are the engines of OpenSM that need no files of their own.
var openSMEngines = []string{"minhop", "updn", "dnup", "ftree", "lash", "dor", "dfsssp", "sssp", "nue"}

// ownReplies is dfsssp as OpenSM has it: each direction of a pair has a lane of its own.
const ownReplies = "dfsssp,replies=own"

// TestOpenSM: on every fabric that OpenSM routes in full what auto chooses has as much effective
// bisection bandwidth, on the same bisections, as the tables of each engine of OpenSM, but for 1 %,
// and engines of the same name take no more lanes. The engines minhop, dor and sssp of OpenSM may
// deadlock; auto's choice may not.
func TestOpenSM(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	fabrics := []string{"rlft(8,3)|fail(share=0.05,links=all,seed=1)", "torus(4x4,hosts=2)", "random(switches=20,hosts=40,links=40,seed=1)"}
	if *openSMList != "" {
		data, err := os.ReadFile(*openSMList)
		if err != nil {
			t.Fatal(err)
		}
		fabrics = fabrics[:0]
		for line := range strings.Lines(string(data)) {
			if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
				fabrics = append(fabrics, strings.TrimSpace(line))
			}
		}
	}
	have := keptRows(t)
	for _, name := range fabrics {
		src, err := source.Open(name, source.Options{Dir: *openSMDir})
		if err != nil {
			t.Fatal(err)
		}
		ours := map[string]*openSMRow{}
		for _, name := range append([]string{engine.Auto, ownReplies}, openSMEngines...) {
			if *openSMOnly || name == "dnup" {
				continue
			}
			row, err := routeRow(t.Context(), src.Fabric.Compile(), name, planner.Request{Seed: 1, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			row.Engine, ours[name] = name, row
		}
		for _, rival := range openSMEngines {
			t.Run(name+" "+rival, func(t *testing.T) {
				theirs := have[[2]string{name, "OpenSM " + rival}]
				if theirs == nil {
					theirs = openSM(t, src, rival)
					theirs.Fabric = name
					if err := keepRow(theirs); err != nil {
						t.Error(err)
					}
				}
				if auto := ours[engine.Auto]; auto != nil && theirs.Lost == 0 && theirs.EBB*(1-asGoodShare) > auto.EBB {
					t.Errorf("auto, %s: ebb %.4f, OpenSM %.4f", auto.Chosen, auto.EBB, theirs.EBB)
				}
				own := ours[rival]
				if rival == "dfsssp" {
					own = ours[ownReplies]
				}
				if own != nil && own.Verdict == Proven && theirs.VLs > 0 && own.VLs > theirs.VLs {
					t.Errorf("%d lanes, OpenSM %d", own.VLs, theirs.VLs)
				}
			})
		}
	}
}

// openSM has OpenSM route a fabric over ibsim, and measures its tables.
func openSM(t *testing.T, src *source.Source, engine string) *openSMRow {
	var net bytes.Buffer
	if err := discovery.WriteIBNetDiscover(&net, src.Fabric); err != nil {
		t.Fatal(err)
	}
	s := peer.Simulate(t, net.Bytes())
	log := s.Path("osm.log")
	s.Start("opensm", "-e", "-F", "/dev/null", "-f", log, "-s", "0", "-d", "2", "-R", engine+",no_fallback", "--dump_files_dir", s.Dir, "-D", "0x43")
	row := &openSMRow{SweepRow: SweepRow{Engine: "OpenSM " + engine, Verdict: "not finished"}}
	var text []byte
	for end := time.Now().Add(*openSMLimit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, _ = os.ReadFile(log)
		if bytes.Contains(text, []byte("SUBNET UP")) {
			row.Verdict = "finished"
			break
		}
		if refused.Match(text) {
			row.Verdict = "refused"
			break
		}
	}
	row.VLs = openSMLanes(engine, text)
	if row.Verdict != "finished" {
		return row
	}
	dump, err := os.ReadFile(filepath.Join(s.Dir, "opensm-lfts.dump"))
	if err != nil {
		t.Fatal(err)
	}
	files := foreign.Files{}
	if files.LFTs, _, err = netfile.ReadLFTs("opensm-lfts.dump", dump); err != nil {
		t.Fatal(err)
	}
	g := src.Fabric.Compile()
	plan, _, err := files.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	if err := row.measure(t.Context(), g, plan); err != nil {
		t.Fatal(err)
	}
	return row
}

var (
	refused = regexp.MustCompile(`cannot build|No routing engine able|ERRORS DURING INIT`)
	lanes   = regexp.MustCompile(`(?:Virtual Lanes needed: |Lanes needed: |Lane requirements \()(\d+)`)
)

// openSMLanes is the number of lanes by OpenSM's log, 0 where it does not tell.
func openSMLanes(engine string, log []byte) int {
	if all := lanes.FindAllSubmatch(log, -1); len(all) > 0 {
		n, _ := strconv.Atoi(string(all[len(all)-1][1]))
		return n
	}
	if engine == "lash" || engine == "dfsssp" || engine == "nue" {
		return 0
	}
	return 1
}
