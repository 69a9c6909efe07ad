package concurrent

import (
	"math/rand/v2"
	"time"

	"weft/mapping"
)

// mostTries is the number of times that a message is sent within a round.
const mostTries = 4

// mail carries the messages between members of groups.
//
// If messages can be lost, the receiver acknowledges every copy of a message, and takes the first
// one only. The sender sends it again after a timeout until an acknowledgement comes, at most
// mostTries times. No message is needed to arrive: a member that gets no tasks does nothing,
// the tasks of a lost report are assigned again, and groups that met try to merge after every round
// until they have. So a loss costs time, and never a part of the map.
type mail struct {
	loss    float64
	rng     *rand.Rand
	payload int
	sent    int // messages, copies and acknowledgements
	again   int // copies after the first
	failed  int // messages of which no copy arrived
}

func newMail(opt *MergeOptions) *mail {
	return &mail{loss: opt.MessageLoss, rng: rand.New(rand.NewPCG(opt.Seed, 0x3a11)), payload: opt.Hardware.Payload}
}

// send sends a message with this many facts. take is called when its first copy arrives. send
// returns the time that message, copies, acknowledgements and timeouts take a leader, who sends or
// receives one after the other, and whether a copy arrived.
func (m *mail) send(facts int, take func()) (took time.Duration, arrived bool) {
	for try := range mostTries {
		if try > 0 {
			m.again++
		}
		took += m.timeOf(facts)
		there := !m.isLost()
		if there && !arrived {
			arrived = true
			take()
		}
		if m.loss == 0 {
			break
		}
		if there {
			took += m.timeOf(0)
			if !m.isLost() {
				break
			}
		}
		took += mapping.MyrinetClock.Timeout
	}
	if !arrived {
		m.failed++
	}
	return took, arrived
}

func (m *mail) isLost() bool { return m.loss > 0 && m.rng.Float64() < m.loss }

// timeOf returns the time of one copy.
func (m *mail) timeOf(facts int) time.Duration {
	const bytesOfFact = 16
	m.sent++
	return mapping.MyrinetClock.Overhead/4 + mapping.MyrinetClock.Way(0, m.payload+bytesOfFact*facts)
}
