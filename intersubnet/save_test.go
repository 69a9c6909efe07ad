package intersubnet

import (
	"bytes"
	"reflect"
	"testing"

	"weft/fabric/subnets/subnetstest"
)

// What Save writes Load reads: the same gateways, routers and layers.
func TestSaveAndLoad(t *testing.T) {
	for _, method := range []Method{Baseline, ISSR, ISFR, Nearest, Auto} {
		n := subnetstest.Network(t, "subnets(3,pgft(2;2,2;1,2;1,1),shape=chain,routers=4)")
		r, _, err := Route(n, locals(t, n, "ftree"), &Request{Method: method, Down: []int32{1}})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Plan.Save(&b); err != nil {
			t.Fatal(err)
		}
		p, err := Load(&b, n, r.Plan.Local)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, r.Plan) {
			t.Errorf("%s: the Plan that is loaded differs", method)
		}
	}
}

func FuzzLoad(f *testing.F) {
	n := subnetstest.Network(f, "subnets(2,mesh(2x2))")
	r := oneLayer(f, n, &Request{Method: ISFR}, "updn")
	var b bytes.Buffer
	if err := r.Plan.Save(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(bytes.Replace(b.Bytes(), []byte(`"layers":1`), []byte(`"layers":99`), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Load(bytes.NewReader(data), n, r.Plan.Local)
		if err != nil {
			return
		}
		eachPair(n, func(from, to Address) { p.Path(from, to, nil) })
	})
}

// Few layers are enough: one more where packets leave the way up.
func TestLayers(t *testing.T) {
	for text, want := range map[string]int{
		"subnets(2,torus(3x3))":                   2,
		"subnets(5,torus(3x3))":                   2,
		"subnets(5,torus(3x3),shape=chain)":       2,
		"subnets(5,torus(3x3),shape=star)":        2,
		"subnets(rlft(4,2),torus(3x3),mesh(2x2))": 2,
		"subnets(1,torus(3x3),routers=1)":         1,
		"subnets(4,racks72,routers=18,cables=4)":  2,
		"subnets(4,irregular(switches=8,degree=4,hosts=16,seed=3),shape=chain,routers=3)": 2,
	} {
		n := subnetstest.Network(t, text)
		r, one, err := Route(n, locals(t, n, "updn"), &Request{Method: ISSR})
		if err != nil {
			t.Fatal(err)
		}
		if r == nil {
			r = one
		}
		if r.Plan.Layers != want || r.VLs != want {
			t.Errorf("%s: %d layers, %d VLs, want %d", text, r.Plan.Layers, r.VLs, want)
		}
	}
}
