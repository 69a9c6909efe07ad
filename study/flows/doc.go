// Package flows simulates flows on the paths of a routing: congestion and bandwidth under a traffic
// pattern.
package flows
