// Package compare compares engines on a fabric, fabrics with each other, and engines over many
// fabrics (Sweep). It recommends an engine and a fabric by what is proven.
package compare
