package names

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// Dialect is a format of linear programmes.
type Dialect uint8

// The dialects: the CPLEX LP format, which HiGHS, cbc and glpsol read, and
// lp_solve's own.
const (
	CPLEX Dialect = iota
	LPSolve
)

// Programme is the 0-1 programme of paper 000 (section IV) for the question whether
// the vertices of a split graph can be coloured with K colours. Its variables are
// x_p_i, 1 where vertex p has colour i; there is no objective.
type Programme struct {
	Graph *Graph
	K     int
	To    string // the destination: node GUID and port number, empty when there is none
}

// Text writes the programme.
func (p Programme) Text(d Dialect) []byte {
	var b bytes.Buffer
	end := "\n"
	if d == LPSolve {
		end = ";\n"
		b.WriteString("min: ;\n")
	} else {
		b.WriteString("Minimize\n obj: 0 x_0_0\nSubject To\n")
	}
	for v := range p.Graph.Len() {
		fmt.Fprintf(&b, " one_%d: x_%d_0", v, v)
		for i := 1; i < p.K; i++ {
			fmt.Fprintf(&b, " + x_%d_%d", v, i)
		}
		b.WriteString(" = 1" + end)
	}
	for u := range p.Graph.Len() {
		for v := range u {
			if !p.Graph.HasEdge(u, v) {
				continue
			}
			for i := range p.K {
				fmt.Fprintf(&b, " split_%d_%d_%d: x_%d_%d + x_%d_%d <= 1%s", u, v, i, u, i, v, i, end)
			}
		}
	}
	if d == LPSolve {
		p.list(&b, "bin x_%d_%d", ", x_%d_%d")
		b.WriteString(end)
	} else {
		b.WriteString("Binary\n")
		p.list(&b, " x_%d_%d\n", " x_%d_%d\n")
		b.WriteString("End\n")
	}
	return b.Bytes()
}

// list writes the variables, vertex by vertex.
func (p Programme) list(b *bytes.Buffer, first, next string) {
	format := first
	for v := range p.Graph.Len() {
		for i := range p.K {
			fmt.Fprintf(b, format, v, i)
			format = next
		}
	}
}

// Answer is a solver's answer to a Programme.
type Answer uint8

// The answers; Unknown when the time was over.
const (
	Unknown Answer = iota
	Yes
	No
)

// Solve runs a solver on a programme. ones are the variables that are 1, by number:
// x_p_i has number p*K+i. Running a process is not this package's business; Solver
// has what it takes.
type Solve func(ctx context.Context, p Programme) (a Answer, ones []int32, err error)

// Colouring reads a solver's ones as a colouring, and checks it.
func (p Programme) Colouring(ones []int32, colour []int32) error {
	for i := range colour {
		colour[i] = -1
	}
	for _, x := range ones {
		v := int(x) / p.K
		if x < 0 || v >= len(colour) || colour[v] >= 0 {
			return fmt.Errorf("names: the solver set variable %d, which is none or one too many", x)
		}
		colour[v] = x % int32(p.K)
	}
	for u := range colour {
		if colour[u] < 0 {
			return fmt.Errorf("names: the solver gave vertex %d no colour", u)
		}
		for v := range u {
			if colour[u] == colour[v] && p.Graph.HasEdge(u, v) {
				return fmt.Errorf("names: the solver gave vertices %d and %d, which split, one colour", v, u)
			}
		}
	}
	return nil
}

// ilp asks for fewer colours than color/L found as long as the solver finds them: for
// one less each time (section IV), or where only the number of LIDs counts for half
// as many LIDs. Equal paths are one vertex. A solver that runs out of time leaves
// bounds.
func (s *solver) ilp(ctx context.Context, upper int32, opt *Options) (int32, int32, error) {
	if opt.Solve == nil {
		return 0, 0, errors.New("names: ilp needs a solver")
	}
	lower := min(2, upper) // color/L has two colours only where two paths split
	for !opt.Goal.reached(int(lower), int(upper)) {
		p := Programme{&s.split.g, opt.Goal.next(int(upper)), s.to}
		answer, ones, err := opt.Solve(ctx, p)
		if err != nil {
			return 0, 0, err
		}
		switch answer {
		case Unknown:
			return lower, upper, nil
		case No:
			lower = int32(p.K) + 1
		case Yes:
			s.trial = resize(s.trial, s.split.g.n)
			if err := p.Colouring(ones, s.trial); err != nil {
				return 0, 0, err
			}
			copy(s.colour, s.trial)
			upper = numColours(s.trial)
		}
	}
	return lower, upper, nil
}
