// Package watch is the manager that stays: it begins rounds and works between them. Manager is a
// pure state machine: no clock, no goroutine, no I/O.
//
// # Between rounds
//
// A light sweep asks every switch for its SwitchInfo, one SMP each (lightsweep.go),
// and reads some blocks of forwarding tables again (audit.go).
// PortStateChange, silence, and the traps 128, 144 and 145 are changes (unasked.go); every trap is
// repressed. The first change begins a round at once; Watch.Quiet and Watch.MostQuiet say how long
// the next one waits for more changes. A round repairs the Plan in force. Rounds after it move
// entries to less loaded links, such as returned ones (package moving), each after a light sweep
// that has found nothing: no packet is to take a new way through a switch that lost its table.
// After Watch.Rebalance without another change, everything is routed afresh: on a network that is
// not small beside the loop, so that repairs do not wait (better.go). A round that a change began
// asks only devices that may have changed; other rounds ask everything. If a round did
// not bring up everything, the next one begins after Watch.Retry, then after twice that time.
//
// Managers settle by priority and GUID who is the master, with handover and standby (election.go;
// 14.4.1). Two managers of weft never write at once.
//
// # Links that come back too often
//
// A link that comes back more often than FlapRule.Times goes into quarantine (unsteady.go): rounds
// do not look behind it, it gets no entry, and its ports stay in state Init once they have been
// down. Further signs of change from its switches have their ports read, and a round begins only if
// another port has changed (look.go). The link is used again after it was up for FlapRule.Hold
// without a change. Ports are read in the same way at switches whose PortStateChange cannot be
// cleared. A link that alone joins a switch to us stays in use; a link to a host never counts as
// such.
//
// # Ports that babble
//
// A port that sends too many traps and other SMPs, or whose link never comes to rest in quarantine,
// is reported, and disabled at its switch with BabbleRule.Disable (babble.go).
//
// # Drains, changes, deviations
//
// Config.Drain and the events DrainPart and UndrainPart keep switches and cables free of traffic
// (drain.go): every round drains them in its Fabric. The Manager refuses a drain that would leave
// two switches without a way to each other; if a fault brings that about, the part is used
// meanwhile.
//
// Every round is compared with the one before (changes.go): nodes that are missing, back or
// replaced, moved cables, new descriptions and capabilities have an event each. Watch.KeepAbsent
// says for how many rounds the LIDs of a missing node are kept. Config.Expected is compared too
// (expected.go).
//
// # Multicast
//
// The Plan has a pool of trees (package multicast). Subnet administration tells the Manager the
// members of groups. Between rounds the Manager writes the blocks of MulticastForwardingTables that
// differ from what switches have acknowledged (groups*.go): it removes ports first, then adds
// ports. A block of unknown content is read first, if groups are or were in it.
// MulticastFDBTop is the last MLID with room in a switch. Refused blocks are tried again after
// Watch.Retry.
//
// # Takeovers
//
// A standby learns the Plan of its master, without forwarding tables, and its rules (rules.go):
// partitions, levels and other settings, drains, links in quarantine. When it takes over it reads
// the tables that the switches hold. Together they are the same Plan (planner.Kept.WithTables),
// which a round repairs as any other: if nothing has changed meanwhile it writes no table, and
// hosts are told the same paths. If that Plan is not proven, the round routes everything afresh; if
// it is not what the options ask for, an event says so and the Plan stays.
//
// # M_Keys
//
// After a trap 256 a port is shown its key, so that its lease goes on (violation.go). A port that
// sends no trap 256 has its lease end after a wrong key, until a round asks it again.
package watch
