package dfsssp

import (
	"testing"

	"weft/route/engine/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, Spec(), conformance.Claims{HostsMinimal: true, DeadlockFree: true, Refuses: true})
}
