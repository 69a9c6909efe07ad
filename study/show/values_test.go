package show

import (
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/layout"
	"weft/fabric/source"
)

// drawn returns the legend of a picture, and the lines of a cable.
func drawn(t *testing.T, look Look, port string) (legend string, lines []layout.Line, err error) {
	t.Helper()
	f, err := gen.Parse("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Picture(t.Context(), Inspect(&source.Source{Fabric: f}), nil, look, 1)
	if err != nil {
		return "", nil, err
	}
	for _, e := range p.Legend {
		legend += e.Text + "\n"
	}
	for i := range p.Lines {
		if strings.Contains(strings.Join(p.Lines[i].Links, " "), port) {
			lines = append(lines, p.Lines[i])
		}
	}
	if len(lines) > 0 && lines[0].Class == "hottest" && p.Lines[len(p.Lines)-1].Class != "hottest" {
		t.Error("the hottest cable is not above the rest")
	}
	return legend, lines, nil
}

// TestValues: what ports have measured colours their cables: the hottest one stands out with its
// load, ages have classes, and the legend names the unit.
func TestValues(t *testing.T) {
	f, err := gen.Parse("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	var ends []fabric.End // one of each cable between switches
	for id := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(id)) {
			ends = append(ends, f.Links[id].A)
		}
	}
	valued := func(at fabric.End, value float64) PortValue { return PortValue{f.Nodes[at.Node].GUID, at.Port, value} }
	end := ends[len(ends)-1]
	guid := f.Nodes[end.Node].GUID
	port := fmt.Sprintf("%s[%d]", guid, end.Port)
	v := &Values{Unit: "Gbit/s", Ports: []PortValue{valued(end, 41.5), {1, 1, 900}, {guid, 200, 900}}}
	for _, at := range ends[:len(ends)-1] {
		v.Ports = append(v.Ports, valued(at, 0.4))
	}
	legend, lines, err := drawn(t, Look{Colour: ByTraffic, Values: v}, port)
	if err != nil || len(lines) != 1 || lines[0].Class != "hottest" || lines[0].Load != 41.5 || !strings.Contains(legend, "Gbit/s on the hottest cable") || strings.Contains(legend, "up to 0\n") {
		t.Errorf("%v %+v\n%s", err, lines, legend)
	}
	v = &Values{Unit: "lost last", Ages: true, Ports: []PortValue{valued(end, 5), {1, 1, 3}, {guid, 200, 3}, valued(ends[0], 1e9)}}
	legend, lines, err = drawn(t, Look{Colour: ByFault, Values: v}, port)
	if err != nil || len(lines) != 1 || lines[0].VLs != 1 || !strings.Contains(legend, "lost last:\nup to a minute ago\nlonger ago\n") {
		t.Errorf("%v %+v\n%s", err, lines, legend)
	}
	for _, colour := range []string{ByTraffic, ByWaits, ByErrorRate, ByFault} {
		if _, _, err := drawn(t, Look{Colour: colour}, port); err == nil || !strings.Contains(err.Error(), "weft sm --api") {
			t.Error(colour, err)
		}
	}
}
