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
const Help = `A line for each price, # begins a remark:

  currency EUR           # what all prices are in; may be left out
  switch 36 12000        # a switch by its number of ports
  switch 64 25000
  cable between 900      # a cable between two switches
  cable below 250        # a cable from a switch to a host

or, in place of the last two, cables by their length:

  cable 3m 90            # a cable of up to 3 metres
  cable 10m 350
  cable 50m 900
  rack 42                # units of a rack; 42 unless given
  host 2                 # units of a host; 1 unless given

A switch costs what the smallest one in the list costs that has as many ports or more; so does a cable by
its length. A cable between or below that is not in the list costs nothing.

Lengths are those of a machine room that is filled as follows. A switch takes a unit for each 64 ports,
and its hosts stand below it; a host of several ports stands below the switch of its first cable. Racks are
filled one after the other, with switches that hosts are cabled to in the order of the fabric, and every other
switch in the middle of those that it is cabled to. What fits into one rack stays together. Racks are 0.6
metres wide, in rows 2.4 metres apart, back and forth, as many rows as make the room square. A cable in a
rack takes 2 metres, any other 4 metres for the way up and down, and the way along the rows and across.
Lengths are rounded up. Several planes are laid out each by itself.`

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
