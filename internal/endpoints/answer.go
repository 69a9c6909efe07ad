package endpoints

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// Failure is the answer to an unsuccessful request.
type Failure struct {
	Error string `json:"error"`
}

// Answer writes a JSON object.
func Answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", JSON)
	w.WriteHeader(status)
	encode(w, v, "  ")
}

// answerLarge writes a document that may be large: without spaces, and compressed if the client
// accepts that. The length of a compressed answer tells a listener nothing of use (BREACH): the
// documents of questions have no secrets, and other sites cannot make a browser ask (Sites, and a
// SameSite cookie).
func answerLarge(w http.ResponseWriter, r *http.Request, v any) {
	w.Header().Set("Content-Type", JSON)
	w.Header().Set("Vary", "Accept-Encoding")
	if !acceptsGzip(r) {
		encode(w, v, "")
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is valid
	encode(z, v, "")
	_ = z.Close() // the client may have gone
}

// acceptsGzip reports whether a client names gzip, and not with the weight 0.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";q=")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(weight, "0.") != "" || weight == ""
		}
	}
	return false
}

// encode writes a JSON object, indented or on one line.
func encode(w io.Writer, v any, indent string) {
	enc := json.NewEncoder(w)
	enc.SetIndent("", indent)
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
