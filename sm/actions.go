package sm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/sm/clients"
	"weft/sm/round/planning"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// step gives the Manager an event and carries out its actions. In one Step, no action after a Claim
// waits for an event.
func (d *run) step(ctx context.Context, ev *terms.Event) {
	now := d.Clock() - d.begun
	if d.recorder != nil {
		d.recorder.Event(now, ev)
	}
	d.actions = d.manager.Step(now, ev, d.actions[:0])
	d.Administration.In.Follow(d.manager.IsAtWork())
	d.Gate.Set(!d.manager.IsAtWork())
	if d.recorder != nil {
		d.record()
	}
	var next *terms.Event
	for i := range d.actions {
		if answer := d.carryOut(ctx, now, &d.actions[i]); answer != nil {
			next = answer
		}
	}
	switch {
	case next == nil:
		return
	case next.Kind == terms.Stop || ctx.Err() != nil:
		d.stop(ctx)
	}
	if next.Kind != terms.Stop {
		d.step(ctx, next)
	}
}

// carryOut carries out an action of a step at the given time. It returns an event if the Manager
// waits for the outcome. The event is Stop if our port cannot be a subnet manager's.
func (d *run) carryOut(ctx context.Context, now time.Duration, a *terms.Action) *terms.Event {
	switch a.Kind {
	case terms.Send:
		d.send(a)
	case terms.Reply:
		_ = d.requester.Transport().Send(a.Datagram) // if it is lost, the other side asks again
	case terms.End:
		d.burst.send(d.requester)
		d.requester.End(a.Group())
	case terms.Route:
		d.route(ctx, a.Request)
	case terms.Improve:
		d.improving.begin(ctx, d, a.Request)
	case terms.Compute:
		do := a.Do
		d.work(func() *terms.Event {
			do()
			return &terms.Event{Kind: terms.Computed}
		})
	case terms.Store:
		record, rules := d.manager.Result().Record, d.manager.RulesToTell()
		d.work(func() *terms.Event { return &terms.Event{Kind: terms.Stored, Err: d.keep(record, rules)} })
	case terms.Claim:
		if err := d.requester.Transport().SetIsSM(ctx, true); err != nil {
			d.failure = fmt.Errorf("sm: cannot be a subnet manager here: %w", err)
			return &terms.Event{Kind: terms.Stop}
		}
		return &terms.Event{Kind: terms.Claimed}
	case terms.Wake:
		d.timer.Reset(max(0, a.At-(d.Clock()-d.begun)))
	case terms.TakeMembers:
		if list, known := d.Administration.Membership(d.Administration.Term); known {
			return &terms.Event{Kind: terms.MembersTold, Members: list}
		}
	case terms.TellRules:
		d.tellRules(func(error) {})
	case terms.RoundEnded:
		d.endRound()
	case terms.Done:
		d.done = true
	default:
		d.show(now, a)
	}
	return nil
}

// record records the actions of an event. If the recording cannot be written it ends; the Manager
// continues.
func (d *run) record() {
	if d.recorder.Actions(d.actions); d.recorder.Err() == nil {
		return
	}
	if d.Note != nil {
		d.Note(terms.Incident{Kind: terms.FileFailed, Text: "the recording has ended: " + d.recorder.Err().Error()})
	}
	d.recorder = nil
}

// endRecording writes the rest of the recording.
func (d *run) endRecording() error {
	if d.recorder == nil {
		return nil
	}
	if err := d.recorder.Close(); err != nil {
		return fmt.Errorf("the recording: %w", err)
	}
	return nil
}

// show passes an action on to the functions of the Runner that report it.
func (d *run) show(now time.Duration, a *terms.Action) {
	switch {
	case a.Kind == terms.Phase:
		d.stopwatch.begin(d.Clock(), a.Name, &d.manager.Result().Report.Time)
		if d.Phase != nil {
			d.Phase(a.Name)
		}
	case a.Kind == terms.Decided && d.Decided != nil:
		d.decide(*a)
	case a.Kind == terms.Note && d.Note != nil:
		told := a.Incident
		told.Step = now
		d.Note(told)
	}
}

// decide reports how a request was decided. A change of drains, partitions or jobs is reported when
// the standbys know it.
func (d *run) decide(a terms.Action) {
	if a.Wrote != nil {
		d.wrote++
		a.Wrote.Order = d.wrote
	}
	if a.Jobs != nil {
		d.wrote++
		a.Jobs.Order = d.wrote
	}
	if a.Drains == nil && (a.Wrote == nil && a.Jobs == nil || d.manager.Role() != terms.Master) {
		d.Decided(&a)
		return
	}
	d.tellRules(func(err error) {
		if errors.Is(err, clients.ErrNotMaster) { // the present master may know it, or not
			a.Err = fmt.Errorf("%w: ask that one", err)
		}
		d.Decided(&a)
	})
}

// tellRules sends our rules to the standbys, and calls then when all of them know the rules. While
// they are sent, changes wait and are then sent together: with thousands of jobs that run, making
// and packing the rules takes a while.
func (d *run) tellRules(then func(error)) {
	d.telling.waiting = append(d.telling.waiting, then)
	if !d.telling.under {
		d.tellNow()
	}
}

// telling holds who waits until the standbys know our rules.
type telling struct {
	under   bool // rules are being sent
	waiting []func(error)
}

// tellNow sends our rules for all who wait.
func (d *run) tellNow() {
	rules, waiting := d.manager.RulesToTell(), d.telling.waiting
	d.telling = telling{under: true}
	d.work(func() *terms.Event {
		err := d.Administration.CommitRules(&rules)
		for _, then := range waiting {
			then(err)
		}
		return rulesTold
	})
}

// rulesTold stands for the end of tellNow among the work that has ended.
var rulesTold = new(terms.Event)

// keep stores a Record, and sends it with the rules to the standbys.
func (d *run) keep(record *terms.Record, rules terms.RulesToTell) error {
	if d.Store != nil {
		if err := d.Store(record); err != nil {
			return err
		}
	}
	c, err := clients.CopiedOf(record, rules)
	if err != nil {
		return err
	}
	return d.Administration.Commit(&c)
}

// route computes a Plan beside the loop.
func (d *run) route(ctx context.Context, q *terms.RouteRequest) {
	req := d.routing
	d.chain = req.Chain
	d.work(func() *terms.Event { return planning.Plan(ctx, req, q) })
}

// work does slow work beside the loop.
func (d *run) work(do func() *terms.Event) {
	d.working++
	go func() { d.worked <- do() }()
}

// endRound completes the Report of a round.
func (d *run) endRound() {
	result := d.manager.Result()
	rep := result.Report
	d.stopwatch.stop(d.Clock(), &rep.Time)
	rep.Routing.Asked = namesOf(d.chain)
	if d.Round != nil {
		d.Round(result)
	}
}

// send builds an SMP, and adds its request to the burst.
func (d *run) send(a *terms.Action) {
	m, err := mad.Request{Method: a.Method, Attr: a.Attr, Modifier: a.Modifier, Key: a.Key}.Directed(d.burst.packet[:], a.Path)
	if err != nil {
		d.inbox.put(&wire.Result{Tag: a.Tag, Err: err})
		return
	}
	copy(m.Data(), a.Data)
	d.request.Addr, d.request.MAD, d.request.Tag, d.request.Group = wire.Directed(), m, a.Tag, a.Group()
	if d.request.Retries = d.loss.Retries(d.Wire.Retries); a.Once {
		d.request.Retries = wire.NoRetries
	}
	d.request.Patient = a.Group() == terms.SweepTag // nothing waits for its answer
	if d.burst.add(&d.request); len(d.burst.list) >= mostInBurst {
		d.burst.send(d.requester)
	}
}
