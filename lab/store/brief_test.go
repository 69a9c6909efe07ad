package store

import (
	"bytes"
	"strings"
	"testing"
)

type briefRow struct {
	Case  string   `parquet:"case"`
	Name  string   `parquet:"name"`
	Share *float64 `parquet:"share"`
	Count int64    `parquet:"count"`
}

// TestBrief: what is written without some columns reads back without them.
func TestBrief(t *testing.T) {
	x := .1
	rows := []briefRow{{"a", "x,\"y\"\nz", &x, 3}, {"b", "", nil, -1}}
	var text bytes.Buffer
	if err := WriteBrief("rows.csv", &text, rows, []string{"count", "nothing"}); err != nil {
		t.Fatal(err)
	}
	if empty := Empty(rows[1:]); len(empty) != 2 || empty[0] != "name" || empty[1] != "share" || len(Empty(rows)) > 0 {
		t.Errorf("empty columns: %v and %v", empty, Empty(rows))
	}
	got, err := ReadBrief[briefRow]("rows.csv", bytes.NewReader(text.Bytes()))
	if err != nil || len(got) != 2 || got[0].Name != rows[0].Name || *got[0].Share != x || got[1].Share != nil || got[0].Count != 0 {
		t.Errorf("%+v, %v of\n%s", got, err, &text)
	}
	for text, want := range map[string]string{
		"": "rows.csv: EOF", "name\nx\n": "rows.csv:1: no column case",
		"case,share\na,1\nb,x\n": "rows.csv:3: column share", "case,share\na\n": "rows.csv: record on line 2",
	} {
		if _, err := ReadBrief[briefRow]("rows.csv", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if more, err := ReadBrief[briefRow]("rows.csv", strings.NewReader("name,further,case\nx,1,a\n")); err != nil || len(more) != 1 || more[0].Case != "a" || more[0].Name != "x" {
		t.Errorf("%+v, %v", more, err)
	}
}

// FuzzReadBrief: any text is rows, or an error; rows survive being written and read.
func FuzzReadBrief(f *testing.F) {
	f.Add("case,name,share,count\na,x,1e-3,4\n")
	f.Add("count,case\n,\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := ReadBrief[briefRow]("rows.csv", strings.NewReader(text))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := WriteBrief("rows.csv", &first, rows, nil); err != nil {
			t.Fatal(err)
		}
		again, err := ReadBrief[briefRow]("rows.csv", bytes.NewReader(first.Bytes()))
		if err == nil {
			err = WriteBrief("rows.csv", &second, again, nil)
		}
		if err != nil || first.String() != second.String() {
			t.Errorf("%v: %q, %q", err, &first, &second)
		}
	})
}
