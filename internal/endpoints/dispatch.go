package endpoints

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Handler serves endpoints. A request that violates the OpenAPI document changes nothing, and gets
// a status from 400 to 499.
func Handler(all []Endpoint) http.Handler {
	byPath := map[string]map[string]*Endpoint{}
	for i := range all {
		e := &all[i]
		if byPath[e.Path] == nil {
			byPath[e.Path] = map[string]*Endpoint{}
		}
		byPath[e.Path][e.Method] = e
	}
	mux := http.NewServeMux()
	for at, methods := range byPath {
		mux.HandleFunc(at, func(w http.ResponseWriter, r *http.Request) { dispatch(methods, w, r) })
	}
	mux.HandleFunc("/", notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path.Clean(r.URL.Path) || !strings.HasPrefix(r.URL.Path, "/") { // the mux would redirect it
			notFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Bounded wraps a Handler, and bounds the number of requests under way.
func Bounded(requests Places, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !requests.Take() {
			TooMany(w, "too many requests are under way")
			return
		}
		defer requests.Give()
		h.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	Refuse(w, http.StatusNotFound, "unknown path: see /v1/openapi.json")
}

// dispatch checks a request against the OpenAPI document, and serves it by its method.
func dispatch(methods map[string]*Endpoint, w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	to := methods[method]
	if to == nil {
		w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
		Refuse(w, http.StatusMethodNotAllowed, "want the method "+w.Header().Get("Allow"))
		return
	}
	if !May(w, r, to.Needs) {
		return
	}
	if err := to.checkParameters(r); err != nil {
		Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if r.Body != nil {
		r.Body = http.MaxBytesReader(w, r.Body, cmp.Or(to.MostBody, UsualBody))
	}
	if to.Body == nil && r.Body != nil {
		switch n, err := io.ReadFull(r.Body, make([]byte, 1)); {
		case n > 0:
			Refuse(w, http.StatusBadRequest, "want no body")
			return
		case !errors.Is(err, io.EOF):
			refuseBody(w, err)
			return
		}
	}
	to.Serve(w, r)
}

// checkParameters refuses unknown, repeated, missing and invalid parameters.
func (e *Endpoint) checkParameters(from *http.Request) error {
	values, err := url.ParseQuery(from.URL.RawQuery)
	if err != nil {
		return fmt.Errorf("the query: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		known := slices.ContainsFunc(e.Parameters, func(p Parameter) bool { return p.Name == name && !e.InPath(&p) })
		switch {
		case !known:
			return fmt.Errorf("unknown parameter %.40q", name)
		case len(values[name]) > 1:
			return fmt.Errorf("%s is given twice", name)
		}
	}
	for i := range e.Parameters {
		p := &e.Parameters[i]
		text, given := values.Get(p.Name), values.Has(p.Name)
		if e.InPath(p) {
			text, given = from.PathValue(p.Name), true
		}
		if (given || p.Needed) && !p.Kind.has(text) {
			return fmt.Errorf("%s: want %s: %s", p.Name, p.Kind.words, p.About)
		}
	}
	return nil
}

// Kind is the type of a parameter.
type Kind struct {
	Schema map[string]any // in the document
	words  string
	has    func(text string) bool
}

// The types of parameters.
var (
	Name   = &Kind{map[string]any{"type": "string", "minLength": 1, "maxLength": MostName}, fmt.Sprintf("a text of 1 to %d characters, without control characters", MostName), IsName}
	Number = &Kind{map[string]any{"type": "integer", "minimum": 0, "format": "int64"}, "a number", func(text string) bool {
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil && text[0] != '+' && text[0] != '-'
	}}
	PKey = &Kind{map[string]any{"type": "string", "minLength": 1, "pattern": "^(0x[0-9a-fA-F]{1,4}|[0-9]{1,5})$"}, "a P_Key such as 0x0010", func(text string) bool {
		key, err := strconv.ParseUint(text, 0, 16)
		return err == nil && key&^membershipBit != 0
	}}
	Time = &Kind{map[string]any{"type": "string"}, "a time", func(text string) bool {
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	}}
	Truth = &Kind{map[string]any{"type": "boolean"}, "true or false", func(text string) bool { return text == "true" || text == "false" }}
)

// membershipBit is the bit of a P_Key that does not name a partition.
const membershipBit = 0x8000

// MostName is the maximum length of names, in characters.
const MostName = 256

// IsName reports whether a text is a valid name.
func IsName(text string) bool {
	return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= MostName && !strings.ContainsFunc(text, unicode.IsControl)
}

// refuseBody reports why a body cannot be read, and closes the connection.
func refuseBody(w http.ResponseWriter, err error) {
	status, text := http.StatusBadRequest, err.Error()
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		status, text = http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d bytes", tooLarge.Limit)
	} else if errors.Is(err, os.ErrDeadlineExceeded) {
		status, text = http.StatusRequestTimeout, fmt.Sprintf("not complete within %v", Patience)
	}
	w.Header().Set("Connection", "close")
	Refuse(w, status, "the body: "+text)
}
