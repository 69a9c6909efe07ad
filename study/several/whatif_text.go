package several

import (
	"fmt"
	"io"

	"weft/internal/fold"
	"weft/study"
)

// Write prints the answer for people.
func (a *Answer) Write(w io.Writer) error {
	verdict := "NO: "
	if a.OK {
		verdict = "YES: "
	}
	study.Remark(w, verdict, a.Reason)
	fmt.Fprintln(w)
	a.Change.Write(w)
	for i, name := range a.Ports {
		about := ""
		if i == 0 {
			about = "gone"
		}
		if i == portsGoneShown {
			fmt.Fprintf(w, "%-9sand %d more router ports\n", "", len(a.Ports)-i)
			break
		}
		fmt.Fprintf(w, "%-9s%s\n", about, name)
	}
	study.Remark(w, "network  ", a.Network)
	a.Today.write(w, "today")
	if a.AsIs != nil {
		a.AsIs.write(w, "old tables")
	}
	if a.Fresh == nil {
		fmt.Fprintln(w)
		study.Remark(w, "no new routing: ", a.NotFresh)
		return nil
	}
	a.Fresh.write(w, "routed again")
	fmt.Fprintf(w, "  gateways      %d of %d pairs of a subnet and a target get another\n", a.Moved, a.Targets)
	if x := a.Writes; a.Today.Inside.Pairs > 0 {
		fmt.Fprintf(w, "  tables        %s\n", fold.Text(16, fmt.Sprintf("%d entries change in the subnets: %d blocks of %d switches, some %s", x.Entries, x.Blocks, x.Switches, study.Duration(x.Seconds))))
		fmt.Fprintf(w, "  LIDs          %d moved, %d new\n", x.MovedLIDs, x.NewLIDs)
	}
	if a.Backups != nil {
		a.Backups.write(w, "backup routes")
		fmt.Fprintf(w, "  gateways      %d of %d change, to their backup or to none\n", a.ToBackup, a.Targets)
	}
	return nil
}

// portsGoneShown limits the printed router ports.
const portsGoneShown = 10

func (s *State) write(w io.Writer, title string) {
	deadlock := "deadlock-free"
	if !s.DeadlockFree {
		deadlock = "CAN DEADLOCK"
	}
	if s.LocalFaults > 0 {
		deadlock += ", not proven inside a subnet"
	}
	fmt.Fprintf(w, "\n%s\n  pairs         %d of %d between subnets lost, %d of them without a way\n", title, s.Lost, s.Pairs, s.CutOff)
	if s.Inside.Pairs > 0 {
		fmt.Fprintf(w, "                %s\n", fold.Text(16, fmt.Sprintf("%d of %d lost inside the subnets that change, %d of them without a way", s.Inside.Lost, s.Inside.Pairs, s.Inside.CutOff)))
	}
	fmt.Fprintf(w, "  proof         %s, %d layers, %d VLs\n", deadlock, s.Layers, s.VLs)
	fmt.Fprintf(w, "  bisections    %.4f of a link, %.2f hops between subnets\n", s.Bandwidth, s.AvgHops)
}
