package opensm

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/internal/peer"
)

// TestReadAsOpenSM: the real OpenSM says which value it loads for each line of a configuration with
// odd values, repeated options and long lines. The import has the same ones in the end.
func TestReadAsOpenSM(t *testing.T) {
	program := peer.Program(t, "opensm")
	loaded := regexp.MustCompile(`(?m)^ Loading Cached Option:(\S+) = (.*)$`)
	names := slices.Sorted(maps.Keys(maxima))
	for name, o := range options() {
		if o.isTruth() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	values := []string{"TRUE", "FALSE", "true", "", "0", "1", "010", "08", "7", "255", "256", "65535", "65536", "4294967295", "4294967296", "-1", "+3", "0x1F", "0X2", "= 5", "5 6", "'4'", `"TRUE"`, "12abc", "(null)"}
	rng := rand.New(rand.NewPCG(40, 1))
	for range 4 {
		var text strings.Builder
		for range 400 {
			if rng.IntN(8) == 0 {
				text.WriteString("# " + strings.Repeat("x", mostLine-3+rng.IntN(3)) + " ")
			}
			fmt.Fprintf(&text, "%s\t%s\n", names[rng.IntN(len(names))], values[rng.IntN(len(values))])
		}
		file := filepath.Join(t.TempDir(), "opensm.conf")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command(program, "-F", file, "-c", "/dev/null").CombinedOutput() // it tells, whatever its status
		theirs := map[string]string{}
		for _, m := range loaded.FindAllStringSubmatch(string(out), -1) {
			theirs[m[1]] = m[2]
		}
		if len(theirs) < 20 {
			t.Fatalf("OpenSM loads only %d options:\n%s", len(theirs), out)
		}
		r := &importer{in: &Input{Config: &File{file, []byte(text.String())}}, set: map[string]line{}}
		r.read()
		for _, name := range names {
			l, ours := r.set[name]
			value, told := theirs[name]
			if !told { // no line, or always the default
				value = options()[name].usual
			}
			if ours && !(option{usual: value}).isUsual(l.value) && !(options()[name].isTruth() && truth(l.value) == truth(value)) {
				t.Errorf("%s: OpenSM has %s, the import %q of line %d", name, value, l.value, l.number)
			}
			if !ours && value != options()[name].usual && told {
				t.Errorf("%s: OpenSM has %s, the import nothing", name, value)
			}
		}
	}
}
