package updn

import (
	"testing"

	"weft/judge/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, Spec(), conformance.Claims{DeadlockFree: true, OneLane: true})
}
