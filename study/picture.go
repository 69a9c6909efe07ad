package study

import (
	"context"

	"weft/cables"
	"weft/fabric"
	"weft/fabric/source"
	"weft/layout"
	"weft/route/job"
	"weft/sim/flow"
)

// Picture lays out a fabric, with the cables that somebody should look at marked. If it was routed, cables are coloured by
// the pairs of hosts that they carry.
func Picture(ctx context.Context, src *source.Source, routing *job.Result, workers int) (*layout.Picture, error) {
	f := src.Fabric
	g := f.Compile()
	o := layout.Options{Unit: "pairs of hosts"}
	markOdd(&o, f, cables.Of(f, g, src.Warnings))
	if routing != nil {
		n, err := flow.New(ctx, g, routing.Plan, workers)
		if err != nil {
			return nil, err
		}
		pairs, err := n.AllPairs(ctx, workers)
		if err != nil {
			return nil, err
		}
		o.Loads = make([]float64, len(pairs.Loads))
		for c, load := range pairs.Loads {
			o.Loads[c] = float64(load)
		}
	}
	return layout.Of(f, o), nil
}

// markOdd takes over what is odd about cables, and those that are missing. What is down is drawn as such.
func markOdd(o *layout.Options, f *fabric.Fabric, r *cables.Report) {
	o.Odd = map[fabric.LinkID]string{}
	for i := range r.Cables {
		odd := &r.Cables[i]
		if odd.Kind == cables.Missing {
			if len(odd.Ports) == 2 && !joinedByFailed(f, odd.Ports) {
				o.Missing = append(o.Missing, [2]fabric.GUID{odd.Ports[0].GUID, odd.Ports[1].GUID})
			}
			continue
		}
		for _, p := range odd.Ports {
			id, ok := f.NodeByGUID(p.GUID)
			if !ok || p.Port == 0 || int(p.Port) > f.Nodes[id].NumPorts() {
				continue
			}
			if link := f.Nodes[id].Ports[p.Port].Link; link != fabric.NoLink {
				o.Odd[link] = string(odd.Kind) + ": " + odd.Text
			}
		}
	}
}

// joinedByFailed reports whether a cable that is not up joins two nodes.
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
