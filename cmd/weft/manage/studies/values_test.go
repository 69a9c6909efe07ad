package studies

import (
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/perf"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/study/show"
	"weft/wire/mad"
)

// TestValuesOf: rates are those of the last reading, in the unit of the legend. Ports that it has
// not read have none.
func TestValuesOf(t *testing.T) {
	counts := perf.Counts{Took: 2 * time.Second, Growth: new(perf.Growth)}
	counts.Grown[mad.CounterXmitData], counts.Grown[mad.CounterXmitWait], counts.Grown[mad.CounterSymbolError], counts.Grown[mad.CounterXmitDiscards] = 1e9, 500, 2, 1
	ports := []perf.Port{{Name: fabric.PortName{GUID: 7, Port: 3}}, {Name: fabric.PortName{GUID: 8, Port: 1}}}
	s := &watch.Snapshot{Counters: &perf.Report{Interval: 2, Reading: &perf.Reading{Ports: ports, Counts: []perf.Counts{counts, {Growth: new(perf.Growth)}}}}}
	for colour, want := range map[string]float64{show.ByTraffic: 16, show.ByWaits: 250, show.ByErrorRate: 90} {
		v, err := values(colour, s, nil, time.Time{})
		if err != nil || v.Ages || len(v.Ports) != 1 || v.Ports[0] != (show.PortValue{Node: 7, Port: 3, Value: want}) {
			t.Errorf("%s: %v %+v", colour, err, v)
		}
		if _, err := values(colour, &watch.Snapshot{}, nil, time.Time{}); err == nil {
			t.Error(colour, "without a reading")
		}
	}
}

// TestFaults: the last loss of a cable counts, at both ends; the oldest one is forgotten.
func TestFaults(t *testing.T) {
	var f Faults
	from := time.Unix(1000, 0)
	lose := func(guid fabric.GUID, at int) {
		f.Note(&terms.Incident{Lost: &terms.Cable{{GUID: guid, Port: 1, Name: "any"}, {GUID: guid + 1, Port: 2}}}, from.Add(time.Duration(at)*time.Second))
	}
	lose(10, 0)
	lose(10, 5)
	f.Note(&terms.Incident{}, from)
	v, err := values(show.ByFault, nil, &f, from.Add(65*time.Second))
	if err != nil || !v.Ages || len(v.Ports) != 2 || v.Ports[0] != (show.PortValue{Node: 10, Port: 1, Value: 60}) || v.Ports[1] != (show.PortValue{Node: 11, Port: 2, Value: 60}) {
		t.Errorf("%v %+v", err, v)
	}
	for i := range mostFaults {
		lose(fabric.GUID(100+i), 10+i)
	}
	if _, known := f.at[terms.Cable{{GUID: 10, Port: 1}, {GUID: 11, Port: 2}}]; known || len(f.at) != mostFaults {
		t.Error(len(f.at), known)
	}
}
