package main

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"text/template"

	"github.com/spf13/cobra"

	"weft/internal/fold"
)

// addTemplateFuncs gives all templates of cobra, which all roots of a process share, the functions of
// foldHelp.
var addTemplateFuncs = sync.OnceFunc(func() {
	cobra.AddTemplateFuncs(template.FuncMap{"fold": fold.Text, "foldLong": foldLong})
})

// foldHelp has the help texts of all commands broken into lines of a page: paragraphs, rows of tables that
// begin with two spaces, and what is said of flags. A text is broken when it is shown: breaking all of them
// at each start took a quarter of it.
func foldHelp(root *cobra.Command) {
	addTemplateFuncs()
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "{{with (or .Long .Short)}}{{.", "{{with (or .Long .Short)}}{{. | foldLong", 1))
	root.SetUsageTemplate(strings.NewReplacer(
		".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", fold.Columns),
		"{{.Short}}", "{{fold 14 .Short}}", // behind the names of subcommands
	).Replace(root.UsageTemplate()))
}

// tableRow is a name, two spaces or more, and a text.
var tableRow = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^( +\S+(?: \S+)* {2,})(\S.*)$`) })

// foldLong breaks paragraphs and rows of tables anew. Rows and paragraphs go on in lines that begin at
// their column; all other lines stay.
func foldLong(text string) string {
	var out []string
	indent := -1 // of the lines that go on with the last one; less than 0 where none do
	var begins, rest string
	end := func() {
		if indent >= 0 {
			out = append(out, begins+fold.Text(indent, rest))
		}
		indent = -1
	}
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.TrimLeft(line, " ")
		column := len(line) - len(words)
		row := tableRow().FindStringSubmatch(line)
		switch {
		case words != "" && column == indent:
			rest += " " + words
			continue
		case row != nil && column > 0:
			end()
			begins, rest, indent = row[1], row[2], len(row[1])
			continue
		}
		end()
		if words != "" && column == 0 {
			begins, rest, indent = "", words, 0
		} else {
			out = append(out, line)
		}
	}
	end()
	return strings.Join(out, "\n")
}
