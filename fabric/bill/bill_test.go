package bill

import (
	"reflect"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		formula string
		radix   int
		want    Bill
	}{
		{"rlft(36,2)", 0, Bill{Hosts: 648, Servers: 648, HostPorts: 648, Switches: 54, ByPorts: map[int]int{36: 54}, Between: 648, Below: 648}},
		{"rlft(36,2)|aggregation()|fail(links=5,seed=1)", 0, Bill{Hosts: 648, Servers: 648, HostPorts: 648, Switches: 54, ByPorts: map[int]int{36: 54}, Between: 648, Below: 648}},
		{"rlft(36,2,hosts=600)", 40, Bill{Hosts: 600, Servers: 600, HostPorts: 600, Switches: 54, ByPorts: map[int]int{40: 54}, Between: 648, Below: 600, Left: 54*40 - 2*648 - 600}},
		{"rail(2,3,2,spines=3)", 0, Bill{Hosts: 6, Servers: 6, HostPorts: 12, Switches: 7, ByPorts: map[int]int{6: 4, 4: 3}, Between: 12, Below: 12}},
		{"torus(3x3,hosts=2)", 0, Bill{Hosts: 18, Servers: 18, HostPorts: 18, Switches: 9, ByPorts: map[int]int{6: 9}, Between: 18, Below: 18}},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Of(f, c.radix)
		if err != nil {
			t.Errorf("%s: %v", c.formula, err)
			continue
		}
		if !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.formula, *got, c.want)
		}
		if _, err := Of(f, 3); err == nil || !strings.Contains(err.Error(), "ports, more than the 3 of the switches to be bought") {
			t.Errorf("%s on switches of 3 ports: %v", c.formula, err)
		}
	}
}

func TestPrices(t *testing.T) {
	p, err := ReadPrices("p", []byte("# a list\ncurrency EUR\nswitch 36 1000 # the small one\nswitch 64 2500\n\ncable between 10\ncable below 2.5\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := &Bill{ByPorts: map[int]int{36: 2, 40: 3}, Between: 7, Below: 4}
	if cost, err := p.Cost(b); err != nil || cost != 2*1000+3*2500+70+10 || p.Currency != "EUR" {
		t.Errorf("%g %s, %v", cost, p.Currency, err)
	}
	b.ByPorts[65] = 1
	if _, err := p.Cost(b); err == nil || !strings.Contains(err.Error(), "no switch of 65 ports or more") {
		t.Errorf("%v", err)
	}
}

func TestBadPrices(t *testing.T) {
	for text, want := range map[string]string{
		"":                                         "p:1: no switch has a price",
		"cable below 2\n":                          "p:1: no switch has a price",
		"switch 36 1000\nswitch 36 1\n":            "p:2: switch 36 is given twice",
		"switch 36 dear\n":                         "p:1: dear is no price",
		"switch 36 NaN\n":                          "p:1: NaN is no price",
		"switch 36 -1\n":                           "p:1: -1 is no price",
		"switch many 1\n":                          "p:1: switch many: want its number of ports",
		"\nswich 36 1000\n":                        `p:2: "swich 36 1000": want currency NAME, switch PORTS PRICE`,
		"switch 36 1\ncable 5 900\n":               `p:2: "cable 5 900": want`,
		"switch 36 1\ncable 0m 900\n":              "p:2: cable 0m: want its metres, 1m to 10000m",
		"switch 36 1\ncable longm 900\n":           "p:2: cable longm: want its metres",
		"switch 36 1\nrack 3\n":                    "p:2: rack 3: want units, 4 to 1000",
		"switch 36 1\nhost no\n":                   "p:2: host no: want units, 1 to 1000",
		"switch 36 1\nhost 2\n":                    "p:2: rack and host say how long cables are",
		"switch 36 1\ncable 3m 9\nhost 50\n":       "p:3: a host of 50 units does not fit into a rack of 42",
		"switch 36 1\ncable 3m 9\ncable below 1\n": "p:3: cables have prices by length, and others between and below",
		"switch 36 1\ncable 3m 9\ncable 3m 8\n":    "p:3: cable 3m is given twice",
		"switch 36 1\ncurrency EUR or so\n":        `p:2: "currency EUR or so": want`,
	} {
		if _, err := ReadPrices("p", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzReadPrices: a list is accepted and has a cost, or is refused with a line.
func FuzzReadPrices(f *testing.F) {
	f.Add([]byte("currency EUR\nswitch 36 12000\ncable between 900\ncable below 250 # each\n"))
	f.Add([]byte("switch 1 0\n\n#"))
	f.Add([]byte("switch 36 12000\ncable 3m 90\ncable 10000m 900\nrack 48\nhost 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadPrices("p", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p:") {
				t.Fatalf("%v names no line", err)
			}
			return
		}
		cost, err := p.Cost(&Bill{ByPorts: map[int]int{1: 1}, Between: 1, Below: 1})
		if err != nil || !(cost >= 0) {
			t.Fatalf("%g, %v", cost, err)
		}
		small := fabric.New("small")
		b := &Bill{}
		if p.Measure(b, small); b.Metres != nil && len(p.ByLength) == 0 {
			t.Fatal("measured without need")
		}
	})
}

func TestMoney(t *testing.T) {
	for want, v := range map[string]float64{"0": 0, "999": 999, "1,000": 1000, "12,345,679": 12345678.9} {
		if got := Money(v, ""); got != want {
			t.Errorf("%g: %s", v, got)
		}
	}
	if got := Money(1500, "EUR"); got != "1,500 EUR" {
		t.Error(got)
	}
}
