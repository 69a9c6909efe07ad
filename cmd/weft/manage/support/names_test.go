package support

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
)

// TestHidden: no name is left in a text, in quotes or without, and all else stays.
func TestHidden(t *testing.T) {
	n := newNames()
	n.add("host", "n12 HCA-1")
	n.add("switch", `leaf "1"`+"\x01")
	n.add("switch", "leaf 1")
	n.add("switch", "12")
	n.add("host", "über")
	n.add("partition", "blue")
	n.addPatterns([]string{`"acme-[0-9]*"=full`, `"*"=both`, "ALL=limited", "0x0000000000000001=full"})
	n.addParts([]string{"old spine[3]", "0x0000000000000001[3]", `"old leaf"`})
	n.addLines([]byte(`{"name":"gone","text":"link removed: \"old \\\"one\\\"\" (0x1)[3] - \"n12 HCA-1\" (0x2)"}`))
	for text, want := range map[string]string{
		"n12 HCA-1[1]":                           "host-1[1]",
		"host n12 is":                            "host host-2 is",
		"n123 xn12 n12_a":                        "n123 xn12 n12_a",
		"leaf 1[12] - leaf 12":                   "switch-2[switch-3] - leaf switch-3",
		`CA ` + strconv.Quote(`leaf "1"`+"\x01"): `CA "switch-1"`,
		"überall über":                           "überall host-3",
		"blue, bluer":                            "partition-1, bluer",
		"gone":                                   "node-3",
		`the "old \"one\"" left`:                 `the "node-4" left`,
		`"acme-[0-9]*"=full, "*"=both, ALL`:      `"pattern-1"=full, "*"=both, ALL`,
		"old spine[3] old leaf 0x1":              "node-1[3] node-2 0x1",
		"":                                       "",
	} {
		if got := n.text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestHiddenPlaces: tokens and paths are known by their place in a text, and are hidden. So is all
// that a line about a job says of it.
func TestHiddenPlaces(t *testing.T) {
	n := newNames()
	for _, c := range [][2]string{
		{`{"text":"leaf is drained, as requested by token ops.a"}`, `{"text":"leaf is drained, as requested by token token-1"}`},
		{`{"text":"refused by token ops.a: no node by token"}`, `{"text":"refused by token token-1: no node by token"}`},
		{`{"text":"a full sweep was requested by token ops.a."}`, `{"text":"a full sweep was requested by token token-1"}`},
		{`{"file":"/home/alice/sm.db"}`, `{"file":"path-1"}`},
		{`{"text":"open /home/alice/sm.db: no space (/home/alice/sm.db) and/or /dev/umad0"}`, `{"text":"open path-1: no space (path-1) and/or /dev/umad0"}`},
		{`{"kind":"job-started","text":"job 47 (al ice) on 2 nodes: n[1-2]; not found: x"}`, `{"kind":"job-started","text":"job-1 on 2 nodes"}`},
		{`{"kind":"job-started","text":"job 47 (bob) on 1 node by token ops.a: n1"}`, `{"kind":"job-started","text":"job-1 on 1 node by token token-1"}`},
		{`{"kind":"job-ended","text":"job 47 (alice) by token ops.a"}`, `{"kind":"job-ended","text":"job-1 by token token-1"}`},
		{`{"kind":"job-moves","text":"3 entries moved for job 47; the rest at /srv/x"}`, `{"kind":"job-moves","text":"3 entries moved for job-1; the rest at path-2"}`},
		{`{"kind":"job-moves","text":"nothing moved for jobs that have ended"}`, `{"kind":"job-moves","text":"nothing moved for jobs that have ended"}`},
		{`{"kind":"job-moves","text":"1 entry moved for 2 jobs (the first that still runs is 47)"}`, `{"kind":"job-moves","text":"1 entry moved for 2 jobs job-1"}`},
		{`{"kind":"job-refused","text":"refused by token ops.a: job alice"}`, `{"kind":"job-refused","text":"hidden"}`},
	} {
		var got, wanted any
		data, err := n.json([]byte(c[0]))
		if err != nil || json.Unmarshal(data, &got) != nil || json.Unmarshal([]byte(c[1]), &wanted) != nil || !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: %v %s, want %s", c[0], err, data, c[1])
		}
	}
}

// TestHiddenJSON: a document stays one whatever nodes call themselves: keys and numbers are the
// same, and no name is a word of a text.
func TestHiddenJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNames()
		f := fabric.New("f")
		for i := range 5 {
			name := rapid.StringMatching(`[a-z0-9"\\\[\]{}:, ]{1,8}`).Draw(t, "name")
			if _, err := f.AddNode(fabric.CA, fabric.GUID(i+1), 1, name); err != nil {
				t.Fatal(err)
			}
		}
		n.addFabric(f)
		name := f.Nodes[rapid.IntRange(0, 4).Draw(t, "node")].Desc
		type document struct {
			Name, Text string
			Number     json.Number
			List       []string
		}
		in := document{name, "x " + strconv.Quote(name) + " (0x1)", json.Number(strconv.Itoa(rapid.IntRange(0, 99).Draw(t, "number"))), []string{"[" + name + "]"}}
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		data, err = n.json(data)
		var out document
		if err != nil || json.Unmarshal(data, &out) != nil || out.Number != in.Number || len(out.List) != 1 {
			t.Fatalf("%v: %s", err, data)
		}
		if trimmed := strings.TrimSpace(name); trimmed != "" && (strings.TrimSpace(out.Name) == trimmed || out.List[0] == in.List[0] || out.Text == in.Text) {
			t.Fatalf("%q: %s", name, data)
		}
	})
}

// TestHiddenMetrics: names are hidden in labels only.
func TestHiddenMetrics(t *testing.T) {
	n := newNames()
	n.add("switch", "weft")
	n.add("switch", `a"b`)
	got, err := n.metrics([]byte(`weft{node="weft",x="a\"b",y="\\\n"} 1`))
	if want := `weft{node="switch-1",x="switch-2",y="\\\n"} 1`; err != nil || string(got) != want {
		t.Errorf("%v %s, want %s", err, got, want)
	}
}
