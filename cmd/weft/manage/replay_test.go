package manage

import (
	"testing"

	"weft/sm"
	"weft/wire"
)

// TestEventTexts: whatever a manager was given, the recording has words for it.
func TestEventTexts(t *testing.T) {
	seen := map[string]bool{}
	for kind := sm.Start; kind <= sm.RulesLearned; kind++ {
		text := eventText(&sm.Event{Kind: kind, Datagram: &wire.Datagram{}})
		if text == "" || seen[text] {
			t.Errorf("event %d is %q", kind, text)
		}
		seen[text] = true
	}
}
