// Package compare compares engines on a fabric, fabrics with each other, and engines over many
// fabrics (Sweep). It recommends a proven engine and fabric.
//
// compare.go compares engines on a fabric, or fabrics. sweep.go tries engines on many fabrics,
// standing.go sums that up. best.go recommends, table.go prints.
package compare
