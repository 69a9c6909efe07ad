// Package endpoints serves HTTP endpoints from a table: it checks each request against its row
// before the row's function runs, and bounds bodies, times and the number of requests.
//
// Two servers share it: the manager's API (sm/service) and weft ui. openapi.json documents the
// endpoints of both; x-served-by names the servers of each. TestOpenAPI in sm/service compares the
// document with the tables, and writes it with -update.
//
//	endpoints.go, roles.go   a row, and who may ask
//	dispatch.go, body.go     checks of a request
//	question.go              questions that take a core for a while, one at a time
//	answer.go                answers
//	server.go, origin.go     connections, and requests that web pages of other sites send
package endpoints

import (
	"net/http"
	"reflect"
	"strings"
)

// Endpoint is a served method and path.
type Endpoint struct {
	Method, Path string
	About        string
	Parameters   []Parameter
	Body         reflect.Type // JSON type; nil: no body
	MostBody     int64        // maximum size of the body in bytes; 0: 65,536
	Answer       reflect.Type // JSON type, of the whole or of each line; nil: other media
	Media        string       // of the answer; "": there is no body
	Status       int          // on success
	Refusals     []int        // in addition to those of every request
	Needs        Role
	Serve        http.HandlerFunc
}

// Media types.
const (
	JSON  = "application/json"
	Lines = "application/jsonl"
)

// Parameter is a parameter of a query or a path.
type Parameter struct {
	Name   string
	Kind   *Kind
	About  string
	Needed bool
}

// Document is the endpoint that serves openapi.json.
var Document = Endpoint{
	Method: http.MethodGet, Path: "/v1/openapi.json", About: "This document.", Media: JSON, Status: http.StatusOK,
	Serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", JSON)
		_, _ = w.Write(openAPI)
	},
}

// InPath reports whether a parameter is part of the path.
func (e *Endpoint) InPath(p *Parameter) bool { return strings.Contains(e.Path, "{"+p.Name+"}") }

// IsAPI reports whether the path of a request belongs to the API, and not to the page.
func IsAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/v1/") }

// Places is a semaphore that bounds the work under way.
type Places chan struct{}

// Take takes a place, and reports whether there was one.
func (p Places) Take() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

// Give frees a place.
func (p Places) Give() { <-p }
