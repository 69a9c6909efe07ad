package goal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"weft/apps/program"
)

// The binary form, little-endian:
//
//	8   4223, or 2342 once LogGOPSim has changed the file
//	4   ranks                             offsets count from here
//	1,1 highest cpu, highest nic
//	16  for each rank: offset of its begin, and of its end
//
// A rank:
//
//	4   operations
//	4   operations that wait for nothing, and 4 for the index of each
//	39  for each operation: see record
//	4   for each entry of the lists of waiting operations
const (
	magic, usedUp = 4223, 2342
	recordSize    = 39
)

// record is an operation in a file.
//
//	4  for how many events it waits
//	1  1 send, 2 recv, 3 calc
//	4  peer
//	8  bytes or ns
//	4  tag
//	1  cpu
//	1  nic
//	4  number of operations that wait for its end, and 4 their first place in the lists
//	4  number of operations that wait for its begin, and 4 their first place in the lists
type record struct {
	op                  program.Op
	waits               uint32
	ends, firstEnd      uint32
	begins, firstBegins uint32
}

func parseRecord(b []byte) (r record, err error) {
	le := binary.LittleEndian
	r.waits = le.Uint32(b)
	switch b[4] {
	case 1, 2, 3:
		r.op.Kind = program.Kind(b[4] - 1)
	default:
		return r, fmt.Errorf("operation type %d: 1, 2 or 3 is expected", b[4])
	}
	r.op.Peer, r.op.Tag = int32(le.Uint32(b[5:])), int32(le.Uint32(b[17:]))
	size := le.Uint64(b[9:])
	if size > math.MaxInt64 {
		return r, fmt.Errorf("size %d is too large", size)
	}
	r.op.Size, r.op.CPU, r.op.NIC = int64(size), b[21], b[22]
	r.ends, r.firstEnd = le.Uint32(b[23:]), le.Uint32(b[27:])
	r.begins, r.firstBegins = le.Uint32(b[31:]), le.Uint32(b[35:])
	if r.op.Kind == program.Calc {
		r.op.Peer, r.op.Tag = 0, 0
	}
	if r.op.Kind != program.Calc && r.op.Tag < 0 && (r.op.Tag != program.Any || r.op.Kind == program.Send) {
		return r, fmt.Errorf("tag %d: it may be 0 to %d, or -1 of a receive", r.op.Tag, math.MaxInt32)
	}
	return r, nil
}

// readBinary reads the binary form. Its ranks must follow each other in the file, as LogGOPSim's
// converter writes them.
func readBinary(in *bufio.Reader) (*program.Schedule, error) {
	var head [14]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, fmt.Errorf("the head of a binary schedule: %w", err)
	}
	le := binary.LittleEndian
	ranks := le.Uint32(head[8:])
	if ranks == 0 || ranks > maxRanks {
		return nil, fmt.Errorf("byte 8: %d ranks: 1 to %d are expected", ranks, maxRanks)
	}
	var spans []uint64
	var pair [16]byte
	for rank := range ranks {
		if _, err := io.ReadFull(in, pair[:]); err != nil {
			return nil, fmt.Errorf("the place of rank %d: %w", rank, within(err))
		}
		spans = append(spans, le.Uint64(pair[:]), le.Uint64(pair[8:]))
	}
	at := uint64(6) + 16*uint64(ranks)
	build := program.NewBuilder(0, 0)
	for rank := range ranks {
		begin, end := spans[2*rank], spans[2*rank+1]
		if begin != at || end < begin || end-begin < 8 {
			return nil, fmt.Errorf("rank %d lies at bytes %d to %d after the head: a begin at %d is expected", rank, begin, end, at)
		}
		if err := readRank(in, build, end-begin); err != nil {
			return nil, fmt.Errorf("rank %d: %w", rank, within(err))
		}
		at = end
	}
	if _, err := in.ReadByte(); err == nil {
		return nil, fmt.Errorf("the file goes on after the last rank, which ends at byte %d", at+8)
	}
	return build.Schedule()
}

// within says of an end of the file that it comes too early.
func within(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends within it")
	}
	return err
}

// readRank reads the operations of a rank, which takes the given number of bytes.
func readRank(in *bufio.Reader, build *program.Builder, size uint64) error {
	le := binary.LittleEndian
	var word [4]byte
	number := func() (uint32, error) {
		_, err := io.ReadFull(in, word[:])
		return le.Uint32(word[:]), err
	}
	count, err := number()
	if err != nil {
		return err
	}
	free, err := number()
	if err != nil {
		return err
	}
	fixed := 8 + 4*uint64(free) + recordSize*uint64(count)
	if free > count || fixed > size || (size-fixed)%4 != 0 {
		return fmt.Errorf("%d operations, %d of them free, do not fit into its %d bytes", count, free, size)
	}
	if _, err := in.Discard(4 * int(free)); err != nil {
		return err
	}
	build.Rank()
	records := make([]record, 0, min(count, 1<<16))
	first, buf := int32(-1), [recordSize]byte{}
	for i := range count {
		if _, err := io.ReadFull(in, buf[:]); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
		r, err := parseRecord(buf[:])
		if err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
		op, err := build.Add(r.op, "")
		if err != nil {
			return err
		}
		if first < 0 {
			first = op
		}
		records = append(records, r)
	}
	lists := make([]uint32, 0, min((size-fixed)/4, 1<<16))
	for range (size - fixed) / 4 {
		n, err := number()
		if err != nil {
			return err
		}
		lists = append(lists, n)
	}
	return addWaits(build, records, lists, first)
}

// addWaits adds the dependencies of a rank.
func addWaits(build *program.Builder, records []record, lists []uint32, first int32) error {
	total := uint64(0)
	for i := range records {
		total += uint64(records[i].begins) + uint64(records[i].ends)
	}
	if total > uint64(len(lists)) {
		return fmt.Errorf("the lists of waiting operations have %d entries by the operations, and %d places", total, len(lists))
	}
	waits := make([]uint32, len(records))
	add := func(i int, n, from uint32, begin bool) error {
		if uint64(from)+uint64(n) > uint64(len(lists)) {
			return fmt.Errorf("operation %d: its list of waiting operations ends at %d of %d", i, uint64(from)+uint64(n), len(lists))
		}
		for _, w := range lists[from : from+n] {
			if int(w) >= len(records) {
				return fmt.Errorf("operation %d: operation %d waits for it, but there are %d", i, w, len(records))
			}
			waits[w]++
			build.Wait(first+int32(w), first+int32(i), begin)
		}
		return nil
	}
	for i := range records {
		r := &records[i]
		if err := add(i, r.begins, r.firstBegins, true); err != nil {
			return err
		}
		if err := add(i, r.ends, r.firstEnd, false); err != nil {
			return err
		}
	}
	for i := range records {
		if waits[i] != records[i].waits {
			return fmt.Errorf("operation %d waits for %d events by its head and for %d by the lists", i, records[i].waits, waits[i])
		}
	}
	return nil
}
