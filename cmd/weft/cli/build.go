package cli

import (
	"os"
	"runtime"
	"strings"

	"weft"
	"weft/lab/sources"
)

// SourceDigest returns a function that digests sources of this program: of the given packages and
// of all packages that they import.
func SourceDigest() func(packages ...string) (string, error) {
	tree := &sources.Tree{Files: weft.Sources, Module: "weft", Compiler: []string{runtime.Version(), runtime.GOARCH}}
	return tree.Digest
}

// Platform returns the operating system, the kind of processor and the Go version of this program.
func Platform() string {
	return strings.Join([]string{runtime.GOOS, runtime.GOARCH, runtime.Version()}, " ")
}

// HostName returns the name of this machine, "unknown" if it has none.
func HostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}
