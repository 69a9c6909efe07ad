// Package several answers for a network of several subnets the questions that the other packages of
// study answer for one fabric.
package several
