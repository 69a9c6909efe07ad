package manage

import (
	"testing"

	"weft/fabric"
	"weft/route/multicast"
	"weft/sm/terms"
	"weft/wire"
)

// TestEventTexts: whatever a manager was given, the recording has words for it.
func TestEventTexts(t *testing.T) {
	seen := map[string]bool{}
	see := func(ev *terms.Event) {
		text := eventText(ev)
		if text == "" || seen[text] {
			t.Errorf("event %d, news %+v is %q", ev.Kind, ev.News, text)
		}
		seen[text] = true
	}
	for kind := terms.Start; kind <= terms.Told; kind++ {
		if kind <= terms.MembersTold || kind == terms.NeighboursTold || kind == terms.Told { // of others recordings have the numbers
			see(&terms.Event{Kind: kind, Datagram: &wire.Datagram{}})
		}
	}
	for _, n := range []terms.News{
		{LIDs: terms.LIDMap{}},
		{Trees: []multicast.TreeByLID{}},
		{Plan: []byte{}},
		{Rules: []byte{}},
		{MasterMissed: true},
		{MayTakeOver: []fabric.GUID{}},
		{Reregister: true},
		{LIDs: terms.LIDMap{}, MasterMissed: true},
	} {
		see(&terms.Event{Kind: terms.Told, News: &n})
	}
}
