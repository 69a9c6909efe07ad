package gen

import (
	"slices"
	"strings"
	"testing"

	"weft/fabric"
)

// TestExamples: every line of the catalogue parses, and says everything.
func TestExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range append(Catalogue(), Suffixes()...) {
		expr := e.Example
		if strings.HasPrefix(expr, "|") {
			expr = "fat648" + expr
		}
		f := parse(t, expr)
		if f.Name != expr {
			t.Errorf("%s: the fabric is called %q", expr, f.Name)
		}
		if e.Name == "" || e.What == "" || e.Source == "" || (e.Args != "" && e.Args[0] != '(') || seen[e.Name] {
			t.Errorf("%+v", e)
		}
		if !IsFormula(expr) {
			t.Errorf("%s is no formula", expr)
		}
		seen[e.Name] = true
	}
	for name := range strings.FieldsSeq(`rlft xgft pgft karytree butterfly mport torus mesh hypercube kautz dragonfly hyperx slimfly
		fullmesh random irregular regular fat648 racks648 fat3456 juropa juropa3288 ranger deimos deimos-chain15
		deimos-chain30 odin chic tsubame now-c now-ca now-cab renaming-fig1 racks432 racks216 over384 dual4608 superpod127 superpod512 railgroups512 rsc
		vftree-fig3 vftree-fig4a vftree-fig4b sftree-fig4a sftree-fig4b mftree-fig2 fail without hosts ports
		dragonflyplus rail merge tree drain add move radix planes plane`) {
		if !seen[name] {
			t.Errorf("%s is not in the catalogue", name)
		}
	}
}

// TestSame: ways to write one fabric.
func TestSame(t *testing.T) {
	for _, c := range [][2]string{
		{"torus(4x3,hosts=2)", " torus( sizes=4x3 , hosts = 2 ) "},
		{"torus(4x3,2,1)", "torus(4x3,width=1,hosts=2)"},
		{"random()", "random(switches=128,hosts=16,links=200,seed=1)"},
		{"random", "random(128,16,200,1,degree=16)"},
		{"xgft(2;6,6;3,3;hosts=64)", "xgft(2;6,6;3,3;64)"},
		{"xgft(2;6,6;3,3;hosts=64)", "xgft(h=2;m=6,6;w=3,3;hosts=64)"},
		{"xgft(2;6,6;3,3;hosts=64)", "xgft(hosts=64;2;6,6;3,3)"},
		{"fat648", "rlft(36,2)"},
		{"mport(8,3)", "rlft(8,3)"},
		{"fullmesh(5)", "hyperx(5)"},
		{"karytree(3,3)", "xgft(2;3,3;3,3)"},
		{"dragonfly(4,2,2)", "dragonfly(4,2,2,groups=9,hosts=72)"},
		{"dragonflyplus(3,2,1,2)", "dragonflyplus(3,2,1,2,groups=5,hosts=15)"},
		{"dragonflyplus(3,2,4,1,groups=1)", "xgft(1;3;2;hosts=12)"},
		{"tree(36,648)", "rlft(36,2)"},
		{"tree(8,hosts=24,ratio=3)", "pgft(2;6,4;1,1;1,2)"},
		{"superpod512", "rail(8,32,16,spines=16,width=2,cores=4,up=8)"},
		{"railgroups512", "rail(8,32,16,spines=4,width=8,groups=4,cores=16,up=2)|plane(pgft(2;20,37;1,20;1,1),name=storage)"},
		{"rsc", "rail(8,20,100,spines=20,groups=5,cores=20)|plane(pgft(3;30,20,4;1,10,2;1,1,10;hosts=2200),name=storage)"},
		{"rail(2,3,4,spines=2,cores=1,groups=1)", "rail(2,3,4,spines=2,cores=1,hosts=12)"},
		{"rail(1,4,3)", "xgft(1;3;4;hosts=12)"},
	} {
		a, b := parse(t, c[0]).Compile(), parse(t, c[1]).Compile()
		if !slices.Equal(a.From, b.From) || !slices.Equal(a.To, b.To) || !slices.Equal(a.ToPort, b.ToPort) || !slices.Equal(a.EndSwitch, b.EndSwitch) {
			t.Errorf("%s and %s differ", c[0], c[1])
		}
	}
}

// TestErrors: every refusal says where and why.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{"", `at 1: no formula or system is called "" (accepted: rlft tree`},
		{"toru(4x4)", `gen: "toru(4x4)" at 1: no formula or system is called "toru": did you mean torus?`},
		{"Torus(4x4)", "did you mean torus?"},
		{"fat648|fale(links=1)", `no suffix is called "fale": did you mean fail?`},
		{"torus(4,4)", "at 9: torus(4,4) could mean two things: write torus(4x4), or torus(4,hosts=4)"},
		{"hyperx(8, 9,1)", "write hyperx(8x9), or hyperx(8,hosts=9)"},
		{"torus(4x4", "at 10: a parenthesis is not closed"},
		{"torus)4x4", "at 6: a closing parenthesis"},
		{"torus(4x4)5", "at 11: text after the closing parenthesis"},
		{"torus", "at 1: torus needs sizes (accepted: torus(sizes=AxBx..,hosts=1,width=1))"},
		{"torus()", "needs sizes"},
		{"torus(4x0)", "at 7: sizes=0: want a whole number from 1"},
		{"torus(4xy)", "sizes=y: want"},
		{"torus(4x-3)", "sizes=-3: want"},
		{"torus(4x+3)", "sizes=+3: want"},
		{"torus(4x4,hots=2)", `at 11: torus has no argument "hots": did you mean hosts? (accepted: torus(`},
		{"torus(4x4,hosts=2,hosts=3)", "at 25: hosts is given twice"},
		{"torus(4x4,hosts=)", "hosts has no value"},
		{"torus(4x4,1,1,1)", "at 15: too many arguments"},
		{"torus(4x4;1)", "at 10: torus takes no ';'"},
		{"torus(4x4,hosts=251)", "a switch would have 255 ports (at most 254)"},
		{"torus(1000x1000)", "too many to build"},
		{"torus(200000x200000x200000x200000)", "too many to build"},
		{"torus(2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2)", "more than 24 numbers"},
		{"torus(99999999999999999999x2)", "want a whole number"},
		{"hypercube(24)", "too many to build"},
		{"mesh(100000,hosts=253)", "255 ports"},
		{"rlft(7,2)", "radix 7 is odd"},
		{"rlft(0,2)", "radix=0: want a whole number from 1 to 254"},
		{"rlft(36,0)", "levels=0"},
		{"rlft(254,24)", "too many to build"},
		{"rlft(36,2,hosts=649)", "at most 648 hosts fit"},
		{"rlft(128,3)", "524288 hosts are too many to build"},
		{"tree(36,2000,ratio=0.5)", "at 20: ratio=0.5: want a number from 1 to 254"},
		{"tree(36,2000,ratio=NaN)", "want a number from 1"},
		{"tree(24,5000)", "hosts=5000: three levels of switches of 24 ports hold fewer"},
		{"xgft(2;6;3,3)", "wants 2 numbers m and 2 numbers w, not 1 and 2"},
		{"xgft(3)", "needs m"},
		{"pgft(1;300;1;1)", "300 ports (at most 254)"},
		{"pgft(1;2;254;254)", "64516 ports (at most 254)"},
		{"kautz(200,1)", "401 ports"},
		{"kautz(3,24)", "too many to build"},
		{"dragonfly(200,1,50)", "too many to build"},
		{"slimfly(9)", "q=9: want an odd prime"},
		{"slimfly(4)", "want an odd prime"},
		{"random(switches=10,links=8)", "8 links cannot connect 10 switches"},
		{"random(switches=10,links=46)", "46 links do not fit"},
		{"butterfly(2,2,hosts=9)", "9 hosts do not fit: both sides together hold 8"},
		{"random(switches=10,links=11,degree=2)", "11 links do not fit"},
		{"random(seed=-1)", "seed=-1: want a whole number of 64 bits"},
		{"irregular(switches=9,degree=3)", "the product is odd"},
		{"irregular(switches=8,degree=8)", "needs more than 8 switches"},
		{"irregular(switches=200000,degree=4)", "hardly ever connected"},
		{"irregular(switches=2,degree=1,hosts=9000)", "ports (at most 254)"},
		{"regular(switches=9,degree=3)", "the product is odd"},
		{"regular(switches=9,degree=1)", "the product is odd"},
		{"regular(switches=10,degree=1)", "cannot connect"},
		{"regular(switches=8,degree=8)", "needs more than 8 switches"},
		{"fat648(hosts=649)", "hosts=649: there is room for 648"},
		{"juropa3288(hosts=3289)", "room for 3288"},
		{"deimos(hosts=805)", "room for 804"},
		{"now-c(1)", "too many arguments (accepted: now-c)"},

		{"fat648|", `at 8: no suffix is called "" (accepted: fail drain add move radix without later servers hosts ports merge planes plane aggregation)`},
		{"fat648|frail(links=1)", `at 8: no suffix is called "frail"`},
		{"fat648|fail", "at 8: fail takes one of links, share, switches, switch"},
		{"fat648|fail(links=1,switches=1)", "takes one of"},
		{"fat648|fail(share=0.1,switches=1)", "takes one of share, switches, switch"},
		{"fat648|fail(links=649)", "at 19: links=649: 648 switch-to-switch links are up"},
		{"fat648|fail(links=up)", "links=up: want a number from 1"},
		{"fat648|fail(links=0)", "links=0: want a number from 1"},
		{"fat648|fail(share=1.5)", "share=1.5: want a fraction"},
		{"fat648|fail(share=NaN)", "want a fraction"},
		{"fat648|fail(share=0.1,links=3)", "links=3: with share= want links=up"},
		{"torus(4x4)|fail(share=0.1,links=up)", "no link between switches of different levels is up"},
		{"rlft(4,1)|fail(share=0.1)", "no link between switches is up"},
		{"fat648|fail(switches=55)", "54 switches are up"},
		{"fat648|fail(switch=spine 18)", `no switch is called "spine 18": did you mean "spine 1`},
		{"fat648|fail(switch=host 1)", "is a CA, not a switch"},
		{"fat648|fail(switch=\"spine 1)", "at 20: a quote is not closed"},
		{"fat648|without", "takes one of hosts, servers, roots"},
		{"fat648|without(roots=19)", "roots=19: there are 18"},
		{"torus(4x4)|without(roots=1)", "there are no roots"},
		{"fat648|without(hosts=648)", "there are 648 hosts, numbered from 0"},
		{"fat648|without(hosts=5-3)", "numbered from 0"},
		{"fat648|without(hosts=leaf 1)", "is a switch, not a host"},
		{"fat648|without(hosts=nobody)", `no host is called "nobody"; want`},
		{"fat648|hosts(even=19,odd=1)", "has no free port"},
		{"fat648|hosts(even=19)", "hosts needs odd"},
		{"torus(4x4)|hosts(1,1)", "needs a tree"},
		{"rail(4,6,2)|plane(rlft(8,2))|hosts(1,1)", `"host 4" (0x0200004800000500) share "pod 0 rail 0" (0x0200005300000001), but not all of their leaves`},
		{"rlft(8,2)|ports(2)|plane(rlft(6,2))|hosts(1,1)", "put |plane and |ports after |hosts"},
		{"rail(4,6,2)|hosts(1,7)", "has no free port for another host"},
		{"fat648|without(servers=648)", "at 24: servers=648: there are 648 servers, numbered from 0"},
		{"fat648|without(servers=spine 1)", "want a server's name, number or range of numbers"},
		{"fat648|fail(servers=649)", "at 21: servers=649: 648 servers are up"},
		{"fat648|fail(server=nobody)", `no server is called "nobody"`},
		{"fat648|fail(servers=2,links=1)", "takes one of links, share, switches, switch, link, host, server, servers"},
		{"tree(8,20)|servers(21)", "21: 20 hosts are left to make servers of"},
		{"tree(8,20)|servers(4,9x2)", "9x2: 16 hosts are left"},
		{"tree(8,20)|servers(2x)", "2x: want NUMBER or NUMBERxPORTS, up to 254 ports"},
		{"tree(8,20)|servers(0x2)", "want NUMBER or NUMBERxPORTS"},
		{"rail(2,4,2)|servers(2x2)", "are made of hosts with one cable"},
		{"tree(8,20)|later(from=20)", "hosts 20 to 19: there are 20 hosts, numbered from 0"},
		{"tree(8,20)|later(from=9,to=4)", "hosts 9 to 4"},
		{"tree(8,100,first=120)", "hosts=100: three levels"},
		{"fat648|drain(servers=649)", "servers=649: 648 servers are up"},
		{"rail(8,32,4,spines=16,groups=2)", "groups=2: without cores= they are not connected"},
		{"rail(8,32,4,spines=16,groups=3,cores=1)", "groups=3: pods=4 is no multiple of it"},
		{"rail(8,32,4,spines=0)", "pods=4: without spines they are not connected"},
		{"rail(8,32,1,spines=0,cores=2)", "cores=2: there are no spines to join"},
		{"rail(8,32,4,hosts=129)", "hosts=129: pods=4 with servers=32 have room for 128"},
		{"rail(8,200,4,spines=60)", "servers=200, spines=60, width=1: a rail switch would have 260 ports (at most 254)"},
		{"rail(8,32,40,spines=16)", "pods=40, width=1, cores=0, up=1: a spine would have 320 ports (at most 254)"},
		{"rail(8,32,4,spines=16,groups=4,cores=2,up=8)", "k=8, groups=4, up=8: a core would have 256 ports (at most 254)"},
		{"rail(254,200,253,spines=1,cores=1)", "too many to build"},
		{"rlft(8,2)|planes(1)", "at 18: n=1: want a whole number from 2 to 254"},
		{"rlft(8,2)|planes(254)|planes(2)", `at 23: n=2: "host 0" (0x0200004800000100) would have 508 ports (at most 254)`},
		{"rlft(64,3,hosts=100)|planes(60)", "at 22: n=60: 307200 switches and 100 hosts are too many to build"},
		{"rlft(8,2)|plane", "at 11: plane needs network"},
		{"rlft(8,2)|plane(torus(4,4))", `at 17: "torus(4,4)" at 9: torus(4,4) could mean two things`},
		{"rlft(8,2)|plane(rlft(8,2)|plane (rlft(8,2)))", "at 17: the fabric of plane cannot have a suffix plane of its own"},
		{"rlft(8,2)|merge(rlft(8,2)| merge (rlft(8,2)))", "at 17: the fabric of merge cannot have a suffix merge of its own"},
		{"rlft(8,2)|merge(rlft(8,2)|plane(rlft(8,2)))", "at 17: the fabric of merge cannot have a suffix plane of its own"},
		{"rlft(8,2)|plane(rlft(8,2),name=leaf)", `at 32: name=leaf: a node is called "leaf 0" already: give the plane another name`},
		{"fat648|merge(rlft(254,2,hosts=0))", "would have"},
		{"fat648|ports(3)", "n=3: want a whole number from 2 to 2"},
		{"odin" + strings.Repeat("|fail(links=1)", 65), "more than 64 suffixes"},
		{"fat648|hosts(3,2)|ports(2)|fail(x=1)", `fail has no argument "x"`},
		{"fat648|hosts(3,2)|ports(2)|ports(2)", "at 28: all hosts have several cables already"},
		{"rail(4,6)|ports(2)", "at 11: all hosts have several cables already"},
		{"torus(3x3)|ports(2)", "1 hosts are left without a partner"},
		{"fat648|without(hosts=18-647)|ports(2)", "18 hosts are left without a partner"},
	} {
		_, err := Parse(c.expr)
		switch {
		case err == nil:
			t.Errorf("%q: no error, want %q", c.expr, c.want)
		case !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "gen: "):
			t.Errorf("%q: %v, want %q", c.expr, err, c.want)
		}
	}
	if _, err := Parse(strings.Repeat("x", maxExpr+1)); err == nil {
		t.Error("no error for an endless expression")
	}
	f := parse(t, "fat648")
	for suffix, want := range map[string]string{
		"fail(links=9999)":       "at 12: links=9999",
		"fail(links=1":           "at 13: a parenthesis is not closed",
		"fail(links=1)|ports(2)": "at 14: a second suffix",
	} {
		if _, err := Apply(f, suffix); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", suffix, err, want)
		}
	}
}

func TestIsFormula(t *testing.T) {
	for s, want := range map[string]bool{
		"fat648": true, " fat648 ": true, "fat648|fail(links=1)": true, "torus(": true, "torus (4x4)": true,
		"fat648.txt": false, "./fat648": false, "fabric.ibnet|fail(links=1)": false, "-": false, "": false, "fail(links=1)": false,
	} {
		if got := IsFormula(s); got != want {
			t.Errorf("IsFormula(%q) is %t", s, got)
		}
	}
}

func TestNearest(t *testing.T) {
	for s, want := range map[string]string{
		"rlf(36,2)": "rlft(36,2)", "Torus (4x4)|fail(links=1)": "torus(4x4)|fail(links=1)", "fat684": "fat648",
		"Dragonfly+(4,4,4,4)": "dragonflyplus(4,4,4,4)", "k-ary n-tree(4,3)": "karytree(4,3)", "ring(8)": "torus(8)", "full-mesh(4)": "fullmesh(4)",
		"fat-tree(36,2)":       "tree(radix,hosts,ratio=1,pods=R,first=0) or rlft(radix,levels,hosts=full)",
		"fabric.ibnetdiscover": "", "-": "", "": "", "nowhere/tree.net(2)": "",
	} {
		if got := Nearest(s); got != want {
			t.Errorf("Nearest(%q) is %q, want %q", s, got, want)
		}
	}
}

// Names that people use are no formulas, and lead to some.
func TestOtherNames(t *testing.T) {
	for name, meant := range otherNames {
		if IsFormula(name) || len(meant) == 0 {
			t.Errorf("%s is a formula", name)
		}
		for _, m := range meant {
			if lookup(formulas, m) == nil {
				t.Errorf("%s: %s is no formula", name, m)
			}
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		arg, base string
		suffixes  []string
	}{
		{"a.ibnet", "a.ibnet", nil},
		{"a.ibnet|fail(links=1)| ports(2) ", "a.ibnet", []string{"fail(links=1)", "ports(2)"}},
		{`-|fail(switch="a|b")|fail(switch=c (|))`, "-", []string{`fail(switch="a|b")`, "fail(switch=c (|))"}},
		{"odd)name|fail(links=1)", "odd)name|fail(links=1)", nil},
	} {
		base, suffixes := Split(c.arg)
		if base != c.base || !slices.Equal(suffixes, c.suffixes) {
			t.Errorf("Split(%q) is %q, %q", c.arg, base, suffixes)
		}
	}
}

// FuzzParse: no panic, and nothing beyond the limits is built.
func FuzzParse(f *testing.F) {
	for _, e := range Catalogue() {
		f.Add(e.Example)
	}
	for _, s := range Suffixes() {
		f.Add("rlft(8,2)" + s.Example)
	}
	f.Add(`mesh(3x3)|fail(switch=switch (1,2))|fail(switch="switch (0,0)")`)
	f.Add("xgft(hosts=64;2;6,6;3,3)")
	f.Add("torus(200000x200000x200000)")
	f.Fuzz(func(t *testing.T, expr string) {
		fab, err := Parse(expr)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "gen: ") {
				t.Errorf("%q: %v", expr, err)
			}
			return
		}
		if !IsFormula(expr) {
			t.Errorf("%q parses and is no formula", expr)
		}
		if len(fab.Nodes) > fabric.MaxNodes || len(fab.Links) > fabric.MaxLinks {
			t.Errorf("%q: %d nodes, %d links", expr, len(fab.Nodes), len(fab.Links))
		}
		if base, _ := Split(expr); !IsFormula(base) {
			t.Errorf("Split(%q) gives %q", expr, base)
		}
	})
}
