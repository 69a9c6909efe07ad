package measure

import (
	"reflect"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
)

func compile(t *testing.T, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// TestGraphDigest: each field of a Graph but its name changes the digest.
func TestGraphDigest(t *testing.T) {
	const formula = "torus(3x3,hosts=1)"
	was := GraphDigest(compile(t, formula))
	if GraphDigest(compile(t, formula)) != was {
		t.Fatal("one fabric has two digests")
	}
	typ := reflect.TypeFor[fabric.Graph]()
	for i := range typ.NumField() {
		g := compile(t, formula)
		f := reflect.ValueOf(g).Elem().Field(i)
		if f.Kind() == reflect.Slice {
			if f.Len() == 0 {
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			} else {
				change(f.Index(f.Len() - 1))
			}
		} else {
			change(f)
		}
		if same := GraphDigest(g) == was; same != (typ.Field(i).Name == "Name") {
			t.Errorf("field %s changed: same digest: %t", typ.Field(i).Name, same)
		}
	}
}

func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	default:
		v.SetUint(v.Uint() + 1)
	}
}

// TestEqualDraws: draws that fail the same links are one Graph, as are draws that fail none.
func TestEqualDraws(t *testing.T) {
	whole := GraphDigest(compile(t, "torus(2x2,hosts=1)"))
	for seed := range 3 {
		formula := "torus(2x2,hosts=1)|fail(share=0.05,links=all,seed=" + string(rune('1'+seed)) + ")"
		if GraphDigest(compile(t, formula)) != whole {
			t.Errorf("%s fails none, and is another Graph", formula)
		}
	}
}
