package layout

import (
	"slices"

	"weft/fabric"
)

// Kind is an arrangement.
type Kind string

// The arrangements.
const (
	Levels    Kind = "levels" // rows: leaves at the bottom, roots on top
	Grid      Kind = "grid"   // places by coordinates
	Ring      Kind = "ring"   // on a circle, groups side by side
	Irregular Kind = "irregular"
	Planes    Kind = "planes" // several networks side by side, above the servers that they share
)

// Picture holds everything to draw, with places in pixels. Later parts cover earlier ones: frames,
// lines, boxes with their cells and dots, labels. Every switch is in one box. Every cable between
// switches is in one line, or inside one box. The last lines are those to look at: the hottest, and
// those with a mark.
type Picture struct {
	Kind   Kind     `json:"kind"`
	Title  string   `json:"title"`
	Text   []string `json:"text"` // counts and notes, below the title
	Width  float64  `json:"width"`
	Height float64  `json:"height"`
	Frames []Frame  `json:"frames"`
	Lines  []Line   `json:"lines"`
	Boxes  []Box    `json:"boxes"`
	Labels []Label  `json:"labels"`
	Legend []Entry  `json:"legend"`
}

// Area is a rectangle: its upper left corner and its size.
type Area struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Frame is an area behind switches that belong together: a pod, a slice of a grid, a plane.
type Frame struct {
	Area
	Group string `json:"group,omitempty"` // of the boxes in it
	Title string `json:"title,omitempty"` // the full text
	Text  string `json:"text,omitempty"`  // above its upper left corner
	Plane bool   `json:"plane,omitempty"` // around other frames
}

// Box is a switch, or several in one place; or a server with several ports, or several servers.
type Box struct {
	Area
	// Nodes are the switches, in the order of Cells; or the CAs of the servers.
	Nodes    []fabric.GUID `json:"nodes"`
	Inside   []string      `json:"inside,omitempty"` // cables between its switches, as in Line.Links
	Group    string        `json:"group,omitempty"`  // the pod, slice or group that it belongs to: "pod 3"
	Plane    string        `json:"plane,omitempty"`  // if there are several networks: its own
	Fold     Fold          `json:"fold,omitempty"`   // why several switches or servers share it
	Role     string        `json:"role"`             // leaf, middle, root, switch or server
	Mark     Mark          `json:"mark"`
	Text     []string      `json:"text"`
	Upright  bool          `json:"upright"` // text runs upwards
	Size     float64       `json:"text_size"`
	Switches int           `json:"switches"`
	Hosts    int           `json:"hosts"`
	Title    string        `json:"title"` // the full name, hosts and mark
	Cells    []Cell        `json:"cells,omitempty"`
	Dots     []Point       `json:"dots,omitempty"`  // hosts that have no box
	Class    Class         `json:"class,omitempty"` // of the rail of its switches
	Servers  int           `json:"servers,omitempty"`
	Ports    []Cell        `json:"ports,omitempty"` // of each of its servers
}

// Fold is the reason why switches share a box.
type Fold string

// The folds.
const (
	Whole   Fold = "place"   // all have the same place: in a pod, a rail, a chassis, a group
	Chunked Fold = "chunked" // there is no room for a box each; they follow each other by name
)

// Cell is a switch in a box of several, or a port of a server: a square.
type Cell struct {
	Point
	Size  float64 `json:"size"`
	Mark  Mark    `json:"mark"`
	Title string  `json:"title"`
	Class Class   `json:"class,omitempty"` // of its rail
}

// Point is a place.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Line stands for the cables between two places.
type Line struct {
	Path []Point `json:"path"` // two ends; with four points the middle ones bend it (a cubic curve); else corners
	// Links names its cables, except missing ones, by a port of each: 0x0002c90300001234[20].
	Links  []string `json:"links"`
	Class  Class    `json:"class"`
	Width  float64  `json:"width"`
	Cables int      `json:"cables"` // a bundle has several
	Load   float64  `json:"load"`   // the largest of one cable
	VLs    uint16   `json:"vls"`    // in use on any of the cables, a set of bits
	Title  string   `json:"title"`
}

// Label is text by itself.
type Label struct {
	Point
	Text   string  `json:"text"`
	Size   float64 `json:"size"`
	Anchor Anchor  `json:"anchor"`
	Turn   float64 `json:"turn"` // degrees, clockwise
	Mark   Mark    `json:"mark,omitempty"`
}

// Anchor is the part of a label that is at its place.
type Anchor string

// The anchors, as in SVG.
const (
	Start  Anchor = "start"
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// Mark marks a switch or cable with a problem.
type Mark string

// The marks; the most serious of several wins.
const (
	Fine    Mark = ""
	Odd     Mark = "odd"     // the caller called it odd
	Drained Mark = "drained" // up, not used
	Missing Mark = "missing" // the caller expected it
	Failed  Mark = "failed"
)

// marks lists all marks except Fine, the most serious first.
var marks = []Mark{Failed, Missing, Drained, Odd}

// Class is the style of a line.
type Class string

// Styles of lines: by level from the leaves up, by load or by lanes.
const (
	classFailed  Class = "failed"
	classMissing Class = "missing"
	classDrained Class = "drained"
	classOdd     Class = "odd"
	classDark    Class = "dark" // unused
	classHottest Class = "hottest"
)

var (
	levelClasses = []Class{"wire0", "wire1", "wire2", "wire3"}
	loadClasses  = []Class{"load1", "load2", "load3", "load4", "load5"}
	laneClasses  = []Class{"lane1", "lane2", "lane3", "lane4", "lane5", "lane6"}
	railClasses  = []Class{"rail1", "rail2", "rail3", "rail4", "rail5", "rail6", "rail7", "rail8", "rail9", "rail10"}
)

// classServer is the style of cables to servers outside all rails, or where colours show loads or
// lanes.
const classServer Class = "server"

// stands reports whether a line stands out: the hottest, and those with a mark.
func (l *Line) stands() bool {
	return l.Class == classHottest || slices.Contains(marks, Mark(l.Class))
}

// railClass returns the class of a rail; colours repeat.
func railClass(rail int32) Class { return railClasses[int(rail)%len(railClasses)] }

// Entry explains a class of lines, with a sample line before the text. An entry without a class is
// a heading.
type Entry struct {
	Point
	Class Class  `json:"class,omitempty"`
	Text  string `json:"text"`
}
