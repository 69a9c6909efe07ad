package peer

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Tool is a command of infiniband-diags, to be run against OpenSM and against weft.
type Tool struct {
	Command string // words in braces stand for addresses, ~ for a space in a name
	Often   bool   // it is quick and tells much: CI runs it
	Status  int    // exit status with umad devices; docs/tools.md gives the reasons for others than 0
	Other   string // why its output has another shape against weft; empty: the same shape
}

// Places holds the addresses that commands name.
type Places map[string]string

// Args returns the words of a command.
func (t *Tool) Args(at Places) []string {
	words := strings.Fields(t.Command)
	for i, w := range words {
		for name, text := range at {
			w = strings.ReplaceAll(w, "{"+name+"}", text)
		}
		words[i] = strings.ReplaceAll(w, "~", " ")
	}
	return words
}

// Shapes of output that differ rightly.
const (
	tableTop = "weft lowers LinearFDBTop to the highest LID"
)

// Tools lists the commands, with the options that make them ask for other things. {host0} is the
// LID of the machine's own port, {host} that of a host without a manager, {leaf} that of a switch.
var Tools = []Tool{
	{Command: "ibstat", Often: true},
	{Command: "ibstatus"},
	{Command: "ibaddr"},
	{Command: "ibaddr {host}", Often: true},
	{Command: "ibaddr -G 0x{guid}", Often: true},
	{Command: "ibhosts"},
	{Command: "ibswitches"},
	{Command: "ibnodes"},
	{Command: "ibrouters"},
	{Command: "ibnetdiscover", Often: true},
	{Command: "ibnetdiscover -p"},
	{Command: "ibnetdiscover -l"},
	{Command: "iblinkinfo", Often: true},
	{Command: "iblinkinfo -l"},
	{Command: "iblinkinfo -G 0x{leafguid}", Often: true},
	{Command: "ibqueryerrors", Often: true},
	{Command: "ibqueryerrors --counters", Often: true},
	{Command: "ibqueryerrors --data"},
	{Command: "ibqueryerrors --details"},
	{Command: "ibqueryerrors -G 0x{leafguid}"},
	{Command: "perfquery"},
	{Command: "perfquery {host} 1"},
	{Command: "perfquery -x {host} 1", Often: true},
	{Command: "perfquery -x {leaf} 1"},
	{Command: "perfquery -a {leaf}"},
	{Command: "perfquery -l {leaf}"},
	{Command: "perfquery -R {host} 1"},
	{Command: "perfquery -r {host} 1"},
	{Command: "perfquery -X {host} 1", Status: 255},
	{Command: "perfquery -D {host} 1", Status: 255},
	{Command: "perfquery -E {host} 1", Status: 255},
	{Command: "perfquery -c {host} 1", Status: 255},
	{Command: "perfquery -T {host} 1", Status: 255},
	{Command: "perfquery --vloppackets {host} 1", Status: 255},
	{Command: "perfquery -G 0x{guid} 1", Often: true},
	{Command: "smpquery nodeinfo {host}"},
	{Command: "smpquery nodedesc {leaf}"},
	{Command: "smpquery portinfo {host} 1", Often: true},
	{Command: "smpquery portinfo {leaf} 1"},
	{Command: "smpquery switchinfo {leaf}"},
	{Command: "smpquery pkeys {host} 1"},
	{Command: "smpquery sl2vl {leaf} 1"},
	{Command: "smpquery vlarb {leaf} 1"},
	{Command: "smpquery guidinfo {host}"},
	{Command: "smpquery mepi {leaf} 1"},
	{Command: "smpquery -D nodeinfo 0"},
	{Command: "smpquery -D nodeinfo 0,1"},
	{Command: "smpquery -G nodeinfo 0x{guid}"},
	{Command: "smpquery -c nodeinfo {leaf} 0,1", Often: true},
	{Command: "smpquery -x portinfo {host} 1"},
	{Command: "smpdump {host} 0x15 1"},
	{Command: "smpdump -D 0,1 0x11"},
	{Command: "sminfo", Often: true},
	{Command: "sminfo {host}", Status: 255},
	{Command: "ibtracert {host0} {host}", Often: true},
	{Command: "ibtracert -G 0x{guid0} 0x{guid}"},
	{Command: "ibtracert -m 0xc000 {host0} {host}", Status: 255},
	{Command: "ibroute {leaf}", Often: true},
	{Command: "ibroute -a {leaf}", Other: tableTop},
	{Command: "ibroute -M {leaf}"},
	{Command: "dump_fts"},
	{Command: "dump_lfts", Often: true},
	{Command: "dump_mfts"},
	{Command: "check_lft_balance", Status: 2},
	{Command: "ibportstate {leaf} 1 query", Often: true},
	{Command: "ibportstate -D 0,1 1 query"},
	{Command: "ibfindnodesusing {leaf} 1", Status: 1},
	{Command: "ibidsverify"},
	{Command: "ibcacheedit --help", Status: 2},
	{Command: "ibccquery CI {host}"},
	{Command: "ibccquery SS {leaf}"},
	{Command: "ibccquery CS {host}"},
	{Command: "ibccquery CT {host}"},
	{Command: "ibccconfig --help", Status: 2},
	{Command: "vendstat -N {leaf}", Status: 255},
	{Command: "ibsysstat {host}", Status: 255},
	{Command: "ibping -c 1 {host}"},
	{Command: "saquery", Often: true},
	{Command: "saquery NR {host}"},
	{Command: "saquery CPI"},
	{Command: "saquery -c"},
	{Command: "saquery PIR", Often: true},
	{Command: "saquery PIR {leaf}/1"},
	{Command: "saquery SL2VL", Often: true},
	{Command: "saquery SL2VL {leaf}"},
	{Command: "saquery SL2VL {leaf}/1/2"},
	{Command: "saquery PKTR", Status: 5},
	{Command: "saquery --smkey 1 PKTR"},
	{Command: "saquery --smkey 1 PKTR {host}"},
	{Command: "saquery --smkey 2 NR", Status: 110},
	{Command: "saquery VLAR", Often: true},
	{Command: "saquery VLAR {leaf}/1"},
	{Command: "saquery IIR"},
	{Command: "saquery LR", Often: true},
	{Command: "saquery LR {leaf}"},
	{Command: "saquery LR {leaf} {host0}"},
	{Command: "saquery SR"},
	{Command: "saquery PR", Often: true},
	{Command: "saquery PR --slid {host0} --dlid {host}"},
	{Command: "saquery -p"},
	{Command: "saquery --src-to-dst {host0}:{host}"},
	{Command: "saquery --src-to-dst host~0:host~6", Often: true},
	{Command: "saquery --sgid-to-dgid {gid0}-{gid}"},
	{Command: "saquery PR --sgid {gid0} --dgid {gid}", Often: true},
	{Command: "saquery PR --sgid {gid0} --dgid fe80::9"},
	{Command: "saquery PR --slid {host0} --dlid {host} --sl 0"},
	{Command: "saquery PR --slid {host0} --dlid {host} --sl 3", Often: true},
	{Command: "saquery PR --slid {host0} --dlid {host} --pkey 0xffff"},
	{Command: "saquery PR --slid {host0} --dlid {host} --pkey 0x8001"},
	{Command: "saquery PR --slid {host0} --dlid {host} -r 1"},
	{Command: "saquery PR --slid {host0} --dlid {host} -n 1"},
	{Command: "saquery PR --slid {host0} --dlid {host} -Q 0"},
	{Command: "saquery PR --slid {host0} --dlid {host} -M 4"},
	{Command: "saquery PR --slid {host0} --dlid {host} -R 3"},
	{Command: "saquery PR --slid {host0} --dlid {host} --pkt_lifetime 18"},
	{Command: "saquery PR --slid {host0} --dlid {host} -T 1"},
	{Command: "saquery PR --slid {host0} --dlid {host} -F 1"},
	{Command: "saquery PR --slid {host0} --dlid {host} -H 1"},
	{Command: "saquery PR --slid {host0} --dlid {host} --service_id 0x1000000000000"},
	{Command: "saquery PR --slid {host0} --dlid 9999", Often: true},
	{Command: "saquery MCMR", Often: true},
	{Command: "saquery -g"},
	{Command: "saquery -m"},
	{Command: "saquery -m 0xc000"},
	{Command: "saquery MCMR --mlid 0xc000"},
	{Command: "saquery MCMR --mgid ff12:401b:ffff::ffff:ffff"},
	{Command: "saquery MCMR --gid {gid0}"},
	{Command: "saquery --smkey 1 MCMR"},
	{Command: "saquery LFTR", Often: true},
	{Command: "saquery LFTR {leaf}"},
	{Command: "saquery LFTR {leaf}/0"},
	{Command: "saquery MFTR"},
	{Command: "saquery MFTR 0xc000"},
	{Command: "saquery GIR"},
	{Command: "saquery GIR {host}"},
	{Command: "saquery SWIR"},
	{Command: "saquery SWIR {leaf}", Often: true},
	{Command: "saquery SMIR", Often: true},
	{Command: "saquery -s"},
	{Command: "saquery -D"},
	{Command: "saquery -x"},
	{Command: "saquery -S"},
	{Command: "saquery -I"},
	{Command: "saquery -L host~6"},
	{Command: "saquery -l host~6"},
	{Command: "saquery -G host~6"},
	{Command: "saquery -O {host}"},
	{Command: "saquery -U 0x{guid}"},
	{Command: "saquery -N"},
	{Command: "saquery -K PIR {leaf}/1"},
	{Command: "ibportstate {leaf} 1 disable"}, // last: these change the subnet
	{Command: "ibportstate {leaf} 1 enable"},
}

// Outcome holds the output of a command and its exit status.
type Outcome struct {
	Out    string
	Status int
}

// Outcomes holds outcomes by command.
type Outcomes map[string]Outcome

// RunTools runs the commands that a test wants.
func RunTools(at Places, wants func(*Tool) bool, run func(args []string) Outcome) Outcomes {
	all := Outcomes{}
	for i := range Tools {
		if t := &Tools[i]; wants(t) {
			all[t.Command] = run(t.Args(at))
		}
	}
	return all
}

// Compare compares exit status and shape of output: OpenSM's first, then weft's. other holds exit
// statuses that differ on this medium from umad devices.
func Compare(t *testing.T, theirs, ours Outcomes, other map[string]int) {
	t.Helper()
	for i := range Tools {
		c := &Tools[i]
		a, ran := theirs[c.Command]
		if !ran {
			continue
		}
		b, want := ours[c.Command], c.Status
		if status, differs := other[c.Command]; differs {
			want = status
		}
		if a.Status != want || b.Status != want {
			t.Errorf("%s: exit status %d against OpenSM, %d against weft, want %d:\n%s\n---\n%s", c.Command, a.Status, b.Status, want, a.Out, b.Out)
			continue
		}
		if a, b := Shape(a.Out), Shape(b.Out); c.Other == "" && !slices.Equal(a, b) {
			t.Errorf("%s: other lines, OpenSM's first:\n%s\n---\n%s", c.Command,
				strings.Join(without(a, b), "\n"), strings.Join(without(b, a), "\n"))
		}
	}
}

// without returns the lines of a that b has not.
func without(a, b []string) (rest []string) {
	for _, line := range a {
		if !slices.Contains(b, line) {
			rest = append(rest, line)
		}
	}
	return rest
}

var (
	numbers  = regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9a-f]{16}\b|[0-9]+`)
	repeated = regexp.MustCompile(`#[#:. ]*`)
	dots     = regexp.MustCompile(`\.{2,}`)
	spaces   = regexp.MustCompile(`\s+`)
	columns  = regexp.MustCompile(`\s*([|:])\s*`)
)

// Shape returns the different lines of an output without their numbers, sorted.
func Shape(out string) (shape []string) {
	for line := range strings.Lines(out) {
		line = columns.ReplaceAllString(numbers.ReplaceAllString(line, "#"), "$1")
		line = repeated.ReplaceAllString(dots.ReplaceAllString(line, ": "), "#")
		if line = strings.TrimSpace(spaces.ReplaceAllString(line, " ")); line != "" && !strings.Contains(line, "sim_connect") {
			shape = append(shape, line)
		}
	}
	slices.Sort(shape)
	return slices.Compact(shape)
}
