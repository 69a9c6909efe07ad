package draft

import (
	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// speedWords are the names of lane speeds in files: by name, or by signalling rate in Gbit/s.
var speedWords = map[string]fabric.Speed{
	"SDR": fabric.SDR, "2.5": fabric.SDR,
	"DDR": fabric.DDR, "5": fabric.DDR, "5.0": fabric.DDR,
	"QDR": fabric.QDR, "10": fabric.QDR, "10.0": fabric.QDR,
	"FDR10": fabric.FDR10,
	"FDR":   fabric.FDR, "14": fabric.FDR, "14.0625": fabric.FDR,
	"EDR": fabric.EDR, "25": fabric.EDR, "25.78125": fabric.EDR,
	"HDR": fabric.HDR, "50": fabric.HDR, "53.125": fabric.HDR,
	"NDR": fabric.NDR, "100": fabric.NDR, "106.25": fabric.NDR,
	"XDR": fabric.XDR, "200": fabric.XDR, "212.5": fabric.XDR,
}

// ParseSpeed parses the speed of a lane.
func ParseSpeed(word string) (fabric.Speed, bool) {
	s, ok := speedWords[word]
	return s, ok
}

// Rate parses a width such as "4x" and a speed word; unknown ones give a warning and 0.
func (d *Draft) Rate(width, speed []byte, line int) (fabric.Width, fabric.Speed) {
	c := lines.Cursor{Rest: width}
	w, ok := c.Number()
	if ok = ok && (c.Lit("x") || c.Lit("X")) && len(c.Rest) == 0 && KnownWidth(w); !ok {
		d.Warnf(line, "unknown link width %q", width)
		w = 0
	}
	s, ok := speedWords[string(speed)]
	if !ok {
		d.Warnf(line, "unknown link speed %q", speed)
	}
	return fabric.Width(w), s
}

// KnownWidth reports whether links can have this number of lanes.
func KnownWidth(w uint64) bool { return w == 1 || w == 2 || w == 4 || w == 8 || w == 12 }
