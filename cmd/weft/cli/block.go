package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// WriteBlock replaces a generated part of a Markdown page: all between the lines
// "<!-- begin NAME -->" and "<!-- end NAME -->".
func WriteBlock(cmd *cobra.Command, path, name string, write func(io.Writer) error) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	begin, end := []byte("<!-- begin "+name+" -->\n"), []byte("<!-- end "+name+" -->\n")
	before, rest, found := bytes.Cut(page, begin)
	_, after, ended := bytes.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s: want the lines %s and %s, for the tables between them", path, bytes.TrimSpace(begin), bytes.TrimSpace(end))
	}
	return Output(cmd, path, func(w io.Writer) error {
		fmt.Fprintf(w, "%s%s", before, begin)
		if err := write(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "%s%s", end, after)
		return err
	})
}
