package sm

import (
	"bytes"
	"encoding/json"
	"testing"

	"weft/sm/terms"
)

// TestIncidentJSON: an incident names a port, also port 0, a node, or nothing.
func TestIncidentJSON(t *testing.T) {
	r := terms.Report{Incidents: []terms.Incident{
		{Kind: terms.NoAnswer, Text: "a", At: terms.Place{Node: 0x10, Name: "s", Port: 0}}, {Kind: terms.NoAnswer, Text: "b", At: terms.Place{Node: 0x10, Name: "s", Port: -1}}, {Kind: terms.NoPlan, Text: "c", At: terms.Place{}},
	}}
	got, err := json.Marshal(r.DiscoveryJSON().Incidents)
	want := `[{"kind":"no-answer","severity":"warning","guid":"0x0000000000000010","name":"s","port":0,"text":"a"},` +
		`{"kind":"no-answer","severity":"warning","guid":"0x0000000000000010","name":"s","text":"b"},{"kind":"no-plan","severity":"error","text":"c"}]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestEmptyJSON: an empty list is [], never null.
func TestEmptyJSON(t *testing.T) {
	got, err := json.Marshal(new(terms.Report).BringUpJSON())
	if want := []byte(`"check":null`); err != nil || bytes.Count(got, []byte("null")) != 1 || !bytes.Contains(got, want) {
		t.Errorf("%s, %v", got, err)
	}
}
