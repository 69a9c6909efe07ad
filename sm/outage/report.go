package outage

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"weft/fabric"
	"weft/internal/fold"
	"weft/sm/terms"
)

// Validate returns an error if the Setup cannot be simulated.
func (u *Setup) Validate() error {
	switch {
	case u.Streams == nil && !(u.Load > 0 && u.Load <= 1): // nor NaN
		return fmt.Errorf("load %v: want more than 0 and at most 1", u.Load)
	case u.Streams == nil && (u.Bytes < 1 || u.Bytes > 1<<30):
		return fmt.Errorf("messages of %d bytes: want 1 to 1 GB", u.Bytes)
	case u.Step < time.Microsecond || u.Before < 0 || u.After < u.Step || u.After > time.Hour || u.Before > time.Hour:
		return errors.New("times: want steps of 1us or more, at least one of them after the fault, and no more than an hour")
	case (u.Before+u.After)/u.Step > 1_000_000:
		return errors.New("more than a million steps: make them longer")
	case u.Planning < 0 || u.Hop < 0 || u.Hop > time.Second || u.Fault.Down < 0 || u.Watch.Interval <= 0 || u.Watch.Quiet < 0:
		return errors.New("times: want no negative ones, a positive interval, and at most a second for a link")
	}
	return u.Packet.Validate()
}

// Report is the document of weft simulate outage --json. Times are in microseconds after the fault.
type Report struct {
	Fault     string       `json:"fault"`
	Sent      int64        `json:"packets_sent"`
	Arrived   int64        `json:"packets_arrived"`
	Lost      int64        `json:"packets_lost"`
	NoLink    int64        `json:"lost_no_link"`    // lost at a port whose link was down
	OnLink    int64        `json:"lost_on_link"`    // lost because the link failed while it carried the packet
	NoEntry   int64        `json:"lost_no_entry"`   // lost because the switch had no entry: tables were being written, or it had restarted
	Reboot    int64        `json:"lost_in_switch"`  // lost because the switch that held the packet was switched off
	WrongEnd  int64        `json:"lost_wrong_host"` // delivered to another host by the tables
	NoLane    int64        `json:"lost_no_lane"`    // lost because the lane table dropped the service level while tables were being written
	TooOld    int64        `json:"lost_too_old"`    // dropped after too long at the head of a queue
	From      float64      `json:"lost_from_us"`    // start of the first time step with lost packets
	Until     float64      `json:"lost_until_us"`   // end of the last step with lost packets
	Settled   float64      `json:"settled_us"`      // last change of a table or a link
	SMPs      int          `json:"smps"`            // from the fault on
	Blocks    int          `json:"blocks"`          // Sets of forwarding-table blocks among the SMPs
	Deadlock  bool         `json:"deadlock"`
	StepUS    float64      `json:"step_us"`
	FirstStep float64      `json:"first_step_us"` // start of the first step
	Steps     []StepReport `json:"steps"`
	Log       []LogReport  `json:"log"` // of the managers
}

// StepReport counts the packets of a step of time.
type StepReport struct {
	Arrived int64 `json:"arrived"`
	Lost    int64 `json:"lost"`
	Bytes   int64 `json:"bytes"` // payload of the delivered packets
}

// LogReport is a line of the log of a manager.
type LogReport struct {
	Time    float64 `json:"us"`
	Manager int     `json:"manager"` // 0: the master at the start
	terms.IncidentJSON
}

// us converts a duration to microseconds.
func us(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Report converts the result to its JSON document.
func (r *Result) Report(u *Setup) *Report {
	out := &Report{
		Fault: u.Fault.text(u.Fabric), Sent: r.Sent, Arrived: r.Arrived, Lost: r.Lost.Total(), NoLink: r.Lost.NoLink, OnLink: r.Lost.OnLink,
		NoEntry: r.Lost.NoEntry, Reboot: r.Lost.Reboot, WrongEnd: r.Lost.WrongEnd, NoLane: r.Lost.NoLane, TooOld: r.Lost.TooOld, From: us(r.First), Until: us(r.Last), Settled: us(r.Quiet),
		SMPs: r.SMPs, Blocks: r.Blocks, Deadlock: r.Deadlock != nil, StepUS: us(u.Step), FirstStep: us(-u.Before), Steps: []StepReport{}, Log: []LogReport{},
	}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, StepReport(s))
	}
	for i := range r.Log {
		out.Log = append(out.Log, LogReport{us(r.Log[i].At), r.Log[i].Manager, r.Log[i].JSON()})
	}
	return out
}

// text describes the fault.
func (f *Fault) text(fab *fabric.Fabric) string {
	var parts []string
	if f.Pull != fabric.NoLink {
		parts = append(parts, "the cable "+fab.LinkName(f.Pull)+" is pulled")
	}
	if f.Reboot >= 0 {
		parts = append(parts, fmt.Sprintf("%s is off for %v", fab.NodeName(f.Reboot), f.Down))
	}
	if f.Kill {
		parts = append(parts, "the master dies")
	}
	return strings.Join(parts, ", and ")
}

// Write prints the report as text.
func (r *Report) Write(w io.Writer) error {
	rows := [][]string{{"fault", r.Fault}, {"packets", fmt.Sprintf("%d sent, %d arrived", r.Sent, r.Arrived)}}
	lost := []string{fmt.Sprint(r.Lost)}
	for _, n := range []struct {
		count int64
		why   string
	}{
		{r.NoLink, "at a port without a link"},
		{r.OnLink, "on the link"},
		{r.NoEntry, "without an entry"},
		{r.Reboot, "in the switch"},
		{r.WrongEnd, "at a wrong host"},
		{r.NoLane, "without a lane"},
		{r.TooOld, "after waiting too long"},
	} {
		if n.count > 0 {
			lost = append(lost, fmt.Sprintf("%d %s", n.count, n.why))
		}
	}
	rows = append(rows, []string{"lost", strings.Join(lost, "; ")})
	if r.Lost > 0 {
		until := fmt.Sprintf("%.0f us to %.0f us after the fault", r.From, r.Until)
		if r.Until >= r.FirstStep+r.StepUS*float64(len(r.Steps)) {
			until = fmt.Sprintf("%.0f us after the fault to the end of the run: a longer --after shows more", r.From)
		}
		rows = append(rows, []string{"lost from", until})
	}
	settled := fmt.Sprintf("%.0f us after the fault", r.Settled)
	if r.Settled == 0 {
		settled = "no table or link changed after the fault"
	}
	rows = append(rows, []string{"settled", settled}, []string{"SMPs", fmt.Sprintf("%d, %d of them for blocks of forwarding tables", r.SMPs, r.Blocks)})
	if r.Deadlock {
		rows = append(rows, []string{"deadlock", "yes"})
	}
	if _, err := io.WriteString(w, fold.Rows(rows)); err != nil {
		return err
	}
	for i := range r.Log {
		l := &r.Log[i]
		if _, err := fmt.Fprintf(w, "%10.0f us  manager %d  %s: %s\n", l.Time, l.Manager, l.Kind, l.Text); err != nil {
			return err
		}
	}
	return nil
}
