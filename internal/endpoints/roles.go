package endpoints

import (
	"context"
	"fmt"
	"net/http"
)

// Role is a set of permissions.
type Role uint8

// The roles. Each may read; without another one, nothing else.
const (
	MayOperate    Role = 1 << iota // drain, undrain, resweep, rebalance
	MayPartition                   // write partitions
	MayCompute                     // tell of jobs, and ask questions that use a core for up to two minutes
	MayRead       Role = 0
	MayEverything      = MayOperate | MayPartition | MayCompute
)

// NamedRole is a role with its name.
type NamedRole struct {
	Name string
	Role Role
}

// Roles lists the roles by name.
var Roles = []NamedRole{{"read", MayRead}, {"operate", MayOperate}, {"partitions", MayPartition}, {"jobs", MayCompute}, {"all", MayEverything}}

// Caller is who sends a request with a token.
type Caller struct {
	Name string // of the token
	Role Role
}

// callerKey is the context key of a request's caller.
type callerKey struct{}

// WithCaller notes the caller of a request.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the caller of a request. Over the Unix socket, and of weft ui, there is none:
// the owner may do everything.
func CallerOf(r *http.Request) (c Caller, owner bool) {
	c, is := r.Context().Value(callerKey{}).(Caller)
	if !is {
		return Caller{Role: MayEverything}, true
	}
	return c, false
}

// May reports whether the caller of a request has a role. If not, it answers.
func May(w http.ResponseWriter, r *http.Request, needs Role) bool {
	c, _ := CallerOf(r)
	if c.Role&needs == needs {
		return true
	}
	for _, known := range Roles {
		if known.Role == needs {
			Refuse(w, http.StatusForbidden, fmt.Sprintf("token %s lacks the role %s (option api-tokens)", c.Name, known.Name))
			return false
		}
	}
	Refuse(w, http.StatusForbidden, "token "+c.Name+" may not do that")
	return false
}
