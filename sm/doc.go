// Package sm is the subnet manager: it finds a subnet by directed routes, names,
// routes and programs it, takes its links to Active, and keeps it so.
//
// Manager and Core are pure state machines: Step takes an Event and answers with Actions. They
// have no clock, no goroutine and no I/O. A Core brings a subnet up once: a round. A Manager begins rounds, and
// watches the subnet between them. Runner drives it over a wire.Transport; the
// requester of package wire does transaction IDs, window, timeouts and retries, and
// lossCount says how many retries. Package planner computes and judges Plans.
//
// # A manager that stays
//
// Between rounds a light sweep asks every switch for its SwitchInfo, one SMP each (lightsweep.go). PortStateChange, silence, and
// the traps 128, 144 and 145 are changes (unasked.go); every trap is repressed. The first change begins a round at once; those that
// follow shortly are waited for, by Watch.Quiet and Watch.MostQuiet. A round repairs the Plan in force; after
// Watch.Rebalance without another change a round routes all afresh, so that what came back is used. A round that a change began asks
// only what may have changed (believe.go); all others ask everything. A round that did not bring
// up all is tried again after Watch.Retry, then after twice that. Who is the master is settled with other managers
// (election.go): by priority and GUID, with handover and standby, of 14.4.1. Two of ours never write at once.
//
// A link that comes back more often than FlapRule.Times is put in quarantine: rounds do not look behind it, so that it gets no
// entry and its ports stay in state Init (unsteady.go). Signs of change of its switches then have their ports read, and a round
// begins only where another port has changed (look.go). It is used again when it has been up for FlapRule.Hold without a change. The same
// reading of ports stands for PortStateChange bits that cannot be cleared. A link that alone leads to a switch stays in use.
//
// Config.Drain, and the events DrainPart and UndrainPart, keep switches and cables free of traffic (drain.go): they are drained in the Fabric of every
// round, from which the rest follows. What would leave two switches without a way to each other is refused; where that comes
// about by a fault it is used all the same, as long as that is so.
//
// Every round is compared with the one before (compare.go, changes.go): nodes that are missing, return, or are replaced by others, cables
// that moved, descriptions and capabilities that changed have an event each. LIDs of a missing node are kept for it, by Watch.KeepAbsent for
// a number of rounds only.
//
// Recorder writes all that a Manager is given, as values with their times, and Replay gives it to another one (recorder.go, recording.go, replay.go).
//
// # Ledger
//
// A ledger (ledger.go) holds what every device was found to be, was told, and holds: nodes and ports,
// Graph and Plan, tables and keys. Each round fills one of its own. When the round has brought the
// subnet up, the ledger is in force: the Manager and the next round go by it, and know nothing else of
// the round. From then on it only loses certainty. What devices are to hold follows from it alone
// (planned.go, plannedtables.go, plannedkeys.go), and so does what is as before (asbefore.go).
//
// # States of a round
//
//	  Start
//	    |
//	    v        mismatches         something moved, fewer than Config.Sweeps sweeps
//	discover ------------> recheck ------------------------------------> discover
//	    | none                | none, or two nodes with one GUID
//	    v                     v
//	  managers <--------------+    ports that say IsSM are asked for SMInfo
//	    |
//	    +--> OTHER MASTER          one is, or may be, the master, and not Config.TakeOver
//	    v
//	  claim                        IsSM at our port; PortStateChange set and not cleared -> discover
//	    v
//	  settle                       PortStateChange set meanwhile ------> discover
//	    |
//	    +--> DISCOVERED            Config.ReadOnly, which asks no managers
//	    v
//	  read                         forwarding tables, where no Plan of ours is in force, or not all of it was written
//	    v
//	  route ---> NOT ROUTED        no switch; every engine refused; or not proven, and not Config.Unproven
//	    v
//	  tables     LFT blocks, SL2VL, VL arbitration, P_Keys
//	    |   ^    in steps, from what was read, or the Plan in force has, to what the new one has
//	    |   pause    where these must not meet: Config.Pause
//	    v
//	  arm        LinearFDBTop; PortInfo: LID, LMC, MasterSMLID, MTU, VLs, and Armed
//	    v
//	  activate   Active: switches, then CAs, then our own port
//	    v
//	  verify     PortStateChange once more
//	    v
//	  SUBNET UP, or UP IN PART: something was left out, not taken or not acknowledged
//
//	Silence, or a trap that a link has changed, where something follows that does the same again (overtaken.go): what is under way is ended, and
//	discover to read lead to discover, fewer than Config.Sweeps times; tables to verify to the end, UP IN PART, of a round that others can follow.
//
//	Stop, in any state: nothing more is sent; when all that is under way has
//	ended, INTERRUPTED. Sets without an acknowledgement, and switches that hold
//	half a table, are named in the report.
//
// A state ends when all its SMPs have ended; inside a state they go out as fast as
// the window allows, in an order that keeps the sweep breadth first.
//
// # Administration
//
// A manager that stays answers what hosts and tools ask (administration.go, room sm/sa), beside the loop: by the Plan in force until the next
// round has ended. The master alone answers; before its first round has ended it says busy.
//
// # Multicast
//
// The Plan of a manager that stays has a pool of trees (route/multicast). Members of groups are kept by subnet administration (members.go, sm/sa), and told to
// the Manager when nothing more has changed for Watch.Quiet, and no later than Watch.MostQuiet after the first change. Between rounds the Manager writes the blocks of
// MulticastForwardingTables that differ from what switches have acknowledged (groups.go), first what takes ports away, then what adds them. A block of which
// that is not known is read first, if groups are or were in it; MulticastFDBTop is the last MLID that a switch has room for.
// What a switch does not take is tried again after Watch.Retry.
//
// # Registrations
//
// Services, subscriptions and the LIDs of ports are kept by a registrar (registrar.go), beside the loop. It answers a client when the change is
// stored (Runner.Remember) and when all standbys that are in step have it (room sm/replica). After a takeover without a good copy all ports
// are asked to register again (reregister.go).
//
// # Takeovers
//
// A manager that stands by is told the Plan of its master without the forwarding tables, and what that one goes by (rules.go): partitions, levels and other settings, what is drained, and links in quarantine. When it
// takes its place it reads the tables that the switches hold, and with these has the same Plan (planner.Kept.WithTables), which is repaired as every Plan: where nothing has changed
// meanwhile no table is written, and hosts are told the same paths. Where that Plan is not proven all is routed afresh; where it is not what the options ask for it is told, and stays.
//
// # Partitions
//
// With Config.Partitions (room sm/partition) every end port gets the P_Keys that its partitions have, and the switch ports before CAs and routers
// drop packets with others (pkeys.go). Without them a port is made a full member of the default partition, and keeps what else it has.
//
// # Counters
//
// The master reads the counters of all ports beside the loop (counters.go, room sm/perf), if Runner.Counters says so.
//
// # M_Keys
//
// With Config.Keys a port is asked for its M_Key before anything else of its node (lock.go), and given the one that it is to have, which follows
// from a secret and its GUID (keys.go). Where a port tells its GUID only to who has its key, that of the port which was there is tried (keyring.go). After a trap 256 it is shown its key, so that its lease goes on (violation.go).
//
// # Discovery
//
// From our own port on: NodeInfo (IBA volume 1, 14.2.5.3), NodeDescription, of a
// switch SwitchInfo and then PortInfo of all ports (14.2.5.6), of a CA that of the
// port that was reached; and NodeInfo through every port with a live link. A cable
// between switches is asked from both its ends, except where one of them is how the
// switch was found: those are two facts, and only together they show cables that
// moved and two switches with one GUID. No fact is asked twice otherwise.
// PortStateChange is cleared before the ports of a switch are read and read after
// the sweep, so that what changes meanwhile shows (14.2.5.4). The master of a subnet
// finds changes by the same bit: where our own port or a switch shows that a manager has
// been here, it is not cleared before the managers were asked, and the sweep is then
// made again if any was set. A discovery writes nothing, and sees changes only of switches
// whose bit was clear.
// Switches are asked for their role in a tree (vendor attribute SwitchRole) only with
// Config.AskRoles, since other devices may leave an unknown attribute unanswered.
//
// What is wrong becomes an Incident, is left out, and the rest comes up; the subnet is
// then UP IN PART. Of two nodes with one GUID the first one found stays, and where the round before found one of them, that one (elsewhere.go). No more nodes are taken in than
// there are LIDs, so that a sweep ends whatever answers it.
//
// # What is written
//
// Only what differs from what the device reports. Lane tables are read where a Plan is taken up that was there before us, and written otherwise: to read
// them costs as much. A block of a forwarding table below the reported LinearFDBTop is read first,
// before a Plan is made where no Plan of ours is in force;
// what lies above is not defined (14.2.5.4, 14.2.5.10) and is written. The top is
// raised after the blocks.
// Parameters of a port and the step to Armed are one Set; Active comes when both
// ends are Armed (7.2, 14.2.5.6). All parameters are the Plan's: NeighborMTU and
// OperationalVLs are the least of what it has and both ends are capable of; head-of-queue
// and packet lifetimes and stall counts are left where it says nothing. SL2VL and VL
// arbitration (7.6.6, 7.6.9) are written where the Plan has several lanes; with one lane
// every mapping is free of deadlock, since no cycle of channels exists, and the devices'
// own is left. What hosts can learn from path records alone (an SL of their own for each
// path, one of several LIDs) is named in the report as not told: some never ask, and after --once nobody answers.
//
// The answer to a Set is compared with what was asked, for names, states, forwarding
// tables and SL2VL. A port that refuses a Set is read: the refusal may be of a
// repetition. A switch that did not acknowledge its tables may hold any: its links stay
// as they are, so that on a cold start nothing unproven carries data. What it has for LID 0
// and above the top, and lanes of links to hosts, which are on no cycle, do not matter.
//
// # Cost
//
// Links end to end: E ends of links between switches, H of hosts, S switches, N
// nodes, P ports, B blocks. Cold: about E+H NodeInfo, N NodeDescription, P PortInfo,
// 5S SwitchInfo, N P_KeyTable, S*B blocks, 2(E+2H)+S Set PortInfo. Steps cost
// constant time; the memory is about 93 bytes a port.
//
// # Limits
//
// The order of writing (steps.go) is that from the Plan of the round
// before, or from tables that were read (found.go). Of what was read nobody knows service levels and lanes: its packets may be on any VL, and
// their SL is taken to be 0. VL arbitration is no part of it: where VLs lose their turn it
// comes with the last step, otherwise with the first.
// LinkSpeedExt is read as the device gives it without the SM's extended-speeds
// modifier. CAs cabled to each other get no LIDs: NOT ROUTED. A router is treated as a CA.
// External ports of a switch have no M_Key of their own. A port that sends no trap 256 has its lease end after a wrong key, until a round asks it again.
package sm
