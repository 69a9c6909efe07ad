package round

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestTranscripts plays the scenes of testdata, and compares inputs and actions of the round in
// order. Answers come in the order of the requests. Run with -rewrite to write them anew.
//
//	run formula [engine=CHAIN] [discover] [unproven] [again] [from=PHASE]
//	run formula silent=NODE | ports=NODE:N | guid=NODE:NODE | mute=NODE:ATTRIBUTE | stop=N
//
// A NODE is the index of a node of the formula. "again" plays a second round on the subnet that the
// first one has brought up, and shows only the second.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/transcripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			w := scene(t, d)
			w.run()
			if d.HasArg("again") {
				second := newWorld(w.fake.F, w.cfg, "updn")
				second.fake, second.fifo = w.fake, true
				second.run()
				w = second
			}
			text := strings.Join(merge(w.log), "\n")
			from := "discover"
			d.MaybeScanArgs(t, "from", &from)
			return text[strings.Index(text, "-- "+from):]
		})
	})
}

// scene makes the world of a command.
func scene(t *testing.T, d *datadriven.TestData) *world {
	t.Helper()
	words := strings.Fields(d.Input)
	f := smtest.Formula(t, words[0])
	chain := "updn"
	d.MaybeScanArgs(t, "engine", &chain)
	w := newWorld(f, terms.Config{ReadOnly: d.HasArg("discover"), Unproven: d.HasArg("unproven")}, chain)
	w.fifo = true
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		var node, n int
		if _, err := fmt.Sscanf(value, "%d:%d", &node, &n); err != nil {
			if _, err := fmt.Sscanf(value, "%d", &node); err != nil {
				t.Fatalf("%s: %v", word, err)
			}
		}
		switch name {
		case "silent":
			w.fake.Nodes[node].Silent = true
		case "ports":
			w.fake.Nodes[node].Ports = n
		case "guid":
			w.fake.Nodes[node].GUID = f.Nodes[n].GUID
		case "mute":
			w.fake.Nodes[node].Deaf = mad.AttrID(n)
		case "stop":
			w.stopAt = node
		default:
			t.Fatalf("no fault is called %s", name)
		}
	}
	return w
}

var asked = regexp.MustCompile(`^(\w+ \w+) ([0-9a-f]+) via (.*)$`)

// merge joins neighbouring requests that differ only in the modifier.
func merge(log []string) []string {
	var out []string
	last, lastMod, firstMod := "", uint64(0), uint64(0)
	for _, line := range log {
		m := asked.FindStringSubmatch(line)
		if m == nil {
			out, last = append(out, line), ""
			continue
		}
		mod, _ := strconv.ParseUint(m[2], 16, 64) // the expression guarantees a number
		key := m[1] + m[3]
		if key == last && mod == lastMod+1 {
			lastMod = mod
			out[len(out)-1] = fmt.Sprintf("%s %x..%x via %s", m[1], firstMod, mod, m[3])
			continue
		}
		last, firstMod, lastMod = key, mod, mod
		out = append(out, line)
	}
	return out
}
