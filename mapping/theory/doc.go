// Package theory computes the facts of section 3 of paper 001 about a network before it is mapped:
// the diameter D, the depth Q (Definitions 2 and 3), the part F that no host route can use (Lemma
// 1), and the core N - F. It also decides when two networks are the same except for the numbering
// of their anonymous switches.
//
// Q(v) is the cost of a minimum cost flow of two units from v, one to the mapper, one to any host;
// F holds the nodes without such a flow. The cost is one search for each unit of each switch.
package theory
