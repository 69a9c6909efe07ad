// Package ledger records, for every device of a subnet, the discovered facts, the values written to
// it, and the values it holds: nodes and ports, Graph and Plan, tables and keys.
//
// Each round fills a Ledger of its own. When the round has brought the subnet up, its Ledger is in
// force: the watch, the next round and subnet administration use it, and know nothing else of the
// round. From then on a Ledger only loses certainty (DoubtBlocks, DoubtTables, DoubtUnverified,
// See, ForgetRewritten).
//
//	inventory.go             nodes and ports as found: flat arrays by node and by slot (a port)
//	tags.go                  kinds of SMPs, and the tag that identifies one
//	planned*.go              planned contents of devices, by Plan and Policy: PortInfo, tables, keys
//	asbefore.go, compare.go  two ledgers: the contents that a device kept, and the changes
//	keyring.go               M_Keys of ports; all ledgers of a manager share one Keyring
//	drained.go               switches and cables without traffic
//	standing.go              the manager's role and ledger, as subnet administration sees them
package ledger
