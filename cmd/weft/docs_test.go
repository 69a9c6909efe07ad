package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/fold"
	"weft/internal/racing"
)

// TestPages runs the commands of the pages as they are printed, one after the other.
func TestPages(t *testing.T) {
	racing.SkipLong(t)
	var text strings.Builder
	for _, page := range []string{"README.md", "docs/commands.md", "docs/research.md", "docs/tools.md"} {
		data, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	besideExamples(t)
	ran := 0
	for line := range strings.Lines(text.String()) {
		words := shellWords(t, line)
		if len(words) == 0 || words[0] != "bin/weft" || endless(words[1:]) {
			continue
		}
		if out, err := exec.Command("weft", words[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s%v: %s", line, err, out)
		}
		ran++
	}
	if ran < 10 {
		t.Errorf("%d commands found", ran)
	}
}

// pages are the pages of the project, seen from its folder.
func pages(t *testing.T) (list []string) {
	t.Helper()
	t.Chdir("../..")
	err := filepath.WalkDir("docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			list = append(list, path)
		}
		return err
	})
	if err != nil || len(list) < 40 {
		t.Fatalf("%d pages found, %v", len(list), err)
	}
	return append(list, "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")
}

// prose returns the lines of a page by number, those of code left empty.
func prose(t *testing.T, page string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	code := false
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code, line = !code, ""
		}
		if code || strings.HasPrefix(line, "    ") && strings.TrimSpace(line) == line[4:] {
			line = ""
		}
		lines = append(lines, line)
	}
	return lines
}

// TestPagesWrap: the prose of pages ends before column 100; tables, code, headings and pictures may
// be longer.
func TestPagesWrap(t *testing.T) {
	for _, page := range pages(t) {
		for i, line := range prose(t, page) {
			if n := utf8.RuneCountInString(line); n > 100 && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#") &&
				!strings.HasPrefix(strings.TrimSpace(line), "![") {
				t.Errorf("%s:%d: %d columns", page, i+1, n)
			}
		}
	}
}

// TestPageLinks: what pages link to is there, and so are the headings in it.
func TestPageLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	noise := regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
	headings := map[string]map[string]bool{}
	of := func(page string) map[string]bool {
		if headings[page] == nil {
			headings[page] = map[string]bool{}
			for _, line := range prose(t, page) {
				if title := strings.TrimLeft(line, "#"); title != line {
					title = noise.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
					headings[page][strings.ReplaceAll(title, " ", "-")] = true
				}
			}
		}
		return headings[page]
	}
	for _, page := range pages(t) {
		for i, line := range prose(t, page) {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				file, heading, _ := strings.Cut(m[1], "#")
				path := page
				if file != "" {
					path = filepath.Join(filepath.Dir(page), file)
				}
				if _, err := os.Stat(path); err != nil {
					t.Errorf("%s:%d: %v", page, i+1, err)
				} else if heading != "" && filepath.Ext(path) == ".md" && !of(path)[heading] {
					t.Errorf("%s:%d: %s has no heading %s", page, i+1, path, heading)
				}
			}
		}
	}
}

// TestDemoNext: the commands that the demo ends with run.
func TestDemoNext(t *testing.T) {
	racing.SkipLong(t)
	besideExamples(t)
	text, err := exec.Command("weft", "demo").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^ +I .*  (weft .*)$`).FindAllStringSubmatch(string(text), -1)
	if len(lines) != 4 {
		t.Errorf("%d commands, want one for each kind of user", len(lines))
	}
	for _, line := range lines {
		words := shellWords(t, line[1])
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", line[1], err, out)
		}
	}
}

// besideExamples moves the test into an empty folder that has the examples of the project.
func besideExamples(t *testing.T) {
	t.Helper()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(examples, "examples"); err != nil {
		t.Fatal(err)
	}
}

// endless reports whether a command runs until somebody ends it.
func endless(words []string) bool {
	return words[0] == "emulate" || words[0] == "ui" || words[0] == "sm" && !slices.Contains(words, "--once") && !slices.Contains(words, "--codes") && !slices.Contains(words, "--print-config")
}

// TestExamples: the commands and flags that help texts show are there.
func TestExamples(t *testing.T) {
	seen := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			words := shellWords(t, line)
			if len(words) == 0 || words[0] != "weft" {
				continue
			}
			cmd, rest, err := newRoot().Find(words[1:])
			if err == nil {
				err = errors.Join(cmd.ParseFlags(rest), cmd.ValidateArgs(cmd.Flags().Args()))
			}
			if err != nil {
				t.Errorf("%s%v", line, err)
			}
			seen++
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	if seen < 30 {
		t.Errorf("%d examples found", seen)
	}
}

// TestHelpFitsAPage: help texts and flags are folded to the page, and no word of them is lost.
func TestHelpFitsAPage(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		var help bytes.Buffer
		c.SetOut(&help)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		text := help.String()
		intro, sections := splitLong(c.Long)
		for _, part := range []string{foldLong(intro), foldLong(sections)} {
			if !strings.Contains(text, strings.TrimSpace(part)) {
				t.Errorf("%s --help shows\n%s\nwithout\n%s", c.CommandPath(), text, part)
			}
		}
		if len(c.Long) > 0 && len(strings.Fields(intro))+len(strings.Fields(sections)) != len(strings.Fields(c.Long)) {
			t.Errorf("%s: words are lost between the first part and the sections", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(text, "--"+f.Name) {
				t.Errorf("%s --help lacks --%s", c.CommandPath(), f.Name)
			}
		})
		flags := groupFlags(c)
		if strings.Contains(flags, otherFlags+":") {
			t.Errorf("%s --help has flags of no group:\n%s", c.CommandPath(), flags)
		}
		for line := range strings.SplitSeq(foldLong(c.Long)+"\n"+flags, "\n") {
			if text := strings.TrimSpace(line); len(line) > fold.Columns && strings.Count(text, " ") > 3 {
				t.Errorf("%s --help: %d columns: %s", c.CommandPath(), len(line), line)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	text := "First words\nand more.\n\n  NAME   a row\n         that goes on\n  A B    another\n\n  code | alone\n    deeper\nEnd" + strings.Repeat(" word", 20)
	want := "First words and more.\n\n  NAME   a row that goes on\n  A B    another\n\n  code | alone\n    deeper\nEnd" + strings.Repeat(" word", 15) + "\nword word word word word"
	if got := foldLong(text); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// shellWords are the words of the first command of a line, as a shell parts them.
func shellWords(t *testing.T, line string) (words []string) {
	t.Helper()
	var word strings.Builder
	quote, begun := byte(0), false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for i := range len(line) {
		c := line[i]
		switch {
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case strings.IndexByte(" \t\n", c) >= 0:
			end()
		case !begun && strings.IndexByte("#|>&", c) >= 0:
			return words
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	end()
	return words
}

// TestPictures: the pictures of docs are what the commands beside them draw.
func TestPictures(t *testing.T) {
	racing.SkipLong(t)
	t.Chdir("../..")
	text, err := os.ReadFile("docs/pictures/README.md")
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for line := range strings.Lines(string(text)) {
		words := shellWords(t, line)
		if len(words) < 2 || words[0] != "weft" {
			continue
		}
		file := words[len(words)-1]
		words[len(words)-1] = "-"
		got, err := exec.Command("weft", words[1:]...).Output()
		if err != nil {
			t.Fatalf("%s%v", line, err)
		}
		if *update {
			err = os.WriteFile(file, got, 0o644)
		}
		want, readErr := os.ReadFile(file)
		if err := errors.Join(err, readErr); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what is drawn (%v): run this test with -update", file, err)
		}
		drawn++
	}
	if drawn < 5 {
		t.Errorf("%d commands found", drawn)
	}
}

// TestFlagGroups: the flags and commands that groups name exist.
func TestFlagGroups(t *testing.T) {
	root := newRoot()
	for path, groups := range commandGroups {
		cmd, _, err := root.Find(strings.Fields(path)[1:])
		if err != nil || cmd.CommandPath() != path {
			t.Errorf("%s: no such command (%v)", path, err)
			continue
		}
		for _, g := range groups {
			for name := range strings.FieldsSeq(g.names) {
				if cmd.Flags().Lookup(name) == nil {
					t.Errorf("%s, %s: no flag --%s", path, g.title, name)
				}
			}
		}
	}
	for name := range commands {
		if taskOf[name] == "" {
			t.Errorf("%s is in no group of commands", name)
		}
	}
}

// TestCommands: commands are listed by their names, and are the same alone as beside all others.
func TestCommands(t *testing.T) {
	all := newRoot()
	for name := range commands {
		alone, _, err := newRoot(name).Find([]string{name})
		if err != nil || alone.Name() != name {
			t.Fatalf("%s: %v, %v", name, alone.Name(), err)
		}
		beside, _, err := all.Find([]string{name})
		if err != nil || beside.UsageString() != alone.UsageString() {
			t.Errorf("%s: %v; usage alone\n%s\nbeside others\n%s", name, err, alone.UsageString(), beside.UsageString())
		}
	}
}
