package show

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
	"weft/fabric/cables"
	"weft/fabric/layout"
	"weft/planner"
	"weft/sim/flow"
)

// Meanings of the colours of cables.
const (
	ByLoad   = "load"   // pairs of hosts
	ByLanes  = "lanes"  // virtual lanes in use
	BySpeed  = "speed"  // rates of cables; it needs no routing
	ByErrors = "errors" // counters of errors that a dump has; it needs no routing
)

// Look selects the contents and colours of a picture.
type Look struct {
	Colour string
	Around fabric.GUID // only the pod, slice or group of this switch; 0: all
	Values *Values     // for a colour that is measured
}

// Picture lays out a fabric and marks the cables to look at. If it was routed, the colours of
// cables show the pairs of hosts that they carry, or the lanes.
func Picture(ctx context.Context, src *Inspected, routing *planner.Result, look Look, workers int) (*layout.Picture, error) {
	f := src.Fabric
	g, odd := src.inspect()
	o := layout.Options{Unit: "pairs of hosts", Around: look.Around}
	markOdd(&o, f, odd)
	var err error
	switch {
	case look.Colour == BySpeed:
		addSpeeds(&o, f, g)
	case look.Colour == ByErrors:
		addErrors(&o, f, g, odd)
	case IsMeasured(look.Colour) && look.Values == nil:
		err = errNotMeasured(look.Colour)
	case look.Values != nil:
		addValues(&o, f, g, look.Values)
	case routing == nil:
	case look.Colour == ByLanes:
		err = addLanes(ctx, &o, g, routing, workers)
	default:
		err = addLoads(ctx, &o, g, routing, workers)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return layout.Of(f, o), nil
}

// addLoads sets the loads to the pairs of hosts on every channel.
func addLoads(ctx context.Context, o *layout.Options, g *fabric.Graph, routing *planner.Result, workers int) error {
	n, err := flow.New(ctx, g, routing.Plan, workers)
	if err != nil {
		return err
	}
	pairs, err := n.AllPairs(ctx, workers)
	if err != nil {
		return err
	}
	o.Loads = make([]float64, len(pairs.Loads))
	for c, load := range pairs.Loads {
		o.Loads[c] = float64(load)
	}
	return nil
}

// addSpeeds sets the kinds of cables to their rates.
func addSpeeds(o *layout.Options, f *fabric.Fabric, g *fabric.Graph) {
	rates := map[fabric.LinkID]uint64{}
	for i := range f.Links {
		rates[fabric.LinkID(i)] = uint64(fabric.Rate(f.Links[i].Width, f.Links[i].Speed))
	}
	addKinds(o, f, g, rates, func(rate uint64) string { return fmt.Sprintf("%g Gbit/s", float64(rate)/1000) })
	o.Unit = "rates of the cables of a line"
}

// addErrors sets the kinds of cables by the largest of their counters that are not 0.
func addErrors(o *layout.Options, f *fabric.Fabric, g *fabric.Graph, r *cables.Report) {
	bounds := map[fabric.LinkID]uint64{}
	for i := range r.Cables {
		odd, most := &r.Cables[i], uint64(0)
		for _, c := range odd.Counters {
			most = max(most, c.Value)
		}
		if most == 0 || len(odd.Ports) == 0 {
			continue
		}
		if link := linkAt(f, odd.Ports[0]); link != fabric.NoLink {
			bounds[link] = 1
			for most >= 10*bounds[link] && bounds[link] < 1e6 {
				bounds[link] *= 10
			}
			delete(o.Odd, link)
		}
	}
	addKinds(o, f, g, bounds, func(bound uint64) string { return fmt.Sprint(bound, " or more") })
	o.Unit = "largest counter of errors of a cable"
}

// addKinds sets the kinds of cables between switches: one for each value other than 0, and at most
// 16.
func addKinds(o *layout.Options, f *fabric.Fabric, g *fabric.Graph, of map[fabric.LinkID]uint64, name func(uint64) string) {
	values := slices.Compact(slices.Sorted(maps.Values(of)))
	values = slices.DeleteFunc(values, func(v uint64) bool { return v == 0 })
	values = values[:min(len(values), 16)]
	o.Names, o.Lanes = []string{}, make([]uint16, g.NumChannels)
	for _, v := range values {
		o.Names = append(o.Names, name(v))
	}
	for c := range o.Lanes {
		id, _ := f.NodeByGUID(g.SwitchGUID[g.From[c]])
		if at, found := slices.BinarySearch(values, of[f.Nodes[id].Ports[g.FromPort[c]].Link]); found {
			o.Lanes[c] = 1 << at
		}
	}
}

// linkAt returns the cable in a port.
func linkAt(f *fabric.Fabric, p fabric.PortName) fabric.LinkID {
	id, ok := f.NodeByGUID(p.GUID)
	if !ok || p.Port == 0 || int(p.Port) > f.Nodes[id].NumPorts() {
		return fabric.NoLink
	}
	return f.Nodes[id].Ports[p.Port].Link
}

// addLanes sets the lanes to the VLs that the judge finds in use on every channel.
func addLanes(ctx context.Context, o *layout.Options, g *fabric.Graph, routing *planner.Result, workers int) error {
	if err := routing.Judge(ctx, g, &planner.Request{Workers: workers}); err != nil {
		return err
	}
	if o.Lanes = routing.Report.ChannelVLs; o.Lanes == nil {
		return errors.New("the lanes of these tables are not known: give --sl and --sl2vl too, or --one-lane")
	}
	return nil
}

// markOdd marks odd and missing cables. Cables that are down are drawn as such.
func markOdd(o *layout.Options, f *fabric.Fabric, r *cables.Report) {
	o.Odd, o.Lacking = map[fabric.LinkID]string{}, map[fabric.GUID]int{}
	for i := range r.Cables {
		odd := &r.Cables[i]
		if odd.Kind == cables.Missing {
			if n := odd.Lacking - cablesToDown(f, odd.Ports[0].GUID); odd.Lacking > 0 && n > 0 {
				o.Lacking[odd.Ports[0].GUID] += n
			}
			if len(odd.Ports) == 2 && !joinedByFailed(f, odd.Ports) {
				o.Missing = append(o.Missing, [2]fabric.GUID{odd.Ports[0].GUID, odd.Ports[1].GUID})
			}
			continue
		}
		for _, p := range odd.Ports {
			if link := linkAt(f, p); link != fabric.NoLink {
				o.Odd[link] = string(odd.Kind) + ": " + odd.Text
			}
		}
	}
}

// cablesToDown counts the cables of a node to nodes that are down. The report of odd cables does
// not know where they lead.
func cablesToDown(f *fabric.Fabric, guid fabric.GUID) (n int) {
	id, ok := f.NodeByGUID(guid)
	for p := 1; ok && p <= f.Nodes[id].NumPorts(); p++ {
		if f.Nodes[id].Ports[p].Link != fabric.NoLink && f.Nodes[f.Peer(fabric.End{Node: id, Port: uint8(p)}).Node].Down {
			n++
		}
	}
	return n
}

// joinedByFailed reports whether a cable that is down joins two nodes.
func joinedByFailed(f *fabric.Fabric, ports []fabric.PortName) bool {
	id, ok := f.NodeByGUID(ports[0].GUID)
	if !ok {
		return false
	}
	for p := 1; p <= f.Nodes[id].NumPorts(); p++ {
		link := f.Nodes[id].Ports[p].Link
		if link != fabric.NoLink && !f.LinkUp(link) && f.Nodes[f.Peer(fabric.End{Node: id, Port: uint8(p)}).Node].GUID == ports[1].GUID {
			return true
		}
	}
	return false
}
