package conformance

import (
	"pgregory.net/rapid"

	"weft/fabric"
)

// Draw makes a random network: up to 12 switches with any cables between them, including parallel
// ones and loops to the same switch. Some cables are down, some switches are drained or have no
// hosts, and CAs have two ports on any switches.
func Draw(t *rapid.T) *fabric.Fabric {
	b := &Builder{F: fabric.New("random")}
	n := rapid.IntRange(1, 12).Draw(t, "switches")
	var switches []fabric.NodeID
	for range n {
		switches = append(switches, b.Switch())
	}
	pick := rapid.SampledFrom(switches)
	for range rapid.IntRange(0, 2*n).Draw(t, "links") {
		b.Link(pick.Draw(t, "from"), pick.Draw(t, "to"))
	}
	for range rapid.IntRange(0, 12).Draw(t, "CAs") {
		ca := b.Node(fabric.CA, 2)
		for range rapid.IntRange(1, 2).Draw(t, "ports") {
			b.Link(ca, pick.Draw(t, "switch"))
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "drained") {
		b.F.Nodes[pick.Draw(t, "switch")].Drained = true
	}
	for range rapid.IntRange(0, 2).Draw(t, "down") {
		if len(b.F.Links) > 0 {
			id := rapid.IntRange(0, len(b.F.Links)-1).Draw(t, "link")
			b.F.SetLinkDown(fabric.LinkID(id), true)
		}
	}
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.F
}
