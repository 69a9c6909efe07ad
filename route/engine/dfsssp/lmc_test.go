package dfsssp

import (
	"testing"

	"weft/judge/conformance"
)

func TestBaseLIDs(t *testing.T) { conformance.BaseLIDs(t, Spec()) }
