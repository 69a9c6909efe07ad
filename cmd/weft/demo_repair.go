package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/route/job"
	"weft/sm"
)

// demoRepair brings an emulated fabric up cold, pulls a cable and brings it up
// again.
type demoRepair struct {
	Fabric string          `json:"fabric"`
	Pulled string          `json:"pulled"`
	Cold   *sm.BringUpJSON `json:"cold"`
	Repair *sm.BringUpJSON `json:"repair"`
}

const demoSubnet = "fat648"

func runDemoRepair(cmd *cobra.Command, routing *routeFlags) (*demoRepair, error) {
	f, err := gen.Parse(demoSubnet)
	if err != nil {
		return nil, err
	}
	subnet, err := emulator.New(f, emulator.Options{})
	if err != nil {
		return nil, err
	}
	at, err := subnet.DefaultEnd()
	if err != nil {
		return nil, err
	}
	alive := live.New(subnet, clock())
	defer alive.Close()
	request := routing.Request
	if request.Chain, err = job.ParseEngines("updn", nil); err != nil {
		return nil, err
	}
	bringUp := func() (*sm.BringUpJSON, error) {
		t, err := alive.Attach(at)
		if err != nil {
			return nil, err
		}
		runner := sm.Runner{Routing: request, Clock: clock()}
		var core *sm.Core
		err = withProgress(cmd, "bringing "+demoSubnet+" up", func(ctx context.Context) (err error) {
			core, err = runner.Run(ctx, t)
			return interrupted(ctx, err)
		})
		if err != nil {
			return nil, err
		}
		return core.Report().BringUpJSON(), nil
	}
	d := &demoRepair{Fabric: f.Name}
	if d.Cold, err = bringUp(); err != nil {
		return nil, err
	}
	cable := firstSwitchLink(f)
	d.Pulled = f.LinkName(cable)
	alive.Do(func(s *emulator.Subnet) { err = s.SetLinkDown(cable, true) })
	if err != nil {
		return nil, err
	}
	d.Repair, err = bringUp()
	return d, err
}

func firstSwitchLink(f *fabric.Fabric) fabric.LinkID {
	id := fabric.LinkID(0)
	for !f.IsSwitchLink(id) {
		id++
	}
	return id
}

func (d *demoRepair) write(w io.Writer) {
	fmt.Fprintf(w, "An emulated fabric, brought up cold over the wire: %s\n\n", d.Fabric)
	line := func(r *sm.BringUpJSON) {
		fmt.Fprintf(w, "  %s in %.3f s: %d switches, %d CAs, %d links, routing by %s proven: %s; %d datagrams, %d forwarding table blocks written\n",
			r.State, r.Seconds, r.Switches, r.CAs, r.Links, r.Engine, yes(r.Check != nil && r.Check.OK), r.SMPsSent, blocksWritten(r))
	}
	line(d.Cold)
	fmt.Fprintf(w, "  pulled the cable %s\n", d.Pulled)
	line(d.Repair)
	fmt.Fprintf(w, "  repaired: %d of %d blocks had to change, all pairs reachable again over %d links\n\n",
		blocksWritten(d.Repair), blocksWritten(d.Cold), d.Repair.Links)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// blocksWritten is how many blocks of forwarding tables were set.
func blocksWritten(r *sm.BringUpJSON) int {
	for _, c := range r.SMPs {
		if c.Method == "Set" && c.Attribute == "LinearForwardingTable" {
			return c.Requests
		}
	}
	return 0
}
