package endpoints

import _ "embed" // the document

// openAPI documents all endpoints. The test TestOpenAPI writes it with -update.
//
//go:embed openapi.json
var openAPI []byte
