package terms

import (
	"maps"
	"slices"
)

// ByUrgency lists the severities.
var ByUrgency = byUrgency

// Ranked lists the codes of the table of severities.
func Ranked() []IncidentKind { return slices.Sorted(maps.Keys(severities)) }
