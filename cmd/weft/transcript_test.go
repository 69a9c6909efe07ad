package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var updateTranscripts = flag.Bool("update-transcripts", false, "write what the commands of transcripts print into the documents")

// transcripts are the documents whose console blocks are run.
var transcripts = []string{"README.md", "docs/cluster.md", "docs/choosing.md", "docs/research.md", "docs/tools.md", "docs/sweeps.md", "docs/applications.md", "docs/jobs.md"}

// TestTranscripts runs the commands of console blocks ("$ weft ...") in order, and compares what
// they print, times apart. A line "..." stands for any number of lines.
func TestTranscripts(t *testing.T) {
	if testing.Short() {
		t.Skip("the transcripts of the pages are run without -short")
	}
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join(top, "examples"), "examples"); err != nil {
		t.Fatal(err)
	}
	for _, name := range transcripts {
		path := filepath.Join(top, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, ran := runTranscripts(t, string(text))
		if ran == 0 {
			t.Errorf("%s holds no transcript", name)
		}
		if got == string(text) {
			continue
		}
		if !*updateTranscripts {
			t.Errorf("%s: go test ./cmd/weft -run TestTranscripts -update-transcripts writes what is printed now", name)
			continue
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runTranscripts runs the commands of a document, and returns it with what they print now.
func runTranscripts(t *testing.T, text string) (now string, ran int) {
	var out strings.Builder
	inBlock, command, told := false, "", []string(nil)
	end := func() {
		if command == "" {
			return
		}
		ran++
		words := shellWords(t, command)
		run := exec.Command(words[0], words[1:]...)
		var printed, kept bytes.Buffer
		run.Stdout, run.Stderr = &printed, &printed
		file := intoFile.FindStringSubmatch(command)
		if file != nil {
			run.Stdout = &kept
		}
		_ = run.Run() // the status is often 1: the answer is no
		if file != nil {
			if err := os.WriteFile(file[1], kept.Bytes(), 0o600); err != nil || kept.Len() == 0 {
				t.Errorf("%s: %v, or nothing in the file", command, err)
			}
		}
		var lines []string
		if text := strings.TrimRight(string(progress.ReplaceAll(printed.Bytes(), nil)), "\n"); text != "" {
			lines = strings.Split(text, "\n")
		}
		if !likeTranscript(told, lines) {
			t.Logf("$ %s\nprints\n%s\ntold\n%s", command, strings.Join(lines, "\n"), strings.Join(told, "\n"))
			told = lines
		}
		for _, line := range told {
			out.WriteString(line + "\n")
		}
		command, told = "", nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		next, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case line == "```console":
			inBlock = true
		case inBlock && line == "```":
			end()
			inBlock = false
		case inBlock && isCommand:
			end()
			command = next
		case inBlock:
			told = append(told, line)
			continue
		}
		out.WriteString(line + "\n")
	}
	return out.String(), ran
}

// intoFile matches a command whose output goes into a file.
var intoFile = regexp.MustCompile(` > ([a-z.]+)$`)

// progress is what a command says each ten seconds: on a busy machine some take longer.
var progress = regexp.MustCompile(`(?m)^weft: .*, ([0-9]+m)?[0-9]+s so far.*\n`)

// times are measured, and differ from run to run.
var times = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)? ?(s|ms|MB)\b`)

// likeTranscript reports whether lines are those that were told, times apart. "..." stands for
// any number of lines.
func likeTranscript(told, lines []string) bool {
	if len(told) == 0 {
		return len(lines) == 0
	}
	if told[0] == "..." {
		for i := range len(lines) + 1 {
			if likeTranscript(told[1:], lines[i:]) {
				return true
			}
		}
		return false
	}
	return len(lines) > 0 && times.ReplaceAllString(told[0], "T") == times.ReplaceAllString(lines[0], "T") && likeTranscript(told[1:], lines[1:])
}
