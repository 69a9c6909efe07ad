package torus_test

import (
	"testing"

	"weft/judge/conformance"
	"weft/route/engine/torus"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, torus.Spec(), conformance.Claims{DeadlockFree: true, Refuses: true})
}

func TestBaseLIDs(t *testing.T) { conformance.BaseLIDs(t, torus.Spec()) }
