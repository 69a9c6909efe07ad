package dfsssp

import (
	"testing"

	"weft/judge/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, Spec(), conformance.Claims{HostsMinimal: true, DeadlockFree: true, Refuses: true})
}
