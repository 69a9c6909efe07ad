package source

import (
	"fmt"
	"os"
	"path/filepath"

	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/subnets"
)

// IsNetwork reports whether a FABRIC argument stands for several subnets: a formula of subnets, or
// a file that lists them. It returns false for files that cannot be read: Open reports why.
func IsNetwork(arg string, opt Options) bool {
	if subnets.IsFormula(arg) {
		return true
	}
	if arg == "-" || gen.IsFormula(arg) {
		return false
	}
	file, err := os.Open(opt.path(arg))
	if err != nil {
		return false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	begin := make([]byte, 64)
	n, _ := file.Read(begin)
	return subnets.IsFile(begin[:n])
}

// errSeveral is the error for several subnets where one is needed.
func errSeveral(arg string) error {
	return fmt.Errorf("%s names several subnets, but this command takes one: give the FABRIC of one of them. weft show, route, check, compare, whatif, simulate flow and simulate packet take several, from a file or a formula", arg)
}

// OpenNetwork reads or generates the subnets of a FABRIC argument. FABRICs in a file are relative
// to it.
func OpenNetwork(arg string, opt Options) (*subnets.Network, []netfile.Warning, error) {
	var warnings []netfile.Warning
	open := func(one string) (subnets.Opened, error) {
		src, err := Open(one, opt)
		if err != nil {
			return subnets.Opened{}, err
		}
		warnings = append(warnings, src.Warnings...)
		return subnets.Opened{Fabric: src.Fabric, Made: src.Format == "formula"}, nil
	}
	var f *subnets.File
	if subnets.IsFormula(arg) {
		var err error
		if f, err = subnets.Expand(arg, open); err != nil {
			return nil, warnings, err
		}
		warnings = nil // Build opens them again
	} else {
		path := opt.path(arg)
		name, data, err := load(path, opt.Stdin)
		if err != nil {
			return nil, nil, err
		}
		if f, err = subnets.Read(name, data); err != nil {
			return nil, nil, err
		}
		opt.Dir = filepath.Dir(path)
	}
	n, err := f.Build(arg, open)
	return n, warnings, err
}

// path returns the path of a file named in an argument.
func (o *Options) path(name string) string {
	if o.Dir != "" && name != "-" && !filepath.IsAbs(name) {
		return filepath.Join(o.Dir, name)
	}
	return name
}
