package fabric

import "fmt"

// Role is the role assigned to a switch in a tree.
type Role uint8

// The roles, numbered as in the vendor attribute SwitchRole of package mad.
const (
	NoRole Role = iota // not assigned: routing infers the role
	RoleRoot
	RoleMiddle
	RoleLeaf
)

var roleNames = [...]string{NoRole: "none", RoleRoot: "root", RoleMiddle: "middle", RoleLeaf: "leaf"}

// String returns the name of the role: none, root, middle or leaf.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return fmt.Sprintf("role(%d)", uint8(r))
}

// ParseRole parses the name of a role.
func ParseRole(s string) (Role, error) {
	for r, name := range roleNames {
		if s == name {
			return Role(r), nil
		}
	}
	return NoRole, fmt.Errorf("fabric: no role is called %q (root, middle, leaf or none)", s)
}
