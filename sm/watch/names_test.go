package watch

import (
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestNodeMap: a node name map names nodes in the Fabric, after a reload too, and the description
// that the node reports stays what it is.
func TestNodeMap(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	host := smtest.Find(v.manager.inForce.Fabric, fabric.CA, 5)
	node := v.manager.inForce.Fabric.Nodes[host]
	for _, name := range []string{"n5", "another", ""} {
		cfg := v.manager.cfg
		if cfg.Names = nil; name != "" {
			cfg.Names = map[fabric.GUID]string{node.GUID: name, 0x999: "gone"}
		}
		v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: terms.UsualWatch, Routing: v.routing, What: "names"}})
		v.runUntil(v.now + 5*time.Second)
		if name == "" {
			name = node.Desc
		}
		c := v.manager.inForce
		id, _ := c.Fabric.NodeByGUID(node.GUID)
		in := c.Nodes[c.ByGUID[node.GUID]]
		if got := c.Fabric.Nodes[id].Desc; got != name || in.Desc != node.Desc || in.Called() != name {
			t.Errorf("%q for %q, which says %q", got, name, in.Desc)
		}
	}
	v.verify(t)
}
