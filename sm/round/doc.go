// Package round is one bring-up of a subnet as a pure state machine: it finds what is there by
// directed routes, asks for a Plan, writes it, and takes links to Active. It has no clock, no
// goroutine, no I/O.
//
// Begin takes a Given, all that the round goes by, and Step an Event; Actions come out. Result says
// what the round has brought about. A finder finds out what is there and whose it is, up to a
// Fabric (discover, cables, elsewhere, lock, managers, believe, fabric). A writer stores and writes
// the Plan (found, store, program, lanes, steps, ports, pkeys, before). Neither calls the other:
// Round orders their phases (core.go).
//
// # States of a round
//
//	  Start
//	    |
//	    v        mismatches         something moved, fewer than Limits.Sweeps sweeps
//	discover ------------> recheck ------------------------------------> discover
//	    | none                | none, or two nodes with one GUID
//	    v                     v
//	  managers <--------------+    ports that say IsSM are asked for SMInfo
//	    |
//	    +--> OTHER MASTER          one is, or may be, the master, and not Given.TakeOver
//	    v
//	  claim                        IsSM at our port; PortStateChange set and not cleared -> discover
//	    v
//	  settle                       PortStateChange set meanwhile ------> discover
//	    |
//	    +--> DISCOVERED            Given.ReadOnly, which asks no managers
//	    v
//	  read                         forwarding tables that nobody knows: of all switches, or of those that come back (found.go)
//	    v
//	  route ---> NOT ROUTED        no switch; every engine refused; or not proven, and not Policy.Unproven
//	    v
//	  tables     LFT blocks, SL2VL, VL arbitration, P_Keys
//	    |   ^    in steps, from what was read, or the Plan in force has, to what the new one has
//	    |   pause    where these must not meet: Limits.Pause
//	    v
//	  arm        LinearFDBTop; PortInfo: LID, LMC, MasterSMLID, MTU, VLs, and Armed
//	    v
//	  activate   Active: switches, then CAs, then our own port
//	    v
//	  verify     PortStateChange once more
//	    v
//	  SUBNET UP, or UP IN PART: something was left out, not taken or not acknowledged
//
//	Silence, or a trap that a link has changed, ends what is under way if the same is done again
//	later (overtaken.go): discover to read lead to discover, fewer than Limits.Sweeps times; tables
//	to verify lead to the end, UP IN PART, of a round that another one can follow.
//
//	Stop, in any state: nothing more is sent; when all that is under way has
//	ended, INTERRUPTED. Sets without an acknowledgement, and switches that hold
//	half a table, are named in the report.
//
// A state ends when all its SMPs have ended; inside a state they go out as fast as
// the window allows, in an order that keeps the sweep breadth first.
//
// # Partitions and M_Keys
//
// With Policy.Partitions (package partition) every end port gets the P_Keys of its partitions, and
// the switch ports at CAs and routers drop packets with other P_Keys (pkeys.go). Without them a
// port becomes a full member of the default partition, and keeps its other P_Keys.
//
// With Given.Keys a port is asked for its M_Key before anything else of its node (lock.go), and
// given the key that it is to have, which follows from a secret and its GUID. Some ports tell their
// GUID only to a manager with their key: they are asked with the key of the port that was there
// before.
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
// Given.AskRoles, since other devices may leave an unknown attribute unanswered.
//
// What is wrong becomes an Incident, is left out, and the rest comes up; the subnet is then UP IN
// PART. Of two nodes with one GUID the first one found stays, and where the round before found one
// of them, that one (elsewhere.go). No more nodes are taken in than there are LIDs, so that a sweep
// ends whatever answers it.
//
// # What is written
//
// Only what differs from what the device reports. Lane tables are read where a Plan is taken up
// that was there before us, and written otherwise: to read them costs as much. A block of a
// forwarding table below the reported LinearFDBTop is read first, before a Plan is made where no
// Plan of ours is in force; what lies above is not defined (14.2.5.4, 14.2.5.10) and is written.
// The top is raised after the blocks. Parameters of a port and the step to Armed are one Set;
// Active comes when both ends are Armed (7.2, 14.2.5.6). All parameters are the Plan's: NeighborMTU
// and OperationalVLs are the least of what it has and both ends are capable of; head-of-queue and
// packet lifetimes and stall counts are left where it says nothing. SL2VL and VL arbitration
// (7.6.6, 7.6.9) are written where the Plan has several lanes; with one lane every mapping is free
// of deadlock, since no cycle of channels exists, and the devices' own is left. What hosts can
// learn from path records alone (an SL of their own for each path, one of several LIDs) is named in
// the report as not told: some never ask, and after --once nobody answers.
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
// The order of writing (steps.go) is that from the Plan of the round before, or from tables that
// were read (found.go). Of what was read nobody knows service levels and lanes: its packets may be
// on any VL, and their SL is taken to be 0. VL arbitration is no part of it: where VLs lose their
// turn it comes with the last step, otherwise with the first. LinkSpeedExt is read as the device
// gives it without the SM's extended-speeds modifier. CAs cabled to each other get no LIDs: NOT
// ROUTED. A router is treated as a CA. External ports of a switch have no M_Key of their own. A
// port that sends no trap 256 has its lease end after a wrong key, until a round asks it again.
package round
