package rooms

import (
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"
)

// promise is a package that other projects may build on. Its exported names stay; where names are
// given, only these.
type promise struct {
	pkg   string
	names []string
}

// has reports whether a name of the package is promised.
func (p *promise) has(name string) bool { return p.names == nil || slices.Contains(p.names, name) }

// promised is the public library of weft.
var promised = []promise{
	{"fabric", nil},
	{"fabric/source", nil},
	{"route", nil},
	{"route/engine", []string{"All", "Find", "Parse"}},
	{"route/planfile", nil},
	{"planner", nil},
	{"judge/check", nil},
	{"judge/quality", nil},
	{"sm/service/client", nil},
}

// TestPromised holds the exported names of the promised packages, with methods and fields, against
// their list. A name that leaves the list breaks programs of others.
func TestPromised(t *testing.T) {
	const file = "testdata/promised.txt"
	h := newHouse(t)
	var found []string
	for _, p := range promised {
		scope := h.packages["weft/"+p.pkg].Scope()
		for _, name := range scope.Names() {
			if o := scope.Lookup(name); o.Exported() && p.has(name) {
				found = append(found, exported(p.pkg, o)...)
			}
		}
	}
	slices.Sort(found)
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(found, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Fields(string(text))
	for _, name := range listed {
		if !slices.Contains(found, name) {
			t.Errorf("%s is promised and gone: programs that use it no longer build. If it must go: go test ./internal/rooms -update", name)
		}
	}
	for _, name := range found {
		if !slices.Contains(listed, name) {
			t.Errorf("%s is new in a promised package. Unexport it, or promise it: go test ./internal/rooms -update", name)
		}
	}
}

// exported lists an exported name of a package, and the exported methods and fields of a type.
func exported(pkg string, o types.Object) []string {
	name := pkg + "." + o.Name()
	list := []string{name}
	of, isType := o.(*types.TypeName)
	if !isType {
		return list
	}
	if n, ok := of.Type().(*types.Named); ok {
		for m := range n.Methods() {
			if m.Exported() {
				list = append(list, name+"."+m.Name())
			}
		}
	}
	switch under := of.Type().Underlying().(type) {
	case *types.Struct:
		for f := range under.Fields() {
			if f.Exported() {
				list = append(list, name+"."+f.Name())
			}
		}
	case *types.Interface:
		for m := range under.ExplicitMethods() {
			if m.Exported() {
				list = append(list, name+"."+m.Name())
			}
		}
	}
	return list
}

// TestProgram: the program of the examples needs nothing of weft that is not promised.
func TestProgram(t *testing.T) {
	const program = "weft/examples/program"
	h := newHouse(t)
	for _, p := range h.listed {
		for _, imp := range p.Imports {
			if p.ImportPath == program && within(imp, "weft") && promiseOf(imp) == nil {
				t.Errorf("%s imports %s, which is not promised", program, imp)
			}
		}
	}
	used := 0
	for o := range h.uses[program] {
		if o.Pkg() == nil || o.Parent() != o.Pkg().Scope() { // predeclared, a method or a field
			continue
		}
		if p := promiseOf(o.Pkg().Path()); p != nil && p.has(o.Name()) {
			used++
		} else if p != nil {
			t.Errorf("%s uses %s.%s, which is not promised", program, p.pkg, o.Name())
		}
	}
	if used < 3 {
		t.Errorf("%d promised names used", used)
	}
}

// promiseOf returns what is promised of a package, nil for nothing.
func promiseOf(pkg string) *promise {
	i := slices.IndexFunc(promised, func(p promise) bool { return "weft/"+p.pkg == pkg })
	if i < 0 {
		return nil
	}
	return &promised[i]
}
