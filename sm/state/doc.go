// Package state keeps on disk what a subnet manager must not forget, in one SQLite database: the
// LIDs of all ports, also of those that are gone, the last Plans, what clients have registered, the
// subnet as it was found last, and the last events of the log.
//
// # What is promised
//
// What Record, SetDrains or SetEntries has returned from without an error outlives a crash of the
// process and a power cut at any moment: the journal is a write-ahead log (WAL) that is synced at
// every commit (synchronous=FULL), and LIDs and Plan are one transaction. Events and the subnet
// that was found are written by a Writer beside the manager; a power cut loses those that were
// under way.
//
// A second process that opens the same file is refused: a lock (flock) is held on FILE-lock as long
// as a Store is open. Reading (Read) needs no lock. A file that is removed while it is open is
// written anew by the next thing that is stored; where another one stands in its place nothing is
// stored.
//
// # Schema
//
// Version 3 (user_version), application_id 0x77656674. All tables are STRICT; GUIDs are stored as
// the signed number of the same bits; times are milliseconds since 1970.
//
//	lids    port_guid, base, lmc, gone (since when the port is missed; NULL: it is there)
//	plans   version, time, engine, verdict, bytes (as planfile.Save writes them: compressed)
//	events  number, time, code, text, node_guid, node_name, port
//	drains  name, told (by the configuration), drained (now, after what operators have asked for)
//	entries kind, key, value (of sa.Entry: services, subscriptions, groups)
//	subnet  id 1, time, netfile (as own.WriteJSON writes it, by gzip)
//
// A file of version 1, which has no drains, or of version 2, which has no entries, is brought to
// version 3 when it is opened. A file of a newer schema, of another program, or a damaged one is
// refused when it is opened, with what to do.
//
// Cost: Record writes only LIDs that have changed, and the Plan unless it is that of the last
// version; a commit is one sync.
package state
