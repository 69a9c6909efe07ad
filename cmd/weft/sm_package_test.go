package main

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// newerState makes a state, as a weft of a later schema would leave it: user_version stands at byte
// 60 of a database.
func newerState(t *testing.T, path string) {
	t.Helper()
	if out, err := exec.Command("weft", "sm", "--once", "-t", "emulate:rlft(4,2)", "--engine", "updn", "--state", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteAt(binary.BigEndian.AppendUint32(nil, 99), 60); err != nil {
		t.Fatal(err)
	}
}

// TestNewerState: a weft that is older than its state says so, and what to do, with the status that
// keeps systemd from starting it again. It leaves the state as it is.
func TestNewerState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	newerState(t, path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"sm", "-t", "emulate:rlft(4,2)", "--state", path}, {"sm", "state", path}} {
		cmd := exec.Command("weft", args...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 2 || !bytes.Contains(out, []byte("a newer weft wrote it (schema 99; this one supports ")) || !bytes.Contains(out, []byte("--restore BACKUP")) {
			t.Errorf("%v: status %d: %s", args, code, out)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the state has changed: %v", err)
	}
}

// TestDowngrade: the script of an older package says what that version cannot read, and succeeds.
// It says nothing of what it can.
func TestDowngrade(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	weft, err := exec.LookPath("weft")
	if err != nil {
		t.Fatal(err)
	}
	state, config := root+"/var/lib/weft/state", root+"/etc/weft/sm.yaml"
	for _, dir := range []string{"/usr/bin", "/var/lib/weft", "/etc/weft"} {
		if err := os.MkdirAll(root+dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(weft, root+"/usr/bin/weft"); err != nil {
		t.Fatal(err)
	}
	install := func() string {
		t.Helper()
		script, err := os.ReadFile("../../contrib/package/postinstall")
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(script), "if [ -d /run/systemd/system ]") // which is this machine's
		cmd := exec.Command("sh", "-c", text)
		cmd.Env = append(os.Environ(), "DPKG_ROOT="+root)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return string(out)
	}
	if said := install(); said != "" {
		t.Errorf("without files: %s", said)
	}
	if err := os.WriteFile(config, []byte("transport: emulate:rlft(4,2)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := install(); said != "" {
		t.Errorf("of a good configuration: %s", said)
	}
	newerState(t, state)
	if err := os.WriteFile(config, []byte("transport: emulate:rlft(4,2)\nof-a-later-weft: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	said := install()
	for _, want := range []string{"cannot read the state", "schema 99", "does not take the configuration", "sm.yaml:2: unknown option \"of-a-later-weft\""} {
		if !strings.Contains(said, want) {
			t.Errorf("not %q in: %s", want, said)
		}
	}
}

// TestPackageHasAll: the packages have every file of contrib, from the folder that scripts/release
// fills, and nothing that is not there.
func TestPackageHasAll(t *testing.T) {
	data, err := os.ReadFile("../../contrib/package/nfpm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct{ Contents []struct{ Src, Dst string } }
	if err := yaml.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	release, err := os.ReadFile("../../scripts/release")
	if err != nil {
		t.Fatal(err)
	}
	staged := map[string]bool{"weft-sm.service": true} // by sed
	for _, m := range regexp.MustCompile(`(?m)^cp (.*) dist/stage$`).FindAllStringSubmatch(string(release), -1) {
		for from := range strings.FieldsSeq(strings.TrimPrefix(m[1], "-r ")) {
			if _, err := os.Stat("../../" + from); err != nil {
				t.Error(err)
			}
			staged[filepath.Base(from)] = true
		}
	}
	used := map[string]bool{}
	isPacked := func(file string) bool {
		top, _, _ := strings.Cut(file, "/")
		for _, c := range config.Contents {
			if is, err := filepath.Match(c.Src, "dist/stage/"+file); is && err == nil && staged[top] {
				used[c.Src] = true
				return true
			}
		}
		return false
	}
	err = filepath.WalkDir("../../contrib", func(path string, d fs.DirEntry, err error) error {
		file := strings.TrimPrefix(path, "../../contrib/")
		switch {
		case err != nil:
			return err
		case file == "package":
			return fs.SkipDir
		case !d.IsDir() && !isPacked(file):
			t.Errorf("no package has contrib/%s", file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for top := range staged {
		if info, err := os.Stat("../../contrib/" + top); (err != nil || !info.IsDir()) && !isPacked(top) {
			t.Errorf("no package has %s", top)
		}
	}
	for _, c := range config.Contents {
		if strings.HasPrefix(c.Src, "dist/stage/") && !used[c.Src] {
			t.Errorf("%s does not exist", c.Src)
		}
	}
}

// TestDropIn: systemd takes the unit with the drop-in for --api, and the drop-in opens networks
// alone.
func TestDropIn(t *testing.T) {
	dropIn, err := os.ReadFile("../../contrib/api.conf")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^(#.*\n)*\[Service\]\n(IPAddressAllow=.*\n)+$`).Match(dropIn) {
		t.Errorf("it does more than open networks:\n%s", dropIn)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze here (Debian package systemd)")
	}
	unit, err := os.ReadFile("../../contrib/weft-sm.service")
	if err != nil {
		t.Fatal(err)
	}
	weft, err := exec.LookPath("weft")
	if err != nil {
		t.Fatal(err)
	}
	verify := func(dropIn string) string {
		t.Helper()
		dir := t.TempDir()
		if err := os.Mkdir(dir+"/weft-sm.service.d", 0o700); err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(unit), "/usr/local/bin/weft", weft, 1)
		for name, text := range map[string]string{"weft-sm.service": regexp.MustCompile(`(?m)^Documentation=.*\n`).ReplaceAllString(text, ""), "weft-sm.service.d/api.conf": dropIn} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, _ := exec.Command("systemd-analyze", "verify", dir+"/weft-sm.service").CombinedOutput()
		return string(out)
	}
	if said := verify(string(dropIn)); said != "" {
		t.Errorf("systemd-analyze verify: %s", said)
	}
	if said := verify("[Service]\nIPAddressAllow=1.2.3.400\n"); !strings.Contains(said, "1.2.3.400") {
		t.Errorf("the drop-in is not read: %s", said)
	}
}
