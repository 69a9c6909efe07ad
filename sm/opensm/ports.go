package opensm

import (
	"errors"
	"strconv"
	"strings"

	"weft/internal/configfile"
	"weft/sm/sa"
	"weft/sm/tuning"
)

// timeNames maps options of OpenSM for times and counts of ports to options of weft sm with the
// same numbers.
var timeNames = map[string]string{
	"subnet_timeout": "subnet-timeout", "packet_life_time": "packet-life", "head_of_queue_lifetime": "head-of-queue-life",
	"leaf_head_of_queue_lifetime": "host-head-of-queue-life", "vl_stall_count": "stall-count", "leaf_vl_stall_count": "host-stall-count",
}

// portTime imports a time or a count of ports. OpenSM writes the low bits of a larger number.
func (r *importer) portTime(l line) error {
	n, err := number(l.value)
	if err != nil {
		return err
	}
	least, most := uint64(0), uint64(tuning.MostCode)
	if strings.HasSuffix(l.name, "stall_count") {
		least, most = 1, tuning.MostStall
	}
	name, near := timeNames[l.name], max(n&most, least)
	if near == n {
		r.give(l, name, strconv.FormatUint(n, 10))
		return nil
	}
	r.out.Settings = append(r.out.Settings, Setting{name, []string{strconv.FormatUint(near, 10)}})
	r.note(l, TakenAs, "%s: %d, as the field of PortInfo or SwitchInfo holds %d to %d", name, near, least, most)
	return nil
}

// Values that stand for all speeds of a port, and for no extended speed.
const (
	allBase = 15
	allExt  = 31
	noExt   = 30
)

// speedMask reads force_link_speed or force_link_speed_ext as OpenSM does.
func (r *importer) speedMask(at line, name string) uint64 {
	n, _ := number(r.setOr(at, name).value) // readable drops other lines
	if name == "force_link_speed" && n > 7 || name != "force_link_speed" && n > 15 && n != noExt {
		n, _ = number(options()[name].usual)
	}
	return n
}

// linkSpeed imports the speeds that links may use, of two options.
func (r *importer) linkSpeed(l line) error {
	n, _ := number(l.value)
	base, ext := r.speedMask(l, "force_link_speed"), r.speedMask(l, "force_link_speed_ext")
	switch first := r.set["force_link_speed"]; {
	case r.speedMask(l, l.name) != n:
		return errors.New("want 0, 1, 3, 5 or 7, and for extended speeds 1 to 15 or 30")
	case n == 0:
		r.note(l, Idle, "weft sm leaves speeds as they are where link-speed does not say more")
		return nil
	case l.name == "force_link_speed_ext" && base != 0 && base != allBase:
		r.note(l, Taken, "see force_link_speed, %s", first.place(l.file))
		return nil
	}
	if base == 0 || base == allBase {
		base = 7
	}
	switch ext {
	case 0, allExt:
		ext = 15
	case noExt:
		ext = 0
	}
	r.give(l, "link-speed", tuning.SpeedsOf(base, ext).String())
	return nil
}

// linkWidth imports the widths that links may use.
func (r *importer) linkWidth(l line) error {
	switch n, err := number(l.value); {
	case err != nil || n > 31:
		return errors.New("want 0 to 31 or 255")
	case n == 0:
		r.note(l, Idle, "weft sm leaves widths as they are")
	default:
		r.give(l, "link-width", tuning.Widths(n).String())
	}
	return nil
}

// prefixRoutes imports the routes to other subnets. Their file may be missing.
func (r *importer) prefixRoutes(l line) error {
	if l.value == "" {
		r.note(l, Idle, "no path leads to other subnets there either")
		return nil
	}
	f := r.named(l)
	if f == nil {
		return nil
	}
	routes, err := sa.ReadPrefixRoutes(f.Name, f.Data)
	switch {
	case err != nil:
		r.note(l, Left, "%v: OpenSM reads on after such a line; mend it, and set prefix-routes", err)
	case len(routes) == 0:
		r.note(l, Idle, "the file %s has no routes", f.Name)
	default:
		r.give(l, "prefix-routes", f.Name)
	}
	return nil
}

// giveRates exports the speeds or widths of all links.
func (w *confWriter) giveRates(s *configfile.Setting, value string) {
	if s.Option == "link-width" {
		if widths, err := tuning.ParseWidths(value); err == nil {
			w.set("force_link_width", strconv.Itoa(int(widths)))
		}
		return
	}
	speeds, err := tuning.ParseSpeeds(value)
	switch base, ext := speeds.Masks(); {
	case err != nil:
	case speeds == tuning.AllSpeeds:
		w.set("force_link_speed", strconv.Itoa(allBase))
		w.set("force_link_speed_ext", strconv.Itoa(allExt))
	default:
		if ext == 0 {
			ext = noExt
		}
		w.set("force_link_speed", strconv.FormatUint(base, 10))
		w.set("force_link_speed_ext", strconv.FormatUint(ext, 10))
	}
}
