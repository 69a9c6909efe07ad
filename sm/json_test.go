package sm

import (
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
