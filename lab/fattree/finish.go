package fattree

import (
	"slices"
	"strings"

	"weft/internal/chart"
)

// fabricOfChart names the fabrics in the charts of Paper I.
var fabricOfChart = map[string]string{
	"fig4": "648-port fat tree", "fig8": "648-port fat tree", "loads-fat648": "648-port fat tree",
	"fig5": "648-port fat tree with rack switches", "loads-racks648": "648-port fat tree with rack switches",
	"fig6": "3456-port fat tree", "fig9": "3456-port fat tree",
	"fig7": "JuRoPA-like", "ranger": "Ranger-like",
}

// finishI sets titles, axes and marks of Paper I.
func finishI(c *chart.Chart) {
	fabric := fabricOfChart[c.Name]
	c.Title, c.Y.Label = "Uniform traffic at full load: "+fabric, "throughput per node (% of capacity)"
	switch c.Name {
	case "fig4", "fig6":
		c.X.Label = "nodes on each even and each odd leaf switch"
	case "fig5", "fig7", "ranger":
		c.X.Label = "nodes on each even and each odd rack"
	case "fig8", "fig9":
		c.X.Label = "nodes"
	default: // of loads: until a link is full the curves coincide
		c.Title, c.X.Label, c.Y.Label = "Uniform traffic, what BEFT gains: "+fabric, "load (% of capacity)", "throughput per node, BEFT less EFT (points)"
		c.Series = gains(c.Series)
	}
	c.Mark(saidOfPaper1[c.Name]...)
}

// gains returns the lead of BEFT over EFT on each distribution; series of gains stay unchanged.
func gains(all []chart.Series) (list []chart.Series) {
	eft := map[string]*chart.Series{}
	for i := range all {
		if ratio, ok := strings.CutSuffix(all[i].Name, " EFT"); ok {
			eft[ratio] = &all[i]
		}
	}
	if len(eft) == 0 {
		return all
	}
	for i := range all {
		ratio, ok := strings.CutSuffix(all[i].Name, " BEFT")
		if less := eft[ratio]; ok && less != nil {
			list = append(list, all[i].Minus(less, ratio))
		}
	}
	return list
}

// treeNames name the trees in charts of Paper VI.
var treeNames = map[string]string{
	"fat648": "648, 2 stages", "racks648": "648, 3 stages", "racks432": "432, 3 stages", "racks216": "216, 3 stages", "over384": "384, 2 stages",
}

// finishVI sets the names of trees and the marks of Paper VI. The throughputs of Figs. 4 to 6 are
// within a few percent of each other, so gains over ftree are drawn.
func finishVI(c *chart.Chart) {
	for i, base := range c.Categories {
		if name := treeNames[base]; name != "" {
			c.Categories[i] = name
		}
	}
	if c.Kind == chart.Lines {
		c.Merge(.001)
		c.Title = "Fig. 2's cluster: a spine stops at 20 ms, the tables change at 40 ms"
		c.Mark(inSeries(c, saidOfPaper6[c.Name])...)
		for i := range c.Series {
			if s := &c.Series[i]; s.Of != "" {
				s.Name = "paper: mFtree keeps half"
			}
		}
		return
	}
	c.X.Label, c.Y.Label = "ports and stages of the tree; the one of 384 ports is oversubscribed", "throughput per port, gain over ftree (%)"
	c.DivideBy("ftree")
	for i := range c.Series {
		if s := &c.Series[i]; s.Marks == "" && !strings.HasSuffix(s.Name, overFtree) {
			for k := range s.Points {
				s.Points[k].Y = 100 * (s.Points[k].Y - 1)
			}
			s.Name += overFtree
		}
	}
	c.Mark(saidOfPaper6[c.Name]...)
	for i := range c.Series {
		if s := &c.Series[i]; s.Marks != "" && slices.ContainsFunc(s.Points, func(p chart.Point) bool { return p.Low < p.High }) {
			s.Name = "paper; a slim bar is a range"
		}
	}
}

// overFtree is the suffix of an engine's name in charts of gains.
const overFtree = " over ftree"

// inSeries returns printed values with the names that their series have in a chart of merged
// series.
func inSeries(c *chart.Chart, said []chart.PrintedValue) []chart.PrintedValue {
	said = slices.Clone(said)
	for i := range said {
		for _, s := range c.Series {
			if names := strings.Split(s.Name, chart.And); s.Marks == "" && slices.Contains(names, said[i].Series) {
				if said[i].Of == said[i].Series {
					said[i].Of = s.Name
				}
				said[i].Series = s.Name
				break
			}
		}
	}
	return said
}

// finishIII sets titles and the marks of Paper III.
func finishIII(c *chart.Chart) {
	if c.Name == "fig6" {
		c.Title, c.X.Label, c.Y.Label = "Four switches: the last stream, at 3 ms, closes the loop", "ms; streams begin at 0, 1, 2 and 3", "throughput per node (MB/s)"
	}
	c.Mark(saidOfPaper3[c.Name]...)
}

// finishIV sets the marks of Paper IV. Numbers of failed links are evenly spaced: the first one
// costs most, and would be a cliff at the edge of the picture. Rings of several engines are within
// two points of each other, so they are drawn relative to fat-tree routing, without engines far
// below it.
func finishIV(c *chart.Chart) {
	c.X.Even = c.X.Label == "failed "+string(anyLink)
	c.Mark(saidOfPaper4[c.Name]...)
	i := slices.IndexFunc(c.Series, func(s chart.Series) bool { return s.Name == "fat-tree" })
	if c.Name != "beyond-average-of-random-rings" || i < 0 {
		return
	}
	c.Title, c.Y.Label = "Average of random rings; MinHop and LASH are far below", "throughput per node, less that of fat-tree (points)"
	var list []chart.Series
	for _, s := range c.Series {
		if !slices.Contains([]string{"fat-tree", "MinHop", "LASH of weft"}, s.Name) {
			list = append(list, s.Minus(&c.Series[i], s.Name))
		}
	}
	c.Series = list
}
