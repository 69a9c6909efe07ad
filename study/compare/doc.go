// Package compare compares engines on a fabric, fabrics with each other, and engines over many
// fabrics (Sweep). It recommends a proven engine and fabric.
package compare
