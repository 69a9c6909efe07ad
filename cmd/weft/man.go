package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"weft/cmd/weft/cli"
)

func manCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "write the manual pages of weft",
		Long: `Write the manual pages of weft, one for each command, for "man weft".

Output is the files weft*.1 of section 1 in DIR, which is created if it does not exist.`,
		Example: `  weft man ~/.local/share/man/man1
  weft man /usr/local/share/man/man1`,
		Args: cli.OneArgument("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // no date: the same pages each time
			keepLayout(root)
			plainUsage(root)
			if err := doc.GenManTree(root, &doc.GenManHeader{Title: "WEFT", Section: "1", Source: "weft " + cli.Version}, args[0]); err != nil {
				return err
			}
			pages, err := fs.Glob(os.DirFS(args[0]), "weft*.1")
			fmt.Fprintf(cmd.ErrOrStderr(), "weft: wrote %d pages to %s (man -l %s/weft.1 shows the first)\n", len(pages), args[0], args[0])
			return err
		},
	}
}

// keepLayout turns the headings of help texts into Markdown headings, and their tables into code
// blocks, which manual pages leave as they are.
func keepLayout(cmd *cobra.Command) {
	var out []string
	for line := range strings.Lines(foldLong(cmd.Long)) {
		if strings.HasPrefix(line, "  ") {
			if len(out) > 0 && len(strings.TrimSpace(out[len(out)-1])) > 0 && !strings.HasPrefix(out[len(out)-1], " ") {
				out = append(out, "\n")
			}
			line = "  " + line
		} else if heading().MatchString(strings.TrimSpace(line)) {
			line = "## " + line
		}
		out = append(out, line)
	}
	cmd.Long = strings.Join(out, "")
	for _, c := range cmd.Commands() {
		keepLayout(c)
	}
}
