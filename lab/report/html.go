package report

import (
	"bytes"
	"html/template"
	"io"
	"regexp"
	"sync"

	"weft/internal/chart"
)

// style is the style sheet of a page: dark or light as the reader's system prefers.
const style = `:root { color-scheme: light dark; --paper: #ffffff; --ink: #1a1a1a; --line: #d0d4d9; --soft: #f3f5f7 }
@media (prefers-color-scheme: dark) { :root { --paper: #16191d; --ink: #e8e8e8; --line: #3a3f46; --soft: #21262c } }
body { background: var(--paper); color: var(--ink); font: 17px/1.5 system-ui, 'Liberation Sans', Arial, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.7rem; line-height: 1.25 } h2 { font-size: 1.3rem; margin-top: 2.2rem }
.wide { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; font-size: .94rem; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
td.n { text-align: right } td.n, td.s { white-space: nowrap }
pre { background: var(--soft); padding: .7rem; overflow-x: auto; font-size: .9rem }
figure { margin: 1.2rem 0; overflow-x: auto } figure svg { min-width: 640px; width: 100%; height: auto }
summary { cursor: pointer; margin: .8rem 0 }
@media print { body { max-width: none } }
`

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
{{.Style}}</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{range .Blocks}}{{if .Heading}}<h2>{{.Heading}}</h2>
{{else if .Text}}<p>{{.Text}}</p>
{{else if .Code}}<pre>{{.Code}}</pre>
{{else if .SVG}}<figure role="img" aria-label="{{.Title}}">{{.SVG}}</figure>
{{else}}{{if .Summary}}<details><summary>{{.Summary}}</summary>
{{end}}<div class="wide"><table>
<thead><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr></thead>
<tbody>
{{range .Rows}}<tr>{{range .}}<td{{with .Class}} class="{{.}}"{{end}}>{{.Text}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{if .Summary}}</details>
{{end}}{{end}}{{end}}</body>
</html>
`))
})

// cell is a cell of a table, with its class: n for numbers, which stand at the right, s for short
// texts, which stay on one line.
type cell struct{ Text, Class string }

func cellOf(text string) cell {
	const short = 30
	switch {
	case numeric().MatchString(text):
		return cell{text, "n"}
	case len(text) <= short:
		return cell{text, "s"}
	}
	return cell{text, ""}
}

// element is a block as the template takes it.
type element struct {
	Heading, Text, Code, Title, Summary string
	SVG                                 template.HTML
	Head                                []string
	Rows                                [][]cell
}

// numeric matches numbers, also with an interval or a count, and a missing interval.
var numeric = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(< )?-?[\d.]+(e[+-]?\d+)?( ± [\d.e+-]+)?( \(\d+\))?$|^-$`)
})

// WriteHTML writes a page as one HTML file. It has no scripts, and takes no fonts or pictures from
// elsewhere.
func (p *Page) WriteHTML(w io.Writer) error {
	var elements []element
	for _, b := range p.blocks {
		e := element{Heading: b.heading, Text: b.text, Code: b.code, Summary: b.summary}
		if b.chart != nil {
			var svg bytes.Buffer
			if err := b.chart.WriteSVG(&svg); err != nil {
				return err
			}
			e.Title, e.SVG = b.chart.Title, template.HTML(chart.Inline(svg.Bytes())) // the chart escapes its texts
		}
		if b.table != nil {
			e.Head = b.table.Head
			for _, row := range b.table.Rows {
				var cells []cell
				for _, text := range row {
					cells = append(cells, cellOf(text))
				}
				e.Rows = append(e.Rows, cells)
			}
		}
		elements = append(elements, e)
	}
	return page().Execute(w, struct {
		Title  string
		Style  template.CSS
		Blocks []element
	}{p.Title, template.CSS(style + chart.DarkStyle), elements})
}
