// Package weft holds the program's own sources, as the compiler saw them. Package lab/sources
// digests the part of them that computes a result, so that a sweep does not reuse a row of other
// code. The page explains its terms by the glossary.
package weft

import "embed"

// Sources holds go.mod and all packages that can compute a result, as the compiler embedded them
// into this program.
//
//go:embed go.mod
//go:embed fabric/*.go fabric/*/*.go fabric/*/*/*.go fabric/*/*/*/*.go
//go:embed route/*.go route/*/*.go route/*/*/*.go route/*/*/*/*.go
//go:embed judge/*/*.go judge/*/*/*/*.go intersubnet/*.go intersubnet/*/*.go
//go:embed sim/*/*.go planner/*.go planner/*/*.go study/*.go study/*/*.go
//go:embed wire/*.go wire/*/*.go internal/*/*.go apps/*/*.go
//go:embed lab/measure/*.go lab/measure/*/*.go
var Sources embed.FS

// Glossary is docs/glossary.md.
//
//go:embed docs/glossary.md
var Glossary string
