package collective

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Spec names an operation.
type Spec struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm"`
	Why       string `json:"why,omitempty"` // why this algorithm, if none was asked for
	Ranks     int    `json:"ranks"`
	Bytes     int64  `json:"bytes"` // of the vector, or of the block of each pair
	// Group is the number of ranks of a server, or of storage servers of a checkpoint.
	Group int   `json:"group,omitempty"`
	Steps int   `json:"steps,omitempty"`   // how often it runs; 0: once
	Calc  int64 `json:"calc_ns,omitempty"` // computation of a rank before each round, in nanoseconds
}

// Defaults hold the values of options that the text of an operation leaves out.
type Defaults struct {
	Ranks int
	Group int // ranks of a server, if they follow each other
}

// maker makes the rounds of an operation of p ranks.
type maker struct {
	name, algorithm string
	power           bool // for powers of two alone
	make            func(p int, size int64) rounds
	grouped         func(p, group int, size int64) rounds // in place of make, for operations with a Group
}

var makers = []maker{
	{name: "allreduce", algorithm: "ring", make: func(p int, n int64) rounds { return inSequence(ring(p, n, 0), ring(p, n, 1)) }},
	{name: "allreduce", algorithm: "doubling", make: func(p int, n int64) rounds {
		return folded(p, n, func(p int) rounds { return doubling(p, n) })
	}},
	{name: "allreduce", algorithm: "halving", make: func(p int, n int64) rounds {
		return folded(p, n, func(p int) rounds { return halving(p, n) })
	}},
	{name: "allreduce", algorithm: "tree", make: doubleTree},
	{name: "allreduce", algorithm: "rails", grouped: overRails},
	{name: "reducescatter", algorithm: "ring", make: func(p int, n int64) rounds { return ring(p, n, 0) }},
	{name: "allgather", algorithm: "ring", make: blockRing},
	{name: "allgather", algorithm: "doubling", power: true, make: gatherDoubling},
	{name: "allgather", algorithm: "bruck", make: gatherBruck},
	{name: "alltoall", algorithm: "pairwise", make: pairwise},
	{name: "alltoall", algorithm: "shift", make: shifts},
	{name: "alltoall", algorithm: "bruck", make: bruck},
	{name: "alltoall", algorithm: "atonce", make: atOnce},
	{name: "alltoall", algorithm: "rails", grouped: allOverRails},
	{name: "broadcast", algorithm: "binomial", make: binomial},
	{name: "broadcast", algorithm: "scatter", make: scattered},
	{name: "reduce", algorithm: "binomial", make: func(p int, n int64) rounds { return reversed(binomial(p, n)) }},
	{name: "barrier", algorithm: "dissemination", make: func(p int, _ int64) rounds { return dissemination(p) }},
	{name: "halo", algorithm: "3d", make: halo(3)},
	{name: "halo", algorithm: "2d", make: halo(2)},
	{name: "fft", algorithm: "pencils", make: pencils},
	{name: "sweep", algorithm: "corner", make: sweep},
	{name: "checkpoint", algorithm: "blocks", grouped: checkpoint},
}

// small is the largest size for which few rounds are worth more bytes: MPI libraries change
// algorithms near it.
const small = 32 << 10

// Parse reads an operation such as allreduce(ring,ranks=512,size=1GiB). Without an algorithm it
// takes the usual one of MPI libraries for the size. Defaults say the rest.
func Parse(text string, d Defaults) (Spec, error) {
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
	s.Ranks = cmp.Or(s.Ranks, d.Ranks)
	if s.Ranks == 0 {
		return s, fmt.Errorf("%q: without a fabric the number of ranks is needed: add ranks=N", text)
	}
	if s.Ranks < 2 || s.Ranks > 1<<20 {
		return s, fmt.Errorf("%q has %d ranks: 2 to %d are possible", text, s.Ranks, 1<<20)
	}
	if s.Algorithm == "" {
		s.chooseAlgorithm(d.Group)
	}
	if s.isGrouped() {
		s.Group = cmp.Or(s.Group, d.Group)
	}
	_, err := s.make()
	if err == nil {
		err = s.limit(text)
	}
	return s, err
}

// limit refuses operations beyond memory or 64-bit numbers.
func (s *Spec) limit(text string) error {
	switch {
	case s.Algorithm == "atonce" && s.Ranks > mostAtOnce:
		return fmt.Errorf("%q: %d ranks with a message to each other at once: %d ranks are possible; take pairwise or shift", text, s.Ranks, mostAtOnce)
	case s.Name == "alltoall" && s.Algorithm == "rails" && s.Ranks > mostAtOnce*mostAtOnce/s.Group:
		return fmt.Errorf("%q: each of %d ranks with a message to %d others of its server at once: a smaller group= is expected", text, s.Ranks, s.Group-1)
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
	case key == "group", key == "storage", key == "steps":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 1<<20 {
			return fmt.Errorf("%s: a number from 1 to %d is expected", word, 1<<20)
		}
		if key == "steps" {
			s.Steps = n
		} else {
			s.Group = n
		}
		return nil
	case key == "calc":
		t, err := time.ParseDuration(value)
		if err != nil || t < 0 {
			return fmt.Errorf("%s: a time such as 50us is expected", word)
		}
		s.Calc = t.Nanoseconds()
		return nil
	case key == "size":
		n, err := parseSize(value)
		s.Bytes = n
		return err
	}
	return fmt.Errorf("%q: an algorithm, ranks=N, size=BYTES, steps=N, calc=TIME, or for some group=N or storage=N is expected", word)
}

// isGrouped reports whether the operation needs a Group.
func (s *Spec) isGrouped() bool {
	return slices.ContainsFunc(makers, func(m maker) bool { return m.name == s.Name && m.algorithm == s.Algorithm && m.grouped != nil })
}

// chooseAlgorithm takes an algorithm by size, and by the ranks of a server.
func (s *Spec) chooseAlgorithm(group int) {
	power := s.Ranks&(s.Ranks-1) == 0
	few := s.Bytes <= small
	if (s.Name == "allreduce" || s.Name == "alltoall") && !few && group > 1 && s.Ranks > group && s.Ranks%group == 0 {
		s.Algorithm, s.Why = "rails", fmt.Sprintf("%d ranks in a row share a server", group)
		return
	}
	switch {
	case s.Name == "allreduce" && few:
		s.Algorithm = "doubling"
	case s.Name == "allreduce" && s.Ranks <= 2:
		s.Algorithm = "doubling"
	case s.Name == "allgather" && few && power:
		s.Algorithm = "doubling"
	case s.Name == "broadcast" && !few:
		s.Algorithm = "scatter"
	case (s.Name == "allgather" || s.Name == "alltoall") && few:
		s.Algorithm = "bruck"
	default:
		s.Algorithm = makers[slices.IndexFunc(makers, func(m maker) bool { return m.name == s.Name })].algorithm
	}
	s.Why = "usual over 32 KiB: few bytes"
	if few {
		s.Why = "usual up to 32 KiB: few rounds"
	}
	switch {
	case len(s.algorithms()) == 1:
		s.Why = "there is no other"
	case s.Name == "halo":
		s.Why = "the usual one"
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
		r, err := s.rounds(&m)
		if s.Calc > 0 {
			r = computed(r, s.Calc)
		}
		if s.Steps > 1 {
			r = repeated(r, s.Steps)
		}
		return r, err
	}
	return rounds{}, fmt.Errorf("%s by %q is not known: there is %s", s.Name, s.Algorithm, strings.Join(s.algorithms(), ", "))
}

// rounds returns the rounds of the operation, run once.
func (s *Spec) rounds(m *maker) (rounds, error) {
	switch {
	case m.grouped == nil && s.Group > 0:
		return rounds{}, fmt.Errorf("%s by %s has no group: leave it out", s.Name, s.Algorithm)
	case m.grouped == nil:
		return m.make(s.Ranks, s.Bytes), nil
	case s.Name == "checkpoint" && (s.Group < 1 || s.Group >= s.Ranks):
		return rounds{}, fmt.Errorf("a checkpoint of %d ranks needs storage=N: the last N ranks are storage servers", s.Ranks)
	case s.Name != "checkpoint" && (s.Group < 2 || s.Ranks%s.Group != 0 || s.Ranks == s.Group):
		return rounds{}, fmt.Errorf("%s by %s of %d ranks needs group=N, the ranks of a server: two servers or more, all full", s.Name, s.Algorithm, s.Ranks)
	}
	return m.grouped(s.Ranks, s.Group, s.Bytes), nil
}

// Whole returns the size that nccl-tests divides by the time: that of the vector, or of the blocks
// of all ranks.
func (s *Spec) Whole() float64 {
	if s.Name == "allgather" || s.Name == "alltoall" {
		return float64(s.Bytes) * float64(s.Ranks)
	}
	return float64(s.Bytes)
}

// BusShare returns the factor from Whole/time to the bus bandwidth that nccl-tests prints: the rate
// at which each rank's port must work. 0 for operations that have none.
func (s *Spec) BusShare() float64 {
	p := float64(s.Ranks)
	if s.Steps > 1 || s.Calc > 0 {
		return 0
	}
	switch s.Name {
	case "allreduce":
		return 2 * (p - 1) / p
	case "reducescatter":
		return (p - 1) / p
	case "allgather", "alltoall":
		return (p - 1) / p
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
