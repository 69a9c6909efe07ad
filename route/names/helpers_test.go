package names

import (
	"os"
	"strings"
)

// tb is a test, or a rapid check.
type tb interface {
	Helper()
	Fatal(args ...any)
}

// must fails the test on an error; must(call())(t) is the call's value.
func must[T any](v T, err error) func(tb) T {
	return func(t tb) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func scheme(t tb, name string) *Scheme { return must(ByName(name))(t) }

// table reads a TSV: lines that start with # are notes, the first other one names
// the columns.
func table(t tb, file string) []map[string]string {
	t.Helper()
	text := must(os.ReadFile(file))(t)
	var names []string
	var rows []map[string]string
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if names == nil {
			names = cells
			continue
		}
		row := map[string]string{}
		for i, c := range cells {
			row[names[i]] = c
		}
		rows = append(rows, row)
	}
	return rows
}
