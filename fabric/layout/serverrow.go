package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/fabric/rails"
)

// The measures of servers.
const (
	portPitch    = 11.0
	leastPitch   = 4.0
	portRow      = 12.0 // height of the ports in a box
	serverGap    = 8.0
	serverFall   = 96.0 // between the network and the servers
	mostSeparate = 64   // servers with a box each
	serverLines  = 420
	mostCrossing = 32 // lines to servers that cross grids, rings and the like
)

// rack is a box of servers.
type rack struct {
	Area
	servers []int32
	ports   int // of the server with the most
	want    float64
	upright bool
}

// drop is a line from a box of switches to a port of a box of servers.
type drop struct {
	box, rack int32
	port      int
}

// drawServers draws the servers with several ports in a row below the network: each in a box, or
// several in one.
func (d *drawing) drawServers() {
	if len(d.servers) == 0 || len(d.p.Boxes) == 0 {
		return
	}
	low, high := extent(d.p)
	racks := d.racks(max(high.X-low.X, min(maxWidth, d.natural())))
	cables := d.drops(racks)
	if d.crowded && len(cables) > mostCrossing {
		racks, cables = d.racksBySize(), nil
		d.p.Text = append(d.p.Text, "Cables to servers are not drawn.")
	}
	d.placeRacks(racks, (low.X+high.X)/2, high.Y+serverFall)
	first := int32(len(d.p.Boxes))
	for i := range racks {
		d.addRack(&racks[i])
	}
	d.drawDrops(cables, first)
}

// racksBySize puts servers with the same number of ports into one box.
func (d *drawing) racksBySize() []rack {
	ports := make([]string, len(d.servers))
	for i := range d.servers {
		ports[i] = fmt.Sprint(len(d.servers[i].ports))
	}
	racks := d.rackBy(ports)
	d.fits(racks, maxWidth)
	return racks
}

// natural returns the width of all servers in boxes of their own.
func (d *drawing) natural() float64 {
	wide := -serverGap
	for i := range d.servers {
		wide += max(portPitch*float64(len(d.servers[i].ports)), textWidth(d.servers[i].name, textSize)) + 2*boxPadding + serverGap
	}
	return wide
}

// racks chooses the boxes: for each server, if there is room; else for servers with ports at the
// same boxes; else for neighbours.
func (d *drawing) racks(room float64) []rack {
	alone := make([]string, len(d.servers))
	alike := make([]string, len(d.servers))
	for i := range d.servers {
		alone[i] = fmt.Sprint(i)
		var at []string
		for _, p := range d.servers[i].ports {
			at = append(at, fmt.Sprint(d.boxOf[p.atSwitch]))
		}
		alike[i] = strings.Join(at, " ")
	}
	if len(d.servers) <= mostSeparate {
		if racks := d.rackBy(alone); d.fits(racks, room) {
			return racks
		}
	}
	racks := d.rackBy(alike)
	for most := len(racks); !d.fits(racks, room) && most > 1; {
		most = (most + 1) / 2
		for i := range racks { // most runs of nearly equal length
			run := fmt.Sprint("neighbours ", ((i+1)*most-1)/len(racks))
			for _, s := range racks[i].servers {
				alike[s] = run
			}
		}
		racks = d.rackBy(alike)
	}
	return racks
}

// rackBy puts servers with the same key into one box, in the order of the places that the boxes
// should have.
func (d *drawing) rackBy(key []string) []rack {
	var racks []rack
	number := map[string]int{}
	for i, k := range key {
		r, ok := number[k]
		if !ok {
			r = len(racks)
			number[k] = r
			racks = append(racks, rack{})
		}
		racks[r].servers = append(racks[r].servers, int32(i))
		racks[r].ports = max(racks[r].ports, len(d.servers[i].ports))
	}
	for i := range racks {
		r := &racks[i]
		n := 0.0
		for _, s := range r.servers {
			for _, p := range d.servers[s].ports {
				b := &d.p.Boxes[d.boxOf[p.atSwitch]]
				r.want += b.X + b.W/2
				n++
			}
		}
		r.want /= n
		slices.SortFunc(r.servers, func(a, b int32) int { return byName(d.servers[a].name, d.servers[b].name) })
	}
	slices.SortStableFunc(racks, func(a, b rack) int {
		return cmp.Or(cmp.Compare(int(a.want), int(b.want)), byName(d.servers[a.servers[0]].name, d.servers[b.servers[0]].name))
	})
	return racks
}

// fits sizes the boxes, with room for their text if possible, and reports whether they and their
// lines fit.
func (d *drawing) fits(racks []rack, room float64) bool {
	lines := len(d.drops(racks)) <= serverLines
	for _, upright := range []bool{false, true} {
		for _, pitch := range []float64{portPitch, leastPitch} {
			wide := -serverGap
			for i := range racks {
				r := &racks[i]
				r.upright = upright
				r.W, r.H = float64(r.ports)*pitch+boxPadding, portRow+2*boxPadding
				words := d.rackWords(r)
				for _, w := range words {
					if upright {
						r.H = max(r.H, portRow+2*boxPadding+min(110, textWidth(w, textSize)))
					} else {
						r.W = max(r.W, min(130, textWidth(w, textSize)+2*boxPadding))
					}
				}
				if upright {
					r.W = max(r.W, textRow*float64(len(words))+2)
				} else {
					r.H += textRow * float64(len(words))
				}
				wide += r.W + serverGap
			}
			if wide <= room {
				return lines
			}
		}
	}
	return false
}

// rackWords returns the text in a box: the name of a server, or the number of servers and ports.
func (d *drawing) rackWords(r *rack) []string {
	if len(r.servers) == 1 {
		return []string{d.servers[r.servers[0]].name}
	}
	least := r.ports
	for _, s := range r.servers {
		least = min(least, len(d.servers[s].ports))
	}
	ports := several(r.ports, "port", "ports")
	if least < r.ports {
		ports = fmt.Sprintf("%d to %s", least, ports)
	}
	return []string{several(len(r.servers), "server", "servers"), "of " + ports}
}

// placeRacks places the boxes in a row, near the middle of their switches.
func (d *drawing) placeRacks(racks []rack, middle, y float64) {
	total, tall := -serverGap, 0.0
	want, wide := make([]float64, len(racks)), make([]float64, len(racks))
	for i := range racks {
		total += racks[i].W + serverGap
		tall = max(tall, racks[i].H)
		want[i], wide[i] = racks[i].want, racks[i].W
	}
	low, high := extent(d.p)
	room := max(high.X-low.X, total)
	left := middle - room/2
	for i := range want {
		want[i] -= left
	}
	for i, x := range spread(wide, want, serverGap, room) {
		racks[i].X, racks[i].Y, racks[i].H = left+x, y, tall
	}
}

// addRack draws a box of servers with its ports on the upper edge.
func (d *drawing) addRack(r *rack) {
	words := d.rackWords(r)
	box := Box{Area: r.Area, Role: "server", Upright: r.upright, Size: textSize, Text: []string{}, Servers: len(r.servers)}
	if len(r.servers) > 1 {
		box.Fold = Whole
	}
	room := r.W - boxPadding
	if r.upright {
		room = r.H - portRow - boxPadding
	}
	for _, w := range words {
		box.Size = min(box.Size, max(leastText, textSize*room/textWidth(w, textSize)))
	}
	for _, w := range words {
		box.Text = append(box.Text, shorten(w, room, box.Size))
	}
	failed := 0
	for _, s := range r.servers {
		box.Nodes = append(box.Nodes, d.servers[s].nodes...)
		if d.servers[s].mark == Failed {
			failed++
		}
	}
	if failed == len(r.servers) {
		box.Mark = Failed
	}
	box.Title = d.rackTitle(r, words, failed)
	pitch := min(portPitch, (r.W-4)/float64(r.ports))
	left := r.X + (r.W-pitch*float64(r.ports))/2
	for k := range r.ports {
		c := Cell{Point: Point{left + pitch*(float64(k)+(1-cellShare)/2), r.Y + 3}, Size: min(pitch*cellShare, portRow-4)}
		c.Class = d.classOf(d.railOfPort(r, k))
		c.Title, c.Mark = d.portTitle(r, k)
		box.Ports = append(box.Ports, c)
	}
	d.p.Boxes = append(d.p.Boxes, box)
}

// mostServerNames is the largest number of servers that the title of a box names.
const mostServerNames = 8

// rackTitle returns the title of a box of servers.
func (d *drawing) rackTitle(r *rack, words []string, failed int) string {
	if len(r.servers) == 1 {
		text := words[0] + ": " + several(r.ports, "port", "ports")
		if failed > 0 {
			text += ", failed"
		}
		return text
	}
	var names []string
	for _, s := range r.servers[:min(len(r.servers), mostServerNames)] {
		names = append(names, d.servers[s].name)
	}
	if len(r.servers) > mostServerNames {
		names = append(names, "…")
	}
	text := strings.Join(words, " ") + " (" + strings.Join(names, ", ") + ")"
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return text
}

// portTitle returns the title of a port of a box of servers, and its mark: that of all servers.
func (d *drawing) portTitle(r *rack, port int) (title string, mark Mark) {
	if len(r.servers) == 1 {
		p := &d.servers[r.servers[0]].ports[port]
		title = p.name + " – " + d.name[p.atSwitch]
		if p.mark != Fine {
			title += ", " + string(p.mark)
		}
		return title, p.mark
	}
	with, marked := 0, map[Mark]int{}
	for _, s := range r.servers {
		if ports := d.servers[s].ports; port < len(ports) {
			with++
			marked[ports[port].mark]++
		}
	}
	title = fmt.Sprintf("port %d of %s", port+1, several(with, "server", "servers"))
	for _, m := range marks {
		if marked[m] > 0 {
			title += fmt.Sprintf(", %d %s", marked[m], m)
		}
		if marked[m] == with {
			mark = m
		}
	}
	return title, mark
}

// railOfPort returns the rail of a port of all servers in a box, or rails.None.
func (d *drawing) railOfPort(r *rack, port int) int32 {
	rail, first := rails.None, true
	for _, s := range r.servers {
		if ports := d.servers[s].ports; port < len(ports) {
			if !first && ports[port].rail != rail {
				return rails.None
			}
			rail, first = ports[port].rail, false
		}
	}
	return rail
}

// drops collects the cables of each line to the servers, by mark.
func (d *drawing) drops(racks []rack) map[drop]map[Mark][]string {
	all := map[drop]map[Mark][]string{}
	for i := range racks {
		for _, s := range racks[i].servers {
			for k, p := range d.servers[s].ports {
				key := drop{d.boxOf[p.atSwitch], int32(i), k}
				if all[key] == nil {
					all[key] = map[Mark][]string{}
				}
				all[key][p.mark] = append(all[key][p.mark], p.cable)
			}
		}
	}
	return all
}

// drawDrops draws the lines to servers: from the lower edges of boxes of switches, in the order of
// the ports that they lead to.
func (d *drawing) drawDrops(cables map[drop]map[Mark][]string, first int32) {
	keys := make([]drop, 0, len(cables))
	for k := range cables {
		keys = append(keys, k)
	}
	port := func(k drop) *Cell { return &d.p.Boxes[first+k.rack].Ports[k.port] }
	slices.SortFunc(keys, func(a, b drop) int {
		return cmp.Or(cmp.Compare(a.box, b.box), cmp.Compare(port(a).X, port(b).X), cmp.Compare(a.rack, b.rack))
	})
	for from := 0; from < len(keys); {
		to := from
		for to < len(keys) && keys[to].box == keys[from].box {
			to++
		}
		box := &d.p.Boxes[keys[from].box]
		pitch := min(portPitch, box.W*0.85/float64(to-from))
		for i, k := range keys[from:to] {
			p := port(k)
			start := Point{box.X + box.W/2 + (float64(i)-float64(to-from-1)/2)*pitch, box.Y + box.H}
			d.addDrop(k, cables[k], cmp.Or(p.Class, box.Class, classServer), start, Point{p.X + p.Size/2, p.Y})
		}
		from = to
	}
}

// addDrop draws a line to a port of servers, and lines of their own for cables that are not fine.
func (d *drawing) addDrop(k drop, marked map[Mark][]string, class Class, start, end Point) {
	total := 0
	for _, links := range marked {
		total += len(links)
	}
	box := &d.p.Boxes[k.box]
	l := Line{Path: []Point{start, end}, Class: class}
	name, _, _ := strings.Cut(box.Title, ":")
	l.Title = fmt.Sprintf("%s – port %d of servers: %s", name, k.port+1, several(total, "cable", "cables"))
	for _, m := range marks {
		if len(marked[m]) > 0 {
			l.Title += fmt.Sprintf(", %d %s", len(marked[m]), m)
		}
	}
	d.addMarked(&l, func(m Mark) ([]string, int) { return marked[m], len(marked[m]) })
}
