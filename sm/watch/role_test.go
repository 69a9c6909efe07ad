package watch

import (
	"testing"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestRoles: the roles that switches tell are found if they are asked, and one that does
// not know the attribute is no fault.
func TestRoles(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	want := map[fabric.GUID]fabric.Role{}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == fabric.Switch {
			n.Role = fabric.Role(len(want)) % (fabric.RoleLeaf + 1)
			want[n.GUID] = n.Role
		}
	}
	silent := smtest.Formula(t, "rlft(4,2)")
	for name, c := range map[string]struct {
		f    *fabric.Fabric
		ask  bool
		told bool
	}{"asked": {f, true, true}, "not asked": {f, false, false}, "unknown": {silent, true, false}} {
		v, err := newVirtual(c.f, emulator.Options{}, terms.Config{AskRoles: c.ask}, smtest.JobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		if r := v.run(); r.State != terms.Up || len(r.Incidents) > 0 {
			t.Fatalf("%s: %s: %v", name, r.State, r.Incidents)
		}
		found := v.manager.Result().Fabric()
		for guid, role := range want {
			id, _ := found.NodeByGUID(guid)
			if !c.told {
				role = fabric.NoRole
			}
			if got := found.Nodes[id].Role; got != role {
				t.Errorf("%s: %s is %s, want %s", name, guid, got, role)
			}
		}
	}
}

// TestRoleNumbers: roles have the numbers of the attribute.
func TestRoleNumbers(t *testing.T) {
	for role, number := range map[fabric.Role]uint8{
		fabric.NoRole: mad.RoleNone, fabric.RoleRoot: mad.RoleRoot, fabric.RoleMiddle: mad.RoleMiddle, fabric.RoleLeaf: mad.RoleLeaf,
	} {
		if uint8(role) != number {
			t.Errorf("%s is %d, in the attribute %d", role, role, number)
		}
		if back, err := fabric.ParseRole(role.String()); err != nil || back != role {
			t.Errorf("%s read back as %s: %v", role, back, err)
		}
	}
}
