// Package netfile reads and writes the files in which networks are kept. It holds the list
// of formats and recognises which one a file has; each family of formats is a package below.
//
// # Topologies
//
// Read recognises the format of a topology file by its content:
//
//   - ibnetdiscover: what ibnetdiscover of infiniband-diags and ibdiagnet print,
//     whole or out of a terminal log, and the net files of ibsim;
//   - lst: subnet.lst of OpenSM and .lst of ibdiagnet;
//   - net_dump: .net_dump of ibdiagnet, which lists switches only;
//   - topo: topology files of ibutils, with .ibnl files that tell what is inside
//     a system (NODE, SUBSYSTEM, connectors, CFG: board=R or board=variant);
//   - orcs: the input of the simulator ORCS, a directed graph of Graphviz;
//   - json: weft's own.
//
// A cable may be listed from one end or from both. A node described twice is an error
// with both lines; a node that is referred to but not described exists with as many ports
// as are mentioned. Where lines tell different cables of one port, none of these is taken,
// and the file is refused unless Options allow it. What is only odd is read with a Warning.
// Reading is one pass over the bytes, without copying; its cost is linear in the size of
// the file.
//
// GUIDs that a file does not give are counted up in the order of the file as
// ibsim does: switches from 0x200000 in steps of 1, CAs and routers from 0x100000
// in steps of their number of ports plus 1, leaving out what is taken; ports of a
// CA get its GUID plus their number. After a node whose GUID was set (switchguid=,
// caguid=), those of its type count on from that. Width and speed are 0 where a
// file does not say them (ibsim would take 4x SDR); a topo file's default is 4x SDR.
//
// Deviations. An ibsim net may list a cable at one end only; its aliases and its
// include and do lines are refused; where the ends of a cable enable different
// widths or speeds, the lesser of their best is taken, not the best that they share.
// In a net_dump a host is known by port GUID, so each of its ports becomes a CA. The
// rate of a cable between two systems of a topo file is what the topo file says,
// whatever the ibnl files say of the ports at its ends. An ibnl wire to a connector
// that the plain board lacks stays out also when a CFG variant has the connector.
//
// # Writers
//
// discovery.WriteIBNetDiscover writes what Read, ibsim and the tools around ibnetdiscover
// take; others write JSON, Graphviz, Slurm's topology.conf and ORCS's input.
//
// # Forwarding tables and service levels
//
// Tables, SLs and SL2VL maps as OpenSM and infiniband-diags print them are read
// and written by package tables. A file of ORCS holds network and tables: Read and
// ReadLFTs read it, drawing.WriteORCS writes it.
//
// Sources of the formats: the programs named above and the files in testdata;
// the words are those of IBA volume 1.
package netfile
