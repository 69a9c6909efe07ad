package sweep

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Schema returns the JSON schema of a description, from the types and their tags.
func Schema() ([]byte, error) {
	s := schemaOf(reflect.TypeFor[Description]())
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", "A sweep of weft lab"
	s["required"] = []string{"engines"}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.String: // numbers are read as text too: a share of failed links
		return map[string]any{"type": []string{"string", "number"}}
	case reflect.Struct:
		fields := map[string]any{}
		for f := range options(t) {
			of := schemaOf(f.Type)
			of["description"] = f.Tag.Get("doc")
			fields[keyOf(f)] = of
		}
		return map[string]any{"type": "object", "additionalProperties": false, "properties": fields}
	default:
		panic("sweep: no schema for " + t.String())
	}
}

// example holds the options that the file of weft lab init sets; other options are in comments.
var example = map[string]string{
	"title":        `"Which engine keeps its bandwidth when links fail?"`,
	"fabrics":      "[\"rlft(8,2)\", \"torus(5x5,hosts=1)\"]",
	"damage":       "[none, 0.05, 0.1]",
	"draws.least":  "3",
	"engines":      "[auto, updn, nue]",
	"seeds.engine": "[1]",
	"workloads":    "[flow: {}]",
}

// Template returns a description with comments, of a sweep that takes some seconds.
func Template() string {
	var b strings.Builder
	b.WriteString("# A sweep of weft lab. Run it:  weft lab sweep FILE -o results.db\n# Lines that begin with #OPTION hold the usual value, or an example.\n")
	writeOptions(&b, reflect.TypeFor[Description](), "", "")
	return b.String()
}

func writeOptions(b *strings.Builder, t reflect.Type, path, indent string) {
	for f := range options(t) {
		key := keyOf(f)
		fmt.Fprintf(b, "\n%s# %s%s\n", indent, strings.ToUpper(f.Tag.Get("doc")[:1]), f.Tag.Get("doc")[1:])
		value, set := example[path+key]
		switch {
		case f.Type.Kind() == reflect.Struct:
			fmt.Fprintf(b, "%s:\n", key)
			writeOptions(b, f.Type, key+".", "  ")
		case set:
			fmt.Fprintf(b, "%s%s: %s\n", indent, key, value)
		case key == "columns":
			fmt.Fprintf(b, "#columns: [{name: ebb_share_per_lane, formula: ebb_share / vls}]\n")
		default:
			fmt.Fprintf(b, "%s#%s: %s\n", indent, key, f.Tag.Get("usual"))
		}
	}
	if path == "" {
		b.WriteString("\n# Options of the workloads:\n")
		for w := range reflect.TypeFor[Workload]().Fields() {
			fmt.Fprintf(b, "#   %s: %s\n", keyOf(w), w.Tag.Get("doc"))
			for field := range w.Type.Elem().Fields() {
				fmt.Fprintf(b, "#     %s: %s%s\n", keyOf(field), field.Tag.Get("doc"), usualOf(field))
			}
		}
	}
}

func usualOf(f reflect.StructField) string {
	if u := f.Tag.Get("usual"); u != "" {
		return " (usually " + u + ")"
	}
	return ""
}
