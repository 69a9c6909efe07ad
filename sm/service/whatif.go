package service

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/endpoints"
)

// WhatIf is a question about simultaneous changes.
type WhatIf struct {
	Changes []Change `json:"changes"` // 1 to 32
}

// Change is one change of the subnet.
type Change struct {
	Kind string `json:"kind"` // fail, drain, add or move
	What string `json:"what"` // the part, as the option of weft whatif of that name takes it
}

// mostChanges is the maximum number of changes in a question.
const mostChanges = 32

// Check validates a question.
func (q *WhatIf) Check() error {
	if len(q.Changes) < 1 || len(q.Changes) > mostChanges {
		return fmt.Errorf("changes: want 1 to %d", mostChanges)
	}
	for i := range q.Changes {
		switch c := &q.Changes[i]; {
		case !slices.Contains([]string{"fail", "drain", "add", "move"}, c.Kind):
			return fmt.Errorf("kind: %.40q: want fail, drain, add or move", c.Kind)
		case !endpoints.IsName(c.What) || strings.Contains(c.What, "|"):
			return fmt.Errorf("what: want a name of 1 to %d characters, without | and control characters", endpoints.MostName)
		}
	}
	return nil
}
