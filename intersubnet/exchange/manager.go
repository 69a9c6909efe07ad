package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/route"
	"weft/wire/mad"
)

// OwnSubnet describes the manager's own subnet.
type OwnSubnet struct {
	Prefix subnets.Prefix
	Graph  *fabric.Graph
	Plan   *route.Plan
	// From is the end port that the manager asks from.
	From int32
	// Unproven allows paths that nobody has proven free of deadlock: by ISSR, where ISFR does not
	// apply.
	Unproven bool
}

// Ask sends a request of mad.ClassRouter to a LID on an SL and returns the attribute of the answer.
// It fails if there is no answer, or one with a status other than OK.
type Ask func(to fabric.LID, sl uint8, method mad.Method, attr mad.AttrID, modifier uint32, data []byte) ([]byte, error)

// Manager exchanges notes with the managers of other subnets, round by round.
type Manager struct {
	own      *OwnSubnet // of the last round
	routers  []intersubnet.RouterPort
	mine     versioned // note about the own subnet
	notes    map[subnets.Prefix]knownNote
	ways     *intersubnet.Ways                      // from all notes; nil after these have changed
	answered map[fabric.GUID]intersubnet.RouterPort // router ports that have answered once
	bad      map[subnets.Prefix]uint64              // versions of invalid notes
	tables   map[fabric.GUID]versioned              // by router port, from ways and own; nil after these have changed
}

// knownNote is a note of another subnet, or of the own one.
type knownNote struct {
	versioned
	note *intersubnet.Note
}

// NewManager makes a Manager that knows of no other subnet.
func NewManager() *Manager {
	return &Manager{notes: map[subnets.Prefix]knownNote{}, answered: map[fabric.GUID]intersubnet.RouterPort{}, bad: map[subnets.Prefix]uint64{}}
}

// askedPort is a router port of the own subnet with its answer: the notes that the router holds.
type askedPort struct {
	intersubnet.RouterPort
	guid  fabric.GUID
	lid   fabric.LID
	sl    uint8
	notes map[subnets.Prefix]uint64 // versions; nil where the router has not answered
}

// Round asks the routers of the own subnet, reads newer notes, and writes the notes and tables that
// routers lack. It returns the paths that follow from all notes, the same pointer as before if
// nothing has changed, and news as lines for people. It leaves out routers that have never
// answered, or not as the class demands.
func (m *Manager) Round(own *OwnSubnet, ask Ask) (ways *intersubnet.Ways, news []string, err error) {
	ports := m.askPorts(own, ask)
	for i := range ports {
		news = append(news, m.readNotes(own, &ports[i], ask)...)
	}
	m.makeOwnNote(own, ports)
	written := map[fabric.GUID]bool{} // routers that have all, over whichever port
	for i := range ports {
		if b := &ports[i]; b.notes == nil || written[b.Router] {
			continue
		}
		failed := m.writeNotes(&ports[i], ask)
		err = errors.Join(err, failed)
		written[ports[i].Router] = failed == nil
	}
	if m.ways == nil {
		var list []*intersubnet.Note
		for _, k := range m.notes {
			list = append(list, k.note)
		}
		found, failed := intersubnet.WaysOf(list)
		if failed != nil {
			return nil, news, fmt.Errorf("the notes about the subnets contradict each other: %w", failed)
		}
		m.ways, m.tables = found, nil
	}
	if m.tables == nil {
		m.tables = tablesOf(own, m.ways, ports)
	}
	for i := range ports {
		if ports[i].notes != nil {
			err = errors.Join(err, m.writeTable(own, &ports[i], ask))
		}
	}
	return m.ways, news, err
}

// askPorts asks the router ports of the own subnet who they are, and which notes their routers
// hold.
func (m *Manager) askPorts(own *OwnSubnet, ask Ask) (list []askedPort) {
	g := own.Graph
	for e := range int32(g.NumHosts) {
		if g.EndType[e] != fabric.Router || own.Plan.Ends.Base[e] == 0 {
			continue
		}
		b := askedPort{guid: g.EndGUID[e], lid: own.Plan.Ends.Base[e], sl: own.Plan.PathSL(own.From, own.Plan.Ends.Base[e])}
		if b.read(ask) {
			m.answered[b.guid] = b.RouterPort
		}
		if was, ok := m.answered[b.guid]; ok {
			b.RouterPort = was
			b.End = e
			list = append(list, b)
		}
	}
	return list
}

// read asks a router port, and reports whether it has answered.
func (b *askedPort) read(ask Ask) bool {
	notes := map[subnets.Prefix]uint64{}
	for i, count := uint32(0), uint32(1); i < count; i++ {
		data, err := ask(b.lid, b.sl, mad.Get, mad.AttrRouterInfo, i, nil)
		if err != nil || mad.RouterInfoSignature.Get(data) != mad.RouterMagic {
			return false
		}
		b.Router, b.Number = fabric.GUID(mad.RouterInfoGUID.Get(data)), uint8(mad.RouterInfoPort.Get(data))
		count = min(maxNotes, max(1, uint32(mad.RouterInfoNotes.Get(data))))
		if mad.RouterInfoVersion.Get(data) > 0 && mad.RouterInfoLength.Get(data) <= maxBytes {
			notes[subnets.Prefix(mad.RouterInfoPrefix.Get(data))] = mad.RouterInfoVersion.Get(data)
		}
	}
	b.notes = notes
	return true
}

// readNotes reads the notes of a router that are newer than the known ones.
func (m *Manager) readNotes(own *OwnSubnet, b *askedPort, ask Ask) (news []string) {
	prefixes := make([]subnets.Prefix, 0, len(b.notes))
	for prefix, version := range b.notes {
		if prefix != own.Prefix && version > m.notes[prefix].version && version > m.bad[prefix] {
			prefixes = append(prefixes, prefix)
		}
	}
	slices.Sort(prefixes)
	for _, prefix := range prefixes {
		h, err := readNote(b, prefix, ask)
		if err != nil {
			continue // the next round reads it again
		}
		note, err := intersubnet.DecodeNote(h.bytes)
		if err == nil && note.Prefix != prefix {
			err = fmt.Errorf("it is about %s", note.Prefix)
		}
		if err != nil {
			m.bad[prefix] = h.version
			news = append(news, fmt.Sprintf("router %s holds an invalid note about subnet %s, which is ignored: %v", b.Router, prefix, err))
			continue
		}
		if _, again := m.notes[prefix]; !again {
			news = append(news, fmt.Sprintf("subnet %s: %s", prefix, inWords(note)))
		}
		m.notes[prefix], m.ways = knownNote{h, note}, nil
	}
	return news
}

// inWords summarises a note for people.
func inWords(n *intersubnet.Note) string {
	hosts := 0
	for _, t := range n.Targets {
		if !t.PortZero {
			hosts++
		}
	}
	text := fmt.Sprintf("%d hosts, %d router ports", hosts, len(n.Ports))
	if n.Reason != "" {
		text += "; no fat-tree under routers: " + n.Reason
	}
	return text
}

// readNote reads a note block by block.
func readNote(b *askedPort, prefix subnets.Prefix, ask Ask) (h versioned, err error) {
	var g partial
	var request [192]byte
	mad.RouterBlockPrefix.Put(request[:], uint64(prefix))
	for i := uint32(0); ; i++ {
		data, err := ask(b.lid, b.sl, mad.Get, mad.AttrRouterNote, i, request[:])
		if err != nil {
			return h, err
		}
		if mad.RouterBlockLength.Get(data) > maxBytes {
			return h, errors.New("the note is too long")
		}
		mad.RouterBlockPrefix.Put(data, uint64(prefix))
		if i > 0 && mad.RouterBlockVersion.Get(data) != g.version {
			return h, errors.New("the note changed while it was read")
		}
		if g.take(data, i) {
			return g.versioned, nil
		}
		if int(i)+1 >= len(g.seen) {
			return h, errors.New("the length of the note changed while it was read")
		}
	}
}

// makeOwnNote makes the note about the own subnet. A new version exceeds the versions at
// all routers, whoever wrote them.
func (m *Manager) makeOwnNote(own *OwnSubnet, ports []askedPort) {
	routers := make([]intersubnet.RouterPort, len(ports))
	newest := m.mine.version
	for i := range ports {
		routers[i] = ports[i].RouterPort
		newest = max(newest, ports[i].notes[own.Prefix])
	}
	if own == m.own && slices.Equal(routers, m.routers) && newest == m.mine.version {
		return
	}
	m.own, m.routers, m.tables = own, routers, nil
	note := intersubnet.NewNote(own.Prefix, own.Graph, own.Plan, routers)
	text := note.Encode()
	if newest > m.mine.version || m.mine.version == 0 || !bytes.Equal(text, m.mine.bytes) {
		m.mine = versioned{newest + 1, text}
		m.notes[own.Prefix], m.ways = knownNote{m.mine, note}, nil
	}
}

// writeNotes writes the notes that a router lacks or has in an older version.
func (m *Manager) writeNotes(b *askedPort, ask Ask) error {
	for _, prefix := range sortedPrefixes(m.notes) {
		k := m.notes[prefix]
		if k.version <= b.notes[prefix] {
			continue
		}
		if err := write(b, mad.AttrRouterNote, uint64(prefix), &k.versioned, ask); err != nil {
			return fmt.Errorf("router %s does not take the note about subnet %s: %w", b.Router, prefix, err)
		}
	}
	return nil
}

func sortedPrefixes(notes map[subnets.Prefix]knownNote) (list []subnets.Prefix) {
	for prefix := range notes {
		list = append(list, prefix)
	}
	slices.Sort(list)
	return list
}

// write writes a note or a table block by block.
func write(b *askedPort, attr mad.AttrID, prefix uint64, h *versioned, ask Ask) error {
	var data [192]byte
	for i := range blocks(len(h.bytes)) {
		mad.RouterBlockPrefix.Put(data[:], prefix)
		h.putBlock(data[:], uint32(i))
		if _, err := ask(b.lid, b.sl, mad.Set, attr, uint32(i), data[:]); err != nil {
			return err
		}
	}
	return nil
}

// writeTable writes the table of a router port, unless the router has it.
func (m *Manager) writeTable(own *OwnSubnet, b *askedPort, ask Ask) error {
	h := m.tables[b.guid]
	data, err := ask(b.lid, b.sl, mad.Get, mad.AttrRouterTable, 0, nil)
	if err == nil && mad.RouterBlockVersion.Get(data) == h.version {
		return nil
	}
	if err == nil {
		err = write(b, mad.AttrRouterTable, uint64(own.Prefix), &h, ask)
	}
	if err != nil {
		return fmt.Errorf("router %s does not take the table for port %d: %w", b.Router, b.Number, err)
	}
	return nil
}

// tablesOf makes the tables of the router ports, from the paths and the LIDs and SLs of the own
// subnet.
func tablesOf(own *OwnSubnet, ways *intersubnet.Ways, ports []askedPort) map[fabric.GUID]versioned {
	ends := make(map[fabric.GUID]int32, own.Graph.NumEnds)
	for e, guid := range own.Graph.EndGUID {
		ends[guid] = int32(e)
	}
	tables := map[fabric.GUID]versioned{}
	for i := range ports {
		b := &ports[i]
		var t Table
		for _, l := range ways.Table(own.Prefix, b.guid, own.Unproven) {
			end, ok := ends[l.Next]
			if !ok || own.Plan.Ends.Base[end] == 0 {
				continue // it has no LID
			}
			lid := own.Plan.Ends.Base[end]
			t = append(t, Entry{l.To, lid, own.Plan.PathSL(b.End, lid), uint8(min(l.Distance, 255))})
		}
		text := t.encode()
		tables[b.guid] = versioned{versionOf(text), text}
	}
	return tables
}
