package opensm

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/sm/partition"
)

// TestReadPartitions: a partitions file means what the real OpenSM 3.3.23 made of it on ibsim.
func TestReadPartitions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Default=0x7fff : SELF=full;\nA=0x5:ALL=full;\n", "Default=0x7fff :\n    ALL=limited,\n    SELF=full ;\nA=0x0005 :\n    ALL=full ;\n"},
		{"# nothing\n", "p:1: the file has no partitions"},
		{"A=0x5:ALL=full;\nB=0x6:xx;\n", `p:2: "xx" is not the GUID of a port`},
		{"A=0x5:ALL=full", "Default=0x7fff :\n    ALL=limited ;\nA=0x0005 :\n    ALL=full ;\n"},
		{"A:ALL=full;B=0x1:SELF;\n", "Default=0x7fff :\n    ALL=limited ;\nA=0x0001 :\n    ALL=full,\n    SELF=limited ;\n"},
		{"A=0x12345, foo : AL=f, 16=x;\n", "Default=0x7fff :\n    ALL=limited ;\nA=0x2345 :\n    ALL=full,\n    0x0000000000000010=limited ;\n"},
		{"A=0x5,\n ipoib:ALL=full;\n", "p:1: no colon after the name of a partition and its flags, which must be on one line"},
		{"A=0x5:ALL=full;\r\n", "p:1: no colon after the name of a partition and its flags, which must be on one line"},
		{"A=0x5, ipoib, mt=5, MTU=4, rate=99, sl=3, sl=4x, def=b : ALL ;\n", "Default=0x7fff :\n    ALL=limited ;\nA=0x0005,ipoib,mtu=5,sl=3 :\n    ALL=both ;\n"},
		{"A=0x5, ipoib, mtu=5, sl=3 :\n mgid=ff12:401b::5,mtu=4\nmgid=ff12::6,rate=2,mtu=1 : 2\n mgid=fe80::\n mgid=ff12:401b::7\n SELF", "Default=0x7fff :\n    ALL=limited ;\nA=0x0005,ipoib,mtu=5,sl=3 :\n    mgid=ff12::6,mtu=1,rate=2,sl=3\n    mgid=ff12:401b::7,mtu=5,sl=3\n    SELF=limited ;\n"},
		{"A=zz: ALL ;\n", `p:1: "zz" is not a P_Key`},
	} {
		ps, _, err := readPartitions(&File{"p", []byte(c.text)}, true, true)
		text, _, _ := Partitions(ps, nil)
		got := string(text)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got\n%swant\n%s", c.text, got, c.want)
		}
	}
	ps, _, _ := readPartitions(&File{"p", []byte("A=1,sl=3 : ALL=both;\n")}, false, false)
	if p := ps[1]; p.SL != 0 || p.Members[0].As != partition.Full {
		t.Errorf("without qos and allow_both_pkeys: %+v", p)
	}
}

// TestImportPartitions: the import names a file that weft sm reads as OpenSM does, writes another
// anew, and has only the default partition for a file that OpenSM drops.
func TestImportPartitions(t *testing.T) {
	for _, c := range []struct{ text, name, says string }{
		{"Default=0x7fff,ipoib:ALL=full;\n", "/p", "/p:0:  : taken over: partitions: 1"},
		{"Default=0x7fff : SELF=full;\n", "", "/p:0:  : taken as another: partitions: 1, rewritten"},
		{"Default=0x7fff,ipoib:ALL=full", "", "/p:0:  : taken as another: partitions: 1, rewritten"},
		{"A=5,foo:ALL=full;", "", "/p:1: partition_config_file foo: wrong there too: OpenSM ignores it, or"},
		{"A=5:what;", "", "all ports are full members"},
		{"", "", "all ports are full members"},
	} {
		r, err := Import(&Input{Config: conf("partition_config_file /p"), Open: opener(map[string]string{"/p": c.text})})
		if err != nil {
			t.Fatal(err)
		}
		says := ""
		for _, n := range r.Notes {
			says += strings.ReplaceAll(told(&Result{Notes: []Note{n}}), "\n", ": "+n.Text+"\n")
		}
		if r.Partitions != c.name || !strings.Contains(says, c.says) {
			t.Errorf("%q: file %q, got\n%swant\n%s", c.text, r.Partitions, says, c.says)
		}
		if (r.Rewritten == nil) == (c.name == "") {
			t.Errorf("%q: written anew: %q", c.text, r.Rewritten)
		}
		if all := "Default=0x7fff,ipoib :\n    ALL=full ;\n"; strings.HasPrefix(c.says, "all ports") && string(r.Rewritten) != all {
			t.Errorf("%q: written anew %q, want %q", c.text, r.Rewritten, all)
		}
		if r.Rewritten != nil {
			if _, err := partition.Read("rewritten", r.Rewritten); err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
		}
	}
}

// TestPartitionsAsOpenSM: of files in the syntax that both have, weft sm and OpenSM make the same,
// and a file that is rewritten means the same again.
func TestPartitionsAsOpenSM(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.NewReplacer("mtu=2048", "mtu=4", "mtu=4096", "mtu=5", "rate=100G", "rate=16", "\n mgid=ff12:401b::5,mtu=2048,sl=1\n", "").Replace(drawPartitions(t, false))
		if text == "" {
			return
		}
		f := &File{"p", []byte(text)}
		theirs, remarks, err := readPartitions(f, true, true)
		ours, err2 := partition.Read("p", f.Data)
		if err != nil || err2 != nil || len(remarks) > 0 || !samePartitions(theirs, ours) {
			t.Fatalf("%s\nerrors %v, %v; ignored %v\n%s\n%s", text, err, err2, remarks, essence(theirs), essence(ours))
		}
		again, _, _ := Partitions(theirs, nil)
		if ours, err := partition.Read("again", again); err != nil || !samePartitions(theirs, ours) {
			t.Fatalf("%s\n%v\n%s", text, err, again)
		}
	})
}
