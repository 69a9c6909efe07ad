// Package sm is the subnet manager: it finds a subnet by directed routes, names,
// routes and programs it, and takes its links to Active.
//
// Core is a pure state machine: Step takes an Event and answers with Actions. It
// has no clock, no goroutine and no I/O. Runner drives it over a wire.Transport; the
// requester of package wire does transaction IDs, window, timeouts and retries, and
// lossCount says how many retries. Package route/job computes and judges Plans.
//
// # States
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
//	  route ---> NOT ROUTED        no switch; every engine refused; or not proven, and not Config.Unproven
//	    v
//	  tables     LFT blocks, SL2VL, VL arbitration, P_Keys
//	    v
//	  arm        LinearFDBTop; PortInfo: LID, LMC, MasterSMLID, MTU, VLs, and Armed
//	    v
//	  activate   Active: switches, then CAs, then our own port
//	    v
//	  verify     PortStateChange once more
//	    v
//	  SUBNET UP, or UP IN PART: something was left out, not taken or not acknowledged
//
//	Stop, in any state: nothing more is sent; when all that is under way has
//	ended, INTERRUPTED. Sets without an acknowledgement, and switches that hold
//	half a table, are named in the report.
//
// A state ends when all its SMPs have ended; inside a state they go out as fast as
// the window allows, in an order that keeps the sweep breadth first.
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
// then UP IN PART. Of two nodes with one GUID the first one found stays. No more nodes are taken in than
// there are LIDs, so that a sweep ends whatever answers it.
//
// # What is written
//
// Only what differs from what the device reports, but for lane tables, which are not
// read. A block of a forwarding table below the reported LinearFDBTop is read first;
// what lies above is not defined (14.2.5.4, 14.2.5.10) and is written. The top is
// raised after the blocks.
// Parameters of a port and the step to Armed are one Set; Active comes when both
// ends are Armed (7.2, 14.2.5.6). All parameters are the Plan's: NeighborMTU and
// OperationalVLs are the least of what it has and both ends are capable of; head-of-queue
// and packet lifetimes and stall counts are left where it says nothing. SL2VL and VL
// arbitration (7.6.6, 7.6.9) are written where the Plan has several lanes; with one lane
// every mapping is free of deadlock, since no cycle of channels exists, and the devices'
// own is left. What hosts can learn from path records alone (an SL of their own for each
// path, one of several LIDs) is named in the report as not told.
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
// It brings a subnet up once: no traps, no sweeps later on, no standby and no answers to
// SMInfo, no SA, no multicast, no partitions but the default one. A new Plan in a subnet
// that carries traffic is not ordered to keep the transition free of deadlock.
// LinkSpeedExt is read as the device gives it without the SM's extended-speeds
// modifier. CAs cabled to each other get no LIDs: NOT ROUTED. A router is treated as a CA.
// M_Key leases and protection bits are left as they are.
package sm
