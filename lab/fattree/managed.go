package fattree

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/chart"
	"weft/lab"
	"weft/planner"
	"weft/route/engine"
	"weft/sim/packet"
	"weft/sm/outage"
	"weft/sm/terms"
)

// notesOfManaged states the assumptions of the runs of Fig. 3 with weft sm.
const notesOfManaged = "By weft sm: the manager itself, the emulated switches and the packets in one virtual time (package outage). It learns of a fault by a trap, an SMP takes 1 us " +
	"for each link, a Plan and its proof 5 ms; a switch that failed comes back empty. Of the spines and cables the one that costs most is shown. A master that dies is missed by a second manager that asks it every 100 ms; " +
	"what the two tell each other beside that is left out."

// managedTable returns the empty table for the cost of a fault to the flows of Fig. 3, while weft
// sm repairs the routes.
func managedTable() lab.Table {
	return lab.Table{
		Name: "fig3-managed", Title: "The same flows, repaired by weft sm: what a fault costs",
		Columns: []string{"engine", "fault", "packets lost", "lost until, us after the fault", "last change of a table or link, us", "SMPs", "blocks of forwarding tables"},
	}
}

// managed runs Fig. 3 with weft sm and each fault. It returns rows of the table, and the curve for
// the stopped spine.
func managed(ctx context.Context, formula string, e *lab.Candidate, t *lab.Table) chart.Series {
	f := lab.Must(gen.Parse(formula))
	var spines, cables []outage.Fault
	for id, l := range f.Links {
		if f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
			cables = append(cables, outage.Fault{Pull: fabric.LinkID(id), Reboot: -1})
		}
	}
	for id := range f.Nodes {
		if node := fabric.NodeID(id); f.Nodes[id].Type == fabric.Switch && !leadsToHost(f, node) {
			spines = append(spines, outage.Fault{Pull: fabric.NoLink, Reboot: node, Down: time.Duration((spineReturns - spineStops) / packet.Nanosecond)})
		}
	}
	setup := setupOfManaged(f, e)
	reboot, _ := worst(ctx, setup, spines)
	row := func(fault string, r *outage.Result) {
		t.Add(e.Name, fault, fmt.Sprint(r.Lost.Total()), fmt.Sprint(r.Last.Microseconds()), fmt.Sprint(r.Quiet.Microseconds()), fmt.Sprint(r.SMPs), fmt.Sprint(r.Blocks))
	}
	row("a spine stops for 40 ms", reboot)
	pull, cable := worst(ctx, setup, cables)
	row("a cable is pulled", pull)
	line := curveOf(e.Name+", by weft sm", reboot, setup.Step)

	setup.Managers, setup.Watch.Interval, setup.After = 2, 100*time.Millisecond, 2*time.Second
	dies, _ := worst(ctx, setup, []outage.Fault{{Pull: fabric.NoLink, Reboot: -1, Kill: true}})
	row("the master dies", dies)
	cable.Kill = true
	both, _ := worst(ctx, setup, []outage.Fault{cable})
	row("the cable is pulled as the master dies", both)
	return line
}

// setupOfManaged returns Fig. 3 with weft sm; the caller adds the fault.
func setupOfManaged(f *fabric.Fabric, e *lab.Candidate) outage.Setup {
	for i := range f.Links {
		f.Links[i].Width, f.Links[i].Speed = 4, fabric.DDR
	}
	return outage.Setup{
		Fabric: f, Routing: planner.Request{Chain: lab.Must(engine.Parse(e.How.Engine, nil)), Workers: 1}, Watch: terms.UsualWatch, Managers: 1,
		Planning: 5 * time.Millisecond, Hop: time.Microsecond, Packet: packet.Default(), Streams: flowsOfNodes,
		Before: time.Duration(spineStops / packet.Nanosecond), After: time.Duration((endOfReboot - spineStops) / packet.Nanosecond), Step: 10 * time.Microsecond,
	}
}

// leadsToHost reports whether a switch has a host.
func leadsToHost(f *fabric.Fabric, id fabric.NodeID) bool {
	return slices.ContainsFunc(f.Links, func(l fabric.Link) bool {
		return l.A.Node == id && f.Nodes[l.B.Node].Type == fabric.CA || l.B.Node == id && f.Nodes[l.A.Node].Type == fabric.CA
	})
}

// worst runs each fault, and returns the result with the most lost packets and its fault.
func worst(ctx context.Context, setup outage.Setup, faults []outage.Fault) (most *outage.Result, fault outage.Fault) {
	for _, setup.Fault = range faults {
		if r := lab.Must(outage.Run(ctx, &setup)); most == nil || r.Lost.Total() > most.Lost.Total() {
			most, fault = r, setup.Fault
		}
	}
	return most, fault
}

// curveOf returns the throughput of a run in MB/s, at the points of Fig. 3.
func curveOf(name string, r *outage.Result, step time.Duration) chart.Series {
	line := chart.Series{Name: name}
	each := int(time.Duration(stepOfReboot/packet.Nanosecond) / step)
	for first := 0; first < len(r.Steps); first += each {
		bytes := int64(0)
		for _, s := range r.Steps[first : first+each] {
			bytes += s.Bytes
		}
		line.Add(float64(first/each)+.5, float64(bytes)*float64(packet.Second/stepOfReboot)/1e6, 0, 0)
	}
	return line
}
