package manage

import (
	"testing"
	"time"

	"weft/sm/terms"
)

// TestBroughtBack: only the start on a copy that was put back is an event. The drains of the file
// are in the status in any case.
func TestBroughtBack(t *testing.T) {
	for _, copied := range []time.Time{{}, time.Unix(1e9, 0)} {
		s := smState{path: "state"}
		s.bringBack(copied, []string{"0x5"})
		if events := len(s.unread); events != map[bool]int{true: 0, false: 1}[copied.IsZero()] || len(s.shown.Drains) != 1 || (s.shown.CopyOf == "") != copied.IsZero() {
			t.Errorf("copied at %v: %v, %+v", copied, s.unread, s.shown)
		}
		if len(s.unread) > 0 && s.unread[0].Kind != terms.BroughtBack {
			t.Error(s.unread)
		}
	}
}
