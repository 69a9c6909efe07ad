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
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// walls are the counts of what crosses a wall of the house, or will when the wall is built. They may
// only fall. A count rises only together with a row of the import table (floors, forbidden) and a
// reason in docs/design. A count that has fallen is written here: go test ./internal/rooms -update.
var walls = []struct {
	what  string
	count int
}{
	{"private names of the round that the watch uses", 0},
	{"private names of the watch that the round uses", 0},
	{"private names of the round and the watch that the ledger uses", 0},
	{"private names of the round and the watch that clients use", 0},
	{"private names of the daemon, and of what all share, that clients use", 0},
	{"private names of clients that the ledger, the round and the watch use", 0},
	{"arrows between top-level folders", 89},
	{"pairs of top-level folders that import each other", 0},
	{"packages of weft that ./sm links", 46},
	{"methods of the largest type", 149},
	{"exported names that no other package uses", 107},
}

var update = flag.Bool("update", false, "write counts that have fallen into the table of walls")

// smFiles says what the files of package sm belong to. Below the wall is the ledger: what devices
// were found to be, were told and hold. The round fills it. The Manager, which says when a round
// begins and what happens between rounds, goes by it. Methods of these types are of their side in
// any file. Clients answer what hosts and other managers ask and register: they go by the ledger, by a
// Standing, and by what all share, which is events, settings and reports. The daemon drives the Manager
// and what stands beside it.
var smFiles = map[string]string{
	"ledger": "ledger inventory tags planned plannedtables plannedkeys asbefore drained keyring compare",
	"round": "given core journal apart ask discover cables elsewhere lock managers believe fabric found plan store program steps lanes ports pkeys before overtaken" +
		" reregister lids",
	"watch": "manager news dropwork election rules reconfigure drain unsteady look lightsweep unasked violation groups groupplaces groupspread expected changes tally snapshot",
	"clients": "administration administered told waiting fairqueue members queries" +
		" registrar registrar_lids registrar_parts registrar_reign registrar_storage registrar_trees",
	"daemon": "run standing inbox beside counters congested exchanging asking ownlink recorder recording replay explain",
	"shared": "doc role config record event report json write keys",
}

// TestWalls counts what crosses walls, by the sources of all packages and without their tests.
func TestWalls(t *testing.T) {
	h := newHouse(t)
	across := h.acrossSM(t)
	arrows, pairs := h.arrows()
	found := [][]string{
		across("watch", "round"), across("round", "watch"), across("ledger", "round", "watch"),
		across("clients", "round", "watch"), across("clients", "daemon", "shared"),
		slices.Concat(across("ledger", "clients"), across("round", "clients"), across("watch", "clients")),
		arrows, pairs, h.links("weft/sm"), h.largestType(), h.unused(),
	}
	fallen := false
	for i, w := range walls {
		n := len(found[i])
		switch slices.Sort(found[i]); {
		case n > w.count:
			t.Errorf("%s: %d, more than %d. The count rises only together with a row of the import table and a reason in docs/design."+
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
	used     map[types.Object]bool // exported names that another package has in its text
	sm       []*ast.File
	smInfo   *types.Info
}

// newHouse reads and checks all packages. Those of others come as export data from Go's build cache.
func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{fset: token.NewFileSet(), packages: map[string]*types.Package{}, used: map[types.Object]bool{}}
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
		if p.ImportPath == "weft/sm" {
			info.Defs = map[*ast.Ident]types.Object{}
			h.sm, h.smInfo = files, info
		}
		pkg, err := conf.Check(p.ImportPath, h.fset, files, info)
		if err != nil {
			t.Fatal(err)
		}
		h.packages[p.ImportPath] = pkg
		for _, o := range info.Uses {
			if o.Exported() && o.Pkg() != nil && o.Pkg() != pkg {
				h.used[o] = true
			}
		}
	}
	return h
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// acrossSM returns a function that lists the private names that a side of package sm uses and others
// declare: functions, types, constants, variables, methods and fields.
func (h *house) acrossSM(t *testing.T) func(from string, of ...string) []string {
	t.Helper()
	sideOfFile := map[string]string{}
	for side, names := range smFiles {
		for name := range strings.FieldsSeq(names) {
			sideOfFile[name+".go"] = side
		}
	}
	type declaration struct {
		pos  token.Pos
		side string
	}
	var all []declaration // in the order of their places
	uses := map[string]map[types.Object]bool{}
	for side := range smFiles {
		uses[side] = map[types.Object]bool{}
	}
	for _, f := range h.sm {
		name := filepath.Base(h.fset.Position(f.Pos()).Filename)
		if sideOfFile[name] == "" {
			t.Errorf("sm/%s is of no side: give it one in smFiles", name)
			continue
		}
		for _, d := range f.Decls {
			side := sideOfFile[name]
			switch receiver(d) {
			case "ledger", "inventory":
				side = "ledger"
			case "Core", "shared", "finder", "writer":
				side = "round"
			case "Manager":
				side = "watch"
			}
			all = append(all, declaration{d.Pos(), side})
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					uses[side][h.smInfo.Uses[id]] = true
				}
				return true
			})
		}
		delete(sideOfFile, name)
	}
	for name := range sideOfFile {
		t.Errorf("smFiles names sm/%s, which is not there", name)
	}
	slices.SortFunc(all, func(a, b declaration) int { return int(a.pos) - int(b.pos) })
	return func(from string, of ...string) (names []string) {
		for o := range uses[from] {
			if o == nil || o.Exported() || o.Pkg() == nil || o.Pkg().Path() != "weft/sm" || isLocal(o) {
				continue
			}
			at, found := slices.BinarySearchFunc(all, o.Pos(), func(d declaration, pos token.Pos) int { return int(d.pos) - int(pos) })
			if !found {
				at--
			}
			if slices.Contains(of, all[at].side) {
				names = append(names, h.place(o)+" "+o.Name())
			}
		}
		return names
	}
}

// place names the file and the line of an object, in its folder.
func (h *house) place(o types.Object) string {
	p := h.fset.Position(o.Pos())
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// isLocal reports whether a name is one of a function: a parameter, a variable, a label.
func isLocal(o types.Object) bool {
	switch o := o.(type) {
	case *types.Var:
		return !o.IsField() && o.Parent() != o.Pkg().Scope()
	case *types.Func: // a method has no Parent
		return false
	default:
		return o.Parent() != o.Pkg().Scope()
	}
}

// receiver returns the name of the type of which a declaration is a method, "" where it is none.
func receiver(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv == nil {
		return ""
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name
	}
	return "" // of a generic type
}

// arrows lists which top-level folders import which, and the pairs of folders that import each other.
// Packages for tests are left out, since tests may import all.
func (h *house) arrows() (arrows, pairs []string) {
	folder := func(pkg string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(pkg, "weft/"), "/")
		return name
	}
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
	for _, p := range h.listed {
		scope := h.packages[p.ImportPath].Scope()
		for _, name := range scope.Names() {
			if o, ok := scope.Lookup(name).(*types.TypeName); ok {
				if n, ok := types.Unalias(o.Type()).(*types.Named); ok && (most == nil || n.NumMethods() > most.NumMethods()) {
					most = n
				}
			}
		}
	}
	for m := range most.Methods() {
		methods = append(methods, most.Obj().Pkg().Path()+"."+most.Obj().Name()+"."+m.Name())
	}
	return methods
}

// unused lists the exported names of packages that no other package needs: types, functions,
// variables and constants. A type is needed also where another package gets a value of it by a name
// that it uses, and constants of a type are needed with it. Commands and packages for tests are left
// out, the dumps of examples, and mad, which declares all fields of the specification.
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
