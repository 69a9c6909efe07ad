package site

import (
	"bytes"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/netfiletest"
)

func small(t testing.TB) *fabric.Fabric {
	t.Helper()
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestReadRoles: by GUID in every form, by description with and without quotes; an unknown switch
// is a warning, and a previous role is replaced.
func TestReadRoles(t *testing.T) {
	f := small(t)
	var s []*fabric.Node
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch {
			s = append(s, &f.Nodes[i])
		}
	}
	s[1].Desc, s[2].Desc, s[3].Role = "core switch 1", "edge", fabric.RoleRoot
	hex := strings.TrimPrefix(s[0].GUID.String(), "0x")
	text := "# roles\n\nS-" + hex + "\troot\n\"core switch 1\"  middle\r\nedge leaf\n" + s[3].GUID.String() + " none\ngone leaf\nedge leaf\n"
	warnings, err := ReadRoles("r", []byte(text), f)
	if err != nil || len(warnings) != 1 || warnings[0].String() != `r:7: no switch is called "gone": did you mean "core switch 1"?` {
		t.Fatalf("%v, %v", warnings, err)
	}
	for i, want := range []fabric.Role{fabric.RoleRoot, fabric.RoleMiddle, fabric.RoleLeaf, fabric.NoRole} {
		if s[i].Role != want {
			t.Errorf("%s is %s, want %s", s[i].GUID, s[i].Role, want)
		}
	}
	var out bytes.Buffer
	if err := WriteRoles(&out, f); err != nil {
		t.Fatal(err)
	}
	again := small(t)
	if _, err := ReadRoles("again", out.Bytes(), again); err != nil {
		t.Fatal(err)
	}
	for i := range f.Nodes {
		if f.Nodes[i].Role != again.Nodes[i].Role {
			t.Errorf("%s: %s read back as %s", f.Nodes[i].GUID, f.Nodes[i].Role, again.Nodes[i].Role)
		}
	}
}

func TestReadRolesBadInput(t *testing.T) {
	f := small(t)
	var host, sw *fabric.Node
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == fabric.Switch {
			n.Desc, sw = "same", n
		} else {
			host = n
		}
	}
	host.Desc = "host"
	guid := sw.GUID.String()
	for text, want := range map[string]string{
		"\nsame leaf\n":                         `r:2: "same" could be any of 6: "same" (0x0200005300000001), "same" (0x0200005300000002), "same" (0x0200005300000003), "same" (0x0200005300000004) and 2 more: give more of the name, or a GUID`,
		guid + " spine\n":                       `r:1: "spine" is no role (root, middle, leaf or none)`,
		guid + "\n":                             `r:1: "` + guid + `" is no role (root, middle, leaf or none)`,
		"leaf\n":                                `r:1: no switch before the role`,
		"host leaf":                             `r:1: "host" (` + host.GUID.String() + `) is a CA, not a switch`,
		guid + " leaf\nS-" + guid[2:] + " root": `r:2: "same" (` + guid + `) is root here and leaf on line 1`,
	} {
		_, err := ReadRoles("r", []byte(text), f)
		netfiletest.CheckError(t, err, want)
	}
	if sw.Role != fabric.NoRole {
		t.Errorf("an error left the role %s", sw.Role)
	}
}

func FuzzReadRoles(f *testing.F) {
	f.Add([]byte("# roles\n\"core 1\" root\nS-0002c90200417670\tleaf\n0x7 none\n"))
	f.Add([]byte("leaf\n \" leaf\n\"\" root"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab := small(t)
		for i, word := range bytes.Fields(data) {
			if i < len(fab.Nodes) {
				fab.Nodes[i].Desc = string(word)
			}
		}
		_, err := ReadRoles("fuzz", data, fab)
		netfiletest.CheckRead(t, fab, err)
		if err != nil {
			return
		}
		for i := range fab.Nodes {
			if n := &fab.Nodes[i]; n.Role > fabric.RoleLeaf || n.Role != fabric.NoRole && n.Type != fabric.Switch {
				t.Fatalf("%s %s is %s", n.Type, n.GUID, n.Role)
			}
		}
	})
}
