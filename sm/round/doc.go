// Package round brings a subnet up once, as a pure state machine: it discovers by directed routes,
// asks for a Plan, writes it, and takes links to Active. It has no clock, no goroutine and no I/O.
//
// Begin takes a Given, the complete input. Step takes an Event and returns Actions. Result returns
// the outcome. A finder discovers nodes, links and other managers, up to a Fabric (discover,
// cables, elsewhere, lock, managers, believe, fabric). A writer stores and writes the Plan (found,
// store, program, lanes, onelane, steps, ports, pkeys, before). Neither calls the other: Round
// orders their phases (core.go).
//
// # States of a round
//
//	  Start
//	    |
//	    v        mismatches         a cable moved, fewer than Limits.Sweeps sweeps
//	discover ------------> recheck ------------------------------------> discover
//	    | none                | none, or two nodes with one GUID
//	    v                     v
//	  managers <--------------+    asks ports that say IsSM for SMInfo
//	    |
//	    +--> OTHER MASTER          one is, or may be, the master, and not Given.TakeOver
//	    v
//	  claim                        sets IsSM; PortStateChange set and not cleared -----> discover
//	    v
//	  settle                       PortStateChange set meanwhile ------> discover
//	    |
//	    +--> DISCOVERED            Given.ReadOnly, which asks no managers
//	    v
//	  read                         unknown forwarding tables: of all switches, or of some (found.go)
//	    v
//	  route ---> NOT ROUTED        no switch, no Plan, or not proven and not Policy.Unproven
//	    v
//	  tables     LFT blocks, SL2VL, VL arbitration, P_Keys
//	    |   ^    in steps, from the tables in force to the new ones
//	    |   pause    where old and new entries must not meet: Limits.Pause
//	    v
//	  arm        LinearFDBTop; PortInfo: LID, LMC, MasterSMLID, MTU, VLs, and Armed
//	    v
//	  activate   Active: switches, then CAs, then our own port
//	    v
//	  verify     PortStateChange once more
//	    v
//	  SUBNET UP, or UP IN PART: something was left out, refused or not acknowledged
//
// Silence, or a trap about a link, breaks off a phase if a later one does the same work
// (overtaken.go). From discover to read the round sweeps again, fewer than Limits.Sweeps times.
// From tables to verify it ends UP IN PART, and another round can follow.
//
// After Stop, in any state, the round sends nothing more. When all SMPs under way have ended, it
// ends INTERRUPTED. The report names Sets without an acknowledgement, and half-written switches.
//
// A state ends when all its SMPs have ended. Within a state they go out as fast as the window
// allows, in an order that keeps the sweep breadth-first.
//
// # Partitions and M_Keys
//
// With Policy.Partitions (package partition) every end port gets the P_Keys of its partitions, and
// the switch ports at CAs and routers drop packets with other P_Keys (pkeys.go). Without them a
// port becomes a full member of the default partition, and keeps its other P_Keys.
//
// A port is asked for its M_Key before anything else of its node (lock.go), and is given its key,
// which is derived from a secret and its GUID. Without Given.Keys a key that can be read is taken
// away. Some ports hide their GUID from managers without their key. These are asked with the key of
// the port found there before.
//
// # Discovery
//
// Discovery starts at our own port. It reads NodeInfo (IBA volume 1, 14.2.5.3) and NodeDescription
// of every node. Of a switch it reads SwitchInfo and then PortInfo of all ports (14.2.5.6); of a
// CA, PortInfo of the port that was reached. It sends NodeInfo through every port with a live link.
//
// A cable between switches is probed from both ends, except at the entry port of a switch.
// Only together do both answers show moved cables and two switches with one GUID. Nothing else is
// asked twice.
//
// PortStateChange is cleared before the ports of a switch are read, and read after the sweep, so
// that changes meanwhile show (14.2.5.4). The master of a subnet finds changes by the same bit. If
// our own port or a switch shows traces of a manager, the round clears no bit before it has asked
// the managers, and sweeps again if any bit was set. A read-only round writes nothing, and sees
// changes only of switches whose bit was clear. Switches are asked for their role in a tree (vendor
// attribute SwitchRole) only with Given.AskRoles, since other devices may leave an unknown
// attribute unanswered.
//
// A faulty part becomes an Incident and is left out; the rest comes up, and the subnet is then UP
// IN PART. Of two nodes with one GUID the first one found stays, unless the other one is known from
// the previous round or has the LID stored for the GUID (elsewhere.go). The number of nodes is
// limited to the number of LIDs, so that every sweep ends.
//
// # What does not fit
//
// A device with less room than the others stops nobody else. Before routing, ports beyond the
// forwarding table of a switch are left out by name, or the switch itself if that serves more ports
// and spares those in service (fit.go). Ports get fewer LIDs than 2^LMC before one is left out
// (package lids). Cables with too few lanes for every engine are left out (narrow.go). Switches
// whose multicast table is too small carry no groups (ledger.WithoutGroups). P_Keys that do not fit
// are noted, and so are MTUs below that of a group (pkeys.go, groupmtu.go).
//
// A request that this host could not send says nothing of a device: the round ends FAILED before it
// writes, and is repeated (overtaken.go). A fault of the planner has it try the other way, to
// repair or to route afresh (package planning). If there is no Plan all the same, the report has
// the judge's verdict on the tables that switches hold.
//
// # What is written
//
// Only differences from the device's own report are written. Lane tables are read first only if the
// round takes up a Plan that was there before us, or has one lane; otherwise reading costs as much
// as writing. A
// block of a forwarding table below the reported LinearFDBTop is read first; if the table is
// unknown, before the Plan is made. Blocks above it are undefined (14.2.5.4, 14.2.5.10) and are
// written. The top is raised after the blocks.
//
// Parameters of a port and the step to Armed are one Set; Active follows when both ends are Armed
// (7.2, 14.2.5.6). All parameters come from the Plan. NeighborMTU and OperationalVLs are the
// minimum of the Plan and the capabilities of both ends. Head-of-queue and packet lifetimes and
// stall counts do not change if the Plan has none. SL2VL and VL arbitration (7.6.6, 7.6.9) are
// written if the Plan has several lanes. With one lane the channels form no cycle, so every mapping
// is deadlock-free, and stays unchanged if packets of all SLs pass (onelane).
//
// An earlier manager may have written any of this, so nothing is believed without Given.Before, nor
// with Given.ReadTables. docs/operate.md lists what can be left and what becomes of it.
//
// Hosts learn some facts from path records alone: a path's own SL, or one of several LIDs. The
// report lists these as not told: some hosts never ask, and after --once nobody answers.
//
// The answer to a Set is compared with the request: LID, LMC, state, forwarding table, SL2VL. A
// port that refuses a Set is read, since the refused Set may be a repetition. A switch that did not
// acknowledge its tables may hold any: its links keep their state, so that a cold start carries no
// data on unproven routes. Entries for LID 0 and above the top do not matter, nor do lanes of links
// to hosts, which are on no cycle.
//
// # Cost
//
// Count link ends: E between switches, H at hosts; S switches, N nodes, P ports, B blocks. A cold
// start takes about E+H NodeInfo, N NodeDescription, P PortInfo, 5S SwitchInfo, N P_KeyTable, S*B
// blocks, and 2(E+2H)+S Set PortInfo. With one lane, a subnet that was managed before costs
// 2(2E+2H) reads of lane tables more, if switches take one mapping for all ports; otherwise one for
// each pair of ports. Each Step costs constant time; memory is about 93 bytes a
// port.
//
// # Limits
//
// The writes are ordered (steps.go) from the previous Plan, or from the tables that were read
// (found.go). Of tables that were read the service levels and lanes are unknown: their packets may
// be on any VL, and SL 0 is assumed. VL arbitration is not part of the order: it is written in the
// last step if VLs lose their turn, otherwise in the first. LinkSpeedExt is read as the device
// reports it without the SM's extended-speeds modifier.
//
// CAs cabled to each other get no LIDs: NOT ROUTED. A router is treated as a CA. External ports of
// a switch have no M_Key of their own. If a port does not send trap 256, its lease runs out after a
// wrong key, unless a round asks the port again.
package round
