package planfile

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"weft/fabric"
)

// TestLinks: the Graph of a Plan alone has the channels and hosts of the Graph it was made
// for.
func TestLinks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := drawGraph(rt, t)
		_, own, err := LoadAlone(bytes.NewReader(save(t, drawPlan(rt, g), g)))
		if err != nil {
			rt.Fatal(err)
		}
		if g.NumSwitches == 0 {
			return
		}
		type links struct {
			From, To, Out, OutStart, Attached, PortStart, EndSwitch []int32
			FromPort, ToPort, EndPort                               []uint8
			Drained                                                 []bool
		}
		of := func(g *fabric.Graph) links {
			return links{g.From, g.To, g.Out, g.OutStart, g.Attached, g.PortStart, g.EndSwitch, g.FromPort, g.ToPort, g.EndPort, g.Drained}
		}
		if diff := cmp.Diff(of(g), of(own), cmpopts.EquateEmpty()); diff != "" || g.NumChannels != own.NumChannels {
			rt.Fatalf("the links differ (-saved +loaded):\n%s", diff)
		}
	})
}

// TestWrongLinks: links whose ends do not name each other are refused.
func TestWrongLinks(t *testing.T) {
	p, g := full(t)
	good := behindPorts(g)
	refused := 0
	for at := range good {
		for _, v := range []int32{-1, -2, -3, -2 - int32(g.NumHosts), 1, 1 << 8, 1<<8 | 1, 3 << 8, 1 << 30} {
			if good[at] == v {
				continue
			}
			_, own, err := LoadAlone(bytes.NewReader(save(t, p, g)))
			if err != nil {
				t.Fatal(err)
			}
			bare := &fabric.Graph{
				NumSwitches: g.NumSwitches, NumHosts: g.NumHosts, NumEnds: g.NumEnds, SwitchGUID: own.SwitchGUID, SwitchDesc: own.SwitchDesc,
				SwitchPorts: own.SwitchPorts, EndType: own.EndType, EndDesc: own.EndDesc, EndNodeGUID: own.EndNodeGUID, EndNum: own.EndNum,
			}
			behind := slices.Clone(good)
			behind[at] = v
			if err := attach(bare, behind); err == nil || !strings.Contains(err.Error(), "links: ") {
				t.Fatalf("%d at %d: %v", v, at, err)
			}
			refused++
		}
	}
	if refused < 100 {
		t.Error(refused)
	}
}
