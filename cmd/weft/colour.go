package main

import (
	"bytes"
	"image/color"
	"io"
	"os"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"weft/cmd/weft/cli"
)

// lineColours are the colours of words at the beginning of a line.
var lineColours = []struct {
	word   string
	colour color.Color
}{
	{"PROVEN", lipgloss.Green},
	{"NOT PROVEN", lipgloss.Yellow},
	{"FAULTY", lipgloss.Red},
	{"fault:", lipgloss.Red},
	{"cycle,", lipgloss.Red},
	{"warning:", lipgloss.Yellow},
	{"note:", lipgloss.Yellow},
	{"YES", lipgloss.Green},
	{"NO:", lipgloss.Red},
}

// coloured returns a writer that colours the words of lineColours, or w itself unless it is a
// terminal with colours and NO_COLOR is not set.
func coloured(w io.Writer) io.Writer {
	file, ok := w.(*os.File)
	if !ok || !cli.IsTerminal(file) || colorprofile.Detect(file, os.Environ()) < colorprofile.ANSI {
		return w
	}
	return &colourWriter{to: w, atStart: true}
}

// colourWriter colours the first word of lines.
type colourWriter struct {
	to      io.Writer
	atStart bool // of a line
}

// Write implements io.Writer. A word that is split between two calls stays as it is.
func (c *colourWriter) Write(p []byte) (int, error) {
	var out bytes.Buffer
	for line := range bytes.Lines(p) {
		if c.atStart {
			for _, l := range lineColours {
				if rest, found := bytes.CutPrefix(line, []byte(l.word)); found {
					out.WriteString(lipgloss.NewStyle().Bold(true).Foreground(l.colour).Render(l.word))
					line = rest
					break
				}
			}
		}
		out.Write(line)
		c.atStart = bytes.HasSuffix(line, []byte("\n"))
	}
	if _, err := c.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
