// Package state stores what a subnet manager must not forget in one SQLite database: the LIDs of
// all ports, present or missing, the last Plans, the partitions of programs, the registrations of
// clients, the last discovered subnet, and the last events of the log.
//
// # Guarantees
//
// When Record, SetDrains, SetOwned, SetJobs or SetEntries returns without an error, its data
// survives a crash of the process and a power cut. The journal is a write-ahead log (WAL), synced
// at every commit (synchronous=FULL), and one transaction holds both LIDs and Plan. A Writer stores
// events and the discovered subnet in the background; a power cut loses those not yet written.
//
// A second process cannot open the same file: an open Store holds a lock (flock) on FILE-lock.
// Reading (Read) needs no lock. If the file is removed while open, the next write creates it again
// with all its contents. If another file has taken its place, all writes fail.
//
// # A file and its log
//
// While a Store is open, most of its data is in FILE-wal alone. So each transaction writes a mark:
// which file it is, the number of transactions, the number when all of the log was last copied into
// the file, and whether the file is whole without a log. Open and Read compare the mark in the file
// alone with that of file and log. They refuse a file without its log, and with the log of another
// file or time (*Refused). A new file is made under another name, synced and renamed, so that an
// empty file is never ours.
//
// Backup makes a whole copy at any time (VACUUM INTO), Restore puts one back. Open checks the file
// before it writes. If a part is damaged that a manager can do without (Plans, entries, subnet,
// events), it makes a new file from the others and sets the damaged one aside. All files have mode
// 0600.
//
// # Schema
//
// Version 6 (user_version), application_id 0x77656674. All tables are STRICT. A GUID is stored as
// the signed number with the same bits; a time as milliseconds since 1970.
//
//	lids    port_guid, base, lmc, gone (since when the port is missing; NULL: it is present)
//	plans   version, time, engine, verdict, bytes (as planfile.Save writes them: compressed)
//	events  number, time, code, text, node_guid, node_name, port
//	drains  name, told (by the configuration), drained (now, after the operators' requests)
//	entries kind, key, value (of sa.Entry: services, subscriptions, groups)
//	partitions  p_key, value (a partition of programs as JSON; of P_Key 0 their version)
//	jobs    number (in the order of starts), id, value (a job that runs as JSON)
//	mark    id 1, file, commits, base, closed, copied (when a backup was made; NULL: an original)
//	subnet  id 1, time, netfile (as own.WriteJSON writes it, compressed with gzip)
//
// Open upgrades a file of version 1, without drains, 2, without entries, 3, without mark, 4,
// without partitions, or 5, without jobs, to version 6. It refuses a file with a newer schema, a
// file of another program, and a damaged file, and says what to do.
//
// Cost: Record writes only changed LIDs, and the Plan only if it differs from the last version; a
// commit is one sync.
package state
