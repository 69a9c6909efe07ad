// Package ilp writes linear programmes for solvers and reads their answers. It starts no solver:
// package study/lpsolver does.
//
// A Programme, with integers, asks whether a graph can be coloured with a number of colours.
// Nienaber, Yuan and Duan do so for split graphs ("LID Assignment in InfiniBand Networks", section
// IV). A Linear has no integers; package paths balances paths with it.
package ilp

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"weft/route/names/colouring"
)

// Dialect is a format of linear programmes.
type Dialect uint8

// The dialects: the CPLEX LP format, which HiGHS, cbc and glpsol read, and
// lp_solve's own.
const (
	CPLEX Dialect = iota
	LPSolve
)

// Programme is the 0-1 programme for the question whether the vertices of a graph can be coloured
// with K colours. Its variables are x_p_i, 1 if vertex p has colour i; there is no objective.
type Programme struct {
	Graph *colouring.Graph
	K     int
	To    string // the destination: node GUID and port number, empty for none
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
		p.writeVariables(&b, "bin x_%d_%d", ", x_%d_%d")
		b.WriteString(end)
	} else {
		b.WriteString("Binary\n")
		p.writeVariables(&b, " x_%d_%d\n", " x_%d_%d\n")
		b.WriteString("End\n")
	}
	return b.Bytes()
}

// writeVariables writes the variables, vertex by vertex, with a separate format for the first.
func (p Programme) writeVariables(b *bytes.Buffer, first, next string) {
	format := first
	for v := range p.Graph.Len() {
		for i := range p.K {
			fmt.Fprintf(b, format, v, i)
			format = next
		}
	}
}

// Solve runs a solver on a programme. ones lists the variables with value 1, by number: x_p_i has
// number p*K+i.
type Solve func(ctx context.Context, p Programme) (a colouring.Answer, ones []int32, err error)

// Colouring reads a solver's ones as a colouring, and checks it.
func (p Programme) Colouring(ones []int32) ([]int32, error) {
	colour := slices.Repeat([]int32{-1}, p.Graph.Len())
	for _, x := range ones {
		v := int(x) / p.K
		if x < 0 || v >= len(colour) || colour[v] >= 0 {
			return nil, fmt.Errorf("ilp: the solver set variable %d, which does not exist or is one too many", x)
		}
		colour[v] = x % int32(p.K)
	}
	for u := range colour {
		if colour[u] < 0 {
			return nil, fmt.Errorf("ilp: the solver gave vertex %d no colour", u)
		}
		for v := range u {
			if colour[u] == colour[v] && p.Graph.HasEdge(u, v) {
				return nil, fmt.Errorf("ilp: the solver gave vertices %d and %d, which split, one colour", v, u)
			}
		}
	}
	return colour, nil
}
