// Package sm is the subnet manager: it finds a subnet by directed routes, names, routes and
// programs it, takes its links to Active, and keeps it so.
//
// The manager is a stair of rooms, each a package. Values walk down it (settings, what a round is
// given) and up (results, ledgers, snapshots). A room imports only rooms below it:
//
//	sm            the daemon: clock, goroutines, transport; drives the machine and work beside it
//	sm/recording  all events that a manager was given, written down and played again
//	sm/clients    requests and registrations of hosts and other managers, answered beside the loop
//	sm/watch      the manager that stays: when a round begins, and what happens between rounds
//	sm/round      one bring-up: find, ask for a Plan, write
//	sm/ledger     of every device: the values found, written and acknowledged
//	sm/terms      the words: settings, events, actions, incidents, reports
//
// clients imports terms and ledger only, recording terms only. Beside them stand sa (subnet
// administration), replica (copies for standbys), partition, congestion, perf (counters), opensm
// (its files), state (files of state), service (the API), and outage (a rehearsal with packets).
//
// # The daemon
//
// Runner drives a watch.Manager over a wire.Transport. The requester of package wire does
// transaction IDs, window, timeouts and retries; terms.LossCount says how many retries. Package
// planner computes and judges Plans beside the loop. Also beside the loop: counters of ports
// (counters.go, with Runner.Counters), congestion control (congested.go), and the exchange with
// managers of other subnets (exchanging.go).
package sm
