// Package emulator emulates an InfiniBand subnet from any fabric.Fabric: a subnet management agent
// (SMA) and a performance management agent (PMA) at every node, links with states, and datagrams
// that follow the tables written by a real subnet manager. Programs attach to its ports.
//
// Subnet is a state machine in passed-in time (Advance, Send, Deliver): no clock, no goroutine,
// randomness from a seed, so that a run can be repeated exactly. Around it
//
//	emulator/live     runs it in real time; Transports over the loop medium
//	emulator/ibsimd   serves it over ibsim's protocol to OpenSM and infiniband-diags
//	emulator/umadfs   serves its ports as umad devices, over FUSE
//	emulator/control  shows it to an operator and takes faults, over HTTP
//	emulator/service  runs these servers on one subnet, or on several joined by routers
//
// # What is emulated
//
//   - SMA: NodeInfo, NodeDescription (also Set), SwitchInfo, PortInfo, GUIDInfo,
//     P_KeyTable, SLtoVLMappingTable (with the "all ports" modifiers),
//     VLArbitrationTable, LinearForwardingTable, MulticastForwardingTable, LedInfo,
//     the vendors' ExtendedPortInfo (FDR10) and SwitchRole. SMInfo is answered by
//     the attached subnet manager.
//   - Ports: Down, Init, Armed, Active; Disabled and Polling; width and speed from
//     the enabled values of both ends at training; PortStateChange; a rebooted switch
//     has lost its state.
//   - M_Key: check, protection bits, violations, lease.
//   - Traps 128, 144 and 256, repeated until repressed.
//   - Congestion control: ClassPortInfo, CongestionInfo, CongestionKeyInfo with its check,
//     SwitchCongestionSetting, SwitchPortCongestionSetting, CACongestionSetting,
//     CongestionControlTable; stored, but not used.
//   - PMA: ClassPortInfo, PortCounters, PortCountersExtended, reset by mask.
//     Counted are management packets, LinkDowned and the effects of faults.
//   - Directed routes; LID routes by LFT and LinearFDBTop. A hole in a table, a loop
//     or an SL without a VL that has a turn loses the datagram; data (all but subnet management)
//     needs Active links, and brings an Armed port that receives it to Active.
//   - Datagrams to multicast groups, copied by the switches' MulticastForwardingTables up to
//     MulticastFDBTop, or else to the default multicast ports. Every program on a port
//     that a copy reaches takes it; tables with a loop copy until the datagram is
//     counted as lost in one.
//   - Routers between subnets (Joined): global route headers, new LIDs and SL in
//     each subnet, hop limit. Agents answer with a hop limit of 64.
//   - Faults at run time: links down, up, flapping, moved; nodes off, rebooted,
//     slow, silent, lying about ports or GUID; loss, duplicates, delay, reordering,
//     by link or for all.
//
// # What is not, and deviations
//
//   - A datagram's path is decided when it is sent, by the links and tables at that
//     moment; the delays of its links add up before it arrives. There is no
//     bandwidth and no queue, so of VL arbitration only a VL without any weight matters.
//   - No P_Key, Q_Key and GRH check (traps 129 to 131 and
//     257 to 259 never occur), no directed route that ends at a LID (one may begin
//     there), no RandomForwardingTable, Notice, VendorDiag, PortInfoExtended, no optional
//     counters. Requests for these are answered with status 0x000C.
//   - Programs do RMPP themselves: segments pass like any datagram, and so do whole
//     messages as one long datagram. An acknowledgement finds the subnet manager's
//     program by its port, since its transaction ID names the sender.
//   - Setting a port's current PortState is no error (a Set may be repeated); Init
//     cannot be set. Going to Active needs a peer that is at least Armed.
//   - The answer to a Set that takes a link down is sent before that happens.
//   - PortSelect 0 at a CA means the port that was reached.
//   - ReturnPath element 0 keeps the sender's value.
//
// # Cost
//
// A request and its answer over four hops of a fabric of 11,664 hosts take about 0.2 microseconds
// and allocate nothing (BenchmarkSMP). That fabric takes 50 MB and 0.1 seconds to start. Tables
// take memory when they are written: an LFT up to its highest block, SL2VL 8 bytes a pair of ports.
//
// Sources: IBA volume 1, chapters 13 (management datagrams), 14 (subnet management), 16.1
// (performance management), 7.2.7 (link states).
package emulator
