package layout

import (
	"slices"

	"weft/fabric"
)

// part returns a drawing of the pod, slice or group of a switch alone, or else of the box that it
// shares; of a whole drawing. It returns nil if the switch stands alone.
func (d *drawing) part(of fabric.GUID, title string) *drawing {
	at := slices.IndexFunc(d.p.Boxes, func(b Box) bool { return b.Switches > 0 && slices.Contains(b.Nodes, of) })
	if at < 0 {
		return nil
	}
	here, name := &d.p.Boxes[at], d.p.Boxes[at].Group
	same := func(b *Box) bool {
		return b == here || here.Group != "" && b.Group == here.Group && b.Plane == here.Plane
	}
	var switches []int32
	for s, b := range d.boxOf {
		if same(&d.p.Boxes[b]) {
			switches = append(switches, int32(s))
		}
	}
	if len(switches) < 2 {
		return nil
	}
	if name == "" {
		name = several(len(switches), "switch", "switches") + " in one place"
	}
	p := newDrawing(d.only(switches), title+": "+name)
	leaving := 0
	kept := make([]bool, d.g.NumSwitches)
	for _, s := range switches {
		kept[s] = true
	}
	for i := range d.cable {
		if kept[d.g.From[2*i]] != kept[d.g.To[2*i]] {
			leaving++
		}
	}
	p.count()
	if leaving > 0 {
		p.p.Text = append(p.p.Text, several(leaving, "cable leads", "cables lead")+" to the rest of the network, which is not drawn.")
	}
	return p
}
