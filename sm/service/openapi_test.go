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
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// object is a JSON object.
type object = map[string]any

// CheckDocument demands that the document says what the code serves, by the list of endpoints with
// these studies, the types and their comments.
func CheckDocument(t *testing.T, studies []Study) {
	t.Helper()
	all := endpointsWith(studies)
	d := documenter{t: t, schemas: object{}, comments: map[string]map[string]string{}}
	paths := object{}
	for i := range all {
		e := &all[i]
		at, ok := paths[e.path].(object)
		if !ok {
			at = object{}
			paths[e.path] = at
		}
		at[strings.ToLower(e.method)] = d.operation(e)
	}
	document := object{
		"openapi": "3.1.0",
		"info": object{
			"title": "weft sm", "version": "1",
			"description": "A subnet manager that runs: what it is and does, and what it is asked to do. Keys stay once they are there; new ones may join.",
		},
		"servers":  []any{object{"url": "http://localhost", "description": "the Unix socket (option socket), or TCP (option api)"}},
		"security": []any{object{"token": []string{}}, object{}},
		"paths":    paths,
		"components": object{
			"schemas": d.schemas,
			"securitySchemes": object{"token": object{
				"type": "http", "scheme": "bearer", "description": "over TCP: the first line of the file of the option api-token, or a token of the option api-tokens; over the Unix socket none is asked for",
			}},
			"responses": object{"refused": object{
				"description": "it was not done, and nothing has changed",
				"content":     object{jsonMedia: object{"schema": d.of(reflect.TypeFor[failure]())}},
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
		if err := os.WriteFile("openapi.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(b.Bytes(), openAPI) {
		t.Error("openapi.json is not what the code says: run this test with -update")
	}
}

// documenter makes schemas of types.
type documenter struct {
	t        *testing.T
	schemas  object
	comments map[string]map[string]string // of types and fields, by package
}

func (d *documenter) operation(e *endpoint) object {
	success := object{"description": "done"}
	switch {
	case e.answer != nil && e.media == linesMedia:
		success["content"] = object{e.media: object{"schema": d.of(e.answer)}}
		success["headers"] = object{RunHeader: object{"schema": object{"type": "string"}, "description": "names the run of the manager"}}
	case e.answer != nil:
		success["content"] = object{e.media: object{"schema": d.of(e.answer)}}
	case e.media == jsonMedia:
		success["content"] = object{e.media: object{"schema": object{"type": "object"}}}
	default:
		success["content"] = object{e.media: object{"schema": object{"type": "string"}}}
	}
	responses := object{strconv.Itoa(e.status): success}
	for _, status := range append(refusalsOfAll(e), e.refusals...) {
		responses[strconv.Itoa(status)] = object{"$ref": "#/components/responses/refused"}
	}
	op := object{"summary": e.about, "operationId": operationID(e), "responses": responses}
	parameters := []any{}
	for i := range e.parameters {
		p := &e.parameters[i]
		in := "query"
		if e.inPath(p) {
			in = "path"
		}
		schema := object{"type": p.kind.name}
		switch p.kind {
		case aNumber:
			schema["minimum"], schema["format"] = 0, "int64"
		case aPKey:
			schema["minLength"], schema["pattern"] = 1, "^(0x[0-9a-fA-F]{1,4}|[0-9]{1,5})$"
		case aName:
			schema["minLength"], schema["maxLength"] = 1, mostName
		}
		parameters = append(parameters, object{"name": p.name, "in": in, "required": p.needed, "description": p.about, "schema": schema})
	}
	if len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if e.body != nil {
		op["requestBody"] = object{"required": true, "content": object{jsonMedia: object{"schema": d.of(e.body)}}}
	}
	return op
}

// refusalsOfAll are the statuses that any request of an endpoint may meet.
func refusalsOfAll(e *endpoint) []int {
	list := []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusRequestTimeout, http.StatusMisdirectedRequest,
		http.StatusTooManyRequests,
	}
	if strings.Contains(e.path, "{") {
		list = append(list, http.StatusNotFound)
	}
	return list
}

// operationID names an operation, as clients that are generated call it.
func operationID(e *endpoint) string {
	name := strings.NewReplacer("/v1/", "", "/", "", "{version}", "File", "{p_key}", "Key", ".json", "").Replace(e.path)
	return strings.ToLower(e.method) + strings.ToUpper(name[:1]) + name[1:]
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
