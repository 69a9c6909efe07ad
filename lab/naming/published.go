package naming

import (
	"embed"

	"weft/lab"
)

// The printed tables, and the network of Fig. 1 of paper 002.
//
//go:embed published/*.tsv
var published embed.FS

// readTable reads a published table.
func readTable(name string) []lab.Printed {
	return lab.ReadPrinted(string(lab.Must(published.ReadFile("published/" + name + ".tsv"))))
}

// readSentences returns the sentences of a paper, with the claims that judge them.
func readSentences(paper string) string {
	return string(lab.Must(published.ReadFile("published/" + paper + "_claims.tsv")))
}
