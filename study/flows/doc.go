// Package flows simulates flows on the paths of a routing: the congestion and bandwidth of a traffic
// pattern.
package flows
