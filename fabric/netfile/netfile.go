package netfile

import "weft/fabric/netfile/lines"

// Error is the error of all readers for bad input: "file:line: what".
type Error = lines.Error

// Warning is something odd in a file that was read all the same.
type Warning = lines.Warning
