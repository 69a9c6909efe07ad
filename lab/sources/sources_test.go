package sources

import (
	"maps"
	"testing"
	"testing/fstest"
)

const goMod = "module m\n\nrequire (\n\tx.org/y v1.2.3\n\tx.org/z v1.0.0\n)\n"

// tree holds a package a that imports b and a module; c imports a and is not imported.
func tree() fstest.MapFS {
	return fstest.MapFS{
		"go.mod":      {Data: []byte(goMod)},
		"a/a.go":      {Data: []byte("// Package a.\npackage a\n\nimport (\n\t\"m/b\"\n\t\"x.org/y/sub\"\n)\n\nvar A = b.B + sub.S // sum\n")},
		"a/a_test.go": {Data: []byte("package a\n")},
		"b/b.go":      {Data: []byte("package b\n\nconst B = 1\n")},
		"b/more.go":   {Data: []byte("//go:build linux\n\npackage b\n")},
		"c/c.go":      {Data: []byte("package c\n\nimport _ \"m/a\"\n")},
	}
}

func digest(t *testing.T, files fstest.MapFS, compiler string) string {
	t.Helper()
	tree := &Tree{Files: files, Module: "m", Compiler: []string{compiler}}
	sum, err := tree.Digest("m/a")
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestDigest: what can change a result changes the digest, and nothing else does.
func TestDigest(t *testing.T) {
	was := digest(t, tree(), "go1")
	if digest(t, tree(), "go2") == was {
		t.Error("another compiler has the same digest")
	}
	for _, c := range []struct {
		file, text string
		same       bool
	}{
		{"a/a.go", "// Other words.\npackage a\n\nimport (\n\t\"m/b\"\n\n\t\"x.org/y/sub\"\n)\n\nvar A = b.B + sub.S\n", true},
		{"a/a.go", "package a\n\nimport (\n\t\"m/b\"\n\t\"x.org/y/sub\"\n)\n\nvar A = b.B - sub.S\n", false},
		{"a/a_test.go", "package a\n\nvar x = 1\n", true},
		{"a/new.go", "package a\n", false},
		{"b/b.go", "package b\n\nconst B = 2\n", false},
		{"b/b.go", "package b\n\nconst B = 1;\n", true},
		{"b/more.go", "//go:build windows\n\npackage b\n", false},
		{"c/c.go", "package c\n", true},
		{"go.mod", "module m\n\nrequire (\n\tx.org/y v1.2.4\n\tx.org/z v1.0.0\n)\n", false},
		{"go.mod", "module m\n\nrequire (\n\tx.org/y v1.2.3\n\tx.org/z v1.0.1\n)\n", true},
	} {
		files := maps.Clone(tree())
		files[c.file] = &fstest.MapFile{Data: []byte(c.text)}
		if same := digest(t, files, "go1") == was; same != c.same {
			t.Errorf("%s: %q: same digest: %t", c.file, c.text, same)
		}
	}
}

// TestDigestRefuses: a digest that would not cover all is none.
func TestDigestRefuses(t *testing.T) {
	for file, text := range map[string]string{
		"b/b.go": "package b\n\nimport _ \"embed\"\n",
		"a/a.go": "package a\n\nimport \"m/nowhere\"\n",
		"b/x.go": "package b\n\nvar x = 'ab'\n",
	} {
		files := tree()
		files[file] = &fstest.MapFile{Data: []byte(text)}
		tree := &Tree{Files: files, Module: "m"}
		if sum, err := tree.Digest("m/a"); err == nil {
			t.Errorf("%s: %q: %s", file, text, sum)
		}
	}
}
