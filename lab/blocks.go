package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// mostBlocks is the greatest number of seed blocks that an artefact is run with: as many as are asked for, else its own in the full mode.
func (a *Artefact) mostBlocks(s *Setup) int {
	switch {
	case a.Seedless:
		return 1
	case s.Blocks > 0:
		return s.Blocks
	case s.Mode == Full:
		return cmp.Or(a.Blocks, Enough)
	}
	return 1
}

// looks are the numbers of seed blocks at which claims are judged: Enough, twice as many each time, and the most.
func looks(most int) (at []int) {
	for n := Enough; n < most; n *= 2 {
		at = append(at, n)
	}
	return append(at, most)
}

// BlockSeeds is the distance of the seeds of two blocks: artefacts count up from the seed of their block.
const BlockSeeds = 1 << 20

// runBlock runs an artefact under some readings in one seed block. claimsOnly says that its tables and charts are not kept.
func runBlock(ctx context.Context, a *Artefact, s *Setup, block int, readings []string, claimsOnly bool) *Result {
	setup := *s
	setup.Seed, setup.Readings, setup.ClaimsOnly = s.Seed+uint64(block)*BlockSeeds, readings, claimsOnly
	if s.Step != nil {
		setup.Step = func(row string) {
			if !a.Seedless {
				row += fmt.Sprintf(" (seed block %d)", block+1)
			}
			s.Step(strings.Join(append([]string{row}, readings...), ", "))
		}
	}
	return a.Run(ctx, &setup)
}

// overall is an artefact under some readings, judged over seed blocks. Its tables and charts are those of the first block, whose own claims
// stand in alone.
type overall struct {
	*Result
	alone  []Claim
	blocks int
}

// runBlocks runs an artefact under some readings in one seed block after the other, until each claim that matters is decided, or in as many as
// it may have.
func runBlocks(ctx context.Context, a *Artefact, s *Setup, readings []string, matters func(claim int) bool) *overall {
	first := runBlock(ctx, a, s, 0, readings, false)
	o := &overall{first, slices.Clone(first.Claims), 1}
	if a.Seedless {
		return o
	}
	claims := make([][]Claim, len(first.Claims))
	add := func(block []Claim) {
		if len(block) != len(claims) {
			panic(fmt.Sprintf("%s: %d claims, and %d in seed block %d", a.Name, len(claims), len(block), o.blocks))
		}
		for i, c := range block {
			claims[i] = append(claims[i], c)
		}
	}
	add(o.alone)
	at, noMore := looks(a.mostBlocks(s)), s.Mode == Full && s.Blocks == 0
	for k, n := range at {
		for ; o.blocks < n; o.blocks++ {
			add(runBlock(ctx, a, s, o.blocks, readings, true).Claims)
		}
		open := false
		for i := range claims {
			j := overBlocks(claims[i], len(at), k == len(at)-1, noMore)
			first.Claims[i] = j
			open = open || j.Verdict == TooFew && matters(i)
		}
		if !open {
			break
		}
	}
	return o
}
