// Package between simulates traffic across routers: congestion counting over the paths of an
// intersubnet.Plan (Simulate), and packets in time on one Graph with switches for routers
// (Flatten). Hosts and routers can change to another Plan under traffic (Transition).
package between
