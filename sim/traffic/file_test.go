package traffic

import (
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
)

// hosts4 is a leaf and spine network of four hosts, "host 0" to "host 3".
func hosts4(t testing.TB) (*fabric.Graph, []int32) {
	t.Helper()
	f, err := gen.Parse("karytree(2,2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	if g.NumHosts != 4 {
		t.Fatalf("%d hosts, want 4", g.NumHosts)
	}
	return g, []int32{0, 1, 2, 3}
}

const sample = `# a comment
0 1
"host 2" 0x0200004800000401  # the port of host 3
round
3	0x0200004800000100
round
`

func TestReadFile(t *testing.T) {
	g, hosts := hosts4(t)
	p, err := ReadFile("sample", []byte(sample), g, hosts)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := text(p), "0>1 2>3 | 3>0"; got != want || p.Rounds != 2 {
		t.Errorf("%d rounds: %s, want %s", p.Rounds, got, want)
	}
	if !p.Fixed {
		t.Error("a file that names hosts may be put on others")
	}
	if p, err = ReadFile("ranks", []byte("0 1\n2 3\n"), g, hosts); err != nil || p.Fixed {
		t.Errorf("a file of ranks may not be put on other hosts (%v)", err)
	}
}

func TestReadFileSaysWhatIsWrong(t *testing.T) {
	g, hosts := hosts4(t)
	for _, c := range []struct{ file, want string }{
		{"", "f: no flows"},
		{"round\n# nothing\nround\n", "f: no flows"},
		{"0 1\n0 4\n", "f:2: there is no rank 4: 4 hosts"},
		{"0 99999999999999999999\n", "f:1: there is no rank 99999999999999999999: 4 hosts"},
		{"0 1 2\n", "f:1: want a source and a destination, or round; got 3 words"},
		{"0\n", "f:1: want a source and a destination, or round; got 1 words"},
		{"2 2\n", "f:1: 2 sends to itself"},
		{"0 nosuch\n", "f:1: no host is called nosuch"},
		{"0 0x77\n", "f:1: no host is called 0x77"},
		{"0 \"host 1\n", "f:1: no closing quote"},
	} {
		_, err := ReadFile("f", []byte(c.file), g, hosts)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.file, err, c.want)
		}
	}
}

// TestMostFlows: a round has maxFlows flows and no more.
func TestMostFlows(t *testing.T) {
	if testing.Short() {
		t.Skip("eight million lines")
	}
	g, hosts := hosts4(t)
	data := []byte(strings.Repeat("0 1\n", maxFlows))
	if p, err := ReadFile("full", data, g, hosts); err != nil || p.Rounds != 1 {
		t.Error(err)
	}
	if _, err := ReadFile("over", append(data, "0 1\n"...), g, hosts); err == nil {
		t.Error("one flow too many is taken")
	}
}

func TestReadFileAmbiguousName(t *testing.T) {
	f, err := gen.Parse("karytree(2,2)|ports(2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	hosts := make([]int32, g.NumHosts)
	for i := range hosts {
		hosts[i] = int32(i)
	}
	_, err = ReadFile("f", []byte("0 \"host 1\"\n"), g, hosts)
	if err == nil || !strings.Contains(err.Error(), "several ports belong to") {
		t.Error(err)
	}
}

func FuzzReadFile(f *testing.F) {
	g, hosts := hosts4(f)
	for _, seed := range []string{sample, "0 1\r\nround\r\n1 0", "\"\" \"", "0x 0x0", "+1 01"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadFile("f", data, g, hosts)
		if err != nil {
			return
		}
		flows := 0
		for r := range p.Rounds {
			var f Flows
			p.Round(&f, r, nil)
			if f.Len() == 0 {
				t.Fatalf("round %d is empty", r)
			}
			flows += f.Len()
			for i := range f.Src {
				if f.Src[i] == f.Dst[i] || min(f.Src[i], f.Dst[i]) < 0 || max(f.Src[i], f.Dst[i]) > 3 {
					t.Fatalf("flow %d to %d", f.Src[i], f.Dst[i])
				}
			}
		}
		if flows == 0 {
			t.Fatal("no flows and no error")
		}
	})
}
