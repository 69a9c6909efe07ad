package planner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/planfile"
	"weft/route/repair"
)

// Kept is the Plan that a subnet runs now. A job repairs it (Request.Kept), or routes afresh and
// keeps its LIDs, and the LIDs that sources send to.
type Kept struct {
	Plan *route.Plan
	old  *fabric.Graph // its switches and end ports

	strangers *route.Tables // see WithStrangers; nil for none
}

// Keep makes the Plan kept of one in memory, with its Graph.
func Keep(plan *route.Plan, old *fabric.Graph) *Kept { return &Kept{Plan: plan, old: old} }

// Graph returns the Graph of the Plan; only its switches and end ports, if the Plan was read alone.
func (k *Kept) Graph() *fabric.Graph { return k.old }

// ReadKept reads the Plan from a file that planfile.Save wrote.
func ReadKept(r io.Reader) (*Kept, error) {
	plan, old, err := planfile.LoadAlone(r)
	return &Kept{Plan: plan, old: old}, err
}

// Bare writes the Plan without its tables.
func (k *Kept) Bare() ([]byte, error) {
	var b bytes.Buffer
	err := planfile.SaveBare(&b, k.old, k.Plan)
	return b.Bytes(), err
}

// ReadBare reads the output of Bare. The Plan has no tables: WithTables adds them.
func ReadBare(data []byte) (*Kept, error) {
	plan, old, err := planfile.LoadBare(data)
	if err != nil {
		return nil, err
	}
	return &Kept{Plan: plan, old: old}, nil
}

// WithTables returns the Plan with the tables that the switches of a Graph hold, in place of its
// own. The result no longer knows its network: a repair follows all paths and mends broken ones,
// whoever wrote their entries.
func (k *Kept) WithTables(g *fabric.Graph, tables *route.Tables) *Kept {
	plan, old := *k.Plan, k.old
	now, _ := fabric.Match(g, old) // by old switch
	rows := make([][]*route.Block, len(now))
	for o, s := range now {
		for i := range tables.NumBlocks() {
			rows[o] = append(rows[o], tables.BlockOrEmpty(s, i))
		}
	}
	plan.Tables, plan.Multicast = route.TablesOf(tables.NumBlocks(), rows), nil
	return &Kept{Plan: &plan, old: &fabric.Graph{
		NumSwitches: old.NumSwitches, SwitchGUID: old.SwitchGUID, SwitchDesc: old.SwitchDesc, SwitchPorts: old.SwitchPorts,
		NumHosts: old.NumHosts, NumEnds: old.NumEnds, EndNodeGUID: old.EndNodeGUID, EndNum: old.EndNum, EndType: old.EndType, EndDesc: old.EndDesc, EndGUID: old.EndGUID,
	}}
}

// WithStrangers returns the Plan for a Transition to a Graph with switches that are not in the Plan
// but hold tables. tables has them by switch of that Graph.
func (k *Kept) WithStrangers(tables *route.Tables) *Kept {
	kept := *k
	kept.strangers = tables
	return &kept
}

// Answers reports whether the Plan fulfils a Request: an engine with its options, no higher LMC, no
// fewer lanes, the kinds of hosts if there are any, and as many copies of the lanes for jobs.
func (k *Kept) Answers(req *Request) bool {
	return (len(req.Kinds) == 0 || k.sameKinds(req.Kinds)) && req.LIDs.LMC <= k.HostLMC() && (req.MaxVLs == 0 || k.Plan.VLs <= req.MaxVLs) && k.Plan.Recipe.Copies == req.JobLanes.Asked() && k.isBy(req.Chain)
}

// isBy reports whether an engine of a chain has made the Plan.
func (k *Kept) isBy(chain route.Chain) bool {
	if k.Plan.Recipe.Paths == chainText(chain) && len(k.Plan.Recipe.Options) == 0 {
		return true // several of its engines, for different planes
	}
	return slices.ContainsFunc(chain, func(step route.Step) bool {
		return step.Engine.Among != nil || step.Engine.Name == k.Plan.Recipe.Engine() && maps.Equal(step.Options, k.Plan.Recipe.Options)
	})
}

// sameKinds reports whether the Plan was made with these rules.
func (k *Kept) sameKinds(rules []fabric.KindRule) bool {
	return slices.EqualFunc(rules, k.Plan.Recipe.Kinds, func(r fabric.KindRule, text string) bool { return r.String() == text })
}

// HostLMC is the LMC that the Plan gives all its hosts, 0 where they differ.
func (k *Kept) HostLMC() uint8 { return route.Hold(k.old, k.Plan, k.old).HostLMC(k.old) }

// Hold makes a Request keep the Plan's LIDs, for today's Graph, and the LMC of its hosts;
// also its kinds of hosts, unless the Request has kinds.
func (k *Kept) Hold(g *fabric.Graph, req *Request) error {
	if req.LIDs.Fresh {
		return errors.New("to keep LIDs and to assign fresh ones exclude each other")
	}
	held := route.Hold(k.old, k.Plan, g)
	if !held.Any() {
		return k.foreign(g)
	}
	req.LIDs.Held, req.HeldLMC = held, held.HostLMC(g)
	if len(req.Kinds) > 0 {
		return nil
	}
	for _, text := range k.Plan.Recipe.Kinds {
		rule, err := fabric.ParseKindRule(text)
		if err != nil {
			return err
		}
		req.Kinds = append(req.Kinds, rule)
	}
	return nil
}

// AsIs returns the Plan on a Graph that has changed: the tables that switches hold until somebody
// writes others. It fails if the Plan is for another fabric.
func (k *Kept) AsIs(g *fabric.Graph) (*route.Plan, error) {
	if held := route.Hold(k.old, k.Plan, g); !held.Any() {
		return nil, k.foreign(g)
	}
	return repair.AsIs(g, k.old, k.Plan)
}

// foreign returns the error for a Plan without any end port in a Graph.
func (k *Kept) foreign(g *fabric.Graph) error {
	return fmt.Errorf("the plan is for another fabric: none of its %d end ports is in %s", k.old.NumEnds, g.Name)
}

// IsOn reports whether a Graph has the switches, channels and end ports of the Plan's.
func (k *Kept) IsOn(g *fabric.Graph) bool {
	a, b := k.old, g
	return slices.Equal(a.SwitchGUID, b.SwitchGUID) && slices.Equal(a.Drained, b.Drained) && slices.Equal(a.From, b.From) && slices.Equal(a.To, b.To) &&
		slices.Equal(a.FromPort, b.FromPort) && slices.Equal(a.ToPort, b.ToPort) && slices.Equal(a.EndGUID, b.EndGUID) && slices.Equal(a.EndSwitch, b.EndSwitch) && slices.Equal(a.EndPort, b.EndPort)
}

// Changes counts the differences between the Plan and a new one.
func (k *Kept) Changes(g *fabric.Graph, plan *route.Plan) *route.Change {
	return route.Compare(k.old, k.Plan, g, plan)
}
