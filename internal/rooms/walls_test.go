package rooms

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// walls are the counts of what crosses a wall of the house, or will when the wall is built. They
// may only fall. A count rises only together with a mark in the import table of ARCHITECTURE.md and
// a reason in docs/design. A count that has fallen is written here: go test ./internal/rooms
// -update.
var walls = []struct {
	what  string
	count int
}{
	{"functions and methods of sm/round that sm/watch uses", 10},
	{"arrows between top-level folders", 80},
	{"pairs of top-level folders that import each other", 0},
	{"packages of weft that ./sm links", 63},
	{"methods of the largest type", 97},
	{"exported names that no other package uses", 151},
	{"types of over 100 methods", 0},
	{"structs of over 25 fields, without fabric.Graph and JSON documents", 0},
	{"packages of over 5,000 lines, without tests", 0},
}

var update = flag.Bool("update", false, "write counts that have fallen into the table of walls, and the promised names into their list")

// TestWalls counts what crosses walls, by the sources of all packages and without their tests.
func TestWalls(t *testing.T) {
	h := newHouse(t)
	arrows, pairs := h.arrows()
	found := [][]string{h.watchOnRound(), arrows, pairs, h.links("weft/sm"), h.largestType(), h.unused(), h.typesOver(100), h.structsOver(25), h.packagesOver(5000)}
	fallen := false
	for i, w := range walls {
		n := len(found[i])
		switch slices.Sort(found[i]); {
		case n > w.count:
			t.Errorf("%s: %d, more than %d. The count rises only together with a mark in the import table and a reason in docs/design."+
				" See all of them: go test ./internal/rooms -run TestWalls -v", w.what, n, w.count)
		case n < w.count && *update:
			fallen, walls[i].count = true, n
		case n < w.count:
			t.Errorf("%s: %d, fewer than %d. Lower the number in the table of walls: go test ./internal/rooms -update", w.what, n, w.count)
		}
		if testing.Verbose() {
			t.Logf("%s: %d\n\t%s", w.what, n, strings.Join(found[i], "\n\t"))
		}
	}
	if fallen {
		writeWalls(t)
	}
}

// writeWalls writes the counts into this file.
func writeWalls(t *testing.T) {
	t.Helper()
	const file = "walls_test.go"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, w := range walls {
		row := "\t{" + strconv.Quote(w.what) + ", "
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, row) })
		lines[at] = fmt.Sprintf("%s%d},", row, w.count)
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// house holds all packages of weft, type-checked.
type house struct {
	fset     *token.FileSet
	listed   []listed // in the order of imports
	packages map[string]*types.Package
	files    map[string][]*ast.File           // by package
	used     map[types.Object]bool            // exported names that another package has in its text
	uses     map[string]map[types.Object]bool // by package: the names that it has in its text
}

var theHouse *house

// newHouse reads and checks all packages, once. Those of others come as export data from Go's build
// cache.
func newHouse(t *testing.T) *house {
	t.Helper()
	if theHouse != nil {
		return theHouse
	}
	h := &house{fset: token.NewFileSet(), packages: map[string]*types.Package{}, files: map[string][]*ast.File{}, used: map[types.Object]bool{}, uses: map[string]map[types.Object]bool{}}
	others := map[string]bool{}
	for _, p := range list(t, "-deps", "weft/...") {
		if !within(p.ImportPath, "weft") {
			continue
		}
		h.listed = append(h.listed, p)
		for _, imp := range p.Imports {
			if !within(imp, "weft") && imp != "unsafe" && imp != "C" {
				others[imp] = true
			}
		}
	}
	exports := map[string]string{}
	for _, p := range list(t, append([]string{"-export"}, slices.Sorted(maps.Keys(others))...)...) {
		exports[p.ImportPath] = p.Export
	}
	external := importer.ForCompiler(h.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	conf := types.Config{Importer: importFunc(func(path string) (*types.Package, error) {
		if p := h.packages[path]; p != nil {
			return p, nil
		}
		return external.Import(path)
	})}
	for _, p := range h.listed {
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(h.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		pkg, err := conf.Check(p.ImportPath, h.fset, files, info)
		if err != nil {
			t.Fatal(err)
		}
		h.packages[p.ImportPath], h.files[p.ImportPath], h.uses[p.ImportPath] = pkg, files, map[types.Object]bool{}
		for _, o := range info.Uses {
			if o.Exported() && o.Pkg() != nil && o.Pkg() != pkg {
				h.used[o] = true
			}
			h.uses[p.ImportPath][o] = true
		}
	}
	theHouse = h
	return h
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// watchOnRound lists what the watch calls of a round: the less, the better the wall between them.
func (h *house) watchOnRound() (names []string) {
	for o := range h.uses["weft/sm/watch"] {
		if f, is := o.(*types.Func); is && f.Pkg() != nil && f.Pkg().Path() == "weft/sm/round" {
			names = append(names, f.FullName())
		}
	}
	return names
}

// arrows lists which top-level folders import which, and the pairs of folders that import each
// other. Packages for tests are left out, since tests may import all.
func (h *house) arrows() (arrows, pairs []string) {
	is := map[[2]string]bool{}
	for _, p := range h.listed {
		for _, imp := range p.Imports {
			if within(imp, "weft") && !isForTests(p.ImportPath) && folder(imp) != folder(p.ImportPath) {
				is[[2]string{folder(p.ImportPath), folder(imp)}] = true
			}
		}
	}
	for a := range is {
		arrows = append(arrows, a[0]+" imports "+a[1])
		if a[0] < a[1] && is[[2]string{a[1], a[0]}] {
			pairs = append(pairs, a[0]+" and "+a[1])
		}
	}
	return arrows, pairs
}

// links lists the packages of weft that a package links, without itself.
func (h *house) links(pkg string) (names []string) {
	imports := map[string][]string{}
	for _, p := range h.listed {
		imports[p.ImportPath] = p.Imports
	}
	seen := map[string]bool{pkg: true}
	var walk func(of string)
	walk = func(of string) {
		for _, imp := range imports[of] {
			if within(imp, "weft") && !seen[imp] {
				seen[imp] = true
				names = append(names, imp)
				walk(imp)
			}
		}
	}
	walk(pkg)
	return names
}

// largestType lists the methods of the type that has the most.
func (h *house) largestType() (methods []string) {
	var most *types.Named
	for n := range h.named() {
		if most == nil || n.NumMethods() > most.NumMethods() {
			most = n
		}
	}
	for m := range most.Methods() {
		methods = append(methods, nameOf(most)+"."+m.Name())
	}
	return methods
}

// typesOver lists the types that have more methods of their own. A type that embeds another has the
// methods of both, but only its own count: the other one is a part with a name.
func (h *house) typesOver(most int) (names []string) {
	for n := range h.named() {
		if n.NumMethods() > most {
			names = append(names, fmt.Sprintf("%s: %d methods", nameOf(n), n.NumMethods()))
		}
	}
	return names
}

// named yields the types that packages declare, package by package.
func (h *house) named() iter.Seq[*types.Named] {
	return func(yield func(*types.Named) bool) {
		for _, p := range h.listed {
			scope := h.packages[p.ImportPath].Scope()
			for _, name := range scope.Names() {
				o, ok := scope.Lookup(name).(*types.TypeName)
				if !ok || o.IsAlias() {
					continue
				}
				if n, ok := o.Type().(*types.Named); ok && !yield(n) {
					return
				}
			}
		}
	}
}

func nameOf(n *types.Named) string { return n.Obj().Pkg().Path() + "." + n.Obj().Name() }

// structsOver lists the structs that have more fields, also those without a name. An embedded
// struct counts as one field. A Graph may have more, and so may a JSON document: each of its fields
// has a json tag, but for what it embeds.
func (h *house) structsOver(most int) (names []string) {
	for path, files := range h.files {
		name := ""
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					name = path + "." + n.Name.Name
				case *ast.StructType:
					if fields := n.Fields.NumFields(); fields > most && name != "weft/fabric.Graph" && !isDocument(n) {
						names = append(names, fmt.Sprintf("%s: %d fields in %s", h.fset.Position(n.Pos()), fields, name))
					}
				}
				return true
			})
		}
	}
	return names
}

// isDocument reports whether each field with a name has a json tag.
func isDocument(s *ast.StructType) bool {
	return !slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		return len(f.Names) > 0 && (f.Tag == nil || !strings.Contains(f.Tag.Value, `json:"`))
	})
}

// packagesOver lists the packages that have more lines.
func (h *house) packagesOver(most int) (names []string) {
	for path, files := range h.files {
		lines := 0
		for _, f := range files {
			lines += h.fset.File(f.FileStart).LineCount()
		}
		if lines > most {
			names = append(names, fmt.Sprintf("%s: %d lines", path, lines))
		}
	}
	return names
}

// unused lists the exported names of packages that no other package needs: types, functions,
// variables and constants. A type is needed also where another package gets a value of it by a name
// that it uses, and constants of a type are needed with it. Commands and packages for tests are
// left out, the dumps of examples, and mad, which declares all fields of the specification.
func (h *house) unused() (names []string) {
	r := reach{h.used, map[*types.Named]bool{}}
	for o := range maps.Clone(h.used) {
		r.typ(o.Type())
	}
	for _, p := range h.listed {
		pkg := h.packages[p.ImportPath]
		if pkg.Name() == "main" || isForTests(p.ImportPath) || p.ImportPath == "weft/examples" || p.ImportPath == "weft/wire/mad" {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if !o.Exported() || h.used[o] {
				continue
			}
			if n, ok := o.Type().(*types.Named); ok && h.used[n.Obj()] {
				if _, isConst := o.(*types.Const); isConst {
					continue
				}
			}
			names = append(names, p.ImportPath+"."+name)
		}
	}
	return names
}

// reach marks the types of which a package gets values by the names that it uses.
type reach struct {
	used map[types.Object]bool
	seen map[*types.Named]bool
}

func (r reach) typ(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		r.named(t.Origin())
		for arg := range t.TypeArgs().Types() {
			r.typ(arg)
		}
	case *types.Alias:
		r.typ(types.Unalias(t))
	case *types.Pointer:
		r.typ(t.Elem())
	case *types.Slice:
		r.typ(t.Elem())
	case *types.Array:
		r.typ(t.Elem())
	case *types.Chan:
		r.typ(t.Elem())
	case *types.Map:
		r.typ(t.Key())
		r.typ(t.Elem())
	case *types.Signature:
		r.tuple(t.Params())
		r.tuple(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				r.typ(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			r.typ(m.Type())
		}
	}
}

func (r reach) tuple(t *types.Tuple) {
	for v := range t.Variables() {
		r.typ(v.Type())
	}
}

// named goes on from a type of weft, once.
func (r reach) named(t *types.Named) {
	o := t.Obj()
	if r.seen[t] || o.Pkg() == nil || !within(o.Pkg().Path(), "weft") {
		return
	}
	r.used[o], r.seen[t] = true, true
	r.typ(t.Underlying())
	for m := range t.Methods() {
		if m.Exported() {
			r.typ(m.Type())
		}
	}
}
