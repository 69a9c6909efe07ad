package opensm

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/configfile"
	"weft/sm/tuning"
)

// TestPorts: times, speeds, widths and prefix routes are taken over, as OpenSM reads them.
func TestPorts(t *testing.T) {
	files := map[string]string{"/etc/routes": "# far\n0xfec0000000000001 0x10\n* * # all else\n", "/etc/bad": "0xfec0000000000001\n", "/etc/empty": "# none\n"}
	for _, c := range []struct{ lines, want, says string }{
		{"subnet_timeout 20\npacket_life_time 0x14", "subnet-timeout = 20\npacket-life = 20\n", ""},
		{"head_of_queue_lifetime 0x13\nleaf_head_of_queue_lifetime 16", "head-of-queue-life = 19\n", ""},
		{"vl_stall_count 3\nleaf_vl_stall_count 0x01", "stall-count = 3\nhost-stall-count = 1\n", ""},
		{"vl_stall_count 0", "stall-count = 1\n", "taken as another: stall-count: 1, as the field of PortInfo or SwitchInfo holds 1 to 7"},
		{"subnet_timeout 40", "subnet-timeout = 8\n", "taken as another: subnet-timeout: 8"},
		{"subnet_timeout 18", "", ""},
		{"force_link_speed 1", "link-speed = FDR,EDR,HDR,NDR\n", "taken over"},
		{"force_link_speed 3\nforce_link_speed_ext 30", "link-speed = ..DDR\n", "force_link_speed_ext 30: taken over: see force_link_speed, line 1"},
		{"force_link_speed_ext 30", "link-speed = ..QDR\n", "taken over"},
		{"force_link_speed_ext 3", "link-speed = ..EDR\n", "taken over"},
		{"force_link_speed_ext 2\nforce_link_speed 7", "link-speed = DDR,QDR,EDR\n", "taken over"},
		{"force_link_speed 9", "", "force_link_speed 9: wrong there too: want 0, 1, 3, 5 or 7"},
		{"force_link_speed_ext 17", "", "force_link_speed_ext 17: wrong there too"},
		{"force_link_speed 0", "", "force_link_speed 0: not needed"},
		{"force_link_width 2", "link-width = 4x\n", "taken over"},
		{"force_link_width 0x13", "link-width = 1x,2x,4x\n", "taken over"},
		{"force_link_width 33", "", "force_link_width 33: wrong there too"},
		{"prefix_routes_file /etc/routes", "prefix-routes = /etc/routes\n", "taken over"},
		{"prefix_routes_file /etc/bad", "", "/etc/bad:1: want PREFIX GUID"},
		{"prefix_routes_file /etc/empty", "", "has no routes"},
		{"prefix_routes_file /etc/none", "", "the file does not exist"},
	} {
		r, err := Import(&Input{Config: conf(strings.Split(c.lines, "\n")...), Open: opener(files)})
		if err != nil {
			t.Errorf("%s: %v", c.lines, err)
			continue
		}
		var settings, says strings.Builder
		for _, s := range r.Settings {
			fmt.Fprintf(&settings, "%s = %s\n", s.Option, strings.Join(s.Values, " | "))
		}
		for _, n := range r.Notes {
			fmt.Fprintf(&says, "%s:%d: %s %s: %s: %s\n", n.File, n.Line, n.Option, n.Value, n.Fate, n.Text)
		}
		if settings.String() != c.want || !strings.Contains(says.String(), c.says) {
			t.Errorf("%s: got\n%swant\n%s%s\nin\n%s", c.lines, settings.String(), c.want, c.says, says.String())
		}
	}
	unnamed := map[string]string{"/etc/opensm/prefix-routes.conf": "* *\n"}
	r, err := Import(&Input{Config: conf("lmc 0"), Open: opener(unnamed)})
	if err != nil || len(r.Settings) != 1 || r.Settings[0].Option != "prefix-routes" {
		t.Errorf("at its default path: %+v, %v", r.Settings, err)
	}
}

// TestPortsAndBack: what weft exports for OpenSM, weft imports as the same.
func TestPortsAndBack(t *testing.T) {
	settings := []configfile.Setting{
		{Option: "subnet-timeout", Values: []string{"20"}},
		{Option: "packet-life", Values: []string{"19"}},
		{Option: "head-of-queue-life", Values: []string{"17"}},
		{Option: "host-head-of-queue-life", Values: []string{"15"}},
		{Option: "stall-count", Values: []string{"3"}},
		{Option: "host-stall-count", Values: []string{"1"}},
		{Option: "link-speed", Values: []string{"..EDR"}},
		{Option: "link-width", Values: []string{"1x,4x"}},
		{Option: "prefix-routes", Values: []string{"/etc/routes"}},
	}
	files, notes := (&Export{Config: &configfile.File{Name: "sm.yaml", Settings: settings}}).Files("/etc/weft/opensm")
	if len(notes) > 0 {
		t.Errorf("%+v", notes)
	}
	text := files[len(files)-1]
	r, err := Import(&Input{Config: &text, Open: opener(map[string]string{"/etc/routes": "* *\n"})})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range r.Settings {
		got[s.Option] = strings.Join(s.Values, ",")
	}
	for _, s := range settings {
		if got[s.Option] != s.Values[0] {
			t.Errorf("%s is %q, was %q\n%s", s.Option, got[s.Option], s.Values[0], text.Data)
		}
	}
	for _, c := range []string{"all", "EDR", "SDR", "..NDR", "DDR,FDR"} {
		speeds, err := tuning.ParseSpeeds(c)
		if base, ext := speeds.Masks(); err != nil || c != "all" && tuning.SpeedsOf(base, ext) != speeds {
			t.Errorf("%s: %d, %d, %v", c, base, ext, err)
		}
	}
}
