// Package sa is subnet administration (IBA volume 1, chapter 15): it answers queries of hosts and
// tools about paths, nodes, ports, links and tables.
//
// Subnet is a snapshot of a subnet: Graph, Plan, and the devices' attributes. It never changes
// after New. Responder turns a request into its answer, bytes to bytes. It has no clock, no lock,
// and no state but reused memory and the multicast groups.
//
// # Served requests
//
//	Get, GetTable  NodeRecord, PortInfoRecord, SwitchInfoRecord, LinkRecord, SMInfoRecord,
//	               LinearForwardingTableRecord, SLtoVLMappingTableRecord,
//	               VLArbitrationTableRecord, P_KeyTableRecord, GuidInfoRecord, PathRecord,
//	               MulticastForwardingTableRecord, MCMemberRecord
//	Set, Delete    MCMemberRecord
//	Get            ClassPortInfo
//	GetMulti       MultiPathRecord, by PathRecords
//	GetTraceTable  PathRecord, by TraceRecords
//
// Registry stores registrations of clients, and serves these:
//
//	Set, Delete, Get, GetTable  ServiceRecord
//	Set                         InformInfo
//	Get, GetTable               InformInfoRecord
//	Set, Delete, Get, GetTable  GuidInfoRecord
//	Report                      Notice: traps of devices, and 64 to 67
//
// All other requests get status 0x0008 or 0x000C. A query may contain any LID of a port; records
// have the base LID.
//
// # Paths
//
// Source and target are end ports of the Graph, selected by GID, LID, or both. GIDs with the prefix
// fe80::/64 are local in every subnet. LIDs follow
// route.Choice: the answer has only target LIDs that the source may use, and source LIDs that the
// target may use. The judge has proven no others, so a query for another LID gets no record. If
// both ports have several LIDs, all pairs are listed, diagonals first.
//
// The SL is the Plan's for source and target LID. With one lane and no levels of service, a query
// may ask for any SL, and gets it. A path is reversible if the way back exists and
// has the same SL. MTU and rate are the minimum over all ports on the path through the Plan's
// tables; a query may ask for less, and gets these values. A path that the tables do not deliver
// has no record. The packet life time is the subnet's timeout, 0 within a port. FlowLabel, TClass,
// HopLimit, ServiceID and QoSClass are copied from the query.
//
// # Partitions
//
// With Subnet.Keys a path needs a partition of both ports, with a full member at one end at least;
// it has the P_Key of the source. A requester sees only the ports that share a partition with its
// own port, itself included, and their paths, nodes and subscriptions. It sees services with one of
// its own P_Keys, and services without a P_Key of ports that it sees. Reports about ports and
// groups go to subscribers that share a partition with them.
//
// # Groups
//
// Multicast groups are state apart from the Subnet: joins and leaves change them. The join of a
// full member creates a group; it is deleted when the last full member has left. The IPoIB
// broadcast group is permanent. If the Plan's pool of trees has a VL of its own, all groups use its
// SL, and a request for another SL is refused. A group without a tree for a member still accepts
// joins; the manager logs it. An untrusted requester sees groups, and the members of a port that it
// names. Only ports of the same node may take back a join of the port itself.
//
// # Other subnets
//
// A path to a GID with another prefix leads to a router port (chosen by Between.Router). The record
// has the router's LID, the requested GID, and the requested hop limit or else 64. MTU and rate
// cover the path as far as the router.
//
// # Trust
//
// A request with the SM_Key of Subnet.SMKey is trusted and sees all ports. A request with another
// nonzero SM_Key gets no answer. Untrusted requesters see no P_Key tables, and M_Keys as 0.
//
// # Deviations
//
//   - GuidInfoRecords contain the port GUID and the aliases that hosts have set here (Aliases): the
//     manager does not read a port's other GUIDs. A node may change the aliases of its own ports
//     alone, unless it shows the SM_Key; OpenSM lets every port of a shared partition.
//   - Records of lane tables follow from the Plan. With one lane, devices may hold other tables by
//     which every packet passes.
//   - A GetTable of PathRecords may leave both ends open. Its answer is at most MostBytes. The
//     search tries at most as many pairs of LIDs as fit there, even if few of them match. A query
//     beyond that gets status NO_RESOURCES.
//   - MultiPathRecord's IndependenceSelector is ignored. A request without the RMPP flag is
//     accepted.
//   - The prefix of a ServiceGID is ignored. Any port may register a service without a P_Key for
//     any GID.
//   - A subscription belongs to the QP that sent it; reports go there. GID, LIDs, Type, TrapNumber
//     and ProducerType select the notices. Reports cover only ports that share a partition with the
//     subscriber.
//   - ServiceAssociationRecords are not served.
//   - A TraceRecord's IDs are plain GUIDs; IDGeneration is 0.
//
// # Cost
//
// A path by two GIDs or LIDs takes two look-ups and a walk of its hops, without allocation
// (BenchmarkPathRecord). A query by LID visits one node, any other query all nodes. A table of
// paths visits all pairs that match its ends. The index of a Subnet is two arrays by end port and
// LID, and two bytes a switch port.
package sa
