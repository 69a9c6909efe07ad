// Package sa answers for subnet administration (IBA volume 1, chapter 15): what hosts and tools ask
// a subnet manager about paths, nodes, ports, links and tables.
//
// Subnet holds what is known of a subnet at one moment: Graph, Plan, and what the devices said.
// Nothing of it changes after New. Responder turns a request into its answer, bytes to bytes: it
// has no clock, no lock and no state but memory that it uses again.
//
// # What is answered
//
//	Get, GetTable  NodeRecord, PortInfoRecord, SwitchInfoRecord, LinkRecord, SMInfoRecord, LinearForwardingTableRecord,
//	               SLtoVLMappingTableRecord, VLArbitrationTableRecord, P_KeyTableRecord, GuidInfoRecord, PathRecord
//	               MulticastForwardingTableRecord, MCMemberRecord
//	Set, Delete    MCMemberRecord
//	Get            ClassPortInfo
//	GetMulti       MultiPathRecord, by PathRecords
//	GetTraceTable  PathRecord, by TraceRecords
//
// And by Registry, which holds what clients have registered:
//
//	Set, Delete, Get, GetTable  ServiceRecord
//	Set                         InformInfo
//	Get, GetTable               InformInfoRecord
//	Report                      Notice: traps of devices, and 64 to 67
//
// Everything else gets status 0x0008 or 0x000C. A LID of a query may be any LID of a port; records
// have the base LID.
//
// # Paths
//
// Source and target are end ports of the Graph, by GID, LID, or both. LIDs follow route.Choice: a
// source is told the LIDs of its target that it may use, and as its own those that the target may
// use for it; nothing has proven others, so a query for one gets no record. Of several LIDs each
// pairs with each, diagonals first. The SL is that of the Plan for source and target LID; a path is
// reversible where there is a way back, and that has the same one. MTU and rate are the least of
// all ports on the way, by the tables of the Plan; a query may ask for less of both, and is told
// what it asked for. A path that the tables do not deliver has no record. The packet life time is
// the subnet's timeout, 0 within a port. FlowLabel, TClass, HopLimit, ServiceID and QoSClass are
// given back as they were asked for.
//
// # Partitions
//
// With Subnet.Keys a path joins ports that have a partition in common, of which one at least is a
// full member, and has the P_Key of the source. Who asks is shown paths between ports, nodes with a
// port, and subscriptions of ports that it shares a partition with, itself among them; services
// with a P_Key of its own, and those without one by ports that it shares a partition with. Reports
// of ports and groups go to those who share a partition with these.
//
// # Groups
//
// Groups are a state of their own beside the Subnet, which joins and leaves change. A group is made
// by the join of a full member, and deleted when the last full member has left; the IPoIB broadcast
// group stays. All groups are on the SL of the Plan's pool of trees where that has a VL of its own:
// a request for another is refused. A group without a tree for one of its members still takes
// joins: the manager says so. Who is not trusted is told groups, and members of a port that it
// names. Of what a port has joined itself, only ports of its node may leave.
//
// # Other subnets
//
// A path to a GID with another prefix leads to a router port (Between.Router says which): the
// record has its LID, the GID that was asked for and a hop limit of 64, or that which was asked
// for. MTU and rate are those as far as the router.
//
// # Trust
//
// A request with the SM_Key of Subnet.SMKey is trusted; one with another SM_Key than 0 gets no
// answer. Others see no P_Key table, and M_Keys as 0. Who is trusted sees all ports.
//
// # Deviations
//
//   - GuidInfoRecords have the port GUID alone: further GUIDs of a port are not read.
//   - Lane tables have records where the manager has written them, which it does for Plans of
//     several lanes.
//   - A GetTable of PathRecords needs neither end fixed; answers are bounded by MostBytes, and the
//     pairs of LIDs that are looked at by as many as have room there, also where few of them are as
//     they are asked for. What needs more is refused for want of resources.
//   - MultiPathRecord's IndependenceSelector is not heeded. A request that is not marked as RMPP is
//     taken all the same.
//   - The prefix of a ServiceGID does not count. A service without a P_Key may be registered for
//     any GID, by any port.
//   - A subscription is that of the QP from which it came; reports go there. GID, LIDs, Type,
//     TrapNumber and ProducerType choose. A port hears of ports that it shares a partition with.
//   - ServiceAssociationRecords are not served.
//   - A TraceRecord's IDs are GUIDs as they are; IDGeneration is 0.
//
// # Cost
//
// A path by two GIDs or LIDs: two look-ups and a walk of its hops, no allocation
// (BenchmarkPathRecord). A query by LID looks at one node, any other at all; a table of paths at
// all pairs that it leaves open. An index of a Subnet is two arrays by end port and LID, two bytes
// a switch port.
package sa
