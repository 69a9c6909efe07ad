package report

import (
	"testing"

	"weft/lab/sweep"
)

// TestOlder: the sentence counts the cases of older sources, and names the networks with others.
func TestOlder(t *testing.T) {
	for _, c := range []struct {
		list []sweep.Origin
		want string
	}{
		{nil, ""},
		{[]sweep.Origin{{Cases: 3, Networks: []string{"a"}}}, ""},
		{[]sweep.Origin{{Older: true, Cases: 3, Networks: []string{"a"}}}, "Older sources of weft computed 3 of these 3 cases, and the present ones did not compute them again."},
		{
			[]sweep.Origin{{Older: true, Cases: 3, Networks: []string{"a", "b"}}, {Older: true, Cases: 2, Networks: []string{"b"}}, {Cases: 4, Networks: []string{"b", "d", "c"}}},
			"Older sources of weft computed 5 of these 9 cases, and the present ones did not compute them again. Partly older: b. Of the present sources: c, d.",
		},
	} {
		if got := older(c.list); got != c.want {
			t.Errorf("%+v: %s", c.list, got)
		}
	}
}
