package service

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/endpoints"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// object is a JSON object.
type object = map[string]any

// Served is what a server serves.
type Served struct {
	By        string // the command
	Endpoints []endpoints.Endpoint
}

// All returns the endpoints of a Service with these studies and further endpoints.
func All(studies []Study, more []endpoints.Endpoint) []endpoints.Endpoint {
	return append((&Service{opt: Options{Studies: studies, More: more}}).endpoints(), (&Guard{}).endpoints()...)
}

// CheckDocument demands that the document says what the code serves, by the lists of endpoints, the
// types and their comments.
func CheckDocument(t *testing.T, servers []Served) {
	t.Helper()
	d := documenter{t: t, schemas: object{}, comments: map[string]map[string]string{}}
	paths := object{}
	for _, s := range servers {
		for i := range s.Endpoints {
			e := &s.Endpoints[i]
			at, ok := paths[e.Path].(object)
			if !ok {
				at = object{}
				paths[e.Path] = at
			}
			method := strings.ToLower(e.Method)
			op, ok := at[method].(object)
			if !ok {
				op = d.operation(e)
				op["x-served-by"] = []string{}
				at[method] = op
			}
			op["x-served-by"] = append(op["x-served-by"].([]string), s.By)
		}
	}
	document := object{
		"openapi": "3.1.0",
		"info": object{
			"title": "weft", "version": "1",
			"description": "A running subnet manager (weft sm): its state, and requests to it. And the page (weft sm --api, weft ui): questions about its subnet, or about fabrics that are open. x-served-by names the servers of an operation. Keys stay once they are there; new ones may join.",
		},
		"servers":  []any{object{"url": "http://localhost", "description": "the Unix socket (option socket), TCP (option api), or weft ui"}},
		"security": []any{object{"token": []string{}}, object{"session": []string{}}, object{}},
		"paths":    paths,
		"components": object{
			"schemas": d.schemas,
			"securitySchemes": object{"token": object{
				"type": "http", "scheme": "bearer", "description": "over TCP: the first line of the file of the option api-token, or a token of the option api-tokens; over the Unix socket none is asked for",
			}, "session": object{
				"type": "apiKey", "in": "cookie", "name": "weft-PORT", "description": "over TCP: a cookie that POST /v1/session sets; PORT is that of the server",
			}},
			"responses": object{"refused": object{
				"description": "it was not done, and nothing has changed",
				"content":     object{endpoints.JSON: object{"schema": d.of(reflect.TypeFor[endpoints.Failure]())}},
			}},
		},
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(document); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../../internal/endpoints/openapi.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(b.Bytes(), documented(t)) {
		t.Error("openapi.json is not what the code says: run this test with -update")
	}
}

// documented returns the document that is served.
func documented(t *testing.T) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	endpoints.Document.Serve(w, httptest.NewRequest(http.MethodGet, endpoints.Document.Path, http.NoBody))
	return w.Body.Bytes()
}

// documenter makes schemas of types.
type documenter struct {
	t        *testing.T
	schemas  object
	comments map[string]map[string]string // of types and fields, by package
}

func (d *documenter) operation(e *endpoints.Endpoint) object {
	success := object{"description": "done"}
	switch {
	case e.Answer != nil && e.Media == endpoints.Lines:
		success["content"] = object{e.Media: object{"schema": d.of(e.Answer)}}
		success["headers"] = object{RunHeader: object{"schema": object{"type": "string"}, "description": "names the run of the manager"}}
	case e.Answer != nil:
		success["content"] = object{e.Media: object{"schema": d.of(e.Answer)}}
	case e.Media == endpoints.JSON:
		success["content"] = object{e.Media: object{"schema": object{"type": "object"}}}
	case e.Media != "":
		success["content"] = object{e.Media: object{"schema": object{"type": "string"}}}
	}
	responses := object{strconv.Itoa(e.Status): success}
	for _, status := range append(refusalsOfAll(e), e.Refusals...) {
		responses[strconv.Itoa(status)] = object{"$ref": "#/components/responses/refused"}
	}
	op := object{"summary": e.About, "operationId": operationID(e), "responses": responses}
	parameters := []any{}
	for i := range e.Parameters {
		p := &e.Parameters[i]
		in := "query"
		if e.InPath(p) {
			in = "path"
		}
		parameters = append(parameters, object{"name": p.Name, "in": in, "required": p.Needed, "description": p.About, "schema": p.Kind.Schema})
	}
	if len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if e.Body != nil {
		op["requestBody"] = object{"required": true, "content": object{endpoints.JSON: object{"schema": d.of(e.Body)}}}
	}
	return op
}

// refusalsOfAll are the statuses that any request of an endpoint may meet.
func refusalsOfAll(e *endpoints.Endpoint) []int {
	list := []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusRequestTimeout, http.StatusMisdirectedRequest,
		http.StatusTooManyRequests,
	}
	if strings.Contains(e.Path, "{") {
		list = append(list, http.StatusNotFound)
	}
	return list
}

// operationID names an operation, as clients that are generated call it.
func operationID(e *endpoints.Endpoint) string {
	name := strings.NewReplacer("/v1/fabrics/{id}/", "fabric_", "/v1/", "", "/", "", "{version}", "File", "{p_key}", "Key", ".json", "", "{id}", "One").Replace(e.Path)
	return strings.ToLower(e.Method) + strings.ToUpper(name[:1]) + name[1:]
}

// of returns the schema of a type; that of a struct stands among the components.
func (d *documenter) of(t reflect.Type) object {
	switch {
	case t.Kind() == reflect.Pointer:
		return d.of(t.Elem())
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return object{"type": []string{"boolean", "null"}}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Struct:
		name := strings.NewReplacer("weft/", "", "/", ".").Replace(t.PkgPath()) + "." + t.Name()
		if d.schemas[name] == nil {
			schema := object{"type": "object", "additionalProperties": false}
			d.schemas[name] = schema // before its fields: it may hold itself
			properties, required := object{}, []string{}
			d.fields(t, properties, &required)
			schema["properties"], schema["required"] = properties, required
			if about := d.comment(t, ""); about != "" {
				schema["description"] = about
			}
		}
		return object{"$ref": "#/components/schemas/" + name}
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": d.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.of(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Interface:
		return object{}
	default:
		return object{"type": "integer"}
	}
}

// fields adds the fields of a struct, those of embedded ones among them.
func (d *documenter) fields(t reflect.Type, properties object, required *[]string) {
	for f := range t.Fields() {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		inner := f.Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if f.Anonymous && tag == "" {
			d.fields(inner, properties, required)
			continue
		}
		schema := d.of(f.Type)
		canBeNull := !strings.Contains(options, "omit") && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, f.Type.Kind())
		if canBeNull {
			schema = object{"anyOf": []any{schema, object{"type": "null"}}}
		}
		if about := d.comment(t, f.Name); about != "" {
			schema["description"] = about
		}
		name := cmp.Or(tag, f.Name)
		properties[name] = schema
		if !strings.Contains(options, "omit") {
			*required = append(*required, name)
		}
	}
}

// comment returns what the source says of a type, or of a field.
func (d *documenter) comment(t reflect.Type, field string) string {
	all := d.comments[t.PkgPath()]
	if all == nil {
		all = map[string]string{}
		d.comments[t.PkgPath()] = all
		files, err := filepath.Glob(filepath.Join("../..", strings.TrimPrefix(t.PkgPath(), "weft/"), "*.go"))
		if err != nil {
			d.t.Fatal(err)
		}
		for _, name := range files {
			d.read(name, all)
		}
	}
	return all[strings.TrimSuffix(t.Name()+"."+field, ".")]
}

// read reads the comments of a file.
func (d *documenter) read(name string, into map[string]string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		d.t.Fatal(err)
	}
	line := func(groups ...*ast.CommentGroup) string {
		var parts []string
		for _, g := range groups {
			if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, "; ")
	}
	ast.Inspect(file, func(n ast.Node) bool {
		decl, ok := n.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE {
			return true
		}
		for _, spec := range decl.Specs {
			s := spec.(*ast.TypeSpec)
			into[s.Name.Name] = line(decl.Doc, s.Doc)
			if st, ok := s.Type.(*ast.StructType); ok {
				for _, f := range st.Fields.List {
					for _, n := range f.Names {
						into[s.Name.Name+"."+n.Name] = line(f.Doc, f.Comment)
					}
				}
			}
		}
		return false
	})
}
