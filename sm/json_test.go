package sm

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestIncidentJSON: an incident names a port, also port 0, a node, or nothing.
func TestIncidentJSON(t *testing.T) {
	r := Report{Incidents: []Incident{
		{NoAnswer, "a", Place{0x10, "s", 0}}, {NoAnswer, "b", Place{0x10, "s", -1}}, {NoPlan, "c", Place{}},
	}}
	got, err := json.Marshal(r.DiscoveryJSON().Incidents)
	want := `[{"kind":"no-answer","guid":"0x0000000000000010","name":"s","port":0,"text":"a"},` +
		`{"kind":"no-answer","guid":"0x0000000000000010","name":"s","text":"b"},{"kind":"no-plan","text":"c"}]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestEmptyJSON: what is empty is an empty list, never null.
func TestEmptyJSON(t *testing.T) {
	got, err := json.Marshal(new(Report).BringUpJSON())
	if want := []byte(`"check":null`); err != nil || bytes.Count(got, []byte("null")) != 1 || !bytes.Contains(got, want) {
		t.Errorf("%s, %v", got, err)
	}
}
