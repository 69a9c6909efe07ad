package main

import (
	"regexp"
	"strings"
	"sync"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/fold"
)

// addTemplateFuncs adds the functions of our help templates to cobra, once per process: all roots
// share them.
var addTemplateFuncs = sync.OnceFunc(func() {
	cobra.AddTemplateFuncs(template.FuncMap{
		"fold": fold.Text, "foldLong": foldLong, "groupFlags": groupFlags,
		"intro":    func(long string) string { text, _ := splitLong(long); return text },
		"sections": func(long string) string { _, text := splitLong(long); return text },
	})
})

// foldHelp sets the layout of help pages: what the command does, usage, examples, subcommands,
// sections with details, flags by task. Texts are folded to the page when they are shown: folding
// all of them at each start took a quarter of its time.
func foldHelp(root *cobra.Command) {
	addTemplateFuncs()
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "{{with (or .Long .Short)}}{{.", "{{with (or .Long .Short)}}{{. | intro | foldLong", 1))
	root.SetUsageTemplate(strings.NewReplacer(
		"{{if .HasAvailableLocalFlags}}\n\nFlags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}",
		"{{with sections .Long}}\n\n{{. | foldLong}}{{end}}{{if .HasAvailableLocalFlags}}\n\n{{groupFlags .}}{{end}}",
		"{{.Short}}", "{{fold 14 .Short}}", // behind the names of subcommands
	).Replace(root.UsageTemplate()))
}

// heading matches the heading of a section of a help text: a line in capitals after an empty line.
var heading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[A-Z][A-Z ,()-]+$`) })

// splitLong splits a help text before its first section.
func splitLong(long string) (intro, sections string) {
	at := heading().FindStringIndex(long)
	if at == nil {
		return long, ""
	}
	return strings.TrimSpace(long[:at[0]]), strings.TrimSpace(long[at[0]:])
}

// tableRow is a name, two spaces or more, and a text.
var tableRow = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^( +\S+(?: \S+)* {2,})(\S.*)$`) })

// foldLong folds the paragraphs and table rows of a text to the page. A line that starts at the
// column of the previous text continues it; all other lines stay as they are.
func foldLong(text string) string {
	var out []string
	indent := -1 // of lines that continue the last one; negative if none may
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

// fewFlags is the largest number of flags that a help page lists without groups.
const fewFlags = 8

// groupFlags formats the flags of a command, grouped by task.
func groupFlags(cmd *cobra.Command) string {
	flags := cmd.LocalFlags()
	count := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			count++
		}
	})
	if count <= fewFlags {
		return "Flags:\n" + strings.TrimRight(flags.FlagUsagesWrapped(fold.Columns), "\n")
	}
	var out []string
	done := map[string]bool{}
	add := func(title string, has func(name string) bool) {
		group := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.VisitAll(func(f *pflag.Flag) {
			if !done[f.Name] && has(f.Name) {
				done[f.Name] = true
				group.AddFlag(f)
			}
		})
		if group.HasAvailableFlags() {
			out = append(out, title+":\n"+strings.TrimRight(group.FlagUsagesWrapped(fold.Columns), "\n"))
		}
	}
	for _, groups := range [][]flagGroup{commandGroups[cmd.CommandPath()], sharedGroups} {
		for _, g := range groups {
			names := map[string]bool{}
			for name := range strings.FieldsSeq(g.names) {
				names[name] = true
			}
			add(g.title, func(name string) bool { return names[name] })
		}
	}
	add(otherFlags, func(string) bool { return true })
	return strings.Join(out, "\n\n")
}

// plainUsage replaces the usage texts of all flags by texts without the backquotes that mark the
// names of their values: help pages alone understand these.
func plainUsage(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
	for _, sub := range cmd.Commands() {
		plainUsage(sub)
	}
}
