package whatif

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/endpoints"
)

// Changes are simultaneous changes in a request of a client.
type Changes []Change

// MostChanges is the maximum number of changes in a request.
const MostChanges = 32

// Check returns errors that hold on any fabric.
func (list Changes) Check() error {
	if len(list) > MostChanges {
		return fmt.Errorf("changes: want at most %d", MostChanges)
	}
	for _, c := range list {
		switch {
		case !slices.Contains([]string{"fail", "drain", "add", "move"}, c.Kind):
			return fmt.Errorf("kind: %.40q: want fail, drain, add or move", c.Kind)
		case !endpoints.IsName(c.What) || strings.Contains(c.What, "|"):
			return fmt.Errorf("what: want a name of 1 to %d characters, without | and control characters", endpoints.MostName)
		}
	}
	return nil
}

// Question asks for the effect of changes.
type Question struct {
	Changes Changes `json:"changes"` // 1 to 32
}

// Check returns errors that hold on any fabric.
func (q *Question) Check() error {
	if len(q.Changes) == 0 || len(q.Changes) > MostChanges {
		return fmt.Errorf("changes: want 1 to %d", MostChanges)
	}
	return q.Changes.Check()
}
