// Package several answers the questions about a network of several subnets that the other packages
// of study answer about one fabric.
package several
