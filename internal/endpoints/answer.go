package endpoints

import (
	"encoding/json"
	"net/http"
)

// Failure is the answer to an unsuccessful request.
type Failure struct {
	Error string `json:"error"`
}

// Answer writes a JSON object.
func Answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", JSON)
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client may have gone
}

// Refuse answers with an error.
func Refuse(w http.ResponseWriter, status int, text string) { Answer(w, status, Failure{text}) }

// TooMany tells the client to try again later.
func TooMany(w http.ResponseWriter, text string) {
	w.Header().Set("Retry-After", "1")
	Refuse(w, http.StatusTooManyRequests, text+": ask again")
}
