package rmpp

// use counts the messages under way in a direction, and their bytes: of all peers, and of each.
type use struct {
	held
	of map[uint16]held // by LID
}

// held is a number of messages and of their bytes.
type held struct{ messages, bytes int }

func newUse() use { return use{of: map[uint16]held{}} }

// add adds messages and bytes of a peer.
func (u *use) add(lid uint16, messages, bytes int) {
	u.messages, u.bytes = u.messages+messages, u.bytes+bytes
	h := u.of[lid]
	h.messages, h.bytes = h.messages+messages, h.bytes+bytes
	if u.of[lid] = h; h == (held{}) {
		delete(u.of, lid)
	}
}

// allows reports whether there is room for another message of a peer.
func (u *use) allows(c *Config, lid uint16, bytes int) bool {
	h := u.of[lid]
	return c.Share.Allows(h.messages, u.messages, c.Messages) && c.Share.Fits(bytes, h.bytes, u.bytes, c.Bytes)
}

// grows reports whether there is room for more bytes of a message under way. The only message of a
// peer may always grow into room that is free.
func (u *use) grows(c *Config, lid uint16, bytes int) bool {
	h := u.of[lid]
	if h.messages == 1 {
		h.bytes = 0
	}
	return c.Share.Fits(bytes, h.bytes, u.bytes, c.Bytes)
}
