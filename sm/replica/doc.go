// Package replica gives standby managers copies of the state that a master must not lose: LIDs of
// ports, trees, the Plan without its tables, services, subscriptions, and every other sa.Entry. A
// Leader runs in the master, a Follower in each standby. Both are pure machines: datagrams and time
// in, datagrams out. docs/design/2026-11-24-replication.md gives the reasons.
//
// # Messages
//
// A message is one datagram of subnet administration, from QP 1 to QP 1: method Set of the vendor
// attribute 0xFFC1; the answer is its GetResp. Managers other than weft refuse the attribute; the
// Leader then leaves them alone. The data, most significant byte first:
//
//	0    4  "wft1"
//	4    1  kind: 1 Open, 2 Part, 3 Taken, 4 NotStandby, 5 OtherSession
//	5    1  flags of a Part: 1 completes the copy; 2 a good copy has all acknowledged changes
//	6    2  bytes of the payload
//	8    8  session: in the answer to Open the Follower's new one
//	16   8  number of the Part in its session, from 1
//	24   8  port GUID of the sender
//	32 152  payload
//	184 16  the first half of HMAC-SHA-256 of all bytes before, keyed by the shared secret
//
// The payloads of a session form one stream of entries: kind (1 byte), length of the key (1),
// length of the value plus 1, or 0 for a deleted entry (2), key, value. The stream starts with all
// entries and continues with changes. At most one Part per Follower is under way.
//
// # When a copy is good
//
// A Leader delays an acknowledgement until every Follower with a complete copy has the change. It
// gives up a silent Follower Patience after its last answer. For a Follower that has stopped
// standing by it waits up to mostHeld, since that one may become the master.
//
// A Follower trusts its copy for Patience from the sending of an answer that has arrived; the next
// Part proves that it has. So the Leader acknowledges nothing without a Follower until that
// Follower's copy has expired. A copy that was good when a Follower began to look for the master
// remains good for keptFor: before it takes over, the Follower makes sure that the master is gone.
//
// A new Leader acknowledges nothing until each of the first managers that it sees has a complete
// copy, or is given up. Flag 2 says so: with it a good copy of the previous master remains good
// while the new one arrives.
//
// # Bounds
//
// An entry has at most 255 bytes of key and 4,096 of value; a Follower keeps MostEntries. A stream
// longer than MostBacklog restarts. Cost: a message carries 152 bytes; a copy of 11,664 LIDs takes
// 1,100 messages, one round trip each.
package replica
