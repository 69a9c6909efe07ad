// Package netfile reads and writes network files. It has the list of formats and recognises the
// format of a file; each family of formats is a package below.
//
// # Topologies
//
// Read recognises the format of a topology file by its content:
//
//   - ibnetdiscover: the output of ibnetdiscover of infiniband-diags and of
//     ibdiagnet, whole or from a terminal log, and the net files of ibsim;
//   - lst: subnet.lst of OpenSM and .lst of ibdiagnet;
//   - net_dump: .net_dump of ibdiagnet, which lists switches only;
//   - topo: topology files of ibutils, with .ibnl files for the inside of a
//     system (NODE, SUBSYSTEM, connectors, CFG: board=R or board=variant);
//   - orcs: the input of the simulator ORCS, a directed graph of Graphviz;
//   - graphml: GraphML, with hosts told from switches by an attribute or by
//     their one cable;
//   - opareport: what opareport of Omni-Path prints as XML;
//   - topograph: models of NVIDIA's topograph;
//   - json: weft's own.
//
// A cable may be listed from one end or from both. A node described twice is an error with both
// lines. A node that is mentioned but not described exists, with as many ports as are mentioned. If
// lines name different cables for one port, none of them is used, and the file is refused unless
// Options allow it. Other oddities give a Warning. Reading is one pass over the bytes, without
// copying; its cost is linear in the size of the file.
//
// Missing GUIDs are counted up in the order of the file, as ibsim does: switches from 0x200000 in
// steps of 1, CAs and routers from 0x100000 in steps of their number of ports plus 1, skipping
// GUIDs in use; ports of a CA get its GUID plus their number. After a node whose GUID was set
// (switchguid=, caguid=), nodes of its type count on from that GUID. Width and speed are 0 if a
// file does not state them (ibsim would assume 4x SDR); a topo file's default is 4x SDR.
//
// Deviations. An ibsim net may list a cable at one end only; its aliases and its include and do
// lines are refused. If the ends of a cable enable different widths or speeds, the lesser of their
// best is used, not the best that they share. A net_dump identifies a host by port GUID, so each of
// its ports becomes a CA. The rate of a cable between two systems comes from the topo file,
// whatever the ibnl files say about the ports at its ends. An ibnl wire to a connector that the
// plain board lacks is left out even if a CFG variant has the connector.
//
// # Writers
//
// discovery.WriteIBNetDiscover writes files for Read, ibsim and the tools around ibnetdiscover;
// other writers produce JSON, GraphML, Graphviz, Slurm's topology.conf and topology.yaml, models of
// topograph, ORCS's input, and the files of ns-3, htsim and OMNeT++ (package simulators).
//
// # Forwarding tables and service levels
//
// Package tables reads and writes tables, SLs and SL2VL maps as OpenSM and infiniband-diags print
// them. A file of ORCS holds network and tables: Read and ReadLFTs read it, drawing.WriteORCS
// writes it.
//
// Sources of the formats: the programs named above and the files in testdata; the terms are from
// IBA volume 1.
package netfile
