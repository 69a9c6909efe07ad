package service

import _ "embed" // the document

// openAPI is the document of all that is served. The test TestOpenAPI -update writes it.
//
//go:embed openapi.json
var openAPI []byte
