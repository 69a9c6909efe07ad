package manage

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/route/engine"
	"weft/sm"
	"weft/sm/recording"
	"weft/sm/terms"
	"weft/wire/mad"
)

// openRecording opens the file of --record, if one is given. It holds M_Keys, so only its owner may
// read it, also if the file was there.
func (s *smFlags) openRecording(r *sm.Runner) (end func() error, err error) {
	nothing := func() error { return nil }
	if s.record == "" {
		return nothing, nil
	}
	f, err := os.OpenFile(s.record, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nothing, fmt.Errorf("--record: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nothing, errors.Join(fmt.Errorf("--record: %w", err), f.Close())
	}
	r.Record = f
	return f.Close, nil
}

func smReplayCmd() *cobra.Command {
	var smps, asJSON bool
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "replay a recording of the manager: what it did, and why",
		Long: `Replay a recording of a subnet manager (weft sm --record FILE), without a subnet.

Input is the recording. A manager without connection receives all that the recorded one received, and
computes the Plans again. Output is its log, with seconds since the recorded manager started. --smps
adds every event and every SMP, and so shows the cause of each action.

Exit status 1: an action differs from the recorded one. The recording is from another version of weft,
or FILE is damaged.`,
		Example: `  weft sm --config /etc/weft/sm.yaml --record /var/tmp/sm.recording
  weft sm replay /var/tmp/sm.recording
  weft sm replay /var/tmp/sm.recording --smps`,
		Args: cli.OneArgument("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if smps && asJSON {
				return errors.New("--smps prints text only: leave out --json")
			}
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			r, err := recording.NewRecording(f, engine.Parse)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			p := replayPrinter{to: out, smps: smps, asJSON: asJSON}
			err = sm.Replay(cmd.Context(), r, p.see)
			p.note(p.last, p.condenser.End()...)
			flushed := out.Flush()
			switch {
			case err == nil:
				return flushed
			case errors.Is(err, recording.ErrOtherActions):
				return cli.ExitWith(cli.ExitNo, fmt.Errorf("%s: %w", args[0], err))
			}
			return fmt.Errorf("%s: %w", args[0], err)
		},
	}
	cmd.Flags().BoolVar(&smps, "smps", false, "also print every event and every SMP")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each log line; not with --smps")
	return cmd
}

// replayPrinter prints the actions of a manager.
type replayPrinter struct {
	to           io.Writer
	smps, asJSON bool
	condenser    recording.Condenser
	last         time.Duration // time of the last event
}

// see prints an event and the actions that follow. With SMPs it prints each incident where it
// occurs; otherwise it prints the lines of the log.
func (p *replayPrinter) see(now time.Duration, ev *terms.Event, actions []terms.Action) {
	p.last = now
	if p.smps {
		fmt.Fprintf(p.to, "%.6f %s\n", now.Seconds(), eventText(ev))
	}
	for i := range actions {
		switch a := &actions[i]; {
		case a.Kind == terms.Note && p.smps:
			p.note(now, a.Incident)
		case a.Kind == terms.Note:
			told := a.Incident
			told.Step = now
			p.note(now, p.condenser.Add(told)...)
		case p.smps:
			fmt.Fprintf(p.to, "%.6f   %s\n", now.Seconds(), actionText(a))
		}
	}
	p.note(now, p.condenser.Flush(now)...)
}

// note prints incidents.
func (p *replayPrinter) note(now time.Duration, list ...terms.Incident) {
	for _, i := range list {
		if !p.asJSON {
			fmt.Fprintf(p.to, "%.6f %s: %s\n", now.Seconds(), i.Kind, i.Text)
			continue
		}
		data, _ := json.Marshal(terms.ReplayedLine{Seconds: now.Seconds(), IncidentJSON: i.JSON()}) // texts and numbers
		fmt.Fprintf(p.to, "%s\n", data)
	}
}

// eventNames holds the names of event kinds.
var eventNames = [...]string{
	terms.Start: "started", terms.Answer: "answer", terms.Planned: "a Plan was computed", terms.Claimed: "IsSM is set", terms.PauseEnds: "the pause is over",
	terms.Stop: "told to end", terms.Unasked: "came unasked", terms.Tick: "the time has come", terms.Reconfigure: "new settings", terms.Resweep: "a full sweep is asked for",
	terms.Rebalance: "a routing afresh is asked for", terms.Stored: "stored", terms.DrainPart: "to be drained", terms.UndrainPart: "to be drained no more",
	terms.MembersChanged: "members of multicast groups have changed", terms.MembersTold: "told the members of multicast groups",
	terms.NeighboursTold: "told by the master which port is behind which", terms.Told: "told nothing new", terms.Improved: "a better Plan was computed", terms.Computed: "lanes for jobs were chosen",
	terms.WritePartitions: "a program writes partitions", terms.WriteJobs: "jobs start or end", terms.ClockSet: "the clock of the machine was set",
}

// newsText describes a change in subnet administration.
func newsText(n *terms.News) string {
	var texts []string
	for _, part := range []struct {
		is   bool
		text string
	}{
		{n.LIDs != nil, "told the LIDs that the master gives"},
		{n.Trees != nil, "told the trees of the master for multicast groups"},
		{n.Plan != nil, "told the Plan of the master"},
		{n.Rules != nil, "told what the master goes by"},
		{n.MasterMissed, "the master tells no more what it does"},
		{n.MayTakeOver != nil, "told which managers may take the subnet over"},
		{n.Reregister, "clients are to register again"},
	} {
		if part.is {
			texts = append(texts, part.text)
		}
	}
	return strings.Join(texts, ", ")
}

// eventText describes an event.
func eventText(ev *terms.Event) string {
	text := eventNames[ev.Kind]
	if ev.News != nil {
		text = cmp.Or(newsText(ev.News), text)
	}
	switch {
	case ev.Kind == terms.Answer:
		text += fmt.Sprintf(" to %x: %s", ev.Tag, [...]string{"well", "refused, " + ev.Status.String(), "none", "given up"}[ev.Outcome])
		if ev.Attempts > 1 {
			text += fmt.Sprintf(", at attempt %d", ev.Attempts)
		}
	case ev.Kind == terms.Unasked && mad.Check(ev.Datagram.MAD) == nil: // as it was turned into its answer, perhaps
		m := ev.Datagram.MAD
		text += fmt.Sprintf(": %v %s, %v", m.Class(), m.Class().AttributeName(m.Attr()), ev.Datagram.Addr)
	case ev.Name != "":
		text += ": " + ev.Name
	}
	if ev.Err != nil {
		text += ": " + ev.Err.Error()
	}
	return text
}

// actionText describes an action.
func actionText(a *terms.Action) string {
	switch a.Kind {
	case terms.Send:
		var path []string
		for _, port := range a.Path {
			path = append(path, fmt.Sprint(port))
		}
		return fmt.Sprintf("%v %s 0x%x by ports [%s] (%x)", a.Method, mad.ClassDirectedSMP.AttributeName(a.Attr), a.Modifier, strings.Join(path, " "), a.Tag)
	case terms.Route:
		return fmt.Sprintf("route %d switches, %d hosts", a.Request.Graph.NumSwitches, a.Request.Graph.NumHosts)
	case terms.Claim:
		return "set IsSM"
	case terms.Phase:
		return "phase " + a.Name
	case terms.Store:
		return "store LIDs and Plan"
	case terms.Wake:
		return fmt.Sprintf("wait until %.6f", a.At.Seconds())
	case terms.Reply:
		return fmt.Sprintf("%v %s to %v", a.Datagram.MAD.Method(), a.Datagram.MAD.Class().AttributeName(a.Datagram.MAD.Attr()), a.Datagram.Addr)
	case terms.RoundEnded:
		return "the round has ended"
	case terms.TakeMembers:
		return "ask for the members of multicast groups"
	case terms.Decided:
		if a.Err != nil {
			return a.Name + ": refused"
		}
		return a.Name + ": taken"
	case terms.Done:
		return "end"
	default: // a Note has a line of its own
		return ""
	}
}
