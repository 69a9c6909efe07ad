// Package weft holds the program's own sources, as the compiler saw them. The lab digests the part
// of them that computes a result (package lab/sources), so that a row of a sweep is never taken for
// one that changed code would give.
package weft

import "embed"

// Sources are the sources of all packages that can compute a result, and go.mod. The compiler
// embeds them, so they cannot be older than the program.
//
//go:embed go.mod
//go:embed fabric/*.go fabric/*/*.go fabric/*/*/*.go
//go:embed route/*.go route/*/*.go route/*/*/*.go route/*/*/*/*.go
//go:embed judge/*/*.go judge/*/*/*/*.go intersubnet/*.go intersubnet/*/*.go
//go:embed sim/*/*.go planner/*.go planner/*/*.go study/*.go study/*/*.go
//go:embed wire/*.go wire/*/*.go internal/*/*.go
//go:embed lab/measure/*.go lab/measure/*/*.go
var Sources embed.FS
