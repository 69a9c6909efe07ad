// Package sm is the daemon of the subnet manager. The manager finds a subnet by directed routes,
// gives it LIDs, routes it, writes the tables, takes its links to Active, and repairs it after
// changes.
//
// The manager is a stack of packages, which ARCHITECTURE.md calls the stair and its rooms. Each
// imports only packages below it. Settings and the input of a round are passed down as arguments;
// results, ledgers and snapshots are returned.
//
//	sm            the daemon: clock, goroutines, transport; drives the state machines
//	sm/recording  writes all events of a manager to a file, and replays them
//	sm/clients    answers requests and registrations of hosts and other managers
//	sm/watch      decides when a round begins, and works between rounds
//	sm/round      one bring-up: find, ask for a Plan, write
//	sm/ledger     of every device: the values found, written and acknowledged
//	sm/terms      the shared types: settings, events, actions, incidents, reports
//
// clients imports terms and ledger only, recording terms only. Other packages are not on the stair:
// sa (subnet administration), replica (copies for standbys), partition, congestion, perf
// (counters), opensm (its files), state (files of state), service (the API), and outage (a
// rehearsal with packets).
//
// # The daemon
//
// Runner drives a watch.Manager over a wire.Transport: a loop waits for events (run.go), and each
// event makes actions (actions.go). The requester of package wire does transaction IDs, window,
// timeouts and retries; terms.LossCount says how many retries. These run in goroutines of their
// own, beside the loop: package planner, which computes and judges Plans; the counters of ports
// (counters.go, with Runner.Counters); congestion control (congested.go); and the exchange with
// managers of other subnets (exchanging.go).
package sm
