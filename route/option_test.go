package route

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/route/routetest"
)

func optionSpec() *Spec {
	return &Spec{Name: "toy", Options: []Option{
		{Name: "weight", Default: 4, Min: 1, Max: 9},
		{Name: "strict", Default: false},
		{Name: "order", Default: "guid", OneOf: []string{"guid", "random"}},
		{Name: "label", Default: ""},
		{Name: "roots", Default: []string(nil)},
	}}
}

func TestParseOptions(t *testing.T) {
	for _, c := range []struct {
		text map[string]string
		want Options
	}{
		{nil, Options{"weight": 4, "strict": false, "order": "guid", "label": "", "roots": []string(nil)}},
		{
			map[string]string{"weight": "9", "strict": "true", "order": "random", "label": "a;b", "roots": "x;y z"},
			Options{"weight": 9, "strict": true, "order": "random", "label": "a;b", "roots": []string{"x", "y z"}},
		},
		{
			map[string]string{"weight": "1", "roots": ""},
			Options{"weight": 1, "strict": false, "order": "guid", "label": "", "roots": []string(nil)},
		},
	} {
		got, err := optionSpec().Parse(c.text)
		if err != nil {
			t.Errorf("%v: %v", c.text, err)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.text, diff)
		}
	}
	o := routetest.Must(optionSpec().Parse(map[string]string{"strict": "1", "roots": "a"}))(t)
	if o.Int("weight") != 4 || !o.Bool("strict") || o.String("order") != "guid" || len(o.List("roots")) != 1 {
		t.Errorf("values %v", o)
	}
}

func TestParseOptionsRefuses(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"weight", "x", `route: option weight of engine toy: "x" is not a whole number`},
		{"weight", "", `"" is not a whole number`},
		{"weight", "0", "0 is out of range (1 to 9)"},
		{"weight", "10", "10 is out of range (1 to 9)"},
		{"weight", "99999999999999999999", "is not a whole number"},
		{"strict", "maybe", `"maybe" is neither true nor false`},
		{"order", "size", `"size" is unknown (one of: guid, random)`},
		{"wieght", "1", `route: engine toy has no option "wieght" (it has: weight, strict, order, label, roots)`},
	} {
		if _, err := optionSpec().Parse(map[string]string{c.name: c.value}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%q: %v, want %q", c.name, c.value, err, c.want)
		}
	}
	// Of several wrong options the first by name is told, every time.
	for range 20 {
		_, err := (&Spec{Name: "bare"}).Parse(map[string]string{"b": "", "a": "", "c": ""})
		if err == nil || err.Error() != `route: engine bare has no option "a" (it has: none)` {
			t.Fatal(err)
		}
	}
}

// TestNamedSwitches: a switch that an option names is there, and one, or it is an error
// and no Refusal, which would let another engine route without it.
func TestNamedSwitches(t *testing.T) {
	g := &fabric.Graph{
		NumSwitches: 4, SwitchGUID: []fabric.GUID{0x10, 0x20, 0x30, 0x40}, SwitchDesc: []string{"spine", "leaf", "leaf", "0x10"},
	}
	got, err := NamedSwitches(g, "toy", "roots", []string{"S-0000000000000030", " spine ", "0x20", "0x10"})
	if err != nil || !slices.Equal(got, []int32{2, 0, 1, 0}) {
		t.Error(got, err)
	}
	g.SwitchDesc[1], g.SwitchDesc[2] = "MF0;A10-P1:MQM9701/U1", "MF0;A10-P2:MQM9701/U1"
	roots, err := optionSpec().Parse(map[string]string{"roots": `MF0;A10-P1:MQM9701/U1;"MF0;A10-P2:MQM9701/U1";p2`})
	if err != nil {
		t.Fatal(err)
	}
	if got, err = NamedSwitches(g, "toy", "roots", roots.List("roots")); err != nil || !slices.Equal(got, []int32{1, 2, 2}) {
		t.Error(got, err)
	}
	g.SwitchDesc[1], g.SwitchDesc[2] = "leaf", "leaf"
	for name, want := range map[string]string{
		"typo": `route: option roots of engine toy: no switch that is up is called "typo"`,
		"0x50": `no switch that is up is called "0x50"`,
		"":     `option roots of engine toy: no name is given: want that of a switch that is up`,
		"leaf": `option roots of engine toy: "leaf" could be any of 2: "leaf" (0x0000000000000020), "leaf" (0x0000000000000030)`,
	} {
		_, err := NamedSwitches(g, "toy", "roots", []string{"spine", name})
		_, refused := errors.AsType[*Refusal](err)
		if err == nil || !strings.Contains(err.Error(), want) || refused {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}
