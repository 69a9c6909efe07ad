package route

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// maxIndex limits LIDs, classes and SL2VL tables: 16 bits name each of them.
const maxIndex = 1 << 16

// Fits reports the first part of a Plan whose indices or lengths do not fit g, so that reading it
// would be out of bounds. Whether the Plan routes anything is the judge's question.
func (p *Plan) Fits(g *fabric.Graph) error {
	for _, part := range []struct {
		name string
		fits func(g *fabric.Graph) error
	}{
		{"lanes", p.lanesFit},
		{"end ports", p.Ends.fits},
		{"tables", p.tablesFit},
		{"absent", p.absentFits},
		{"choice", p.Choice.fits},
		{"SL", p.slFits},
		{"SL2VL", p.SL2VL.Fits},
		{"VL arbitration", p.Arbitration.Fits},
		{"ports", p.Ports.Fits},
	} {
		if err := part.fits(g); err != nil {
			return fmt.Errorf("route: plan: %s: %w", part.name, err)
		}
	}
	return nil
}

func (p *Plan) lanesFit(*fabric.Graph) error {
	for i := range p.Levels {
		if l := &p.Levels[i]; l.Share == 0 || slices.ContainsFunc(l.SL[:], func(sl uint8) bool { return sl >= NumSLs }) {
			return fmt.Errorf("level %d has share %d and SLs %d", i, l.Share, l.SL)
		}
	}
	for i := range p.JobLanes {
		if slices.ContainsFunc(p.JobLanes[i][:], func(sl uint8) bool { return sl >= NumSLs }) {
			return fmt.Errorf("copy %d of the lanes has the SLs %d", i+1, p.JobLanes[i])
		}
	}
	if len(p.JobLanes) > int(DropVL) {
		return fmt.Errorf("%d copies of the lanes (at most %d)", len(p.JobLanes), DropVL)
	}
	if len(p.Levels) > int(DropVL) {
		return fmt.Errorf("%d levels (at most %d)", len(p.Levels), DropVL)
	}
	if p.VLs < 0 || p.VLs > int(DropVL) || p.Service.Default >= NumSLs {
		return fmt.Errorf("%d VLs, default SL %d: out of range", p.VLs, p.Service.Default)
	}
	return nil
}

func (p *Plan) tablesFit(g *fabric.Graph) error {
	if p.Tables == nil || p.Tables.NumSwitches() != g.NumSwitches || p.Tables.NumBlocks() > maxIndex/BlockSize {
		return fmt.Errorf("they are not for %d switches", g.NumSwitches)
	}
	return nil
}

func (p *Plan) absentFits(*fabric.Graph) error {
	for _, a := range p.Absent {
		if a.Base == 0 || a.LMC > fabric.MaxLMC || int(a.Base)+1<<a.LMC-1 > int(fabric.MaxUnicastLID) {
			return fmt.Errorf("end port %s has LID %d with LMC %d", a.Name(), a.Base, a.LMC)
		}
	}
	return nil
}

// Fits reports indices or lengths that do not fit g; nil tables fit.
func (a *VLArbitration) Fits(g *fabric.Graph) error {
	if a == nil {
		return nil
	}
	if err := poolFits(g, len(a.Pool), a.Host, a.Switch); err != nil {
		return err
	}
	for i := range a.Pool {
		t := &a.Pool[i]
		if len(t.High) > maxArbEntries || len(t.Low) > maxArbEntries {
			return fmt.Errorf("table %d has %d and %d entries (at most %d)", i, len(t.High), len(t.Low), maxArbEntries)
		}
		for _, e := range slices.Concat(t.High, t.Low) {
			if e.VL >= DropVL {
				return fmt.Errorf("table %d gives a turn to VL %d", i, e.VL)
			}
		}
	}
	return nil
}

// Fits reports indices or lengths that do not fit g; nil parameters fit.
func (p *Ports) Fits(g *fabric.Graph) error {
	if p == nil {
		return nil
	}
	if err := poolFits(g, len(p.Pool), p.Host, p.Switch); err != nil {
		return err
	}
	for i, v := range p.Pool {
		if v.MTU > 5 || v.VLs > DropVL || v.HOQLife > maxTimeCode || v.StallCount > 7 {
			return fmt.Errorf("parameters %d are out of range: %+v", i, v)
		}
	}
	if p.PacketLife > maxTimeCode {
		return fmt.Errorf("packet lifetime %d is out of range", p.PacketLife)
	}
	return nil
}

// maxTimeCode is the largest of the specification's codes of time: 5 bits.
const maxTimeCode = 31

// poolFits reports a wrong number of host or switch ports, or an index beyond the pool.
func poolFits(g *fabric.Graph, pool int, host, sw []uint16) error {
	if len(host) != g.NumHosts || len(sw) != SwitchPortCount(g) || pool > maxIndex {
		return fmt.Errorf("for %d hosts and %d ports of switches, not for %d and %d", len(host), len(sw), g.NumHosts, SwitchPortCount(g))
	}
	for _, i := range slices.Concat(host, sw) {
		if int(i) >= pool {
			return fmt.Errorf("a port uses number %d of a pool of %d", i, pool)
		}
	}
	return nil
}

func (e *Ends) fits(g *fabric.Graph) error {
	if len(e.Base) != g.NumEnds || len(e.LMC) != g.NumEnds {
		return fmt.Errorf("%d LIDs and %d LMCs for %d end ports", len(e.Base), len(e.LMC), g.NumEnds)
	}
	for end, base := range e.Base {
		if e.LMC[end] > fabric.MaxLMC || int(base)+e.Count(int32(end))-1 > int(fabric.MaxUnicastLID) {
			return fmt.Errorf("%s has LID %d with LMC %d", EndName(g, int32(end)), base, e.LMC[end])
		}
	}
	return nil
}

func (c *Choice) fits(g *fabric.Graph) error {
	n := len(c.Target)
	switch {
	case c.By > ListedLIDs:
		return fmt.Errorf("sources choose LIDs by rule %d, which does not exist", c.By)
	case c.By != ListedLIDs && (c.Start != nil || n > 0):
		return fmt.Errorf("it has rows, but sources choose by %s", c.By)
	case c.By != ListedLIDs:
		return nil
	}
	if len(c.Start) != g.NumEnds+1 || c.Start[0] != 0 || int(c.Start[g.NumEnds]) != n || len(c.Offset) != n {
		return fmt.Errorf("its rows are not for %d end ports", g.NumEnds)
	}
	for s := range g.NumEnds {
		lo, hi := c.Start[s], c.Start[s+1]
		if lo > hi || int(hi) > n {
			return fmt.Errorf("the rows of %s are out of order", EndName(g, int32(s)))
		}
		for i := lo; i < hi; i++ {
			t := c.Target[i]
			if t < 0 || int(t) >= g.NumEnds || c.Offset[i] >= 1<<fabric.MaxLMC {
				return fmt.Errorf("%s uses LID offset %d of end port %d", EndName(g, int32(s)), c.Offset[i], t)
			}
			if i > lo && (t < c.Target[i-1] || t == c.Target[i-1] && c.Offset[i] <= c.Offset[i-1]) {
				return fmt.Errorf("the rows of %s are out of order", EndName(g, int32(s)))
			}
		}
	}
	return nil
}

func (p *Plan) slFits(g *fabric.Graph) error {
	m, ends := p.SL, &p.Ends
	if m == nil {
		return nil
	}
	if len(m.Src) != g.NumEnds || len(m.Dst) <= int(ends.Top()) || len(m.Dst) > maxIndex {
		return fmt.Errorf("%d sources and %d LIDs, for %d end ports and LIDs up to %d", len(m.Src), len(m.Dst), g.NumEnds, ends.Top())
	}
	if m.NumSrc < 0 || m.NumDst < 0 || len(m.Cells) != m.NumDst*((m.NumSrc+1)/2) {
		return fmt.Errorf("%d bytes for %d source classes and %d destination classes", len(m.Cells), m.NumSrc, m.NumDst)
	}
	for end, class := range m.Src {
		if class < 0 || int(class) >= m.NumSrc {
			return fmt.Errorf("%s has source class %d of %d", EndName(g, int32(end)), class, m.NumSrc)
		}
		for k := range ends.Count(int32(end)) {
			if lid := int(ends.Base[end]) + k; m.Dst[lid] < 0 {
				return fmt.Errorf("LID %d of %s has no class", lid, EndName(g, int32(end)))
			}
		}
	}
	for lid, class := range m.Dst {
		if class < -1 || int(class) >= m.NumDst {
			return fmt.Errorf("LID %d has destination class %d of %d", lid, class, m.NumDst)
		}
	}
	return nil
}

// Fits reports indices or lengths that do not fit g; nil tables fit.
func (m *SL2VL) Fits(g *fabric.Graph) error {
	if m == nil {
		return nil
	}
	if len(m.Host) != g.NumHosts || len(m.Switch) != g.NumSwitches || len(m.Pool) > maxIndex {
		return fmt.Errorf("%d tables for %d hosts and %d switches, not for %d and %d",
			len(m.Pool), len(m.Host), len(m.Switch), g.NumHosts, g.NumSwitches)
	}
	for i := range m.Pool {
		for sl, vl := range m.Pool[i] {
			if vl > DropVL {
				return fmt.Errorf("table %d maps SL %d to VL %d", i, sl, vl)
			}
		}
	}
	for h, i := range m.Host {
		if int(i) >= len(m.Pool) {
			return fmt.Errorf("%s uses table %d of %d", EndName(g, int32(h)), i, len(m.Pool))
		}
	}
	for s := range m.Switch {
		sw := &m.Switch[s]
		if n, ok := sw.By.Tables(g.SwitchPorts[s]); !ok || len(sw.Index) != n {
			return fmt.Errorf("%s has %d tables, chosen by unknown rule %d", fabric.SwitchName(g, int32(s)), len(sw.Index), sw.By)
		}
		for _, i := range sw.Index {
			if int(i) >= len(m.Pool) {
				return fmt.Errorf("%s uses table %d of %d", fabric.SwitchName(g, int32(s)), i, len(m.Pool))
			}
		}
	}
	return nil
}

// Tables returns the number of tables of a switch with so many ports; ok is false for an unknown
// SL2VLBy.
func (by SL2VLBy) Tables(ports int32) (n int, ok bool) {
	switch n := int(ports) + 1; by {
	case ByNothing:
		return 1, true
	case ByOut:
		return n, true
	case ByInOut:
		return n * n, true
	}
	return 0, false
}
