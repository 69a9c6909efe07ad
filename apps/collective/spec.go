package collective

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Spec names an operation.
type Spec struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm"`
	Why       string `json:"why,omitempty"` // why this algorithm, if none was asked for
	Ranks     int    `json:"ranks"`
	Bytes     int64  `json:"bytes"` // of the vector, or of the block of each pair
}

// maker makes the rounds of an operation of p ranks.
type maker struct {
	name, algorithm string
	power           bool // for powers of two alone
	make            func(p int, size int64) rounds
}

var makers = []maker{
	{"allreduce", "ring", false, func(p int, n int64) rounds { return inSequence(ring(p, n, 0), ring(p, n, 1)) }},
	{"allreduce", "doubling", false, func(p int, n int64) rounds {
		return folded(p, n, func(p int) rounds { return doubling(p, n) })
	}},
	{"allreduce", "halving", false, func(p int, n int64) rounds {
		return folded(p, n, func(p int) rounds { return halving(p, n) })
	}},
	{"reducescatter", "ring", false, func(p int, n int64) rounds { return ring(p, n, 0) }},
	{"allgather", "ring", false, blockRing},
	{"allgather", "doubling", true, gatherDoubling},
	{"allgather", "bruck", false, gatherBruck},
	{"alltoall", "pairwise", false, pairwise},
	{"alltoall", "shift", false, shifts},
	{"alltoall", "bruck", false, bruck},
	{"alltoall", "atonce", false, atOnce},
	{"broadcast", "binomial", false, binomial},
	{"reduce", "binomial", false, func(p int, n int64) rounds { return reversed(binomial(p, n)) }},
	{"barrier", "dissemination", false, func(p int, _ int64) rounds { return dissemination(p) }},
}

// small is the largest size for which few rounds are worth more bytes: MPI libraries change
// algorithms near it.
const small = 32 << 10

// Parse reads an operation such as allreduce(ring,ranks=512,size=1GiB). Without an algorithm it
// takes the usual one of MPI libraries for the size. Without ranks= each place is a rank.
func Parse(text string, places int) (Spec, error) {
	name, rest, ok := strings.Cut(text, "(")
	s := Spec{Name: strings.TrimSpace(name), Bytes: 1 << 20}
	if !slices.ContainsFunc(makers, func(m maker) bool { return m.name == s.Name }) {
		return s, fmt.Errorf("%q is no collective operation: known are %s", s.Name, strings.Join(names(), ", "))
	}
	if ok {
		inner, end := strings.CutSuffix(strings.TrimSpace(rest), ")")
		if !end {
			return s, fmt.Errorf("%q: the closing ) is missing", text)
		}
		for word := range strings.SplitSeq(inner, ",") {
			if err := s.parseWord(strings.TrimSpace(word)); err != nil {
				return s, fmt.Errorf("%q: %w", text, err)
			}
		}
	}
	s.Ranks = cmp.Or(s.Ranks, places)
	if s.Ranks == 0 {
		return s, fmt.Errorf("%q: without a fabric the number of ranks is needed: add ranks=N", text)
	}
	if s.Ranks < 2 || s.Ranks > 1<<20 {
		return s, fmt.Errorf("%q has %d ranks: 2 to %d are possible", text, s.Ranks, 1<<20)
	}
	if s.Algorithm == "" {
		s.chooseAlgorithm()
	}
	_, err := s.make()
	if err == nil {
		err = s.limit(text)
	}
	return s, err
}

// limit refuses what no memory or no 64-bit number can hold.
func (s *Spec) limit(text string) error {
	switch {
	case s.Algorithm == "atonce" && s.Ranks > mostAtOnce:
		return fmt.Errorf("%q: %d ranks with a message to each other at once: %d ranks are possible; take pairwise or shift", text, s.Ranks, mostAtOnce)
	case s.Bytes > math.MaxInt64/int64(s.Ranks):
		return fmt.Errorf("%q: %d ranks times %d bytes are more than 2^63", text, s.Ranks, s.Bytes)
	}
	return nil
}

// mostAtOnce is the number of ranks whose messages to all others are kept at once: a few GB.
const mostAtOnce = 4096

// parseWord reads a word between the brackets.
func (s *Spec) parseWord(word string) error {
	key, value, ok := strings.Cut(word, "=")
	switch {
	case word == "":
		return nil
	case !ok && s.Algorithm == "":
		s.Algorithm = word
		return nil
	case key == "ranks":
		n, err := strconv.Atoi(value)
		if err != nil || n < 2 {
			return fmt.Errorf("ranks=%s: a number from 2 is expected", value)
		}
		s.Ranks = n
		return nil
	case key == "size":
		n, err := parseSize(value)
		s.Bytes = n
		return err
	}
	return fmt.Errorf("%q: an algorithm, ranks=N or size=BYTES is expected", word)
}

// chooseAlgorithm takes an algorithm by size.
func (s *Spec) chooseAlgorithm() {
	power := s.Ranks&(s.Ranks-1) == 0
	few := s.Bytes <= small
	switch {
	case s.Name == "allreduce" && few:
		s.Algorithm = "doubling"
	case s.Name == "allreduce" && s.Ranks <= 2:
		s.Algorithm = "doubling"
	case s.Name == "allgather" && few && power:
		s.Algorithm = "doubling"
	case (s.Name == "allgather" || s.Name == "alltoall") && few:
		s.Algorithm = "bruck"
	default:
		s.Algorithm = makers[slices.IndexFunc(makers, func(m maker) bool { return m.name == s.Name })].algorithm
	}
	s.Why = "few bytes, as it is over 32 KiB"
	if few {
		s.Why = "few rounds, as it is up to 32 KiB"
	}
	if len(s.algorithms()) == 1 {
		s.Why = "there is no other"
	}
}

func (s *Spec) algorithms() (list []string) {
	for _, m := range makers {
		if m.name == s.Name {
			list = append(list, m.algorithm)
		}
	}
	return list
}

func names() (list []string) {
	for _, m := range makers {
		if !slices.Contains(list, m.name) {
			list = append(list, m.name)
		}
	}
	return list
}

// make returns the rounds of the operation.
func (s *Spec) make() (rounds, error) {
	for _, m := range makers {
		if m.name != s.Name || m.algorithm != s.Algorithm {
			continue
		}
		if m.power && s.Ranks&(s.Ranks-1) != 0 {
			return rounds{}, fmt.Errorf("%s by %s is for powers of two, not for %d ranks", s.Name, s.Algorithm, s.Ranks)
		}
		return m.make(s.Ranks, s.Bytes), nil
	}
	return rounds{}, fmt.Errorf("%s by %q is not known: there is %s", s.Name, s.Algorithm, strings.Join(s.algorithms(), ", "))
}

// BusShare returns the factor from size/time to the bus bandwidth that nccl-tests prints: the rate
// at which each rank's port must work. 0 for operations that have none.
func (s *Spec) BusShare() float64 {
	p := float64(s.Ranks)
	switch s.Name {
	case "allreduce":
		return 2 * (p - 1) / p
	case "reducescatter":
		return (p - 1) / p
	case "allgather", "alltoall":
		return p - 1 // Bytes is a block; the whole is P blocks, times (P-1)/P
	case "broadcast", "reduce":
		return 1
	}
	return 0
}

// parseSize reads a number of bytes such as 4096, 64KiB or 1.5GB.
func parseSize(text string) (int64, error) {
	units := []struct {
		name string
		size float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}}
	number, unit := strings.TrimSpace(text), 1.0
	for _, u := range units {
		if head, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(head), u.size
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("size %q: a number of bytes such as 4096, 64KiB or 1GB is expected", text)
	case !(n*unit >= 0 && n*unit <= 1<<50):
		return 0, errors.New("a size is 0 to 1 PiB")
	}
	return int64(n * unit), nil
}
