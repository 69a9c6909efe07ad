package clients

import (
	"fmt"
	"time"

	"weft/fabric"
	"weft/internal/repeat"
	"weft/sm/sa"
	"weft/sm/terms"
)

// overShares logs ports that are refused more than their share: each at most once an hour.
type overShares struct {
	counts sa.RefusedCounts
	logged repeat.Seldom[fabric.GUID]
}

// logAgain is the time between two such log entries of a port.
const logAgain = time.Hour

// refused counts a refusal. It reports whether it should be logged.
func (o *overShares) refused(now time.Duration, x *sa.OverShare) bool {
	o.counts.Add(x.Place)
	o.logged.Every = logAgain
	return o.logged.Admits(now, x.Port)
}

// overShare handles the refusal of more than a port's share.
func (r *Registrar) overShare(x sa.OverShare) {
	if !r.over.refused(r.now, &x) {
		return
	}
	who := "a requester with a LID that weft has not assigned"
	if x.Port != 0 && r.subnet != nil {
		who = r.subnet.PortName(x.Port)
	}
	text := fmt.Sprintf("%s holds %d %s: its share is used up; all ports together hold %d %s of at most %d", who, x.Held, placesHeld[x.Place], x.Used, x.Place, x.Most)
	r.out = append(r.out, RegistrarAction{Kind: TellOperator, Incident: &terms.Incident{Kind: terms.PortOverShare, Text: text}})
}

// placesHeld names, by kind of place, the things that a port holds and gets no more of.
var placesHeld = [...]string{
	sa.GroupPlace: "memberships in multicast groups and may create no more groups", sa.MemberPlace: "memberships in multicast groups and gets no more",
	sa.ServicePlace: "services and gets no more", sa.SubscriptionPlace: "subscriptions and gets no more",
}
