package dfsssp

import (
	"testing"

	"weft/route/engine/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, Spec(), conformance.Claims{HostsMinimal: true, DeadlockFree: true, Refuses: true})
}

func TestOnline(t *testing.T) {
	conformance.Run(t, OnlineSpec(), conformance.Claims{Minimal: true, DeadlockFree: true, Refuses: true})
}
