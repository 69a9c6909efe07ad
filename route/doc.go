// Package route holds the Plan (all settings of a fabric that let packets find their way) and the
// contract of the engines under route/engine. It is a pure model: it reads no files and imports no
// engine. route/recipe makes Plans in three stages. Package planner chooses and proves them,
// route/planfile saves them, and route/foreign exchanges them with other subnet managers.
//
//	1 NAMES  under which LID   one LID a port, or 2^LMC of them
//	2 PATHS  which way         minhop, updn, dor, ...
//	3 LANES  on which VL       none, or the engine's own
//
// Engines with explicit paths (route/engine/pathset) find their LIDs after the paths. The
// separation of PATHS from NAMES follows Nienaber, Yuan and Duan (paper 000); LANES follows the
// fat-tree thesis (paper 004) and DFSSSP (paper 003). A Plan may lack a stage. The judge that
// proves a Plan is judge/check; it shares no code with the engines.
package route
