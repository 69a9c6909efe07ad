package sssp

import (
	"testing"

	"weft/judge/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, Spec(), conformance.Claims{Minimal: true})
}
