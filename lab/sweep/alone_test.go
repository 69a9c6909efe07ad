package sweep

import (
	"strings"
	"testing"
)

// TestAlone: the description of a row alone expands to the case of the row, whatever its engine,
// options, seeds and workload.
func TestAlone(t *testing.T) {
	d := describe(t, `
fabrics: ["torus(4x4,hosts=1)", "rlft(4,2)"]
damage: [none, 0.1, "fail(switches=1)"]
draws: {least: 2, first: 7}
engines: [updn, "ftree,updn"]
options: ["ftree.balance=zahavi"]
lanes: [0, 2]
lmc: [0, 1]
fresh_lids: true
seeds: {engine: [1, 3], traffic: [1, 9]}
workloads: [flow: {}, flow: {runs: 20}, packets: {duration: 2us, load: 0.2}, app: {program: "alltoall(size=4KiB)", placement: random}]
`)
	p, err := d.Expand(t.Context(), setup(), nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, i := 0, 0
	for _, j := range p.Jobs {
		for _, c := range j.Cases {
			if i++; i%7 != 0 {
				continue // a sample is enough
			}
			rows++
			text, err := Alone(&c.Row)
			if err != nil {
				t.Fatal(err)
			}
			if names := namesOf(t, describe(t, string(text)), setup()); len(names) != 1 || names[0] != c.Row.Case {
				t.Errorf("%+v: %s has the cases %v", c.Row, text, names)
			}
		}
	}
	if rows < 50 {
		t.Errorf("%d rows", rows)
	}
	for _, workload := range []string{"", "flow x", "dance", `flow {"runs":-1}`, `flow": {}, "app`} {
		if _, err := Alone(&Row{Asked: Asked{Workload: workload}}); err == nil || !strings.Contains(err.Error(), "column workload") {
			t.Errorf("%q: %v", workload, err)
		}
	}
}
