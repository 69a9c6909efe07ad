package traffic

import (
	"fmt"
	"strconv"
	"strings"

	"weft/fabric"
)

// ReadFile reads a pattern file. A line is a flow: source and destination, separated by spaces. A
// line "round" begins the next round; # begins a comment. A host is
//
//	12                   rank: its place in hosts, from 0
//	0x0002c90300001234   a GUID: of the port, or of the node when it has one port here
//	"node01 HCA-1"       the node's description, in quotes when it has spaces; only
//	                     if one port has it
//
// hosts are the end ports by rank. A file of ranks alone may run on other hosts; one that names any
// host is Fixed. Errors have the form file:line: message.
func ReadFile(name string, data []byte, g *fabric.Graph, hosts []int32) (*Pattern, error) {
	find := directory(g, hosts)
	rounds := make([]Flows, 1)
	line, named := 0, false
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
	}
	for text := range strings.SplitSeq(string(data), "\n") {
		line++
		words, err := split(text)
		if err != nil {
			return nil, fail("%v", err)
		}
		now := &rounds[len(rounds)-1]
		switch {
		case len(words) == 0:
			continue
		case len(words) == 1 && words[0] == "round":
			if now.Len() > 0 {
				rounds = append(rounds, Flows{})
			}
			continue
		case len(words) != 2:
			return nil, fail("want a source and a destination, or round; got %d words", len(words))
		}
		src, err := find(words[0])
		if err != nil {
			return nil, fail("%v", err)
		}
		dst, err := find(words[1])
		switch {
		case err != nil:
			return nil, fail("%v", err)
		case src == dst:
			return nil, fail("%s sends to itself", words[0])
		case now.Len() == maxFlows:
			return nil, fail("more than %d flows in a round", maxFlows)
		}
		now.Add(src, dst)
		named = named || !isRank(words[0]) || !isRank(words[1])
	}
	if rounds[len(rounds)-1].Len() == 0 {
		rounds = rounds[:len(rounds)-1]
	}
	if len(rounds) == 0 {
		return nil, fmt.Errorf("%s: no flows", name)
	}
	p := FromRounds(name, len(hosts), rounds)
	p.Fixed = named
	return p, nil
}

// split splits a line into words; a word in double quotes may have spaces.
func split(text string) ([]string, error) {
	var words []string
	for {
		text = strings.TrimLeft(text, " \t\r")
		if text == "" || text[0] == '#' {
			return words, nil
		}
		if text[0] != '"' {
			end := strings.IndexAny(text, " \t\r")
			if end < 0 {
				end = len(text)
			}
			words, text = append(words, text[:end]), text[end:]
			continue
		}
		end := strings.IndexByte(text[1:], '"')
		if end < 0 {
			return nil, fmt.Errorf("no closing quote after %s", text)
		}
		words, text = append(words, text[:end+2]), text[end+2:]
	}
}

// directory returns a function that finds the rank of a host. Ports 0 of switches may be behind the
// hosts: they are found by name, not by number.
func directory(g *fabric.Graph, hosts []int32) func(string) (int32, error) {
	const several = -1
	ports, nodes := map[fabric.GUID]int32{}, map[fabric.GUID]int32{}
	descs := map[string]int32{}
	for rank, h := range hosts {
		enter(ports, g.EndGUID[h], int32(rank), several)
		enter(nodes, g.EndNodeGUID[h], int32(rank), several)
		enter(descs, g.EndDesc[h], int32(rank), several)
	}
	ranks := len(hosts)
	for ranks > 0 && g.IsPortZero(hosts[ranks-1]) {
		ranks--
	}
	return func(word string) (int32, error) {
		if isRank(word) {
			n, err := strconv.ParseInt(word, 10, 32)
			if err != nil || int(n) >= ranks {
				return 0, fmt.Errorf("there is no rank %s: %d hosts", word, ranks)
			}
			return int32(n), nil
		}
		var rank int32
		var ok bool
		if guid, err := fabric.ParseGUID(word); err == nil && strings.HasPrefix(word, "0x") {
			if rank, ok = ports[guid]; !ok {
				rank, ok = nodes[guid]
			}
		} else {
			rank, ok = descs[strings.Trim(word, `"`)]
		}
		switch {
		case !ok:
			return 0, fmt.Errorf("no host is called %s", word)
		case rank == several:
			return 0, fmt.Errorf("several ports belong to %s: give a port GUID", word)
		}
		return rank, nil
	}
}

// isRank reports whether a word is a number.
func isRank(word string) bool { return strings.Trim(word, "0123456789") == "" }

func enter[K comparable](m map[K]int32, key K, rank, several int32) {
	if _, taken := m[key]; taken {
		rank = several
	}
	m[key] = rank
}
