package terms

import (
	"weft/fabric"
	"weft/judge/quality"
)

// DiscoveryJSON is the JSON form of the Report of a discovery.
type DiscoveryJSON struct {
	State       State          `json:"state"`
	Switches    int            `json:"switches"`
	CAs         int            `json:"cas"`
	Routers     int            `json:"routers"`
	Links       int            `json:"links"`
	Sweeps      int            `json:"sweeps"`
	SMPs        []Count        `json:"smps"`         // by method and attribute
	SMPsSent    int            `json:"smps_sent"`    // repetitions included
	SMPsRetried int            `json:"smps_retried"` // repetitions
	Seconds     float64        `json:"seconds"`
	Phases      []PhaseTime    `json:"phases"`
	Incidents   []IncidentJSON `json:"incidents"`
}

// BringUpJSON is the JSON form of the Report of a bring-up.
type BringUpJSON struct {
	DiscoveryJSON
	LIDs        int             `json:"lids"`
	LIDsKept    int             `json:"lids_kept"` // ports that keep their LID
	MaxLMC      uint8           `json:"max_lmc"`
	SMLID       fabric.LID      `json:"sm_lid"`
	Asked       []string        `json:"engines_asked"`
	Engine      string          `json:"engine"`            // "" when all refused
	Refused     []string        `json:"refused"`           // reasons of the engines before it
	Choice      string          `json:"auto,omitempty"`    // how engine auto chose, in words
	Kept        string          `json:"kept,omitempty"`    // the fate of the old Plan, in words
	Drained     []string        `json:"drained,omitempty"` // drained switches and cables, by name
	VLs         int             `json:"vls"`
	Tables      int             `json:"tables"`       // switches with their complete new table
	Blocks      int             `json:"blocks"`       // of forwarding tables, written and acknowledged
	ActivePorts int             `json:"active_ports"` // ends of links
	NotTold     []string        `json:"not_told"`     // facts that hosts learn only from path records
	Check       *quality.Report `json:"check"`        // as weft check --json prints it; null when nothing was judged
}

// IncidentJSON is the JSON form of an Incident. Incidents of a whole node have no port;
// incidents of the whole subnet have no GUID either.
type IncidentJSON struct {
	Kind IncidentKind `json:"kind"`
	// Severity is error, warning, notice or info. It follows from the kind.
	Severity string `json:"severity"`
	GUID     string `json:"guid,omitempty"` // of the node
	Name     string `json:"name,omitempty"`
	Port     *int   `json:"port,omitempty"`
	Text     string `json:"text"`
}

// LogLine is the JSON form of a line in the log of a running manager.
type LogLine struct {
	Time   string `json:"time"`   // UTC
	Number uint64 `json:"number"` // of the line, from 1 at the start of the manager
	IncidentJSON
}

// ReplayedLine is the JSON form of a line in the log of a replayed recording.
type ReplayedLine struct {
	Seconds float64 `json:"seconds"` // since the manager started
	IncidentJSON
}

// JSON returns the JSON form of an incident.
func (i *Incident) JSON() IncidentJSON {
	out := IncidentJSON{Kind: i.Kind, Severity: i.Kind.Severity().String(), Name: i.At.Name, Text: i.Text}
	if i.At.Node != 0 {
		out.GUID = i.At.Node.String()
		if i.At.Port >= 0 {
			out.Port = &i.At.Port
		}
	}
	return out
}

// DiscoveryJSON returns the JSON form of a discovery's report.
func (r *Report) DiscoveryJSON() *DiscoveryJSON {
	j := &DiscoveryJSON{
		State: r.State, Sweeps: r.Sweeps, Seconds: r.Time.Seconds, SMPsSent: r.SMPs.Sent, SMPsRetried: r.SMPs.Retried,
		Switches: r.Found.Switches, CAs: r.Found.CAs, Routers: r.Found.Routers, Links: r.Found.Links,
		SMPs: append([]Count{}, r.SMPs.By...), Phases: append([]PhaseTime{}, r.Time.Phases...), Incidents: []IncidentJSON{},
	}
	for i := range r.Incidents {
		j.Incidents = append(j.Incidents, r.Incidents[i].JSON())
	}
	return j
}

// BringUpJSON returns the JSON form of a bring-up's report.
func (r *Report) BringUpJSON() *BringUpJSON {
	return &BringUpJSON{
		DiscoveryJSON: *r.DiscoveryJSON(),
		LIDs:          r.LIDs.Total, LIDsKept: r.LIDs.Kept, MaxLMC: r.LIDs.MaxLMC, SMLID: r.LIDs.SM,
		Asked: append([]string{}, r.Routing.Asked...), Engine: r.Routing.Engine, Refused: append([]string{}, r.Routing.Refused...), Choice: r.Routing.Choice, Kept: r.Routing.Kept,
		Drained: append([]string{}, r.Drained...), NotTold: append([]string{}, r.Routing.NotTold...),
		VLs: r.Routing.VLs, Tables: r.Written.Tables, Blocks: r.Written.Blocks, ActivePorts: r.Written.Active, Check: r.Routing.Check,
	}
}
