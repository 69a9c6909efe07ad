package manage

import (
	"testing"

	"weft/fabric"
	"weft/route/multicast"
	"weft/sm"
	"weft/wire"
)

// TestEventTexts: whatever a manager was given, the recording has words for it.
func TestEventTexts(t *testing.T) {
	seen := map[string]bool{}
	see := func(ev *sm.Event) {
		text := eventText(ev)
		if text == "" || seen[text] {
			t.Errorf("event %d, news %+v is %q", ev.Kind, ev.News, text)
		}
		seen[text] = true
	}
	for kind := sm.Start; kind <= sm.Told; kind++ {
		if kind <= sm.MembersTold || kind == sm.NeighboursTold || kind == sm.Told { // of others recordings have the numbers
			see(&sm.Event{Kind: kind, Datagram: &wire.Datagram{}})
		}
	}
	for _, n := range []sm.News{
		{LIDs: sm.LIDMap{}},
		{Trees: []multicast.TreeByLID{}},
		{Plan: []byte{}},
		{Rules: []byte{}},
		{MasterMissed: true},
		{MayTakeOver: []fabric.GUID{}},
		{Reregister: true},
		{LIDs: sm.LIDMap{}, MasterMissed: true},
	} {
		see(&sm.Event{Kind: sm.Told, News: &n})
	}
}
