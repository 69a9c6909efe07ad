package watch

import (
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestFrozenPeer: a port that says IsSM and answers nothing does not stop a master: it stays the
// master, and repairs.
func TestFrozenPeer(t *testing.T) {
	v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{Elect: true, SMKey: 1})
	p := newPeerManager(t, v, 5, 15, mad.SMStateMaster, 1)
	p.silent = true
	_, id := v.switchLink(t, 0)
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		v.runUntil(v.now + 100*time.Millisecond)
		if v.manager.state() != mad.SMStateMaster {
			t.Fatalf("no master: %s", journals([]*virtual{v}))
		}
	}
	v.verify(t)
	if p.asked == 0 {
		t.Error("it was never asked")
	}
}
