package report

import (
	"bytes"
	"fmt"
	"strings"

	"weft/internal/chart"
)

// Page is a page of results.
type Page struct {
	Title   string
	blocks  []block
	choices table  // engines, by the first figure
	older   string // a sentence about cases of older sources, "" without such cases
}

// block is one part of a page: exactly one of its fields but summary.
type block struct {
	heading, text, code string
	table               *table
	chart               *chart.Chart
	summary             string // of a table that is folded away at first
}

// table is a table of texts.
type table struct {
	Head []string
	Rows [][]string
}

func (t *table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (p *Page) heading(text string) { p.blocks = append(p.blocks, block{heading: text}) }
func (p *Page) text(text string)    { p.blocks = append(p.blocks, block{text: text}) }
func (p *Page) table(t table)       { p.blocks = append(p.blocks, block{table: &t}) }

// code adds a text that is shown as it is, unless it is empty.
func (p *Page) code(text string) {
	if text != "" {
		p.blocks = append(p.blocks, block{code: text})
	}
}

// fold adds a table that a reader opens.
func (p *Page) fold(summary string, t table) {
	p.blocks = append(p.blocks, block{table: &t, summary: summary})
}

// chart adds a chart, unless it has nothing to draw. Its name becomes the name of its file.
func (p *Page) chart(c *chart.Chart) {
	for _, s := range c.Series {
		if len(s.Points) > 0 {
			c.Name = p.fileName(c.Name)
			p.blocks = append(p.blocks, block{chart: c})
			return
		}
	}
}

// fileName makes a file name that no other chart of the page has.
func (p *Page) fileName(text string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(text)), "-")
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	name = strings.Trim(name[:min(len(name), 60)], "-")
	for i, try := 2, name; ; i++ {
		taken := false
		for _, b := range p.blocks {
			taken = taken || b.chart != nil && b.chart.Name == try
		}
		if !taken {
			return try
		}
		try = fmt.Sprintf("%s-%d", name, i)
	}
}

// Picture is a chart as an SVG file.
type Picture struct {
	Name  string // with .svg
	Title string
	SVG   []byte
}

// Pictures draws the charts of a page.
func (p *Page) Pictures() (list []Picture, err error) {
	for _, b := range p.blocks {
		if b.chart == nil {
			continue
		}
		var svg bytes.Buffer
		if err := b.chart.WriteSVG(&svg); err != nil {
			return nil, err
		}
		list = append(list, Picture{b.chart.Name + ".svg", b.chart.Title, chart.Themed(svg.Bytes())})
	}
	return list, nil
}
