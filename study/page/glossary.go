package page

import (
	"net/http"
	"reflect"
	"strings"

	"weft/internal/endpoints"
)

// glossary explains terms.
type glossary struct {
	Terms []term `json:"terms"`
}

// term is a term of docs/glossary.md.
type term struct {
	Term    string `json:"term"`
	Meaning string `json:"meaning"`
}

// readGlossary reads the table of docs/glossary.md.
func readGlossary(text string) glossary {
	out := glossary{Terms: []term{}}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|") // | term | meaning | source |
		if len(cells) != 5 || strings.TrimSpace(cells[1]) == "term" || strings.HasPrefix(cells[1], "---") {
			continue
		}
		plain := strings.NewReplacer("`", "").Replace
		out.Terms = append(out.Terms, term{plain(strings.TrimSpace(cells[1])), plain(strings.TrimSpace(cells[2]))})
	}
	return out
}

// glossary returns the endpoint for the glossary.
func (p *Page) glossary() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodGet, Path: "/v1/glossary", About: "The terms of docs/glossary.md with their meanings.", Answer: reflect.TypeFor[glossary](),
		Media: endpoints.JSON, Status: http.StatusOK,
		Serve: func(w http.ResponseWriter, _ *http.Request) {
			g := readGlossary(p.opt.Glossary)
			endpoints.Answer(w, http.StatusOK, &g)
		},
	}
}
