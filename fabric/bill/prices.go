package bill

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Help says how a list of prices is written.
const Help = `A line for each price, # begins a remark:

  currency EUR           # what all prices are in; may be left out
  switch 36 12000        # a switch by its number of ports
  switch 64 25000
  cable between 900      # a cable between two switches
  cable below 250        # a cable from a switch to a host

A switch costs what the smallest one in the list costs that has as many ports or more. A kind of cable
that is not in the list costs nothing.`

// Prices lists the costs of parts.
type Prices struct {
	Currency       string
	Switches       map[int]float64 // by the number of ports
	Between, Below float64         // a cable
}

// ReadPrices reads a list of prices, see Help. An error names the line.
func ReadPrices(file string, data []byte) (*Prices, error) {
	p := &Prices{Switches: map[int]float64{}}
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
	if len(p.Switches) == 0 {
		return nil, fmt.Errorf("%s:%d: no switch has a price: want a line such as switch 36 12000", file, max(at, 1))
	}
	return p, nil
}

// add reads the words of a line.
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
	}
	return fmt.Errorf("%q: want currency NAME, switch PORTS PRICE, cable between PRICE or cable below PRICE", strings.Join(words, " "))
}

// price reads a price.
func price(word string) (float64, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || !(v >= 0 && v <= 1e12) || math.IsNaN(v) {
		return 0, fmt.Errorf("%s is no price: want a number from 0, such as 12000 or 99.50", word)
	}
	return v, nil
}

// Cost adds up the prices of the parts of a bill. It fails where the list has no switch with
// enough ports.
func (p *Prices) Cost(b *Bill) (float64, error) {
	sizes := slices.Sorted(maps.Keys(p.Switches))
	sum := float64(b.Between)*p.Between + float64(b.Below)*p.Below
	for _, ports := range slices.Sorted(maps.Keys(b.ByPorts)) {
		i, _ := slices.BinarySearch(sizes, ports)
		if i == len(sizes) {
			return 0, fmt.Errorf("the prices have no switch of %d ports or more", ports)
		}
		sum += float64(b.ByPorts[ports]) * p.Switches[sizes[i]]
	}
	return sum, nil
}

// Money is a sum in a currency.
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
