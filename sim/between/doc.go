// Package between simulates traffic across routers: congestion counting over the paths of an intersubnet.Plan (Simulate), and packets in
// time on one flat Graph in which routers are switches (Flatten), while hosts and routers are told of another Plan (Transition).
package between
