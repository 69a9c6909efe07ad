// Package source turns a FABRIC argument into a Fabric (Open): a file in any format of netfile, "-"
// for standard input, or a formula of gen. Degrading suffixes may follow, as in
// "janus.txt|fail(links=10,seed=3)". If the argument names several subnets, OpenNetwork makes a
// subnets.Network of it.
//
// It opens files; the other packages of fabric work on bytes.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/subnets"
	"weft/internal/fold"
	"weft/internal/spelling"
)

// Options configure the reading of files.
type Options struct {
	IBNL  string    // directory of .ibnl system definitions; empty: search beside the file
	Stdin io.Reader // input for "-"
	Dir   string    // directory of relative files; empty: the current one

	Partial  bool // also read files that lack a part of the network
	Disputed bool // also read files whose lines name different cables for one port; none of these is used
}

// Source is a fabric and its origin.
type Source struct {
	Fabric   *fabric.Fabric
	Format   string // "formula", or a format of netfile
	Warnings []netfile.Warning
}

// Open reads or generates the fabric of an argument.
func Open(arg string, opt Options) (*Source, error) {
	if gen.IsFormula(arg) {
		return Generate(arg)
	}
	if subnets.IsFormula(arg) {
		return nil, errSeveral(arg)
	}
	path, suffixes := splitSuffixes(arg)
	src, err := read(path, opt)
	if err != nil {
		return nil, err
	}
	for _, s := range suffixes {
		if src.Fabric, err = gen.Apply(src.Fabric, s); err != nil {
			return nil, err
		}
		src.Fabric.Name = arg
	}
	return src, nil
}

// Generate builds the fabric of a formula.
func Generate(formula string) (*Source, error) {
	f, err := gen.Parse(formula)
	if err != nil {
		return nil, err
	}
	return &Source{Fabric: f, Format: "formula"}, nil
}

// Formulas is the document of `weft gen --list --json`: formulas, named systems and
// degrading suffixes.
type Formulas struct {
	Formulas []gen.Entry `json:"formulas"`
}

// ListFormulas lists everything that Generate accepts.
func ListFormulas() *Formulas { return &Formulas{append(gen.Catalogue(), gen.Suffixes()...)} }

// Write prints the list for people.
func (l *Formulas) Write(w io.Writer) error {
	for _, e := range l.Formulas {
		if _, err := fmt.Fprintf(w, "%s\n  %s\n  as in %s\n", e.Name+e.Args, fold.Text(2, e.What), e.Example); err != nil {
			return err
		}
	}
	return nil
}

// splitSuffixes splits "file|fail(..)|ports(2)". A file with a bar in its name is not split.
func splitSuffixes(arg string) (path string, suffixes []string) {
	if _, err := os.Stat(arg); err == nil {
		return arg, nil
	}
	return gen.Split(arg)
}

func read(path string, opt Options) (*Source, error) {
	path = opt.path(path)
	name, data, err := load(path, opt.Stdin)
	if near := gen.Nearest(path); errors.Is(err, fs.ErrNotExist) && near != "" {
		return nil, fmt.Errorf("no file and no formula is called %q: did you mean %s?", path, near)
	}
	if near := nearestFile(path); errors.Is(err, fs.ErrNotExist) && near != "" {
		return nil, fmt.Errorf("%w: did you mean %s?", err, near)
	}
	if errors.Is(err, fs.ErrNotExist) && formulaLike().MatchString(path) {
		return nil, fmt.Errorf("no file and no formula is called %q: weft gen --list shows the formulas", path)
	}
	if bad := (*netfile.Error)(nil); err != nil && !errors.As(err, &bad) {
		err = fmt.Errorf("%w (a FABRIC is a file, - for standard input, or a formula: see weft gen --list)", err)
	}
	if err != nil {
		return nil, err
	}
	if subnets.IsFile(data) {
		return nil, errSeveral(name)
	}
	definitions, err := systems(path, opt.IBNL)
	if err != nil {
		return nil, err
	}
	format, err := netfile.Detect(name, data)
	if err != nil {
		return nil, err
	}
	f, warnings, err := format.Read(name, data, netfile.Options{Systems: definitions, Partial: opt.Partial, Disputed: opt.Disputed})
	if err != nil {
		return nil, err
	}
	return &Source{Fabric: f, Format: format.Name, Warnings: warnings}, nil
}

// formulaLike matches texts that look more like a formula than like a file.
var formulaLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9+_-]+ *\([^/]*\)$`) })

// nearestFile returns the file in the same folder with the name most similar to a missing one, ""
// if none is similar.
func nearestFile(path string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if near := spelling.Nearest(filepath.Base(path), names); near != "" {
		return filepath.Join(filepath.Dir(path), near)
	}
	return ""
}

// load reads a file, or standard input, and returns its name for messages.
func load(path string, stdin io.Reader) (name string, data []byte, err error) {
	in := stdin
	if name = path; path == "-" {
		name = "stdin"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return "", nil, err
		}
		defer file.Close()
		in = file
	}
	data, err = netfile.Load(name, in)
	return name, data, err
}

// systems returns the directory of system definitions: the given one, or one called ibnl beside the
// file or beside its directory.
func systems(path, dir string) (fs.FS, error) {
	if dir != "" {
		if _, err := os.ReadDir(dir); err != nil {
			return nil, fmt.Errorf("system definitions: %w", err)
		}
		return os.DirFS(dir), nil
	}
	here := filepath.Dir(path)
	for _, d := range []string{filepath.Join(here, "ibnl"), filepath.Join(here, "..", "ibnl")} {
		if info, err := os.Stat(d); err == nil && info.IsDir() {
			return os.DirFS(d), nil
		}
	}
	return nil, nil
}
