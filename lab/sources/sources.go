// Package sources digests the sources that compute a result: some packages, and all packages that
// they import, down to the standard library. A change of another package, of a comment or of a test
// keeps the digest. A change of code, of a module's version, of the Go version or of the kind of
// processor changes it.
package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"hash"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Tree is a source tree. It remembers the packages that it has read. It is not safe for concurrent
// use.
type Tree struct {
	Files    fs.FS
	Module   string   // the import path of its root
	Compiler []string // what else decides a result: the Go version, the kind of processor

	packages map[string]*pkg
	modules  [][2]string // path and version, as go.mod requires them
}

// pkg holds the digest of a package's own files, and its imports.
type pkg struct {
	digest  [sha256.Size]byte
	imports []string
}

// Digest returns a digest of the packages with these import paths and of all their imports, direct
// and indirect.
func (t *Tree) Digest(packages ...string) (string, error) {
	if t.packages == nil {
		t.packages = map[string]*pkg{}
		if err := t.readModules(); err != nil {
			return "", err
		}
	}
	closure, modules := map[string]*pkg{}, map[string]bool{}
	for todo := slices.Clone(packages); len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if closure[name] != nil {
			continue
		}
		p, err := t.read(name)
		if err != nil {
			return "", err
		}
		closure[name] = p
		for _, imp := range p.imports {
			if imp == t.Module || strings.HasPrefix(imp, t.Module+"/") {
				todo = append(todo, imp)
			} else if m := t.moduleOf(imp); m != "" {
				modules[m] = true
			}
		}
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(closure)) {
		fmt.Fprintf(sum, "package %s %x\n", name, closure[name].digest)
	}
	for _, m := range slices.Sorted(maps.Keys(modules)) {
		fmt.Fprintf(sum, "module %s\n", m)
	}
	fmt.Fprintf(sum, "compiler %q\n", t.Compiler)
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// read reads the files of a package, without its tests.
func (t *Tree) read(name string) (*pkg, error) {
	if p := t.packages[name]; p != nil {
		return p, nil
	}
	dir := path.Clean("./" + strings.TrimPrefix(strings.TrimPrefix(name, t.Module), "/"))
	files, err := fs.Glob(t.Files, path.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	p, sum := &pkg{}, sha256.New()
	n := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		n++
		text, err := fs.ReadFile(t.Files, file)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(sum, "file %s\n", path.Base(file))
		if err := writeTokens(sum, text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		imports, err := importsOf(file, text)
		if err != nil {
			return nil, err
		}
		p.imports = append(p.imports, imports...)
	}
	if n == 0 {
		return nil, fmt.Errorf("sources: package %s is not among the sources that the program holds: name its folder in sources.go", name)
	}
	sum.Sum(p.digest[:0])
	t.packages[name] = p
	return p, nil
}

// writeTokens writes the tokens of a file. It leaves out comments, except comments for the
// compiler.
func writeTokens(w hash.Hash, text []byte) error {
	var s scanner.Scanner
	var wrong error
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(text)), text, func(_ token.Position, msg string) { wrong = fmt.Errorf("%s", msg) }, scanner.ScanComments)
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			return wrong
		}
		if tok == token.COMMENT && !strings.HasPrefix(literal, "//go:") {
			continue
		}
		if tok == token.SEMICOLON { // an inserted one is like a written one
			literal = ";"
		}
		io.WriteString(w, strconv.Itoa(int(tok))+" "+literal+"\x00") //nolint:errcheck // a hash takes all
	}
}

// importsOf lists the import paths of a file. It refuses a file that embeds others, since the
// digest would not cover them.
func importsOf(file string, text []byte) (list []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, imp := range f.Imports {
		name, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return nil, err
		}
		if name == "embed" {
			return nil, fmt.Errorf("sources: %s embeds files, which the digest does not cover", file)
		}
		list = append(list, name)
	}
	return list, nil
}

// readModules reads the requirements of go.mod.
func (t *Tree) readModules() error {
	text, err := fs.ReadFile(t.Files, "go.mod")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require ")); len(f) >= 2 && strings.Contains(f[0], ".") {
			t.modules = append(t.modules, [2]string{f[0], f[1]})
		}
	}
	return nil
}

// moduleOf returns the module of a package with its version; "" for the standard library.
func (t *Tree) moduleOf(imp string) string {
	best := [2]string{}
	for _, m := range t.modules {
		if (imp == m[0] || strings.HasPrefix(imp, m[0]+"/")) && len(m[0]) > len(best[0]) {
			best = m
		}
	}
	return strings.TrimSpace(best[0] + " " + best[1])
}
