package terms

import (
	"maps"
	"slices"
)

// Ranked lists the codes of the table of severities.
func Ranked() []IncidentKind { return slices.Sorted(maps.Keys(severities)) }
