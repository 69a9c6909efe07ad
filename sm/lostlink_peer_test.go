package sm

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// BenchmarkLostLink measures, on the real ibsim, the time from a cable that is pulled to the last
// block of forwarding tables: that of OpenSM with updn, that of ours, and how many times faster
// ours is. The subnet is janus.
func BenchmarkLostLink(b *testing.B) {
	f := smtest.Janus(b)
	link := f.Links[slices.IndexFunc(f.Links, func(l fabric.Link) bool {
		return f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch
	})]
	end := fmt.Sprintf("\"S-%016x\"[%d]", uint64(f.Nodes[link.A.Node].GUID), link.A.Port)
	var theirs, ours time.Duration
	for b.Loop() {
		theirs += openSMRepair(b, f, end)
		ours += ourRepair(b, f, end)
	}
	b.ReportMetric(theirs.Seconds()/float64(b.N), "s-opensm")
	b.ReportMetric(ours.Seconds()/float64(b.N), "s-ours")
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "times-faster")
}

// openSMRepair measures how long OpenSM takes, by its log: from the cable to the tables of all
// switches.
func openSMRepair(b *testing.B, f *fabric.Fabric, end string) time.Duration {
	s := simulate(b, f)
	log := s.Path("osm.log")
	lines := func() []string {
		data, _ := os.ReadFile(log)
		return strings.Split(string(data), "\n")
	}
	up := func(line string) bool { return strings.Contains(line, "SUBNET UP") }
	s.Env = append(s.Env, "SIM_HOST="+nodeID(f.Nodes[smtest.Find(f, fabric.CA, 0)].GUID))
	opensm := s.Start("opensm", "-d2", "-s", "0", "-f", log, "-R", "updn")
	s.Wait("OpenSM", opensm, func() bool { return slices.ContainsFunc(lines(), up) })
	time.Sleep(2 * time.Second)
	before, pulled := len(lines())-1, time.Now()
	s.Console("Unlink " + end)
	s.Wait("OpenSM's repair", opensm, func() bool { return slices.ContainsFunc(lines()[before:], up) })
	for _, line := range lines()[before:] {
		if strings.Contains(line, "tables configured on all switches") {
			return logTime(b, line).Sub(pulled)
		}
	}
	return 0
}

var logStamp = regexp.MustCompile(`^(\w{3} \d\d \d\d:\d\d:\d\d) (\d{6})`)

// logTime reads the time of a line of OpenSM's log.
func logTime(b *testing.B, line string) time.Time {
	m := logStamp.FindStringSubmatch(line)
	if m == nil {
		b.Fatalf("no time in %q", line)
	}
	t, err := time.ParseInLocation("2006 Jan 02 15:04:05.000000", fmt.Sprintf("%d %s.%s", time.Now().Year(), m[1], m[2]), time.Local)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// ourRepair measures how long our manager takes.
func ourRepair(b *testing.B, f *fabric.Fabric, end string) time.Duration {
	s := simulate(b, f)
	m := s.stay(nodeID(f.Nodes[smtest.Find(f, fabric.CA, 0)].GUID), 0)
	s.Wait("weft", "", func() bool { return m.told(terms.RoundEnds) == 1 })
	time.Sleep(2 * time.Second)
	pulled := time.Now()
	s.Console("Unlink " + end)
	s.Wait("our repair", "", func() bool { return m.told(terms.RoundEnds) > 1 })
	took := m.heldAt().Sub(pulled)
	m.cancel()
	if err := <-m.done; err != nil {
		b.Error(err)
	}
	return took
}
