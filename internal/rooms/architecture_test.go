package rooms

import (
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitecture: what ARCHITECTURE.md names in backquotes is there, in the code without its
// tests. A word with a slash is a path. Any other is a folder, a package, a name of a package, a
// method or a field, with its package or type before a dot or without.
func TestArchitecture(t *testing.T) {
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	h, rule := newHouse(t), readTable(t)
	prose := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(text), "")
	n := 0
	for _, m := range regexp.MustCompile("`([A-Za-z][A-Za-z0-9_./{},*-]*)`").FindAllStringSubmatch(prose, -1) {
		if toCome := rule.rows[m[1]]; toCome {
			continue
		}
		n++
		for _, word := range braces(m[1]) {
			if !h.knows(word) {
				t.Errorf("%s: nothing has this name", word)
			}
		}
	}
	if n < 50 {
		t.Errorf("%d names found", n)
	}
}

// braces writes out a path with alternatives: a/{b,c} is a/b and a/c.
func braces(word string) (list []string) {
	before, rest, ok := strings.Cut(word, "{")
	between, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return []string{word}
	}
	for one := range strings.SplitSeq(between, ",") {
		list = append(list, braces(before+one+after)...)
	}
	return list
}

// knows reports whether a path or a name is there.
func (h *house) knows(word string) bool {
	if found, err := filepath.Glob("../../" + word); err == nil && len(found) > 0 {
		return true
	}
	if strings.Contains(word, "/") {
		return false
	}
	parts := strings.Split(word, ".")
	for _, pkg := range h.packages {
		switch {
		case pkg.Name() == word, hasName(pkg, parts), pkg.Name() == parts[0] && hasName(pkg, parts[1:]):
			return true
		case len(parts) == 1 && slices.ContainsFunc(pkg.Scope().Names(), func(typ string) bool { return hasName(pkg, []string{typ, word}) }):
			return true
		}
	}
	return false
}

// hasName reports whether a package has a name, or a type of it a method or field.
func hasName(pkg *types.Package, parts []string) bool {
	if len(parts) == 0 || len(parts) > 2 {
		return false
	}
	o := pkg.Scope().Lookup(parts[0])
	if o == nil || len(parts) == 1 {
		return o != nil
	}
	of, isType := o.(*types.TypeName)
	if !isType {
		return false
	}
	found, _, _ := types.LookupFieldOrMethod(of.Type(), true, pkg, parts[1])
	return found != nil
}
