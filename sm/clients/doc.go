// Package clients answers queries and registrations of hosts and other managers, in a goroutine
// beside the manager's loop.
//
// Administration answers queries to subnet administration (package sa) from the Ledger in force,
// until the next round has ended. Only the master answers; before the end of its first round it
// answers busy. Queries wait in a queue whose sources take turns (fairqueue.go, waiting.go).
//
// A Registrar keeps services, subscriptions, members of multicast groups and the LIDs of ports
// (registrar*.go). It answers a client after the change is stored and all standbys in step have it
// (package replica). After a takeover without a good copy the manager asks all ports to register
// again.
//
// The package knows neither round nor watch. The daemon passes it a ledger.Standing; it returns
// News.
package clients
