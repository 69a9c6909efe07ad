package show

import (
	"fmt"
	"math"
	"slices"

	"weft/fabric"
	"weft/fabric/layout"
)

// Meanings of the colours of cables that only a running manager has.
const (
	ByTraffic   = "traffic"    // Gbit/s
	ByWaits     = "waits"      // wait ticks per second
	ByErrorRate = "error-rate" // errors per minute
	ByFault     = "fault"      // time since the cable was lost last
)

// IsMeasured reports whether a colour needs Values.
func IsMeasured(colour string) bool {
	return slices.Contains([]string{ByTraffic, ByWaits, ByErrorRate, ByFault}, colour)
}

// Values are measured values of ports.
type Values struct {
	Unit  string // as in "Gbit/s"; the heading of ages
	Ages  bool   // they are seconds since an event, and not loads
	Ports []PortValue
}

// PortValue is the value of a port.
type PortValue struct {
	Node  fabric.GUID
	Port  uint8
	Value float64
}

// age is a class of seconds since an event.
type age struct {
	most float64
	name string
}

// ages lists the classes.
var ages = []age{{60, "up to a minute ago"}, {600, "up to 10 minutes ago"}, {3600, "up to an hour ago"}, {86_400, "up to a day ago"}, {math.Inf(1), "longer ago"}}

// addValues sets the loads of channels to the values of the ports that send, or the kinds of cables
// to their ages.
func addValues(o *layout.Options, f *fabric.Fabric, g *fabric.Graph, v *Values) {
	o.Unit = v.Unit
	if v.Ages {
		addAges(o, f, g, v.Ports)
		return
	}
	at := make(map[fabric.GUID]int32, g.NumSwitches)
	for s, guid := range g.SwitchGUID {
		at[guid] = int32(s)
	}
	o.Loads = make([]float64, g.NumChannels)
	for _, p := range v.Ports {
		if s, known := at[p.Node]; known {
			if c, _ := g.At(s, p.Port); c >= 0 {
				o.Loads[c] = p.Value
			}
		}
	}
}

// addAges sets the kinds of cables to the class of their least age.
func addAges(o *layout.Options, f *fabric.Fabric, g *fabric.Graph, ports []PortValue) {
	kinds := map[fabric.LinkID]uint64{}
	for _, p := range ports {
		link := linkAt(f, fabric.PortName{GUID: p.Node, Port: p.Port})
		kind := uint64(1 + slices.IndexFunc(ages, func(a age) bool { return p.Value <= a.most }))
		if was, known := kinds[link]; link != fabric.NoLink && kind > 0 && (!known || kind < was) {
			kinds[link] = kind
		}
	}
	addKinds(o, f, g, kinds, func(kind uint64) string { return ages[kind-1].name })
}

// errNotMeasured says why a picture cannot have a colour.
func errNotMeasured(colour string) error {
	return fmt.Errorf("colour: %s is measured by a running manager: the page of weft sm --api has it", colour)
}
