package recording

import (
	"errors"
	"testing"

	"weft/fabric"
	"weft/sm/terms"
)

// TestSumOf: the sums of recordings leave out texts and names, which those of textsVersion include,
// and no value that a program goes by.
func TestSumOf(t *testing.T) {
	base := func() terms.Action {
		return terms.Action{Kind: terms.Note, Incident: terms.Incident{Kind: terms.NotTaken, Text: "refused", At: terms.Place{Node: 1, Name: "leaf 1", Port: 2}}}
	}
	for name, c := range map[string]struct {
		change         func(a *terms.Action)
		texts, current bool // whether the sum of a version changes
	}{
		"nothing":        {func(*terms.Action) {}, false, false},
		"text":           {func(a *terms.Action) { a.Incident.Text = "another" }, true, false},
		"name of a node": {func(a *terms.Action) { a.Incident.At.Name = "another" }, true, false},
		"name":           {func(a *terms.Action) { a.Name = "another" }, true, false},
		"code":           {func(a *terms.Action) { a.Incident.Kind = terms.Unanswered }, true, true},
		"error":          {func(a *terms.Action) { a.Err = errors.New("another") }, true, true},
		"node":           {func(a *terms.Action) { a.Incident.At.Node = fabric.GUID(9) }, true, true},
		"port":           {func(a *terms.Action) { a.Incident.At.Port++ }, true, true},
		"data":           {func(a *terms.Action) { a.Data = []byte{1} }, true, true},
		"key":            {func(a *terms.Action) { a.Key = 1 }, true, true},
		"once":           {func(a *terms.Action) { a.Once = true }, true, true},
	} {
		was, is := base(), base()
		c.change(&is)
		for version, want := range map[int]bool{textsVersion: c.texts, recordingVersion: c.current} {
			a, _ := sumOf([]terms.Action{was}, version, nil)
			b, _ := sumOf([]terms.Action{is}, version, nil)
			if (a != b) != want {
				t.Errorf("%s: version %d: changes: %v", name, version, a != b)
			}
		}
	}
	if !haveTexts([]terms.Action{{}, base()}) || haveTexts([]terms.Action{{}, {Kind: terms.Note, Incident: terms.Incident{Kind: terms.NotTaken}}}) {
		t.Error("haveTexts")
	}
}
