package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft/cmd/weft/demo"
	"weft/emulator/control"
	"weft/fabric/source"
	"weft/fabric/summary"
	"weft/internal/fold"
	betweencheck "weft/intersubnet/check"
	"weft/lab"
	"weft/lab/bench"
	"weft/lab/papers"
	"weft/lab/sweep"
	mapjob "weft/mapping/job"
	"weft/sm/opensm"
	"weft/sm/outage"
	"weft/sm/perf"
	"weft/sm/service"
	"weft/sm/state"
	"weft/sm/telemetry"
	"weft/sm/terms"
	"weft/study/app"
	"weft/study/choose"
	"weft/study/compare"
	"weft/study/flows"
	"weft/study/job"
	"weft/study/packets"
	"weft/study/routing"
	"weft/study/several"
	"weft/study/show"
	"weft/study/whatif"
)

// documents lists what commands print with --json.
var documents = []struct {
	command string
	typ     reflect.Type
}{
	{"weft show FABRIC --json", reflect.TypeFor[show.Fabric]()},
	{"weft show FABRIC --diff FABRIC --json", reflect.TypeFor[summary.Difference]()},
	{"weft show TABLES --json", reflect.TypeFor[show.Tables]()},
	{"weft show TABLES --diff TABLES --json", reflect.TypeFor[show.TableDifference]()},
	{"weft show SMS --json", reflect.TypeFor[show.Managers]()},
	{"weft show SMS --diff SMS --json", reflect.TypeFor[show.ManagerDifference]()},
	{"weft gen --list --json", reflect.TypeFor[source.Formulas]()},
	{"weft route FABRIC --json", reflect.TypeFor[routing.Route]()},
	{"weft show SUBNETS --json", reflect.TypeFor[several.Network]()},
	{"weft route SUBNETS --json", reflect.TypeFor[several.Routing]()},
	{"weft check SUBNETS --json", reflect.TypeFor[betweencheck.Report]()},
	{"weft compare SUBNETS --json", reflect.TypeFor[several.Comparison]()},
	{"weft whatif SUBNETS --json", reflect.TypeFor[several.Answer]()},
	{"weft simulate flow SUBNETS --json", reflect.TypeFor[several.Flows]()},
	{"weft route --engines --json", reflect.TypeFor[routing.Engines]()},
	{"weft check FABRIC --json", reflect.TypeFor[routing.Checked]()},
	{"weft compare FABRIC --json", reflect.TypeFor[compare.Comparison]()},
	{"weft compare FABRIC FABRIC ... --json", reflect.TypeFor[compare.Comparisons]()},
	{"weft suggest --json", reflect.TypeFor[choose.Proposals]()},
	{"weft whatif FABRIC --json", reflect.TypeFor[whatif.Answer]()},
	{"weft whatif FABRIC --each KIND --json", reflect.TypeFor[whatif.Campaign]()},
	{"weft simulate flow FABRIC --json", reflect.TypeFor[flows.Simulation]()},
	{"weft simulate packet FABRIC --json", reflect.TypeFor[packets.Simulation]()},
	{"weft simulate app FABRIC PROGRAM --json", reflect.TypeFor[app.Run]()},
	{"weft job FABRIC --json", reflect.TypeFor[job.Job]()},
	{"weft job FABRIC --place N --json", reflect.TypeFor[job.Table]()},
	{"weft simulate outage FABRIC --json", reflect.TypeFor[outage.Report]()},
	{"weft simulate flow --patterns --json", reflect.TypeFor[flows.Patterns]()},
	{"weft sm --once --json", reflect.TypeFor[terms.BringUpJSON]()},
	{"weft sm --json", reflect.TypeFor[terms.LogLine]()},
	{"weft sm replay FILE --json", reflect.TypeFor[terms.ReplayedLine]()},
	{"weft sm state FILE --json", reflect.TypeFor[state.Contents]()},
	{"weft sm import --json", reflect.TypeFor[opensm.Report]()},
	{"weft sm export DIR --state FILE --json", reflect.TypeFor[opensm.Report]()},
	{"weft sm events --json", reflect.TypeFor[terms.LogLine]()},
	{"weft sm links --json", reflect.TypeFor[perf.Report]()},
	{"weft sm links --at TIME --json", reflect.TypeFor[telemetry.Moment]()},
	{"weft sm ports --json", reflect.TypeFor[service.PortCounts]()},
	{"weft sm status --json", reflect.TypeFor[service.Status]()},
	{"weft discover --json", reflect.TypeFor[terms.DiscoveryJSON]()},
	{"weft emulate control SOCKET state", reflect.TypeFor[control.State]()},
	{"weft map NETWORK --json", reflect.TypeFor[mapjob.Report]()},
	{"weft map NETWORK --events FILE --json", reflect.TypeFor[mapjob.WatchReport]()},
	{"weft lab list --json", reflect.TypeFor[papers.Listing]()},
	{"weft lab reproduce NAME --json", reflect.TypeFor[lab.Document]()},
	{"weft lab reproduce NAME --compare DIR --json", reflect.TypeFor[lab.Agreement]()},
	{"weft lab stats STORE --json", reflect.TypeFor[sweep.Summary]()},
	{"weft lab bench --json", reflect.TypeFor[bench.Summary]()},
	{"weft lids GRAPH --json", reflect.TypeFor[routing.LIDs]()},
	{"weft lanes FABRIC --json", reflect.TypeFor[routing.Lanes]()},
	{"weft version --json", reflect.TypeFor[build]()},
	{"weft demo --json", reflect.TypeFor[demo.Demo]()},
}

const jsonHead = `# JSON that programs read

Each section describes a type that a command prints with ` + "`--json`" + `, key by key. Existing keys stay;
new ones may join. The tests of cmd/weft write this page from the types and their comments:
` + "`go test ./cmd/weft -run TestJSONDocument -update`" + `.

A key marked *absent* is left out if it has no value. GUIDs are texts like "0x0002c90200123456";
LIDs, ports, lanes and counts are numbers; a share is a number from 0 to 1; a verdict is true, false
or null (unknown).

`

// TestJSONDocument: docs/json.md says what the types say.
func TestJSONDocument(t *testing.T) {
	d := describer{comments: map[string]*comments{}, seen: map[reflect.Type]bool{}}
	d.text.WriteString(jsonHead)
	for _, doc := range documents {
		fmt.Fprintf(&d.text, "- `%s`: [%s](#%s)\n", doc.command, nameOf(doc.typ), anchor(doc.typ))
	}
	for _, doc := range documents {
		d.describe(t, doc.typ)
	}
	const path = "../../docs/json.md"
	if *update {
		if err := os.WriteFile(path, []byte(d.text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != d.text.String() {
		t.Errorf("%s is not what the types say (%v): run this test with -update", path, err)
	}
}

// describer writes a section for each type.
type describer struct {
	text     strings.Builder
	comments map[string]*comments // by package
	seen     map[reflect.Type]bool
}

func nameOf(t reflect.Type) string { return strings.TrimPrefix(t.PkgPath(), "weft/") + "." + t.Name() }

func anchor(t reflect.Type) string {
	return strings.NewReplacer("/", "", ".", "").Replace(strings.ToLower(nameOf(t)))
}

// describe writes the section of a struct, and those of the structs in it.
func (d *describer) describe(t *testing.T, typ reflect.Type) {
	if d.seen[typ] {
		return
	}
	d.seen[typ] = true
	fmt.Fprintf(&d.text, "\n## %s\n\n%s\n\n| key | holds | |\n|---|---|---|\n", nameOf(typ), fold.Page("", d.of(t, typ).typ[typ.Name()]))
	var inner []reflect.Type
	d.fields(t, typ, &inner)
	for _, typ := range inner {
		d.describe(t, typ)
	}
}

// fields writes the rows of a struct, those of embedded ones among them.
func (d *describer) fields(t *testing.T, typ reflect.Type, inner *[]reflect.Type) {
	for f := range typ.Fields() {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous && tag == "" {
			d.fields(t, bare(f.Type), inner)
			continue
		}
		if tag == "" {
			t.Errorf("%s.%s has no key", nameOf(typ), f.Name)
		}
		comment := d.of(t, typ).field[typ.Name()+"."+f.Name]
		if strings.Contains(options, "omit") {
			comment = strings.TrimSpace("*absent*; " + comment)
		}
		fmt.Fprintf(&d.text, "| `%s` | %s | %s |\n", tag, holds(f.Type, inner), strings.TrimSuffix(comment, ";"))
	}
}

// bare is a type without pointers.
func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// holds says what a value of a type looks like, and notes the structs in it.
func holds(t reflect.Type, inner *[]reflect.Type) string {
	switch {
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return "true, false or null"
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "text"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return holds(t.Elem(), inner)
	case reflect.Struct:
		*inner = append(*inner, t)
		return fmt.Sprintf("[%s](#%s)", nameOf(t), anchor(t))
	case reflect.Slice, reflect.Array:
		return "list of " + holds(t.Elem(), inner)
	case reflect.Map:
		return fmt.Sprintf("%s by %s", holds(t.Elem(), inner), holds(t.Key(), inner))
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Interface:
		return "any value"
	default:
		return "number"
	}
}

// comments are those of the types of a package, and of their fields.
type comments struct{ typ, field map[string]string }

// of reads the comments of the package of a type.
func (d *describer) of(t *testing.T, typ reflect.Type) *comments {
	if c := d.comments[typ.PkgPath()]; c != nil {
		return c
	}
	c := &comments{map[string]string{}, map[string]string{}}
	d.comments[typ.PkgPath()] = c
	files, err := filepath.Glob(filepath.Join("../..", strings.TrimPrefix(typ.PkgPath(), "weft/"), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				s := spec.(*ast.TypeSpec)
				c.typ[s.Name.Name] = oneLine(g.Doc, s.Doc)
				if st, ok := s.Type.(*ast.StructType); ok {
					for _, f := range st.Fields.List {
						for _, n := range f.Names {
							c.field[s.Name.Name+"."+n.Name] = oneLine(f.Doc, f.Comment)
						}
					}
				}
			}
		}
	}
	return c
}

// oneLine joins comments, with what a table cell may hold.
func oneLine(groups ...*ast.CommentGroup) string {
	var parts []string
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			parts = append(parts, strings.ReplaceAll(text, "|", `\|`))
		}
	}
	return strings.Join(parts, "; ")
}
