package tuning

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/wire/mad"
)

// Speeds is a set of link speeds: bit s stands for fabric.Speed s. 0 says nothing of speeds.
type Speeds uint16

// Widths is a set of link widths, as the bits of LinkWidthEnabled. 0 says nothing of widths.
type Widths uint8

// All of them: what a port supports.
const (
	AllSpeeds Speeds = 1<<16 - 1
	AllWidths Widths = 1<<8 - 1
)

// choosable lists the speeds that a port can be told. FDR10 is an attribute of a vendor, and how
// XDR is told is not public.
var choosable = []fabric.Speed{fabric.SDR, fabric.DDR, fabric.QDR, fabric.FDR, fabric.EDR, fabric.HDR, fabric.NDR}

// widthBit is the bit of a width.
type widthBit struct {
	lanes fabric.Width
	bit   Widths
}

// widthBits lists the bits of widths, the narrowest first.
var widthBits = []widthBit{{1, 1}, {2, 16}, {4, 2}, {8, 4}, {12, 8}}

// ParseSpeeds reads all; EDR: this speed alone; ..EDR: it and all slower ones; or a list such as
// QDR,EDR. Every link trains at SDR first, so SDR is in each set.
func ParseSpeeds(text string) (Speeds, error) {
	if text == "all" {
		return AllSpeeds, nil
	}
	set := Speeds(1 << fabric.SDR)
	name, upTo := strings.CutPrefix(text, "..")
	for word := range strings.SplitSeq(name, ",") {
		s, ok := fabric.ParseSpeed(strings.ToUpper(strings.TrimSpace(word)))
		if !ok || !slices.Contains(choosable, s) {
			return 0, fmt.Errorf("%q: want all, a speed from SDR to NDR, ..EDR for all up to EDR, or a list such as QDR,EDR", text)
		}
		for _, other := range choosable {
			if other == s || upTo && other < s {
				set |= 1 << other
			}
		}
	}
	return set, nil
}

// SpeedsOf returns the set of the masks LinkSpeedEnabled and LinkSpeedExtEnabled.
func SpeedsOf(base, ext uint64) Speeds {
	set := Speeds(1 << fabric.SDR)
	for _, s := range choosable {
		if m, e := bitsOf(s); base&m != 0 || ext&e != 0 {
			set |= 1 << s
		}
	}
	return set
}

// String returns the text that ParseSpeeds accepts, "" for 0.
func (s Speeds) String() string {
	switch s {
	case 0:
		return ""
	case AllSpeeds:
		return "all"
	}
	var names []string
	for _, speed := range choosable {
		if s&(1<<speed) != 0 {
			names = append(names, speed.String())
		}
	}
	switch last := len(names) - 1; {
	case last < 0:
		return "SDR"
	case slices.Equal(names, namesUpTo(names[last])) && last > 0:
		return ".." + names[last]
	case last > 0: // SDR is in each set
		return strings.Join(names[1:], ",")
	}
	return names[0]
}

// namesUpTo lists the choosable speeds up to one.
func namesUpTo(name string) (names []string) {
	for _, s := range choosable {
		if names = append(names, s.String()); s.String() == name {
			return names
		}
	}
	return nil
}

// bitsOf returns the bits of a speed in LinkSpeedEnabled and LinkSpeedExtEnabled.
func bitsOf(s fabric.Speed) (base, ext uint64) {
	if s >= fabric.FDR {
		return 0, 1 << (s - fabric.FDR)
	}
	return 1 << (s - fabric.SDR), 0
}

// ParseWidths reads all; 4x: this width alone; ..4x: it and all narrower ones; or a list such as
// 1x,4x.
func ParseWidths(text string) (set Widths, err error) {
	if text == "all" {
		return AllWidths, nil
	}
	name, upTo := strings.CutPrefix(text, "..")
	for word := range strings.SplitSeq(name, ",") {
		lanes, err := strconv.ParseUint(strings.TrimRight(strings.TrimSpace(word), "xX"), 10, 8)
		at := slices.IndexFunc(widthBits, func(w widthBit) bool { return uint64(w.lanes) == lanes })
		if err != nil || at < 0 {
			return 0, fmt.Errorf("%q: want all, 1x, 2x, 4x, 8x or 12x, ..4x for all up to 4x, or a list such as 1x,4x", text)
		}
		if set |= widthBits[at].bit; upTo {
			for _, w := range widthBits[:at] {
				set |= w.bit
			}
		}
	}
	return set, nil
}

// String returns the text that ParseWidths accepts, "" for 0.
func (w Widths) String() string {
	switch w {
	case 0:
		return ""
	case AllWidths:
		return "all"
	}
	var names []string
	for _, b := range widthBits {
		if w&b.bit != 0 {
			names = append(names, fmt.Sprintf("%dx", b.lanes))
		}
	}
	return strings.Join(names, ",")
}

// Enabled holds the values of LinkSpeedEnabled, LinkSpeedExtEnabled and LinkWidthEnabled at a port.
type Enabled struct{ Base, Ext, Width uint8 }

// EnabledAt returns the speeds and widths that a PortInfo enables.
func EnabledAt(info []byte) Enabled {
	e := Enabled{uint8(mad.PortInfoSpeedEnabled.Get(info)), uint8(mad.PortInfoSpeedExtEnabled.Get(info)), uint8(mad.PortInfoWidthEnabled.Get(info))}
	if e.Ext == noExt { // devices return it as it was set
		e.Ext = 0
	}
	return e
}

// noExt is the value of LinkSpeedExtEnabled that forbids all extended speeds.
const noExt = 30

// Put writes the values into a PortInfo that is to be set.
func (e Enabled) Put(data []byte) {
	ext := uint64(e.Ext)
	if ext == 0 && mad.PortInfoSpeedExtSupported.Get(data) != 0 {
		ext = noExt // 0 would change nothing
	}
	mad.PortInfoSpeedEnabled.Put(data, uint64(e.Base))
	mad.PortInfoSpeedExtEnabled.Put(data, ext)
	mad.PortInfoWidthEnabled.Put(data, uint64(e.Width))
}

// At returns the speeds and widths to enable at a port with this PortInfo. ok is false if the port
// supports none of the allowed ones, or if weft cannot find out.
func (r *Rates) At(info []byte) (e Enabled, ok bool) {
	e = EnabledAt(info)
	if mad.PortInfoSpeedExt2Support.Get(info) != 0 { // how XDR is told is not public
		return e, false
	}
	if r.Speeds == AllSpeeds {
		e.Base, e.Ext = uint8(mad.PortInfoSpeedSupported.Get(info)), uint8(mad.PortInfoSpeedExtSupported.Get(info))
	} else if r.Speeds != 0 {
		e.Base, e.Ext = 1, 0
		for _, s := range choosable {
			if base, ext := bitsOf(s); r.Speeds&(1<<s) != 0 {
				e.Base |= uint8(base & mad.PortInfoSpeedSupported.Get(info))
				e.Ext |= uint8(ext & mad.PortInfoSpeedExtSupported.Get(info))
			}
		}
		if e.Base == 1 && e.Ext == 0 && r.Speeds != 1<<fabric.SDR { // SDR stands for training alone
			return e, false
		}
	}
	if r.Widths != 0 {
		e.Width = uint8(uint64(r.Widths) & mad.PortInfoWidthSupported.Get(info))
	}
	return e, e.Width != 0
}

// Allows reports whether a link runs at one of these speeds and widths, by the PortInfo of an end.
func (e Enabled) Allows(info []byte) bool {
	base, ext := mad.PortInfoSpeedActive.Get(info), mad.PortInfoSpeedExtActive.Get(info)
	speed := base&uint64(e.Base) != 0
	if ext != 0 {
		speed = ext&uint64(e.Ext) != 0
	}
	return speed && mad.PortInfoWidthActive.Get(info)&uint64(e.Width) != 0
}

// Allow reports whether a link whose ports enable e runs as the rates say, by the PortInfo of an
// end. SDR that stands for training alone is not one of the speeds.
func (r *Rates) Allow(e Enabled, info []byte) bool {
	isSDR := mad.PortInfoSpeedExtActive.Get(info) == 0 && mad.PortInfoSpeedActive.Get(info) == 1
	return e.Allows(info) && !(isSDR && r.Speeds.onlyTrainAtSDR())
}

// onlyTrainAtSDR reports whether links are to use other speeds than SDR: the set has some, and is
// not all up to one.
func (s Speeds) onlyTrainAtSDR() bool {
	text := s.String()
	return s != 0 && s != AllSpeeds && s != 1<<fabric.SDR && !strings.HasPrefix(text, "..")
}

// Best reports whether a link that runs as the PortInfo of an end says uses the fastest speed and
// the widest width that both ends enable: training it again would change nothing.
func Best(info []byte, here, there Enabled) bool {
	base, ext, width := uint64(here.Base&there.Base), uint64(here.Ext&there.Ext), uint64(here.Width&there.Width)
	if ext != 0 {
		base = mad.PortInfoSpeedActive.Get(info) // the extended speed counts
	}
	widest := uint64(0)
	for _, w := range widthBits {
		if width&uint64(w.bit) != 0 {
			widest = uint64(w.bit)
		}
	}
	return mad.PortInfoSpeedExtActive.Get(info) == highest(ext) && mad.PortInfoSpeedActive.Get(info) == highest(base) && mad.PortInfoWidthActive.Get(info) == widest
}

// highest returns the highest bit of a mask.
func highest(v uint64) uint64 {
	for v&(v-1) != 0 {
		v &= v - 1
	}
	return v
}

// Masks returns the set as bits of LinkSpeedEnabled and LinkSpeedExtEnabled.
func (s Speeds) Masks() (base, ext uint64) {
	for _, speed := range choosable {
		if s&(1<<speed) != 0 {
			b, e := bitsOf(speed)
			base, ext = base|b, ext|e
		}
	}
	return base, ext
}
