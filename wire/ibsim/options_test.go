package ibsim

import "testing"

// What the text says comes before what the environment says.
func TestParseOptions(t *testing.T) {
	env := map[string]string{"IBSIM_SOCKNAME": "lab", "SIM_HOST": "me", "IBSIM_SERVER_PORT": "7"}
	remote := map[string]string{"IBSIM_SERVER_NAME": "far", "IBSIM_SOCKNAME": "lab"}
	for _, c := range []struct {
		text string
		env  map[string]string
		want Options
	}{
		{"", nil, Options{}},
		{"", env, Options{Base: "lab", Node: "me", Port: 7}},
		{"x", env, Options{Base: "x", Node: "me", Port: 7}},
		{"x@A", env, Options{Base: "x", Node: "A", Port: 7}},
		{"@A", remote, Options{Base: "lab", Server: "far", Node: "A"}},
		{"x", remote, Options{Base: "x"}},
		{"udp:h", env, Options{Base: "lab", Server: "h", Node: "me"}},
		{"udp:h:9@A", env, Options{Base: "lab", Server: "h", Port: 9, Node: "A"}},
	} {
		got, err := ParseOptions(c.text, func(name string) string { return c.env[name] })
		if err != nil || got != c.want {
			t.Errorf("%q: %+v (%v), want %+v", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"udp:", "udp::9", "udp:h:0", "udp:h:65536", "udp:h:x"} {
		if _, err := ParseOptions(text, func(string) string { return "" }); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
