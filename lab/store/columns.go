// Package store keeps rows of results: in one SQLite file (Open), in Parquet files that workers
// write by rename (Parts), and as lines of text (OpenText). A row is a struct; the parquet tags of
// its fields name the columns, with their units. The column "case" is the name of a row: a store
// has no two rows of one name.
//
// The package does not know who measured the rows, nor their meaning.
package store

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// keyColumn is the column that names a row.
const keyColumn = "case"

// Column is a column of the rows of a type.
type Column struct {
	Name string
	Made bool // says how the row was made (tag store:"made"): may differ between two runs
	// Label marks the names that a list of rows gives a row (tag store:"label"): two lists may give
	// one row different names.
	Label bool
	at    []int
	typ   reflect.Type
}

// Optional reports whether a cell may have no value.
func (c *Column) Optional() bool { return c.typ.Kind() == reflect.Pointer }

// Text reports whether the cells of a column are texts.
func (c *Column) Text() bool { return c.typ.Kind() == reflect.String }

// sql returns the type of a column in SQLite.
func (c *Column) sql() string {
	typ := c.typ
	if c.Optional() {
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.Int64, reflect.Bool:
		return "INTEGER"
	case reflect.Float64:
		return "REAL"
	default:
		return "TEXT"
	}
}

// Columns lists the columns of a type of rows. It panics on a field that no file can hold.
func Columns[R any]() (list []Column) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		if f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		typ := f.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch typ.Kind() {
		case reflect.String, reflect.Int64, reflect.Float64, reflect.Bool:
		default:
			name = ""
		}
		if name == "" {
			panic(fmt.Sprintf("store: field %s of a row has no parquet tag, or a type that no column has", f.Name))
		}
		list = append(list, Column{Name: name, Made: f.Tag.Get("store") == "made", Label: f.Tag.Get("store") == "label", at: f.Index, typ: f.Type})
	}
	return list
}

// Value returns a cell of a row: a string, int64, float64 or bool, or nil for no value.
func Value[R any](row *R, c *Column) any {
	v := reflect.ValueOf(row).Elem().FieldByIndex(c.at)
	if v.Kind() != reflect.Pointer {
		return v.Interface()
	}
	if v.IsNil() {
		return nil
	}
	return v.Elem().Interface()
}

// Text returns a cell as text that reads back as the same value; "" for no value.
func Text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	default:
		return fmt.Sprint(x)
	}
}

// set parses a text into a cell.
func set[R any](row *R, c *Column, text string) error {
	v := reflect.ValueOf(row).Elem().FieldByIndex(c.at)
	if v.Kind() == reflect.Pointer {
		if text == "" {
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	var err error
	switch v.Kind() {
	case reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	case reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		v.SetFloat(x)
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		v.SetBool(b)
	default:
		v.SetString(text)
	}
	if err != nil {
		return fmt.Errorf("column %s: %q is no value of it", c.Name, text)
	}
	return nil
}

// Difference names a column where two rows differ, and holds the texts of both cells.
type Difference struct{ Column, A, B string }

// Differences compares two rows by all columns but those with the tag made.
func Differences[R any](a, b *R) []Difference {
	return differences(a, b, Columns[R](), func(c *Column) bool { return c.Made })
}

// Disagreements compares two measured rows of one name by the columns that its result decides: all
// but those with the tags made and label.
func Disagreements[R any](a, b *R) []Difference {
	return differences(a, b, Columns[R](), func(c *Column) bool { return c.Made || c.Label })
}

// differences compares two rows by the columns that are not left out.
func differences[R any](a, b *R, columns []Column, leaveOut func(*Column) bool) (list []Difference) {
	for i := range columns {
		c := &columns[i]
		if leaveOut(c) {
			continue
		}
		x, y := Value(a, c), Value(b, c)
		if f, ok := x.(float64); ok {
			if g, ok := y.(float64); ok && math.IsNaN(f) && math.IsNaN(g) {
				continue
			}
		}
		if x != y {
			list = append(list, Difference{c.Name, Text(x), Text(y)})
		}
	}
	return list
}

// nameOf returns the name of a row.
func nameOf[R any](row *R, columns []Column) string {
	for i := range columns {
		if columns[i].Name == keyColumn {
			return Text(Value(row, &columns[i]))
		}
	}
	panic("store: rows without a column " + keyColumn)
}

// fieldOf returns a pointer to a cell.
func fieldOf[R any](row *R, c *Column) any {
	return reflect.ValueOf(row).Elem().FieldByIndex(c.at).Addr().Interface()
}
