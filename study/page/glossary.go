package page

import (
	"net/http"
	"reflect"
	"strings"

	"weft/internal/endpoints"
)

// Glossary explains terms.
type Glossary struct {
	Terms []Term `json:"terms"`
}

// Term is a term of docs/glossary.md.
type Term struct {
	Term    string `json:"term"`
	Meaning string `json:"meaning"`
}

// ReadGlossary reads the table of docs/glossary.md.
func ReadGlossary(text string) Glossary {
	out := Glossary{Terms: []Term{}}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|") // | term | meaning | source |
		if len(cells) != 5 || strings.TrimSpace(cells[1]) == "term" || strings.HasPrefix(cells[1], "---") {
			continue
		}
		plain := strings.NewReplacer("`", "").Replace
		out.Terms = append(out.Terms, Term{plain(strings.TrimSpace(cells[1])), plain(strings.TrimSpace(cells[2]))})
	}
	return out
}

// glossary returns the endpoint for the glossary.
func (p *Page) glossary() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodGet, Path: "/v1/glossary", About: "The terms of docs/glossary.md with their meanings.", Answer: reflect.TypeFor[Glossary](),
		Media: endpoints.JSON, Status: http.StatusOK,
		Serve: func(w http.ResponseWriter, _ *http.Request) {
			g := ReadGlossary(p.opt.Glossary)
			endpoints.Answer(w, http.StatusOK, &g)
		},
	}
}
