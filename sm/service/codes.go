package service

import (
	"maps"
	"net/http"
	"slices"

	"weft/internal/endpoints"
	"weft/sm/recording"
	"weft/sm/terms"
)

// Codes explains the codes of the log.
type Codes struct {
	Codes []Code `json:"codes"`
}

// Code explains a code of the log, as weft sm --codes does.
type Code struct {
	Code     terms.IncidentKind `json:"code"`
	Severity string             `json:"severity"`
	About    string             `json:"about"` // what happened, what the manager does, and what to do
}

// codes answers with the explanations.
func codes(_ *Service, w http.ResponseWriter, _ *http.Request) {
	out := Codes{Codes: []Code{}}
	for _, code := range slices.Sorted(maps.Keys(recording.Explain)) {
		out.Codes = append(out.Codes, Code{code, code.Severity().String(), recording.Explain[code]})
	}
	endpoints.Answer(w, http.StatusOK, &out)
}
