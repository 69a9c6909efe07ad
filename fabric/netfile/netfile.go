package netfile

import "weft/fabric/netfile/lines"

// Error is the error of all readers for bad input: "file:line: message".
type Error = lines.Error

// Warning is an oddity in a file that was read anyway.
type Warning = lines.Warning
