package support

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfig: the configuration in an archive has no secret, also if its option is misspelt.
func TestConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sm.yaml")
	if err := os.WriteFile(path, []byte("m-key: 0x77 # mine\nmkey: 0x88\nengine: updn\nstate: /s\nhook: /srv/acme hook\ntopology-hosts: n[01-04]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &bundle{names: newNames(), flags: &flags{config: path, secrets: []string{"m-key"}, value: func(option string) (string, bool) {
		value, known := map[string]string{"m-key": "KEY", "engine": "ENGINE", "state": "FILE", "hook": "PROGRAM", "topology-hosts": "HOSTS"}[option]
		return value, known
	}}}
	if state := b.addConfig(); state != "/s" || len(b.files) != 1 {
		t.Fatal(state, b.missing)
	}
	text := string(b.files[0].data)
	if strings.Contains(text, "0x") || strings.Contains(text, "mine") || !strings.Contains(text, "engine: updn") || !strings.Contains(text, "mkey: UNKNOWN OPTION") {
		t.Error(text)
	}
	b.names.add("node", "engine")
	b.names.add("node", "updn")
	if hidden, err := b.files[0].hide(b.names, b.files[0].data); err != nil || !strings.Contains(string(hidden), "engine: node-2") {
		t.Errorf("%v: %s", err, hidden)
	}
	b.hide, b.files = true, nil
	b.addConfig()
	if text := string(b.files[0].data); strings.Count(text, ": HIDDEN") != 3 || strings.Contains(text, "acme") || strings.Contains(text, "n[") {
		t.Error(text)
	}
	if got := b.names.text("/srv/acme hook, given the event"); got != "path-2, given the event" {
		t.Error(got)
	}
}
