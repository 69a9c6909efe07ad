package manage

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/sm/sa"
	"weft/sm/terms"
	"weft/sm/tuning"
)

// tuningFlags holds the options for settings of ports, and for when changes may be made.
type tuningFlags struct {
	times               tuning.Times
	speed, width, rules string
	prefixes            string // a file
	windows             []string
	zone                string
}

// tuningOptions lists the options of tuningFlags. SIGHUP may change all of them, and standbys
// report differences.
var tuningOptions = append([]string{"link-speed", "link-width", "link-rules", "prefix-routes", "change-window", "time-zone"}, tuning.TimeOptions...)

func (t *tuningFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	t.times = tuning.UsualTimes
	number := func(name string, v *uint8, usage string) { f.Uint8Var(v, name, *v, usage) }
	number("subnet-timeout", &t.times.Subnet, "`CODE` of the time, 4.096 us * 2^CODE, that hosts are told for answers and for packets on a path; 18 is 1 s")
	number("packet-life", &t.times.PacketLife, "`CODE` of a packet's life in a switch; 20 and more: without end")
	number("head-of-queue-life", &t.times.Head, "`CODE` of the time that the first packet of a queue may wait at a switch port to another switch; 20 and more: without end")
	number("host-head-of-queue-life", &t.times.HostHead, "`CODE` of the same at a switch port to a host or router")
	number("stall-count", &t.times.Stall, "packets `N` dropped in a row, 1 to 7, before a lane of a switch port to another switch counts as stalled")
	number("host-stall-count", &t.times.HostStall, "packets `N` of the same at a switch port to a host or router")
	f.StringVar(&t.speed, "link-speed", "", "`SPEEDS` that links may use: EDR for this one alone, ..EDR for all up to it, QDR,EDR, or all that ports support; not given: links stay as they are")
	f.StringVar(&t.width, "link-width", "", "`WIDTHS` that links may use: 4x, ..4x, 1x,4x or all; not given: links stay as they are")
	f.StringVar(&t.rules, "link-rules", "", "`FILE` with speeds and widths of single links, PLACE: speed=SPEEDS width=WIDTHS in each line; they come before --link-speed and --link-width")
	f.StringVar(&t.prefixes, "prefix-routes", "", "`FILE` like OpenSM's prefix_routes_file, PREFIX GUID in each line: the router port for packets to GIDs with another prefix")
	f.StringArrayVar(&t.windows, "change-window", nil, "`HOURS` in local time in which entries may move, better Plans come into force and speeds be forced, for example Mon-Fri 02:00-04:00; can be repeated; none: always. Repairs never wait")
	f.StringVar(&t.zone, "time-zone", "", "`ZONE` of --change-window, for example Europe/Berlin (default: that of this machine)")
}

// read converts the options to settings of a manager.
func (t *tuningFlags) read(cfg *terms.Config) error {
	if err := t.times.Check(); err != nil {
		return err
	}
	all := tuning.Rule{Node: "*"}
	var err error
	if t.speed != "" {
		if all.Speeds, err = tuning.ParseSpeeds(t.speed); err != nil {
			return fmt.Errorf("--link-speed %w", err)
		}
	}
	if t.width != "" {
		if all.Widths, err = tuning.ParseWidths(t.width); err != nil {
			return fmt.Errorf("--link-width %w", err)
		}
	}
	s := tuning.Settings{}
	if all.Rates != (tuning.Rates{}) {
		s.Links = tuning.Rules{all}
	}
	if t.rules != "" {
		rules, err := readFile("link-rules", t.rules, tuning.ReadRules)
		if err != nil {
			return err
		}
		s.Links = append(s.Links, rules...)
	}
	if t.times != tuning.UsualTimes {
		s.Times = &t.times
	}
	if cfg.Tuning = nil; s.Times != nil || s.Links != nil {
		cfg.Tuning = &s
	}
	if t.prefixes != "" {
		cfg.Between.Prefixes, err = readFile("prefix-routes", t.prefixes, sa.ReadPrefixRoutes)
	}
	return err
}

// mostBytes is the maximum size of a file of rules or routes.
const mostBytes = 1 << 24

// readFile reads a file that an option names.
func readFile[T any](option, name string, read func(string, []byte) (T, error)) (out T, err error) {
	info, err := os.Stat(name)
	if err == nil && info.Size() > mostBytes {
		err = fmt.Errorf("%s: more than %d bytes", name, mostBytes)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(name)
	}
	if err == nil {
		out, err = read(name, data)
	}
	if err != nil {
		return out, fmt.Errorf("--%s: %w", option, err)
	}
	return out, nil
}

// readWindows converts the options for change windows.
func (t *tuningFlags) readWindows(w *terms.Watch, now time.Time) error {
	for _, text := range t.windows {
		window, err := terms.ParseWindow(text)
		if err != nil {
			return fmt.Errorf("--change-window %w", err)
		}
		w.Windows = append(w.Windows, window)
	}
	if len(t.windows) == 0 {
		if t.zone != "" {
			return errors.New("--time-zone is for --change-window, which is not given")
		}
		return nil
	}
	place := time.Local
	if t.zone != "" {
		var err error
		if place, err = time.LoadLocation(t.zone); err != nil {
			return fmt.Errorf("--time-zone %s: %w: want a name such as Europe/Berlin, as in /usr/share/zoneinfo (Debian package tzdata)", t.zone, err)
		}
	}
	w.Zone = terms.ZoneOf(place, now)
	if at := (&terms.Watch{Windows: w.Windows, NoMoves: w.NoMoves, Zone: w.Zone, Epoch: terms.SinceEpoch(now)}).ChangesAllowed(0); at == terms.Never {
		return errors.New("--change-window and --no-moves leave no time for changes: no window has an hour outside of --no-moves")
	}
	return nil
}
