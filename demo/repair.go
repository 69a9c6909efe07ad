package demo

import (
	"context"
	"fmt"
	"io"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/fold"
	"weft/route/job"
	"weft/sm"
)

// Repair is an emulated fabric that is brought up cold, and again after a cable was
// pulled.
type Repair struct {
	Fabric string          `json:"fabric"`
	Pulled string          `json:"pulled"` // the cable
	Cold   *sm.BringUpJSON `json:"cold"`
	Repair *sm.BringUpJSON `json:"repair"`
}

// subnet is the fabric that is brought up.
const subnet = "fat648"

func (c *Config) repair() (*Repair, error) {
	f, err := gen.Parse(subnet)
	if err != nil {
		return nil, err
	}
	emulated, err := emulator.New(f, emulator.Options{})
	if err != nil {
		return nil, err
	}
	alive := live.New(emulated, c.Clock)
	defer alive.Close()
	r := &Repair{Fabric: f.Name}
	if r.Cold, err = c.bringUp(emulated, alive); err != nil {
		return nil, err
	}
	cable := firstSwitchLink(f)
	r.Pulled = f.LinkName(cable)
	alive.Do(func(s *emulator.Subnet) { err = s.SetLinkDown(cable, true) })
	if err != nil {
		return nil, err
	}
	r.Repair, err = c.bringUp(emulated, alive)
	return r, err
}

// bringUp runs the subnet manager once.
func (c *Config) bringUp(emulated *emulator.Subnet, alive *live.Live) (*sm.BringUpJSON, error) {
	at, err := emulated.DefaultEnd()
	if err != nil {
		return nil, err
	}
	t, err := alive.Attach(at)
	if err != nil {
		return nil, err
	}
	runner := sm.Runner{Routing: c.Routing, Clock: c.Clock}
	if runner.Routing.Chain, err = job.ParseEngines(job.Auto, nil); err != nil {
		return nil, err
	}
	var core *sm.Core
	err = c.Step("bringing "+subnet+" up", func(ctx context.Context) (err error) {
		core, err = runner.Run(ctx, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return core.Report().BringUpJSON(), nil
}

func firstSwitchLink(f *fabric.Fabric) fabric.LinkID {
	id := fabric.LinkID(0)
	for !f.IsSwitchLink(id) {
		id++
	}
	return id
}

func (r *Repair) write(w io.Writer) {
	fmt.Fprintf(w, "An emulated fabric, brought up cold over the wire: %s\n\n", r.Fabric)
	line := func(up *sm.BringUpJSON) {
		proven := "no"
		if up.Check != nil && up.Check.OK {
			proven = "yes"
		}
		fmt.Fprintln(w, "  "+fold.Text(2, fmt.Sprintf("%s in %.3f s: %d switches, %d CAs, %d links, routing by %s proven: %s; %d datagrams, %d forwarding table blocks written",
			up.State, up.Seconds, up.Switches, up.CAs, up.Links, up.Engine, proven, up.SMPsSent, blocksWritten(up))))
	}
	line(r.Cold)
	fmt.Fprintln(w, "  "+fold.Text(2, "pulled the cable "+r.Pulled))
	line(r.Repair)
	fmt.Fprintln(w, "  "+fold.Text(2, fmt.Sprintf("repaired: %d of %d blocks had to change, all pairs reachable again over %d links\n",
		blocksWritten(r.Repair), blocksWritten(r.Cold), r.Repair.Links)))
}

// blocksWritten counts the blocks of forwarding tables that were set.
func blocksWritten(up *sm.BringUpJSON) int {
	for _, c := range up.SMPs {
		if c.Method == "Set" && c.Attribute == "LinearForwardingTable" {
			return c.Requests
		}
	}
	return 0
}
