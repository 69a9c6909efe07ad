package hyperx_test

import (
	"testing"

	"weft/judge/conformance"
	"weft/route/engine/hyperx"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, hyperx.Spec(), conformance.Claims{Minimal: true, DeadlockFree: true, Refuses: true})
}

func TestBaseLIDs(t *testing.T) { conformance.BaseLIDs(t, hyperx.Spec()) }
