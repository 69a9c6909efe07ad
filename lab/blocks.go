package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// mostBlocks returns the maximum number of seed blocks of an artefact: the requested number, or in
// full mode the artefact's own, else 1.
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

// looks returns the numbers of seed blocks at which claims are judged: Enough, then twice as many
// each time, and finally the maximum.
func looks(most int) (at []int) {
	for n := Enough; n < most; n *= 2 {
		at = append(at, n)
	}
	return append(at, most)
}

// BlockSeeds is the distance between the seeds of two blocks: artefacts count up from their block's
// seed.
const BlockSeeds = 1 << 20

// runBlock runs an artefact under some readings in one seed block. With claimsOnly its tables and
// charts are not kept.
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

// overall is an artefact under some readings, judged over seed blocks. Its tables and charts come
// from the first block; alone holds that block's own claims.
type overall struct {
	*Result
	alone  []Claim
	blocks int
}

// runBlocks runs an artefact under some readings, one seed block after the other, until each claim
// that matters is decided or the maximum number of blocks is reached. After the first look, blocks
// skip rows that no claim that matters still needs; other claims may then stay undecided.
func runBlocks(ctx context.Context, a *Artefact, s *Setup, readings []string, matters func(claim int) bool) *overall {
	first := runBlock(ctx, a, s, 0, readings, false)
	o := &overall{first, slices.Clone(first.Claims), 1}
	if a.Seedless {
		return o
	}
	claims := make([]judging, len(first.Claims))
	add := func(block []Claim) {
		if len(block) != len(claims) {
			panic(fmt.Sprintf("%s: %d claims, and %d in seed block %d", a.Name, len(claims), len(block), o.blocks))
		}
		for i, c := range block {
			claims[i].add(c)
		}
	}
	some := func(is func(j *judging) bool) bool {
		for i := range claims {
			if matters(i) && is(&claims[i]) {
				return true
			}
		}
		return false
	}
	needed := *s
	add(o.alone)
	at, never := looks(a.mostBlocks(s)), s.Mode == Full && s.Blocks == 0
	for k, n := range at {
		for ; o.blocks < n; o.blocks++ {
			add(runBlock(ctx, a, &needed, o.blocks, readings, true).Claims)
		}
		for i := range claims {
			claims[i].look(len(at), k == len(at)-1 && matters(i), never)
		}
		if !some((*judging).open) {
			break
		}
		needed.Rows = func(row string) bool {
			return (s.Rows == nil || s.Rows(row)) && some(func(j *judging) bool { return j.needs(row) })
		}
	}
	for i := range claims {
		first.Claims[i] = claims[i].Claim
	}
	return o
}
