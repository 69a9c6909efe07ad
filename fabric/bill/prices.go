package bill

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
)

// Help describes the format of a price list.
const Help = `The file of --prices has one price per line; # begins a comment:

  currency EUR           # of all prices; optional
  switch 36 12000        # a switch with 36 ports
  switch 64 25000
  cable between 900      # a cable between two switches
  cable below 250        # a cable from a switch to a host port

Instead of the last two lines, cables can be priced by length:

  cable 3m 90            # a cable of up to 3 metres
  cable 10m 350
  cable 50m 900
  rack 42                # height of a rack in units; 42 if not given
  host 2                 # height of a server in units; 1 if not given

A switch costs as much as the smallest switch in the list with at least as many ports. A cable
costs as much as the shortest one in the list that is long enough. Cables "between" or "below"
without a price cost nothing.

Lengths come from a model of the machine room. Racks are filled one after the other. A switch takes
one unit for each 64 ports, and its servers are below it; a server with several ports is below the
switch of its first cable. Switches with servers below come in the order of the fabric. A switch
that has only further cables of servers is put in the middle of these servers, any other switch in
the middle of the switches it is cabled to. Whatever fits into one rack stays together. Racks are
0.6 metres wide, in rows 2.4 metres apart, as many rows as make the room square. A cable inside a
rack is 2 metres long. Any other cable is 4 metres (up and down) plus the way along and across the
rows. Lengths are rounded up. All planes of a network stand in one room, around their servers.`

// Prices lists the costs of parts.
type Prices struct {
	Currency       string
	Switches       map[int]float64 // by number of ports
	Between, Below float64         // a cable, if ByLength is empty
	ByLength       map[int]float64 // a cable, by its length in metres
	floor          floor
}

// ReadPrices reads a list of prices, see Help. An error names the line.
func ReadPrices(file string, data []byte) (*Prices, error) {
	p := &Prices{Switches: map[int]float64{}, ByLength: map[int]float64{}, floor: usualFloor}
	seen, at := map[string]bool{}, 0
	for line := range strings.Lines(string(data)) {
		at++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if err := p.add(words); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, at, err)
		}
		what := strings.Join(words[:len(words)-1], " ")
		if seen[what] {
			return nil, fmt.Errorf("%s:%d: %s is given twice", file, at, what)
		}
		seen[what] = true
	}
	var why string
	switch {
	case len(p.Switches) == 0:
		why = "no switch has a price: want a line such as switch 36 12000"
	case len(p.ByLength) > 0 && (seen["cable between"] || seen["cable below"]):
		why = "cables have prices by length, and others between and below: give one or the other"
	case len(p.ByLength) == 0 && (seen["rack"] || seen["host"]):
		why = "rack and host say how long cables are: want a line such as cable 3m 90"
	case p.floor.host > p.floor.rack:
		why = fmt.Sprintf("a host of %d units does not fit into a rack of %d", p.floor.host, p.floor.rack)
	default:
		return p, nil
	}
	return nil, fmt.Errorf("%s:%d: %s", file, max(at, 1), why)
}

// add parses the words of a line.
func (p *Prices) add(words []string) error {
	switch {
	case words[0] == "currency" && len(words) == 2:
		p.Currency = words[1]
		return nil
	case words[0] == "switch" && len(words) == 3:
		ports, err := strconv.Atoi(words[1])
		if err != nil || ports < 1 || ports > 1024 {
			return fmt.Errorf("switch %s: want its number of ports", words[1])
		}
		p.Switches[ports], err = price(words[2])
		return err
	case words[0] == "cable" && len(words) == 3 && (words[1] == "between" || words[1] == "below"):
		to := &p.Below
		if words[1] == "between" {
			to = &p.Between
		}
		var err error
		*to, err = price(words[2])
		return err
	case words[0] == "cable" && len(words) == 3 && strings.HasSuffix(words[1], "m"):
		metres, err := strconv.Atoi(strings.TrimSuffix(words[1], "m"))
		if err != nil || metres < 1 || metres > mostMetres {
			return fmt.Errorf("cable %s: want its metres, 1m to %dm", words[1], mostMetres)
		}
		p.ByLength[metres], err = price(words[2])
		return err
	case (words[0] == "rack" || words[0] == "host") && len(words) == 2:
		units, err := strconv.Atoi(words[1])
		least, to := leastRack, &p.floor.rack
		if words[0] == "host" {
			least, to = 1, &p.floor.host
		}
		if err != nil || units < least || units > mostUnits {
			return fmt.Errorf("%s %s: want units, %d to %d", words[0], words[1], least, mostUnits)
		}
		*to = units
		return nil
	}
	return fmt.Errorf("%q: want currency NAME, switch PORTS PRICE, cable between PRICE, cable below PRICE, cable METRESm PRICE, rack UNITS or host UNITS",
		strings.Join(words, " "))
}

// Limits of a price list. A rack holds the largest switch.
const (
	mostMetres = 10_000
	leastRack  = (fabric.MaxPorts + portsPerUnit - 1) / portsPerUnit
	mostUnits  = 1000
)

// price parses a price.
func price(word string) (float64, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || !(v >= 0 && v <= 1e12) || math.IsNaN(v) {
		return 0, fmt.Errorf("%s is no price: want a number from 0, such as 12000 or 99.50", word)
	}
	return v, nil
}

// Measure counts the cables of a fabric's bill by length, if prices depend on length.
func (p *Prices) Measure(b *Bill, f *fabric.Fabric) {
	if len(p.ByLength) > 0 {
		b.Metres = p.floor.lengths(f)
	}
}

// Cost adds up the prices of the parts of a measured bill. It fails if the list has no switch with
// enough ports, or no cable that is long enough.
func (p *Prices) Cost(b *Bill) (float64, error) {
	switches, tooLarge := costOf(p.Switches, b.ByPorts)
	if tooLarge > 0 {
		return 0, fmt.Errorf("the prices have no switch of %d ports or more", tooLarge)
	}
	cables, tooLarge := costOf(p.ByLength, b.Metres)
	if tooLarge > 0 {
		return 0, fmt.Errorf("the prices have no cable of %d m or more", tooLarge)
	}
	return switches + cables + float64(b.Between)*p.Between + float64(b.Below)*p.Below, nil
}

// costOf adds up prices of parts by their sizes, each by the next size in the list. It returns the
// size of a part that is too large for the list.
func costOf(prices map[int]float64, parts map[int]int) (sum float64, tooLarge int) {
	sizes := slices.Sorted(maps.Keys(prices))
	for _, size := range slices.Sorted(maps.Keys(parts)) {
		i, _ := slices.BinarySearch(sizes, size)
		if i == len(sizes) {
			return 0, size
		}
		sum += float64(parts[size]) * prices[sizes[i]]
	}
	return sum, 0
}

// Money formats a sum in a currency.
func Money(v float64, currency string) string {
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if currency != "" {
		text += " " + currency
	}
	return text
}
