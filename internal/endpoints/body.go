package endpoints

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// JSONBody reads a JSON body. If it is missing or malformed, it answers and returns false.
func JSONBody(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	given := r.Header.Values("Content-Type")
	media, options, err := mime.ParseMediaType(strings.Join(given, ",")) // two headers are an error
	charset, named := options["charset"]
	switch {
	case err != nil || media != JSON || named && !strings.EqualFold(charset, "utf-8"):
		Refuse(w, http.StatusUnsupportedMediaType, "want a body of Content-Type application/json, in UTF-8")
		return nil, false
	case len(r.Header.Values("Content-Encoding")) > 0:
		Refuse(w, http.StatusUnsupportedMediaType, "want a body without Content-Encoding")
		return nil, false
	}
	body, err = io.ReadAll(r.Body)
	if err != nil {
		refuseBody(w, err)
		return nil, false
	}
	return body, true
}

// ReadJSON decodes a JSON object with exactly the keys of a type, in lower case, each at most once.
func ReadJSON(body []byte, into any) error {
	if !utf8.Valid(body) {
		return errors.New("the body: want UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the body: want one JSON object")
	}
	if err := checkKeys(json.NewDecoder(bytes.NewReader(body))); err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	return nil
}

// checkKeys refuses duplicate keys and capital letters in keys. Package json would use the last
// duplicate, and ignore case.
func checkKeys(dec *json.Decoder) error {
	open, err := dec.Token()
	if open != json.Delim('{') && open != json.Delim('[') {
		return err
	}
	seen := map[string]bool{}
	for err == nil && dec.More() {
		if open == json.Delim('{') {
			token, _ := dec.Token() // package json has already accepted it
			switch key, _ := token.(string); {
			case seen[key]:
				return fmt.Errorf("the key %.40q is given twice", key)
			case strings.ContainsFunc(key, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }):
				return fmt.Errorf("unknown key %.40q", key)
			default:
				seen[key] = true
			}
		}
		err = checkKeys(dec)
	}
	if err == nil {
		_, err = dec.Token()
	}
	return err
}
