package planfile

import (
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
	"weft/route/routetest"
)

// drawGraph draws a line of switches and hosts.
func drawGraph(t *rapid.T, tb testing.TB) *fabric.Graph {
	return routetest.Line(tb, rapid.IntRange(0, 4).Draw(t, "switches"), rapid.IntRange(0, 3).Draw(t, "hosts")).Compile()
}

// drawPlan draws a Plan that fits g, and that means nothing.
func drawPlan(t *rapid.T, g *fabric.Graph) *route.Plan {
	n := func(label string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label) }
	ends, err := lids.Assign(g, lids.Options{LMC: uint8(n("lmc", 0, 3))})
	if err != nil {
		t.Fatal(err)
	}
	p := &route.Plan{
		Recipe:  route.Recipe{Paths: rapid.String().Draw(t, "paths"), Names: "lmc=0", Lanes: "none"},
		Ends:    ends,
		Tables:  route.NewTables(g.NumSwitches, ends.Top()+fabric.LID(n("spare", 0, 200))),
		VLs:     n("vls", 0, 15),
		Service: route.Service{Default: uint8(n("default", 0, 15)), ReplySameSL: rapid.Bool().Draw(t, "reply")},
	}
	for i := range n("absent", 0, 3) {
		p.Absent = append(p.Absent, route.Absent{Node: fabric.GUID(n("node", 0, 1) * (0x77 + i)), Port: uint8(n("port", 0, 255)), GUID: fabric.GUID(n("GUID", 0, 1) * (0x77 + i)), Base: fabric.LID(n("base", 1, 49000)), LMC: uint8(n("LMC", 0, 7))})
	}
	if rapid.Bool().Draw(t, "options") {
		p.Recipe.Options = map[string]string{"roots": rapid.String().Draw(t, "roots"), "b": "1"}
		p.Recipe.Asked = []route.Asked{{Engine: "auto"}, {Engine: rapid.String().Draw(t, "asked"), Options: p.Recipe.Options}}
	}
	for s := range int32(g.NumSwitches) {
		for range n("entries", 0, 10) {
			p.Tables.Set(s, fabric.LID(n("lid", 0, int(p.Tables.Top()))), uint8(n("port", 0, 255)))
		}
	}
	if rapid.Bool().Draw(t, "choice") {
		var rows []route.ChoiceRow
		for range n("rows", 0, 20) {
			if g.NumEnds > 0 {
				rows = append(rows, route.ChoiceRow{Source: int32(n("source", 0, g.NumEnds-1)), Target: int32(n("target", 0, g.NumEnds-1)), Offset: uint8(n("offset", 0, 127))})
			}
		}
		p.Choice = route.NewChoice(g.NumEnds, rows)
	}
	if p.Choice.By != route.ListedLIDs {
		p.Choice.By = route.ChoiceBy(n("rule", 0, 2))
	}
	for range n("levels", 0, 3) {
		l := route.Level{Name: rapid.String().Draw(t, "name"), Share: uint8(n("share", 1, 255)), High: rapid.Bool().Draw(t, "high")}
		for sl := range l.SL {
			l.SL[sl] = uint8(n("sl", 0, 15))
		}
		p.Levels = append(p.Levels, l)
	}
	for range n("copies", 0, 3) {
		var c route.LaneCopy
		for sl := range c {
			c[sl] = uint8(n("sl", 0, 15))
		}
		p.JobLanes = append(p.JobLanes, c)
	}
	if rapid.Bool().Draw(t, "arbitration") {
		p.Arbitration = route.EqualArbitration(g, n("turns", 1, 15))
		p.Arbitration.Pool = append(p.Arbitration.Pool, route.ArbTable{})
		table := &p.Arbitration.Pool[0]
		table.Limit = uint8(n("limit", 0, 255))
		for range n("high", 0, 3) {
			table.High = append(table.High, route.ArbEntry{VL: uint8(n("VL", 0, 14)), Weight: uint8(n("weight", 0, 255))})
		}
	}
	if rapid.Bool().Draw(t, "ports") {
		p.Ports = route.UsualPorts(g)
		p.Ports.PacketLife = uint8(n("life", 0, 31))
		p.Ports.Pool[1] = route.PortParams{MTU: uint8(n("MTU", 0, 5)), VLs: uint8(n("VLs", 0, 15)), HOQLife: uint8(n("HOQ", 0, 31)), StallCount: uint8(n("stall", 0, 7))}
	}
	if rapid.Bool().Draw(t, "sl") {
		src, dst := n("sources", 1, 5), n("destinations", 1, 5)
		p.SL = route.NewSLs(make([]int32, g.NumEnds), make([]int32, int(ends.Top())+1), src, dst)
		for i := range p.SL.Src {
			p.SL.Src[i] = int32(n("class", 0, src-1))
		}
		for i := range p.SL.Dst {
			p.SL.Dst[i] = int32(n("class", 0, dst-1))
		}
		p.SL.Set(int32(n("class", 0, src-1)), int32(n("class", 0, dst-1)), uint8(n("level", 0, 15)))
		p.SL.OneWay = !p.Service.ReplySameSL
	}
	if rapid.Bool().Draw(t, "sl2vl") {
		p.SL2VL = drawSL2VL(t, g)
	}
	return p
}

func drawSL2VL(t *rapid.T, g *fabric.Graph) *route.SL2VL {
	m := route.UniformVL(g, route.VLTable{})
	for range rapid.IntRange(0, 3).Draw(t, "tables") {
		var v route.VLTable
		v[rapid.IntRange(0, 15).Draw(t, "SL")] = uint8(rapid.IntRange(0, 15).Draw(t, "VL"))
		m.Intern(v)
	}
	index := rapid.Uint16Range(0, uint16(len(m.Pool)-1))
	for h := range m.Host {
		m.Host[h] = index.Draw(t, "host")
	}
	for s := range m.Switch {
		by := route.SL2VLBy(rapid.IntRange(0, 2).Draw(t, "by"))
		k, _ := by.Tables(g.SwitchPorts[s])
		m.Switch[s] = route.SwitchSL2VL{By: by, Index: rapid.SliceOfN(index, k, k).Draw(t, "index")}
	}
	return m
}
