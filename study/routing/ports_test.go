package routing

import (
	"strings"
	"testing"

	"weft/route"
	"weft/study/studytest"
)

// TestPorts: what ports are told is counted by set, with times in seconds and MTUs in bytes.
func TestPorts(t *testing.T) {
	g, r := studytest.Routed(t, "torus(5x5,hosts=1)", "dor")
	r.Plan.Ports.Pool[0].MTU, r.Plan.Ports.Pool[1].HOQLife, r.Plan.Ports.PacketLife = 4, 20, 19
	r.Plan.Arbitration.Pool[0].High = []route.ArbEntry{{VL: 1, Weight: 9}}
	r.Plan.Arbitration.Pool[0].Limit = 3
	p := New(g, r, 12).Ports
	if len(p.Parameters) != 2 || p.Parameters[0].MTU != 2048 || p.Parameters[1].Ports != g.NumHosts || p.Parameters[1].HOQLife != 0 {
		t.Errorf("%+v", p.Parameters)
	}
	if life := p.PacketLife; life < 2.147 || life > 2.148 {
		t.Errorf("packet life %g s", life)
	}
	var text strings.Builder
	if err := New(g, r, 12).WriteAll(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"packet lifetime 2.15 s in a switch", "head-of-queue lifetime for ever", "MTU 2048", "high priority 1:9, limit 3", "0:32,1:32", "12 MB"} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	r.Plan.Ports = nil
	if New(g, r, 0).Ports != nil {
		t.Error("a Plan that says nothing of ports has them")
	}
}
