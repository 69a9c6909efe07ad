// Package clients answers what hosts and other managers ask and register, beside the loop of the
// manager.
//
// Administration answers queries to subnet administration (package sa) by the Ledger in force,
// until the next round has ended. Only the master answers; before the end of its first round it
// says busy. Queries wait in a queue that gives each source its turn (fairqueue.go, waiting.go).
//
// A Registrar keeps services, subscriptions, members of multicast groups and the LIDs of ports
// (registrar*.go). It answers a client after the change is stored and all standbys that are in step
// have it (package replica). After a takeover without a good copy the manager asks all ports to
// register again.
//
// The package knows neither round nor watch. The daemon tells it a ledger.Standing; it tells News.
package clients
