package nue

import (
	"testing"

	"weft/route/engine/conformance"
)

func TestBaseLIDs(t *testing.T) { conformance.BaseLIDs(t, Spec()) }
