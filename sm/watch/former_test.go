package watch

import (
	"bytes"
	"reflect"
	"testing"

	"weft/fabric"
	"weft/route/engine"
	"weft/route/multicast"
	"weft/sm/clients"
	"weft/sm/recording"
	"weft/sm/terms"
)

// TestFormerNews: each event of a former kind is news of its one field, which is not nil where it
// is empty.
func TestFormerNews(t *testing.T) {
	text := func(s string) []byte { return recording.AppendBytes(nil, []byte(s)) }
	for _, c := range []struct {
		kind byte
		data []byte
		want terms.News
	}{
		{16, []byte{0, 0, 0, 0, 0, 0, 0, 9, 0, 4, 1}, terms.News{LIDs: terms.LIDMap{9: {Base: 4, LMC: 1}}}},
		{16, nil, terms.News{LIDs: terms.LIDMap{}}},
		{17, nil, terms.News{MasterMissed: true}},
		{18, []byte{0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 8}, terms.News{MayTakeOver: []fabric.GUID{7, 8}}},
		{18, nil, terms.News{MayTakeOver: []fabric.GUID{}}},
		{19, nil, terms.News{Reregister: true}},
		{20, text(`[{"root":25,"sl":1}]`), terms.News{Trees: []multicast.TreeByLID{{Root: 25, SL: 1}}}},
		{20, text("null"), terms.News{Trees: []multicast.TreeByLID{}}},
		{22, text("a Plan"), terms.News{Plan: []byte("a Plan")}},
		{22, text(""), terms.News{Plan: []byte{}}},
		{23, text("{}"), terms.News{Rules: []byte("{}")}},
	} {
		r, err := recording.NewRecording(bytes.NewReader([]byte(`{"weft_recording":1,"made":{}}`+"\n")), engine.Parse)
		if err != nil {
			t.Fatal(err)
		}
		block := append(append([]byte{c.kind, 0}, c.data...), 0, 0, 0, 5)
		r.From.Reset(bytes.NewReader(recording.AppendBytes(nil, block)))
		_, ev, sum, err := r.Next()
		if err != nil || sum != 5 || ev.Kind != terms.Told || !reflect.DeepEqual(*ev.News, c.want) {
			t.Errorf("kind %d, %d bytes: %+v, %v", c.kind, len(c.data), ev, err)
		}
	}
}

// TestNewsbox: news that arrives before older news is taken joins it or replaces it; nil fields say
// nothing.
func TestNewsbox(t *testing.T) {
	b := clients.Newsbox{Wake: make(chan struct{}, 1)}
	if b.Take() != nil {
		t.Error("there is news")
	}
	for _, n := range []terms.News{
		{LIDs: terms.LIDMap{1: {Base: 1}}, Trees: []multicast.TreeByLID{{Root: 1}}, MayTakeOver: []fabric.GUID{1}},
		{MasterMissed: true, Plan: []byte("1")},
		{LIDs: terms.LIDMap{2: {Base: 2}}, Rules: []byte("2")},
		{MayTakeOver: []fabric.GUID{}, Reregister: true, Plan: []byte("2")},
	} {
		b.Put(&n)
	}
	<-b.Wake
	want := &terms.News{
		LIDs: terms.LIDMap{2: {Base: 2}}, Trees: []multicast.TreeByLID{{Root: 1}}, Plan: []byte("2"), Rules: []byte("2"), MasterMissed: true, Reregister: true,
		MayTakeOver: []fabric.GUID{},
	}
	if got := b.Take(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if b.Take() != nil {
		t.Error("it is told twice")
	}
}
