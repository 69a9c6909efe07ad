package opensm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/route/levels"
	"weft/sm/partition"
)

// fullPolicy is a file of QoS policy with all that one may have.
const fullPolicy = `
qos-ulps
	default : 0 # what nothing names
	sdp, port-num 30000 : 3
	sdp, port-num 1-5, 0x10 : 2
	SDP : 1
	rds : 2
	iser, port-num 900: 0
	iser : 3
	ipoib, pkey 0x0001 : 0
	ipoib : 4
	any, service-id 0x6234 : 6
	any, pkey 0x8ABC : 6
	srp, target-port-guid 0x1234 : 5
	any, source-target-port-guid 0x9abcd : 8
end-qos-ulps
port-groups
	port-group
		name: Storage
		port-guid: 0x10000000000001, 0x10000000000005-0x1000000000FFFA
	end-port-group
end-port-groups
qos-setup
	sl2vl-tables
end-qos-setup
qos-levels
	qos-level
		name: DEFAULT
		use: all: other traffic
		sl: 0
	end-qos-level
	qos-level
		name: WholeSet
		sl: 1
		mtu-limit: 4
	end-qos-level
end-qos-levels
qos-match-rules
	qos-match-rule
		use: by class
		qos-class: 7-9,11
		qos-level-name: wholeset
	end-qos-match-rule
	qos-match-rule
		destination: Storage
		service-id: 22,4719-5000
		qos-level-name: WholeSet
	end-qos-match-rule
	qos-match-rule
		qos-class: 3
		pkey: 0x0F00
		qos-level-name: DEFAULT
	end-qos-match-rule
end-qos-match-rules
`

// TestQoSPolicy: what rules give an SL belongs to the level of that SL, first come first served,
// and what weft has no rule for is told with its line.
func TestQoSPolicy(t *testing.T) {
	files := map[string]string{"/etc/opensm/qos-policy.conf": fullPolicy, "/etc/opensm/partitions.conf": "a=0x1 : ALL ;\nb=0xabc : ALL ;\n"}
	r, err := Import(&Input{Config: conf("qos TRUE"), Open: opener(files)})
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(string(r.Levels), "\n")
	want := `default share=5 service=0x1060384-0x1060384 partition=0x0001
sl1 share=1 sl=1 class=7 class=8 class=9 class=11 service=0x10000-0x10000 service=0x10006-0x1000f service=0x10011-0x1752f service=0x17531-0x1ffff
sl2 share=1 sl=2 service=0x10001-0x10005 service=0x10010-0x10010 service=0x10648ca-0x10648ca
sl3 share=1 sl=3 service=0x17530-0x17530 service=0x1060cbc-0x1060cbc
sl4 share=1 sl=4 partition=0x7fff
sl6 share=1 sl=6 service=0x6234-0x6234 partition=0x0abc
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var notes strings.Builder
	for _, n := range r.Notes {
		fmt.Fprintf(&notes, "%d: %s: %s\n", n.Line, n.Fate, n.Text)
	}
	for _, want := range []string{
		"14: not taken: weft has no rules by target-port-guid: the rule is left out",
		"35: not taken: mtu-limit: 4: levels of weft do not have this",
		"44: not taken: weft has no rules by destination: the rule is left out",
		"49: not taken: weft has no rules by class and partition together: the rule is left out",
		"4: not taken: it follows a rule by class",
		"0: taken over: levels: 11 rules",
	} {
		if !strings.Contains(notes.String(), want) {
			t.Errorf("no %q in\n%s", want, &notes)
		}
	}
	for text, want := range map[string]string{
		"qos-levels\n":                             ":2: qos-levels has no end",
		"qos-rules\n":                              `:1: "qos-rules": want one of qos-ulps, `,
		"qos-ulps\nend-qos-ulps\n":                 ":1: there is no level DEFAULT",
		"qos-ulps\ndefault : 16\n":                 ":2: default: SL: want a number from 0 to 15",
		"qos-ulps\nany, lid 3 : 1\n":               `:2: "any, lid 3" is not a rule of qos-ulps`,
		"qos-ulps\nsdp, port-num 1-65536 : 1\n":    ":2: 1-65536: want NUMBER or FIRST-LAST, up to 0xffff",
		"qos-ulps\ndefault:0\nany, pkey 1-2000: 1": ":3: qos-ulps has no end",
		"qos-match-rules\nqos-match-rule\nqos-class: 0-1030\nqos-level-name: d\nend-qos-match-rule\nend-qos-match-rules\nqos-levels\nqos-level\nname: default\nsl: 0\nend-qos-level\nqos-level\nname: d\nsl: 1\nend-qos-level\nend-qos-levels\n": ":2: the rule names more than 1024 numbers",
		"qos-levels\nqos-level\nname: a\nend-qos-level\n": `:4: level "a": sl: want a number from 0 to 15`,
		"qos-levels\nqos-level\nvl: 1\n":                  `:3: "vl" is not part of a qos-level`,
		"qos-match-rules\nqos-match-rule\nlid: 1\n":       `:3: "lid" is not part of a qos-match-rule`,
		"qos-ulps\ndefault:0\nend-qos-ulps\nqos-match-rules\nqos-match-rule\nqos-class: 1\nqos-level-name: x\nend-qos-match-rule\nend-qos-match-rules\n": `:5: there is no level "x"`,
	} {
		r, err := Import(&Input{Config: conf("qos TRUE"), Open: opener(map[string]string{"/etc/opensm/qos-policy.conf": text})})
		if err != nil || len(r.Notes) == 0 || !strings.Contains(r.Notes[0].Text, "/etc/opensm/qos-policy.conf"+want) || r.Notes[0].Fate != Left {
			t.Errorf("%q: %v, %v, want %s", text, err, r.Notes, want)
		}
	}
}

// drawLevels draws a file of levels.
func drawLevels(t *rapid.T) levels.Levels {
	var b strings.Builder
	most := rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "most")
	for i := range rapid.IntRange(1, 8).Draw(t, "levels") {
		fmt.Fprintf(&b, "level-%d share=%d", i, rapid.IntRange(1, most).Draw(t, "share"))
		if i > 0 && rapid.Bool().Draw(t, "sl") {
			fmt.Fprintf(&b, " sl=%d", rapid.IntRange(1, 2).Draw(t, "of")+2*i-1)
		}
		if rapid.IntRange(0, 3).Draw(t, "high") == 0 {
			b.WriteString(" priority=high")
		}
		for range rapid.IntRange(0, 2).Draw(t, "rules") {
			switch n := rapid.IntRange(0, 9).Draw(t, "n"); rapid.IntRange(0, 2).Draw(t, "rule") {
			case 0:
				fmt.Fprintf(&b, " service=%d-%d", n, n+rapid.IntRange(0, 4).Draw(t, "more"))
			case 1:
				fmt.Fprintf(&b, " class=%d", n)
			case 2:
				fmt.Fprintf(&b, " partition=p%d", n%4)
			}
		}
		b.WriteString("\n")
	}
	list, err := levels.Read("drawn", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// slOf returns the SL of the level that a query by a service ID or a QoS class has, -1 for none.
func slOf(list levels.Levels, sls []uint8, service, class int) int {
	for i := range list {
		for _, r := range list[i].Services {
			if service >= 0 && uint64(service) >= r.First && uint64(service) <= r.Last {
				return int(sls[i])
			}
		}
	}
	for i := range list {
		if class >= 0 && slices.Contains(list[i].Classes, uint16(class)) {
			return int(sls[i])
		}
	}
	return -1
}

// TestLevelsThereAndBack: levels that are written as options, partitions and a policy of OpenSM are
// read as levels with the same SLs, shares and precedence, to which the same partitions, service
// IDs and classes belong.
func TestLevelsThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawLevels(t)
		ps, err := partition.Read("ps", []byte("p0=0x10 : ALL;\np1=0x11, sl=3 : ALL;\np2=0x12, ipoib, sl=5 : ALL;\np3=0x13 : ALL=full;\n"))
		if err != nil {
			t.Fatal(err)
		}
		files, _ := (&Export{Levels: list, Partitions: ps}).Files("/d")
		byPath := map[string]string{}
		for _, f := range files {
			byPath["/d/"+f.Name] = string(f.Data)
		}
		r, err := Import(&Input{Config: &File{"opensm.conf", files[len(files)-1].Data}, Open: opener(byPath)})
		if err != nil {
			t.Fatalf("%v\n%v", err, byPath)
		}
		again, err := levels.Read("again", append([]byte("default\n"), r.Levels...))
		if err == nil {
			again = again[1:]
		} else if again, err = levels.Read("again", r.Levels); err != nil {
			t.Fatalf("%v\n%s", err, r.Levels)
		}
		if len(again) == 0 && len(list) == 1 { // nothing but the first level: OpenSM has it without QoS
			return
		}
		sls, _, turns := list.OneLane()
		now, _, _ := again.OneLane()
		psAgain, err := partition.Read("again", []byte(byPath["/d/partitions.conf"]))
		if err != nil {
			t.Fatal(err)
		}
		byKey, _, _ := ps.Levels(list)
		byKeyAgain, _, _ := psAgain.Levels(again)
		for i := range ps {
			if got, want := now[byKeyAgain[ps[i].Key]], sls[byKey[ps[i].Key]]; got != want {
				t.Fatalf("partition 0x%x has SL %d, want %d\n%v", ps[i].Key, got, want, byPath)
			}
		}
		for n := range 16 {
			for _, q := range [][2]int{{n, -1}, {-1, n}, {n, 3}} {
				if got, want := slOf(again, now, q[0], q[1]), slOf(list, sls, q[0], q[1]); got != want {
					t.Fatalf("service and class %d has SL %d, want %d\n%v\n%s", q, got, want, byPath, r.Levels)
				}
			}
		}
		both := len(turns.High) > 0 && len(turns.Low) > 0
		for i := range list {
			a := slices.Index(now, sls[i])
			if a < 0 || again[a].High != list[i].High && both {
				t.Fatalf("no level has SL %d and goes first %t\n%s\n%v", sls[i], list[i].High, r.Levels, byPath)
			}
			for j := range list {
				b := slices.Index(now, sls[j])
				if list[i].High != list[j].High || b < 0 {
					continue
				}
				x, y := int(again[a].Share)*int(list[j].Share), int(again[b].Share)*int(list[i].Share)
				if most := slices.Max([]uint8{list[i].Share, list[j].Share}); x != y && most <= 1 || x < y && list[i].Share > 2*list[j].Share+1 && again[a].Share <= again[b].Share {
					t.Fatalf("shares of %s and %s are %d and %d\n%s", list[i].Name, list[j].Name, again[a].Share, again[b].Share, r.Levels)
				}
			}
		}
	})
}

// TestLevelsToLanes: where the paths of OpenSM's engine have lanes themselves no option of QoS is
// written, and the export says so.
func TestLevelsToLanes(t *testing.T) {
	for engine, want := range map[string]bool{"ftree": true, "updn,minhop": true, "lash": false, "ftree,dfsssp": false, "torus": false, "nue": false} {
		w := newConfWriter("/d")
		w.engines = strings.Split(strings.ReplaceAll(engine, "torus", "torus-2QoS"), ",")
		w.giveLevels(&Export{Levels: levels.Levels{{Name: "a", Share: 1}, {Name: "b", Share: 1}}})
		if got := strings.Contains(w.text.String(), "qos TRUE"); got != want || len(w.notes) > 0 == want {
			t.Errorf("%s: qos %t, %v", engine, got, w.notes)
		}
	}
	for engine := range maps.Keys(engineNames) {
		if slices.Contains(withLanes, engine) != slices.Contains([]string{"lash", "dfsssp", "nue", "torus-2QoS"}, engine) {
			t.Errorf("%s", engine)
		}
	}
}

// FuzzPolicy: a file of QoS policy gives levels that can be read, or an error that names a line.
func FuzzPolicy(f *testing.F) {
	f.Add([]byte(fullPolicy))
	f.Add([]byte("qos-ulps\ndefault:0\nany, service-id 0-0xffffffffffffffff: 1\nany, service-id 5: 2\nend-qos-ulps\n"))
	f.Fuzz(func(t *testing.T, policy []byte) {
		r, err := Import(&Input{Config: conf("qos TRUE"), Open: func(option, path string) (*File, error) {
			if option != "qos_policy_file" {
				return nil, nil
			}
			return &File{path, policy}, nil
		}})
		if err != nil {
			checkError(t, err)
			return
		}
		if r.Levels == nil {
			return
		}
		if _, err := levels.Read("levels", r.Levels); err != nil {
			t.Errorf("%v\n%s", err, r.Levels)
		}
	})
}

// TestNoPolicy: a missing default file of QoS policy is no loss, and a missing named one is told.
func TestNoPolicy(t *testing.T) {
	for name, want := range map[string]bool{"": false, "qos_policy_file /etc/none": true} {
		r, err := Import(&Input{Config: conf("qos TRUE", name), Open: opener(nil)})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(r.Notes, func(n Note) bool { return n.Text == "the file does not exist" }); got != want {
			t.Errorf("%q: told %v: %v", name, got, r.Notes)
		}
	}
}
