package sm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// dialogueStep is a request of a dialogue about services and subscriptions.
type dialogueStep struct {
	what   string
	method mad.Method
	attr   mad.AttrID
	mask   uint64
	rec    []byte
	own    bool // the specification leaves it open, and what we do is said in docs/service.md
}

// dialogue registers, asks, subscribes and ends, right and wrong.
func dialogue(gid []byte) (steps []dialogueStep) {
	svc := func(what string, method mad.Method, id uint64, name string, lease uint32, fields ...mad.Handle) {
		rec := make([]byte, 200)
		mad.ServiceRecordID.Put(rec, id)
		mad.ServiceRecordGID.Put(rec, gid)
		mad.ServiceRecordPKey.Put(rec, 0xFFFF)
		mad.ServiceRecordLease.Put(rec, uint64(lease))
		mad.ServiceRecordName.Put(rec, []byte(name))
		for i := range 16 {
			mad.ServiceRecordData8.Set(rec, i, uint64(i))
		}
		mask := uint64(0)
		for _, f := range fields {
			mask |= mad.ServiceRecord.Mask(f)
		}
		steps = append(steps, dialogueStep{what: what, method: method, attr: mad.AttrServiceRecord, mask: mask, rec: rec})
	}
	id, at, pkey, lease, name := mad.ServiceRecordID, mad.ServiceRecordGID, mad.ServiceRecordPKey, mad.ServiceRecordLease, mad.ServiceRecordName
	svc("register", mad.Set, 1, "one", 0xFFFFFFFF, id, at, pkey, lease, name)
	svc("register without a lease", mad.Set, 2, "two", 0, id, at, pkey, name)
	svc("again", mad.Set, 1, "one", 0xFFFFFFFF, id, at, pkey, lease, name)
	svc("get by ID", mad.Get, 1, "", 0, id)
	svc("get by name", mad.Get, 0, "two", 0, name)
	svc("get what is not there", mad.Get, 9, "", 0, id)
	svc("get both", mad.Get, 0, "", 0, pkey)
	svc("delete", mad.Delete, 1, "one", 0, id, at, pkey, name)
	svc("delete what is not there", mad.Delete, 1, "one", 0, id, at, pkey, name)
	svc("get what was deleted", mad.Get, 1, "", 0, id)
	svc("register without an ID", mad.Set, 3, "x", 0xFFFFFFFF, at, name)
	steps[len(steps)-1].own = true // OpenSM says that the request is invalid
	inform := func(what string, subscribe, trap, qpn uint64) {
		info := make([]byte, 200)
		mad.InformInfoLIDRangeBegin.Put(info, 0xFFFF)
		mad.InformInfoIsGeneric.Put(info, 1)
		mad.InformInfoSubscribe.Put(info, subscribe)
		mad.InformInfoType.Put(info, 0xFFFF)
		mad.InformInfoTrapNumber.Put(info, trap)
		mad.InformInfoProducerType.Put(info, 0xFFFFFF)
		mad.InformInfoQPN.Put(info, qpn)
		steps = append(steps, dialogueStep{what: what, method: mad.Set, attr: mad.AttrInformInfo, rec: info})
	}
	inform("subscribe", 1, mad.TrapGIDInService, 1)
	inform("subscribe again", 1, mad.TrapGIDInService, 1)
	inform("subscribe to all", 1, 0xFFFF, 1)
	rec := make([]byte, 200)
	mad.InformInfoRecordSubscriberGID.Put(rec, gid)
	steps = append(steps, dialogueStep{what: "subscriptions", method: mad.GetTable, attr: mad.AttrInformInfoRecord, mask: mad.InformInfoRecord.Mask(mad.InformInfoRecordSubscriberGID), rec: rec, own: true})
	inform("unsubscribe", 0, mad.TrapGIDInService, 1)
	inform("unsubscribe twice", 0, mad.TrapGIDInService, 1)
	inform("neither", 2, mad.TrapGIDInService, 1)
	inform("unsubscribe from all", 0, 0xFFFF, 1)
	return steps
}

// speak has a dialogue with the manager, and returns its answers.
func (a *asker) speak(steps []dialogueStep) (said []string) {
	a.t.Helper()
	for _, s := range steps {
		m, err := a.ask(s.method, s.attr, s.mask, s.rec)
		var status *wire.StatusError
		switch {
		case errors.As(err, &status):
			said = append(said, status.Status.String())
		case err != nil:
			a.t.Fatalf("%s: %v", s.what, err)
		default:
			n := len(m.Data())
			if l := mad.ClassSA.Attribute(s.attr); s.method != mad.GetTable {
				n = min(l.Size, 168) // of what is longer ibsim's clients, and so OpenSM, send the end as they find it
			}
			said = append(said, fmt.Sprintf("%x", m.Data()[:n]))
		}
	}
	return said
}

// TestRegistrationsOfOpenSM: services and subscriptions are taken, told, refused and ended as
// OpenSM does it, on ibsim and on the emulator.
func TestRegistrationsOfOpenSM(t *testing.T) {
	for medium, serve := range media {
		t.Run(medium, func(t *testing.T) {
			f := tree(t)
			s := serve(t, f)
			g := f.Compile()
			host := nodeID(g.EndNodeGUID[g.NumHosts-1])
			end := s.OpenSM("-R", "minhop")
			// What is repeated on a busy machine is done twice, which these answers show.
			a := s.saClientWith(host, wire.Config{Timeout: 30 * time.Second, Retries: 1})
			rec := make([]byte, 200)
			mad.NodeInfoNodeGUID.Put(mad.NodeRecordNodeInfo.Get(rec), uint64(g.EndNodeGUID[g.NumHosts-1]))
			node, err := a.ask(mad.Get, mad.AttrNodeRecord, mad.NodeRecord.Component(mad.NodeInfoNodeGUID.Decl()), rec)
			if err != nil {
				t.Fatal(err)
			}
			gid := make([]byte, 16)
			gid[0], gid[1] = 0xFE, 0x80
			binary.BigEndian.PutUint64(gid[8:], mad.NodeInfoPortGUID.Get(mad.NodeRecordNodeInfo.Get(node.Data())))
			steps := dialogue(gid)
			theirs := a.speak(steps)
			end()
			ours := a.speakWithUs(s, host, steps)
			// An OpenSM of every fifteenth, on a busy machine, does not find subscriptions that it
			// has ("Differ by Address" in its log): it compares bytes of addresses that nobody has
			// set. Another process answers as usual.
			for more := 4; more > 0 && len(differ(steps, theirs, ours)) > 0; more-- {
				end := s.OpenSM("-R", "minhop")
				theirs = a.speak(steps)
				end()
			}
			for _, text := range differ(steps, theirs, ours) {
				t.Error(text)
			}
			if n := len(slices.Compact(slices.Sorted(slices.Values(ours)))); n < 8 {
				t.Errorf("only %d different answers", n)
			}
		})
	}
}

// speakWithUs has a dialogue with weft's manager, and shows its registrations by saquery.
func (a *asker) speakWithUs(s *simulator, host string, steps []dialogueStep) []string {
	a.t.Helper()
	defer s.administer("minhop", 0)()
	ours := a.speak(steps)
	s.Env = append(s.Env, "SIM_HOST="+host)
	defer func() { s.Env = s.Env[:len(s.Env)-1] }()
	if out, err := s.TryRun("saquery", "SR"); !bytes.Contains(out, []byte("ServiceRecord dump")) {
		a.t.Errorf("saquery SR (%v):\n%s", err, out)
	}
	a.speak(steps[11:12]) // subscribed
	if out, err := s.TryRun("saquery", "IIR"); !bytes.Contains(out, []byte("InformInfoRecord dump")) {
		a.t.Errorf("saquery IIR (%v):\n%s", err, out)
	}
	return ours
}

// differ names the steps of a dialogue with different answers of two managers.
func differ(steps []dialogueStep, theirs, ours []string) (texts []string) {
	for i, step := range steps {
		if !step.own && theirs[i] != ours[i] {
			texts = append(texts, fmt.Sprintf("%s:\n theirs %s\n ours   %s", step.what, theirs[i], ours[i]))
		}
	}
	return texts
}

// TestOsmtestServices: the event flow of osmtest passes against us. The service flow comes as far
// as against OpenSM: ibsim's clients get 224 bytes of a datagram, and so a ServiceRecord without
// its end, which osmtest compares.
func TestOsmtestServices(t *testing.T) {
	f := tree(t)
	s := emulate(t, f)
	defer s.administer("minhop", 0)()
	g := f.Compile()
	s.Env = append(s.Env, "SIM_HOST="+nodeID(g.EndNodeGUID[g.NumHosts-1]))
	for _, c := range []struct{ flow, end string }{{"s", "Data mismatch in service_data8"}, {"e", ""}} {
		path := s.Path("osmtest-" + c.flow)
		out, err := s.TryRun("osmtest", "-f", c.flow, "-l", path)
		log, _ := os.ReadFile(path)
		passed := err == nil && bytes.Contains(out, []byte("PASS"))
		if !passed && (c.end == "" || !bytes.Contains(log, []byte(c.end)) || bytes.Count(log, []byte("Remote error")) > 0) {
			t.Errorf("osmtest -f %s (%v):\n%s\n%s", c.flow, err, out, log)
		}
	}
}
