// Package replica keeps the copies that standby managers have of what their master must not lose:
// LIDs of ports, trees, the Plan without its tables, services, subscriptions, and every other
// sa.Entry. Leader is the side of the master, Follower that of a standby. Both are pure machines:
// datagrams and time in, datagrams out. docs/design/2026-11-24-replication.md says why it is so.
//
// # Messages
//
// A message is one datagram of subnet administration, from QP 1 to QP 1: method Set of the
// attribute 0xFFC1, which is one of those left to vendors; its answer is the GetResp. Other
// managers refuse the attribute, and are left alone. The data, most significant byte first:
//
//	0    4  "wft1"
//	4    1  kind: 1 Open, 2 Part, 3 Taken, 4 NotStandby, 5 OtherSession
//	5    1  flags of a Part: 1 the copy is complete with it, 2 nothing was acknowledged that a good copy of this Follower has not, and nothing is
//	6    2  bytes of the payload
//	8    8  session: in the answer to Open the Follower's new one
//	16   8  number of the Part in its session, from 1
//	24   8  port GUID of the sender
//	32 152  payload
//	184 16  the first half of HMAC-SHA-256 of all before, keyed by what the managers share
//
// The payloads of a session are one stream of entries: kind (1 byte), length of the key (1), length
// of the value and 1, or 0 for one that has ended (2), key, value. It begins with all entries, and
// goes on with changes. One Part is under way at a time to a Follower.
//
// # When a copy is good
//
// A Leader holds what is to be acknowledged until every Follower that has a complete copy has taken
// it. One that does not answer is given up after Patience, from its last answer on; one that says
// that it does not stand by for now is waited for, up to mostHeld: it may become the master. A
// Follower counts its copy as good for Patience from when it sent an answer that has arrived: the
// next Part proves that. So what is acknowledged without a Follower is acknowledged after the copy
// of that one has ceased to be good. A copy that was good when a Follower began to look for the
// master is so until keptFor: it is the Follower's business that the master is gone when it takes
// its place.
//
// A Leader that has become the master acknowledges nothing until all managers that are there first
// have a complete copy, or are given up. Flag 2 says so; by it a good copy, of the master before,
// stays good while that of the new one comes.
//
// # Bounds
//
// An entry has at most 255 bytes of key and 4,096 of value; a Follower keeps MostEntries. A stream
// that is longer than MostBacklog begins anew. Cost: a message carries 152 bytes; a copy of 11,664
// LIDs is 1,100 messages, one round trip each.
package replica
