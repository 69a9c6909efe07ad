// Package route holds the Plan (everything that a fabric must be told so that packets find
// their way) and the contract of the engines under route/engine. It is a pure model: it
// reads no files and knows no engine. Plans are made by route/recipe in three stages,
// chosen and proven by planner, saved by route/planfile, and exchanged with other
// subnet managers by route/foreign.
//
//	1 PATHS  which way       minhop, updn, dor, ...
//	2 NAMES  under which LID  one LID a port, or 2^LMC of them
//	3 LANES  on which VL      none, or what the engine needs
//
// Separating PATHS from NAMES follows Nienaber, Yuan and Duan (paper 000); LANES follows
// the fat-tree thesis (paper 004) and DFSSSP (paper 003). A stage that does not
// apply is absent. The judge that proves a Plan is judge/check; it shares no code
// with the engines.
package route
