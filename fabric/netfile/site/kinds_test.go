package site

import (
	"errors"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

func TestReadKinds(t *testing.T) {
	text := "# kinds\n0x10 io\n\"n1 HCA-1\"  compute\r\n\nmds[1] io\nH-0000000000000020\tgpu\n"
	got, err := ReadKinds("k", []byte(text))
	want := []fabric.KindRule{{Kind: "io", Hosts: "0x0000000000000010"}, {Kind: "compute", Hosts: "n1 HCA-1"}, {Kind: "io", Hosts: `mds\[1]`}, {Kind: "gpu", Hosts: "0x0000000000000020"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	for text, want := range map[string]string{
		"io\n":              `k:1: no host before the kind "io" (want GUID or description, then kind)`,
		"a io\n0xzz io\n":   `k:2: "0xzz" is not a GUID (want up to 16 hexadecimal digits)`,
		"a io\n\nn1 x=io\n": `k:3: "x=io" is no name of a kind`,
	} {
		if _, err := ReadKinds("k", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzReadKinds(f *testing.F) {
	f.Add([]byte("0x10 io\nn1 compute\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := ReadKinds("f", data)
		if err != nil {
			var e *lines.Error
			if !errors.As(err, &e) || e.Msg == "" {
				t.Fatalf("error is a %T: %v", err, err)
			}
			return
		}
		for _, r := range rules {
			if again, err := fabric.ParseKindRule(r.String()); err != nil || again != r {
				t.Fatalf("%q is read back as %q, %v", r, again, err)
			}
		}
	})
}
