// Command bom lists what a program links, from its build information: as a software bill of
// materials (CycloneDX 1.5), or as the texts of the licences. The same program gives the same
// bytes.
//
//	go run ./internal/bom sbom dist/weft-amd64 > dist/weft.cdx.json
//	go run ./internal/bom licences dist/weft-amd64 > dist/licences.txt
package main
