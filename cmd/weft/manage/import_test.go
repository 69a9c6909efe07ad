package manage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// importOf runs weft sm import on files, by their names, and returns the report or the error.
func importOf(t *testing.T, files map[string]string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		var err error
		switch to, link := strings.CutPrefix(text, "-> "); {
		case link:
			err = os.Symlink(strings.ReplaceAll(to, "DIR", dir), path)
		case text == "DIR":
			err = os.Mkdir(path, 0o700)
		default:
			err = os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := smImportCmd()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "DIR", dir)
	}
	if args == nil {
		args = []string{dir}
	}
	cmd.SetArgs(args)
	var out bytes.Buffer
	cmd.SetOut(&out)
	if err := cmd.Execute(); err != nil {
		return "refused: " + strings.ReplaceAll(err.Error(), dir, "DIR")
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(out.String(), dir, "DIR")), " ")
}

// TestImportFinds: weft sm import reads partitions without opensm.conf too, as OpenSM does; a copy
// in a directory counts before this machine's own; a directory or device in place of LIDs or
// options is an error, and elsewhere no file.
func TestImportFinds(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		args  []string
		want  string
	}{
		{map[string]string{"partitions.conf": "P=0x5 : ALL=full;\n"}, nil, "taken over: DIR/partitions.conf partitions: 2"},
		{map[string]string{"x": "P=0x5 : ALL=full;\n"}, []string{"partition_config_file=DIR/x"}, "taken over: DIR/x partitions: 2"},
		{map[string]string{"partitions.conf": "P=0x5 : ALL=full;\n", "guid2lid": "0x1 0x1 0x1\n"}, nil, "taken over: DIR/partitions.conf partitions: 2 DIR/guid2lid LIDs by port: 1"},
		{map[string]string{"guid2lid": "0x1 0x1 0x1\n"}, nil, "LIDs of 1 ports; nothing written"},
		{map[string]string{"other": ""}, nil, "refused: DIR: found none of"},
		{map[string]string{"guid2lid": "DIR", "opensm.conf": "lmc 1\n"}, nil, "refused: DIR/guid2lid: is no regular file"},
		{map[string]string{"opensm.conf": "-> /dev/zero"}, nil, "refused: DIR/opensm.conf: is no regular file"},
		{map[string]string{"opensm.conf": "-> opensm.conf"}, nil, "refused: stat DIR/opensm.conf: too many levels"},
		{map[string]string{"opensm.conf": "lmc 1\nroot_guid_file DIR\n"}, nil, "root_guid_file DIR: the file does not exist"},
		{map[string]string{"opensm.conf": "lmc 1\n", "opensm.service": "-> /dev/null"}, nil, "lmc 1: lmc: 1"},
		{map[string]string{"run": "opensm -F DIR/one.conf\n", "one.conf": "lmc 1\n"}, []string{"startup=DIR/run"}, "DIR/one.conf:1 lmc 1: lmc: 1"},
		{map[string]string{"opensmd": "opensm -F DIR/opensmd\n"}, nil, "DIR/opensmd is imported"},
		{map[string]string{"opensm.conf": "\ufefflmc 2\n\x1b[2J\xff 3\nsm_priority 5\r\n"}, nil, `\ufefflmc 2: not an option of OpenSM 3.3.23`},
		{map[string]string{"opensm.conf": "\x1b[2J\xff 3\n"}, nil, `\x1b[2J\xff 3: not an option`},
	} {
		if got := importOf(t, c.files, c.args...); !strings.Contains(got, c.want) {
			t.Errorf("%v: got\n%s\nwant\n%s", c.files, got, c.want)
		}
	}
}

// TestImportLarge: files of a million lines, all joined, and one that is too large end soon.
func TestImportLarge(t *testing.T) {
	began := time.Now()
	importOf(t, map[string]string{"opensmd": strings.Repeat("opensm \\\n", 1<<20)})
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("joined lines took %v", took)
	}
	if got := importOf(t, map[string]string{"opensm.conf": strings.Repeat("\x00", 1<<24+1)}); !strings.Contains(got, "more than 16777216 bytes") {
		t.Error(got)
	}
}

// TestImportInterrupted: an import that is interrupted says so and leaves no file, wherever it was.
func TestImportInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "guid2lid"), []byte("0x1 0x1 0x1\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "partitions.conf"), []byte("P=0x5 : ALL=full;\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, ctx := range map[string]context.Context{"while it reads": canceled(t), "before it writes": &late{Context: t.Context()}} {
		t.Run(name, func(t *testing.T) {
			cmd := smImportCmd()
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			cmd.SetArgs([]string{dir, "-o", filepath.Join(dir, "out.yaml"), "--state", filepath.Join(dir, "state")})
			cmd.SetOut(io.Discard)
			err := cmd.ExecuteContext(ctx)
			list, _ := filepath.Glob(filepath.Join(dir, "*"))
			if !errors.Is(err, context.Canceled) || len(list) != 2 {
				t.Errorf("%v %q", err, list)
			}
		})
	}
}

// canceled returns a context that has ended.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// late is a context that has ended for those who ask for the reason, and not for those who wait.
type late struct{ context.Context }

// Err implements context.Context.
func (*late) Err() error { return context.Canceled }
