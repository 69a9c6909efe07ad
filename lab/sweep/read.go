package sweep

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"github.com/goccy/go-yaml"

	"weft/internal/spelling"
	"weft/lab/store"
)

// mostBytes is the largest size of a description.
const mostBytes = 1 << 20

// Parse reads a description. It is strict: an option that is unknown, given twice or of another
// type is an error with its line. The caller reads List, then calls SetUsual and Validate.
func Parse(name string, data []byte) (*Description, error) {
	if len(data) > mostBytes {
		return nil, fmt.Errorf("%s: more than %d bytes", name, mostBytes)
	}
	var d Description
	err := yaml.UnmarshalWithOptions(data, &d, yaml.Strict())
	if err == nil {
		return &d, nil
	}
	wrong, ok := errors.AsType[yaml.Error](err)
	if !ok || wrong.GetToken() == nil || wrong.GetToken().Position == nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	hint := ""
	if _, key, found := strings.Cut(wrong.GetMessage(), "unknown field \""); found {
		key = strings.TrimSuffix(key, "\"")
		all := slices.DeleteFunc(keys(reflect.TypeFor[Description]()), func(k string) bool { return k == key }) // known elsewhere
		hint = spelling.Hint(key, all)
	}
	return nil, fmt.Errorf("%s:%d: %s%s", name, wrong.GetToken().Position.Line, wrong.GetMessage(), hint)
}

// keys lists all names of options.
func keys(t reflect.Type) (list []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for field := range options(t) {
		list = append(list, keyOf(field))
		list = append(list, keys(field.Type)...)
	}
	return list
}

// options yields the fields of a type that are options of a description.
func options(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for field := range t.Fields() {
			if field.IsExported() && !yield(field) {
				return
			}
		}
	}
}

// keyOf returns the name of an option.
func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// CheckFigure returns an error unless a column holds a measured number.
func CheckFigure(name string) error {
	var names []string
	var row Row
	for _, c := range store.Columns[Row]() {
		if _, text := store.Value(&row, &c).(string); !text && c.Optional() {
			if c.Name == name {
				return nil
			}
			names = append(names, c.Name)
		}
	}
	return fmt.Errorf("figure %q: no such figure%s (there are: %s)", name, spelling.Hint(name, names), strings.Join(names, ", "))
}

// compile checks conditions and formulas. Conditions see the columns with a value before a case
// runs; formulas see all columns.
func (d *Description) compile() error {
	before := beforeRun(&Row{})
	for option, list := range map[string][]string{"only": d.Only, "skip": d.Skip} {
		for _, text := range list {
			if _, err := d.condition(text, before); err != nil {
				return fmt.Errorf("%s: %s: %w", option, text, err)
			}
		}
	}
	taken := store.Head(store.Columns[Row]())
	for _, c := range d.Columns {
		if c.Name == "" || slices.Contains(taken, c.Name) {
			return fmt.Errorf("columns: %q is no new name", c.Name)
		}
		taken = append(taken, c.Name)
		if _, err := d.formula(c.Formula); err != nil {
			return fmt.Errorf("columns: %s: %w", c.Name, err)
		}
	}
	return nil
}

// condition compiles a condition, once.
func (d *Description) condition(text string, env map[string]any) (*vm.Program, error) {
	return d.program("condition "+text, func() (*vm.Program, error) { return expr.Compile(text, expr.Env(env), expr.AsBool()) })
}

// formula compiles the formula of a column, once.
func (d *Description) formula(text string) (*vm.Program, error) {
	return d.program("formula "+text, func() (*vm.Program, error) {
		return expr.Compile(text, expr.Env(asNumbers(&Row{})), expr.AsFloat64())
	})
}

// program returns a compiled expression.
func (d *Description) program(name string, compile func() (*vm.Program, error)) (*vm.Program, error) {
	if p := d.programs[name]; p != nil {
		return p, nil
	}
	p, err := compile()
	if err != nil {
		return nil, err
	}
	if d.programs == nil {
		d.programs = map[string]*vm.Program{}
	}
	d.programs[name] = p
	return p, nil
}

// beforeRun returns the columns that conditions see: the name of a case, its fabric and its job.
func beforeRun(row *Row) map[string]any {
	return values(&struct {
		Case string `parquet:"case"`
		Place
		Asked
	}{row.Case, row.Place, row.Asked})
}

// asNumbers returns the columns that formulas see: all of a row; 0 for a column without a value.
func asNumbers(row *Row) map[string]any {
	env := values(row)
	for name, v := range env {
		switch x := v.(type) {
		case int64:
			env[name] = float64(x)
		case nil:
			env[name] = 0.0
		}
	}
	return env
}

// keeps reports whether the conditions let a case run.
func (d *Description) keeps(row *Row) (bool, error) {
	if len(d.Only)+len(d.Skip) == 0 {
		return true, nil
	}
	env := beforeRun(row)
	for k, text := range slices.Concat(d.Only, d.Skip) {
		program, err := d.condition(text, env)
		if err != nil {
			return false, fmt.Errorf("%s: %w", text, err)
		}
		v, err := expr.Run(program, env)
		if err != nil {
			return false, fmt.Errorf("%s: %w", text, err)
		}
		if is, _ := v.(bool); is != (k < len(d.Only)) {
			return false, nil
		}
	}
	return true, nil
}

// Further returns the derived columns of a row; nil where a column of the formula has no value. It
// is not safe for concurrent use.
func (d *Description) Further(row *Row) (list []*float64, err error) {
	cells, env := values(row), asNumbers(row)
	for _, c := range d.Columns {
		program, err := d.formula(c.Formula)
		if err != nil {
			return nil, err
		}
		lacks := func(name string) bool { v, is := cells[name]; return is && v == nil }
		if slices.ContainsFunc(names(program.Node()), lacks) {
			list = append(list, nil)
			continue
		}
		v, err := expr.Run(program, env)
		if err != nil {
			return nil, fmt.Errorf("columns: %s: %w", c.Name, err)
		}
		x, _ := v.(float64)
		list = append(list, &x)
	}
	return list, nil
}

// FurtherNames lists the names of the derived columns.
func (d *Description) FurtherNames() (list []string) {
	for _, c := range d.Columns {
		list = append(list, c.Name)
	}
	return list
}
