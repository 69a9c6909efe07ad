package sa

import (
	"slices"
	"testing"

	"weft/wire/mad"
)

// TestLimits: MTU, rate and life time by their selectors.
func TestLimits(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	for i := range s.Ports {
		mad.PortInfoNeighborMTU.Put(s.Ports[i].Info[:], 4)
		mad.PortInfoWidthActive.Put(s.Ports[i].Info[:], 2) // 4 lanes of 25 Gbit/s: code 16
	}
	s = New(*s)
	rec := make([]byte, 64)
	s.putGID(mad.PathRecordSGID.Get(rec), 0)
	s.putGID(mad.PathRecordDGID.Get(rec), 5)
	both := pathSGID | pathDGID
	const none = 0
	for _, c := range []struct {
		what            string
		mask            uint64
		selector, value mad.Field
		s, v            uint64
		result          mad.Field
		want            uint64 // none: no record
	}{
		{"MTU", pathMtu, mad.PathRecordMtuSelector, mad.PathRecordMtu, 0, 4, mad.PathRecordMtu, 4}, // without its bit the selector is exact
		{"MTU", pathMtu | pathMtuSelector, mad.PathRecordMtuSelector, mad.PathRecordMtu, mad.SelectGreater, 3, mad.PathRecordMtu, 4},
		{"MTU", pathMtu | pathMtuSelector, mad.PathRecordMtuSelector, mad.PathRecordMtu, mad.SelectGreater, 4, mad.PathRecordMtu, none},
		{"MTU", pathMtu | pathMtuSelector, mad.PathRecordMtuSelector, mad.PathRecordMtu, mad.SelectLess, 5, mad.PathRecordMtu, 4},
		{"MTU", pathMtu | pathMtuSelector, mad.PathRecordMtuSelector, mad.PathRecordMtu, mad.SelectLess, 3, mad.PathRecordMtu, 2},
		{"MTU", pathMtu | pathMtuSelector, mad.PathRecordMtuSelector, mad.PathRecordMtu, mad.SelectLess, 1, mad.PathRecordMtu, none},
		{"MTU", pathMtu | pathMtuSelector, mad.PathRecordMtuSelector, mad.PathRecordMtu, mad.SelectExactly, 2, mad.PathRecordMtu, 2},
		{"MTU", pathMtu | pathMtuSelector, mad.PathRecordMtuSelector, mad.PathRecordMtu, mad.SelectExactly, 5, mad.PathRecordMtu, none},
		{"MTU", pathMtuSelector, mad.PathRecordMtuSelector, mad.PathRecordMtu, mad.SelectLargest, 0, mad.PathRecordMtu, 4},
		{"rate", pathRate | pathRateSelector, mad.PathRecordRateSelector, mad.PathRecordRate, mad.SelectGreater, 7, mad.PathRecordRate, 16},    // 40 Gbit/s
		{"rate", pathRate | pathRateSelector, mad.PathRecordRateSelector, mad.PathRecordRate, mad.SelectGreater, 10, mad.PathRecordRate, none}, // 120
		{"rate", pathRate | pathRateSelector, mad.PathRecordRateSelector, mad.PathRecordRate, mad.SelectLess, 16, mad.PathRecordRate, 9},       // the next one below is 80
		{"rate", pathRate | pathRateSelector, mad.PathRecordRateSelector, mad.PathRecordRate, mad.SelectExactly, 3, mad.PathRecordRate, 3},     // 10
		{"rate", pathRate | pathRateSelector, mad.PathRecordRateSelector, mad.PathRecordRate, mad.SelectExactly, 10, mad.PathRecordRate, none}, // 120
		{"rate", pathRate | pathRateSelector, mad.PathRecordRateSelector, mad.PathRecordRate, mad.SelectExactly, 63, mad.PathRecordRate, none}, // no rate
		{"rate", pathRateSelector, mad.PathRecordRateSelector, mad.PathRecordRate, mad.SelectLargest, 0, mad.PathRecordRate, 16},
		{"life", pathLife | pathLifeSelector, mad.PathRecordPacketLifeTimeSelector, mad.PathRecordPacketLifeTime, mad.SelectLess, 19, mad.PathRecordPacketLifeTime, 18},
		{"life", pathLife | pathLifeSelector, mad.PathRecordPacketLifeTimeSelector, mad.PathRecordPacketLifeTime, mad.SelectLess, 18, mad.PathRecordPacketLifeTime, none},
		{"life", pathLife, mad.PathRecordPacketLifeTimeSelector, mad.PathRecordPacketLifeTime, 0, 18, mad.PathRecordPacketLifeTime, 18},
	} {
		q := slices.Clone(rec)
		c.selector.Put(q, c.s)
		c.value.Put(q, c.v)
		var r Responder
		a := r.Answer(s, ask(mad.Get, mad.AttrPathRecord, both|c.mask, q))
		switch {
		case c.want == none && a.Status() != mad.StatusNoRecords:
			t.Errorf("%s, selector %d, value %d: %v", c.what, c.s, c.v, a)
		case c.want != none && (a.Status() != 0 || c.result.Get(a.Data()) != c.want):
			t.Errorf("%s, selector %d, value %d: %v, %d, want %d", c.what, c.s, c.v, a, c.result.Get(a.Data()), c.want)
		}
	}
}
