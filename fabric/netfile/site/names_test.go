package site

import (
	"slices"
	"testing"

	"weft/fabric"
)

func TestReadNames(t *testing.T) {
	names, err := ReadNames("f", []byte("# map\nS-0002c90200417670 ibsw1\n0x7 \"a b\"\nH-8 x\r\n\n8 x\n"))
	if err != nil || len(names) != 3 || names[0x2c90200417670] != "ibsw1" || names[7] != "a b" || names[8] != "x" {
		t.Errorf("%v %v", names, err)
	}
	for in, want := range map[string]string{
		"\nx y\n":    `f:2: "x" is not a GUID`,
		"0x7\n":      "f:1: no name after the GUID",
		"7 a\n7 b\n": `f:2: 0x0000000000000007 is "b" here and "a" before`,
	} {
		if _, err := ReadNames("f", []byte(in)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	list, err := ReadGUIDs("f", []byte("# spines\nS-0008f105001086a2\n0x7 core\n"))
	if err != nil || !slices.Equal(list, []fabric.GUID{0x8f105001086a2, 7}) {
		t.Errorf("%v %v", list, err)
	}
	if _, err := ReadGUIDs("f", []byte("7\nspine 8\n")); err == nil || err.Error() != `f:2: "spine" is not a GUID` {
		t.Error(err)
	}
}

// TestRename: a map names its nodes and no other, and GUIDs that no node has are said.
func TestRename(t *testing.T) {
	f := fabric.New("two hosts")
	for _, guid := range []fabric.GUID{1, 2} {
		if _, err := f.AddNode(fabric.CA, guid, 1, "as it says"); err != nil {
			t.Fatal(err)
		}
	}
	warnings := Rename(f, "m", map[fabric.GUID]string{2: "n2", 9: "gone"})
	if f.Nodes[0].Desc != "as it says" || f.Nodes[1].Desc != "n2" || len(warnings) != 1 || warnings[0].Text != "no node has 1 of the 2 GUIDs, such as 0x0000000000000009" {
		t.Errorf("%q %q %v", f.Nodes[0].Desc, f.Nodes[1].Desc, warnings)
	}
}
