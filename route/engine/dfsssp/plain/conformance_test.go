package plain

import (
	"testing"

	"weft/judge/conformance"
)

func TestOnline(t *testing.T) {
	conformance.Run(t, OnlineSpec(), conformance.Claims{Minimal: true, DeadlockFree: true, Refuses: true})
}
