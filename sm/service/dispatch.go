package service

import (
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

// Handler serves all endpoints. A request that violates the OpenAPI document changes nothing, and
// gets a status from 400 to 499.
func (s *Service) Handler() http.Handler {
	byPath := map[string]map[string]*endpoint{}
	all := endpointsWith(s.opt.Studies)
	for i := range all {
		r := &all[i]
		if byPath[r.path] == nil {
			byPath[r.path] = map[string]*endpoint{}
		}
		byPath[r.path][r.method] = r
	}
	mux := http.NewServeMux()
	for at, methods := range byPath {
		mux.HandleFunc(at, func(w http.ResponseWriter, r *http.Request) { s.dispatch(methods, w, r) })
	}
	mux.HandleFunc(ufmPath, s.ufm)
	mux.HandleFunc("/", notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isUFM(r) && r.URL.Path != path.Clean(r.URL.Path) || !strings.HasPrefix(r.URL.Path, "/") { // the mux would redirect it
			notFound(w, r)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !s.requests.take() {
			tooMany(w, "too many requests are under way")
			return
		}
		defer s.requests.give()
		mux.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusNotFound, "unknown path: see /v1/openapi.json")
}

// dispatch checks a request against the OpenAPI document, and serves it by its method.
func (s *Service) dispatch(methods map[string]*endpoint, w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	to := methods[method]
	if to == nil {
		w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
		refuse(w, http.StatusMethodNotAllowed, "want the method "+w.Header().Get("Allow"))
		return
	}
	if !may(w, r, to.needs) {
		return
	}
	if err := to.checkParameters(r); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if to.body == nil && r.Body != nil {
		switch n, err := io.ReadFull(r.Body, make([]byte, 1)); {
		case n > 0:
			refuse(w, http.StatusBadRequest, "want no body")
			return
		case !errors.Is(err, io.EOF):
			refuseBody(w, err)
			return
		}
	}
	to.serve(s, w, r)
}

// checkParameters refuses unknown, repeated, missing and invalid parameters.
func (r *endpoint) checkParameters(from *http.Request) error {
	values, err := url.ParseQuery(from.URL.RawQuery)
	if err != nil {
		return fmt.Errorf("the query: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		known := slices.ContainsFunc(r.parameters, func(p parameter) bool { return p.name == name && !r.inPath(&p) })
		switch {
		case !known:
			return fmt.Errorf("unknown parameter %.40q", name)
		case len(values[name]) > 1:
			return fmt.Errorf("%s is given twice", name)
		}
	}
	for i := range r.parameters {
		p := &r.parameters[i]
		text, given := values.Get(p.name), values.Has(p.name)
		if r.inPath(p) {
			text, given = from.PathValue(p.name), true
		}
		if (given || p.needed) && !p.kind.has(text) {
			return fmt.Errorf("%s: want %s: %s", p.name, p.kind.words, p.about)
		}
	}
	return nil
}

// inPath reports whether a parameter is part of the path.
func (r *endpoint) inPath(p *parameter) bool { return strings.Contains(r.path, "{"+p.name+"}") }

// parameter is a parameter of a query or a path.
type parameter struct {
	name   string
	kind   *kind
	about  string
	needed bool
}

// kind is the type of a parameter.
type kind struct {
	name  string // in the document
	words string
	has   func(text string) bool
}

// The types of parameters.
var (
	aName   = &kind{"string", fmt.Sprintf("a text of 1 to %d characters, without control characters", mostName), isName}
	aNumber = &kind{"integer", "a number", func(text string) bool {
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil && text[0] != '+' && text[0] != '-'
	}}
	aPKey = &kind{"string", "a P_Key such as 0x0010", func(text string) bool { return pKeyOf(text) != 0 }}
	aTime = &kind{"string", "a time", func(text string) bool {
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	}}
	aTruth = &kind{"boolean", "true or false", func(text string) bool { return text == "true" || text == "false" }}
)

// mostName is the maximum length of names, in characters.
const mostName = 256

// isName reports whether a text is a valid name.
func isName(text string) bool {
	return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= mostName && !strings.ContainsFunc(text, unicode.IsControl)
}

// refuseBody reports why a body cannot be read, and closes the connection.
func refuseBody(w http.ResponseWriter, err error) {
	status, text := http.StatusBadRequest, err.Error()
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		status, text = http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d bytes", tooLarge.Limit)
	} else if errors.Is(err, os.ErrDeadlineExceeded) {
		status, text = http.StatusRequestTimeout, fmt.Sprintf("not complete within %v", patience)
	}
	w.Header().Set("Connection", "close")
	refuse(w, status, "the body: "+text)
}
