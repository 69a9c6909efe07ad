package tuning

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/wire/mad"
)

// TestRates: speeds and widths read back as they are written; what is neither is refused.
func TestRates(t *testing.T) {
	for text, want := range map[string]string{
		"all": "all", "EDR": "EDR", "edr": "EDR", "..EDR": "..EDR", "SDR,DDR,QDR": "..QDR", "QDR, EDR": "QDR,EDR", "SDR": "SDR", "..SDR": "SDR", "NDR,FDR": "FDR,NDR", "DDR": "..DDR",
	} {
		s, err := ParseSpeeds(text)
		if again, wrong := ParseSpeeds(s.String()); err != nil || wrong != nil || again != s || s.String() != want {
			t.Errorf("%s is %s, want %s: %v, %v", text, s, want, err, wrong)
		}
	}
	for text, want := range map[string]string{"all": "all", "4x": "4x", "..4x": "1x,2x,4x", "12X,1x": "1x,12x", "2": "2x"} {
		w, err := ParseWidths(text)
		if again, wrong := ParseWidths(w.String()); err != nil || wrong != nil || again != w || w.String() != want {
			t.Errorf("%s is %s, want %s: %v, %v", text, w, want, err, wrong)
		}
	}
	for _, text := range []string{"", "EDR..", "XDR", "FDR10", "..", "EDR,,QDR", "fast", "..XDR", "4"} {
		if s, err := ParseSpeeds(text); err == nil {
			t.Errorf("speed %q is %s", text, s)
		}
	}
	for _, text := range []string{"", "3x", "x", "..", "4x,", "300x", "EDR"} {
		if w, err := ParseWidths(text); err == nil {
			t.Errorf("width %q is %s", text, w)
		}
	}
}

// port returns a PortInfo of a port that supports some speeds and widths and runs at the best.
func port(base, ext, width uint64) []byte {
	info := make([]byte, 64)
	for f, v := range map[mad.Field]uint64{
		mad.PortInfoSpeedSupported: base, mad.PortInfoSpeedEnabled: base, mad.PortInfoSpeedActive: highest(base), mad.PortInfoSpeedExtSupported: ext, mad.PortInfoSpeedExtEnabled: ext,
		mad.PortInfoSpeedExtActive: highest(ext), mad.PortInfoWidthSupported: width, mad.PortInfoWidthEnabled: width, mad.PortInfoWidthActive: 2,
	} {
		f.Put(info, v)
	}
	return info
}

// TestEnabled: what ports of several generations are told.
func TestEnabled(t *testing.T) {
	hdr, qdr := port(7, 7, 3), port(7, 0, 3)
	for _, c := range []struct {
		info           []byte
		speed, width   string
		want           Enabled
		ok             bool
		allows, trains bool // the present link; it must train again
	}{
		{hdr, "..EDR", "", Enabled{7, 3, 3}, true, false, true},
		{hdr, "EDR", "4x", Enabled{1, 2, 2}, true, false, true},
		{hdr, "all", "all", Enabled{7, 7, 3}, true, true, false},
		{hdr, "..NDR", "..4x", Enabled{7, 7, 3}, true, true, false},
		{hdr, "QDR", "", Enabled{5, 0, 3}, true, false, true},
		{hdr, "SDR", "1x", Enabled{1, 0, 1}, true, false, true},
		{qdr, "..HDR", "", Enabled{7, 0, 3}, true, true, false},
		{qdr, "EDR", "", Enabled{1, 0, 3}, false, false, false},
		{qdr, "DDR", "", Enabled{3, 0, 3}, true, false, true},
		{qdr, "", "12x", Enabled{7, 0, 0}, false, false, false},
	} {
		var r Rates
		if c.speed != "" {
			r.Speeds, _ = ParseSpeeds(c.speed)
		}
		if c.width != "" {
			r.Widths, _ = ParseWidths(c.width)
		}
		e, ok := r.At(c.info)
		if e != c.want || ok != c.ok || ok && (e.Allows(c.info) != c.allows || Best(c.info, e, EnabledAt(c.info)) == c.trains) {
			t.Errorf("%v: %+v, %t; allows %t, best %t", r, e, ok, e.Allows(c.info), Best(c.info, e, EnabledAt(c.info)))
		}
		data := slices.Clone(c.info)
		if e.Put(data); ok && c.want.Ext == 0 && mad.PortInfoSpeedExtSupported.Get(c.info) != 0 && mad.PortInfoSpeedExtEnabled.Get(data) != 30 {
			t.Errorf("%v: extended speeds are not forbidden: %d", r, mad.PortInfoSpeedExtEnabled.Get(data))
		}
	}
	mad.PortInfoSpeedExt2Support.Put(hdr, 1)
	if _, ok := (&Rates{Speeds: AllSpeeds}).At(hdr); ok {
		t.Error("a port of XDR is told something")
	}
}

// TestReadRules: rules of files, and their mistakes with their lines.
func TestReadRules(t *testing.T) {
	rules, err := ReadRules("rules", []byte("# caps\n*: speed=..HDR\n\nspine *: speed=..EDR width=4x\n\"leaf 3\"[20]: width=1x\n0x10[2]: speed=all\nhost:1: speed=QDR\n"))
	if err != nil || len(rules) != 5 {
		t.Fatalf("%+v, %v", rules, err)
	}
	spine, leaf, other := End{GUID: 0x20, Name: "spine 1", Port: 3}, End{GUID: 0x30, Name: "leaf 3", Port: 20}, End{GUID: 0x10, Name: "leaf 4", Port: 2}
	host := End{Name: "host:1", Port: 1}
	for _, c := range []struct {
		a, b End
		want string
	}{
		{spine, leaf, "speed ..EDR and width 1x"},
		{leaf, spine, "speed ..EDR and width 1x"},
		{spine, End{Name: "leaf 3", Port: 2}, "speed ..EDR and width 4x"},
		{other, leaf, "speed all and width 1x"},
		{End{GUID: 0x10, Port: 1}, host, "speed QDR"},
		{End{}, End{}, "speed ..HDR"},
	} {
		if got := rules.Of(&c.a, &c.b).String(); got != c.want {
			t.Errorf("%+v - %+v: %s, want %s", c.a, c.b, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"leaf 3 speed=EDR": "rules:1: want PLACE: speed=", "\nleaf 3: speed=fast": "rules:2: \"fast\": want all", "leaf: width=5x": "want all, 1x", "a: rate=4": "\"rate=4\": want speed=SPEEDS",
		"a: speed=EDR speed=HDR": "each at most once", "a:": "neither speed= nor width=", ": speed=EDR": "want a node's GUID", "[a: speed=EDR": "a pattern of names", "a[0]: speed=EDR": "ports are 1 to 254",
		"a[300]: speed=EDR": "ports are 1 to 254", "0xzz: speed=EDR": "GUID",
	} {
		if rules, err := ReadRules("rules", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %s", text, rules, err, want)
		}
	}
}

// TestExtDisabled: a port that returns the value that forbids extended speeds has taken it.
func TestExtDisabled(t *testing.T) {
	var info [64]byte
	mad.PortInfoSpeedExtSupported.Put(info[:], 7)
	want := Enabled{Base: 7, Width: 3}
	if want.Put(info[:]); EnabledAt(info[:]) != want {
		t.Errorf("%+v, want %+v", EnabledAt(info[:]), want)
	}
}

// TestIndex: the index says what the rules say, one after the other.
func TestIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 1))
	nodes := []string{"*", "leaf *", "leaf 1", "leaf 2", "spine ?", "0x0000000000000001", "0x2", "x"}
	for range 2000 {
		var rules Rules
		for range rng.IntN(6) {
			rules = append(rules, Rule{nodes[rng.IntN(len(nodes))], uint8(rng.IntN(3)), Rates{Speeds(rng.IntN(4)), Widths(rng.IntN(4))}})
		}
		x := rules.Index()
		end := func() *End {
			return &End{fabric.GUID(rng.IntN(3)), []string{"leaf 1", "leaf 2", "spine 1", "x", ""}[rng.IntN(5)], uint8(rng.IntN(3))}
		}
		if a, b := end(), end(); x.Of(a, b) != rules.Of(a, b) {
			t.Fatalf("%+v: %+v - %+v: %v, want %v", rules, a, b, x.Of(a, b), rules.Of(a, b))
		}
	}
}

// TestTimes: a Plan's ports get the site's times, those to hosts their own; the Plan of before
// stays.
func TestTimes(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	usual := route.UsualPorts(g)
	before := fmt.Sprintf("%+v", usual)
	s := &Settings{Times: &Times{Subnet: 20, PacketLife: 19, Head: 17, HostHead: 15, Stall: 3, HostStall: 2}}
	ports := s.Ports(g, usual)
	for sw := range int32(g.NumSwitches) {
		for port := uint8(1); int32(port) <= g.SwitchPorts[sw]; port++ {
			c, host := g.At(sw, port)
			want := route.PortParams{HOQLife: 17, StallCount: 3}
			if host >= 0 {
				want = route.PortParams{HOQLife: 15, StallCount: 2}
			}
			if got := *ports.OfSwitch(g, sw, port); (c >= 0 || host >= 0) && got != want {
				t.Errorf("switch %d, port %d: %+v, want %+v", sw, port, got, want)
			}
		}
	}
	if ports.PacketLife != 19 || s.Timeout() != 20 || fmt.Sprintf("%+v", usual) != before {
		t.Errorf("packets live %d; the Plan of before has changed: %t", ports.PacketLife, fmt.Sprintf("%+v", usual) != before)
	}
	if (*Settings)(nil).Ports(g, usual) != usual || (&Settings{}).Timeout() != 18 || s.Ports(g, nil) != nil {
		t.Error("usual times change a Plan")
	}
	for _, name := range TimeOptions {
		for v, ok := range map[uint8]bool{0: !strings.HasSuffix(name, "stall-count"), 7: true, 8: !strings.HasSuffix(name, "stall-count"), 31: !strings.HasSuffix(name, "stall-count"), 32: false} {
			times := UsualTimes
			if *times.Named()[name] = v; (times.Check() == nil) != ok {
				t.Errorf("%s %d: %v", name, v, times.Check())
			}
		}
	}
	if a, b := (&Settings{Times: &UsualTimes}), (*Settings)(nil); !a.Equal(b) || !b.Equal(a) || a.Equal(s) || (&Settings{Links: Rules{{Node: "*"}}}).Equal(b) {
		t.Error("usual times are not as none")
	}
}

// FuzzReadRules: any bytes give rules, or an error with a line; rules are sound.
func FuzzReadRules(f *testing.F) {
	for _, text := range []string{"*: speed=..EDR width=4x\n", "leaf 3[20]: speed=all", "a:b[1]: width=1x", "0x1: speed=QDR"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := ReadRules("f", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatal(err)
			}
			return
		}
		for i := range rules {
			if r := &rules[i]; r.Node == "" || r.Rates == (Rates{}) {
				t.Errorf("%+v", r)
			}
		}
		e := &End{Name: "leaf 3", Port: 20}
		if x := rules.Index(); !reflect.DeepEqual(x.Of(e, e), rules.Of(e, e)) {
			t.Errorf("%v, want %v", x.Of(e, e), rules.Of(e, e))
		}
	})
}
