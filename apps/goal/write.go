package goal

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"weft/apps/program"
)

// WriteText writes a schedule as text. Operations are labelled l1, l2 and so on in each rank.
func WriteText(out io.Writer, s *program.Schedule) error {
	w := bufio.NewWriter(out)
	shape := s.Shape()
	fmt.Fprintf(w, "num_ranks %d\n", shape.Ranks)
	for rank := range shape.Ranks {
		fmt.Fprintf(w, "\nrank %d {\n", rank)
		first, end := s.Starts[rank], s.Starts[rank+1]
		for op := first; op < end; op++ {
			o := &s.Ops[op]
			switch o.Kind {
			case program.Send:
				fmt.Fprintf(w, "l%d: send %db to %d tag %d", o.ID+1, o.Size, o.Peer, o.Tag)
			case program.Recv:
				fmt.Fprintf(w, "l%d: recv %db from %d tag %d", o.ID+1, o.Size, o.Peer, o.Tag)
			case program.Calc:
				fmt.Fprintf(w, "l%d: calc %d", o.ID+1, o.Size)
			}
			if o.CPU > 0 {
				fmt.Fprintf(w, " cpu %d", o.CPU)
			}
			if o.NIC > 0 && o.Kind != program.Calc {
				fmt.Fprintf(w, " nic %d", o.NIC)
			}
			w.WriteByte('\n')
		}
		for op := first; op < end; op++ {
			begins, ends := s.Dependents(op)
			for _, other := range begins {
				fmt.Fprintf(w, "l%d irequires l%d\n", other-first+1, op-first+1)
			}
			for _, other := range ends {
				fmt.Fprintf(w, "l%d requires l%d\n", other-first+1, op-first+1)
			}
		}
		w.WriteString("}\n")
	}
	return w.Flush()
}

// WriteBinary writes a schedule in binary.
func WriteBinary(out io.Writer, s *program.Schedule) error {
	w, le := bufio.NewWriter(out), binary.LittleEndian
	shape := s.Shape()
	head := le.AppendUint64(nil, magic)
	head = le.AppendUint32(head, uint32(shape.Ranks))
	head = append(head, uint8(shape.CPUs-1), uint8(shape.NICs-1))
	at := uint64(6) + 16*uint64(shape.Ranks)
	for rank := range shape.Ranks {
		head = le.AppendUint64(head, at)
		at += rankSize(s, s.Starts[rank], s.Starts[rank+1])
		head = le.AppendUint64(head, at)
	}
	w.Write(head)
	for rank := range shape.Ranks {
		w.Write(appendRank(nil, s, s.Starts[rank], s.Starts[rank+1]))
	}
	return w.Flush()
}

// rankSize returns the bytes that operations first to end-1 take.
func rankSize(s *program.Schedule, first, end int32) uint64 {
	size := 8 + recordSize*uint64(end-first)
	for op := first; op < end; op++ {
		begins, ends := s.Dependents(op)
		size += 4 * uint64(len(begins)+len(ends))
		if s.Waits(op) == 0 {
			size += 4
		}
	}
	return size
}

func appendRank(b []byte, s *program.Schedule, first, end int32) []byte {
	le := binary.LittleEndian
	var free, lists []byte
	for op := first; op < end; op++ {
		if s.Waits(op) == 0 {
			free = le.AppendUint32(free, uint32(op-first))
		}
	}
	b = le.AppendUint32(b, uint32(end-first))
	b = le.AppendUint32(b, uint32(len(free)/4))
	b = append(b, free...)
	for op := first; op < end; op++ {
		o := &s.Ops[op]
		begins, ends := s.Dependents(op)
		b = le.AppendUint32(b, uint32(s.Waits(op)))
		b = append(b, uint8(o.Kind)+1)
		b = le.AppendUint32(b, uint32(o.Peer))
		b = le.AppendUint64(b, uint64(o.Size))
		b = le.AppendUint32(b, uint32(o.Tag))
		b = append(b, o.CPU, o.NIC)
		for _, list := range [2][]int32{ends, begins} {
			b = le.AppendUint32(b, uint32(len(list)))
			b = le.AppendUint32(b, uint32(len(lists)/4))
			for _, other := range list {
				lists = le.AppendUint32(lists, uint32(other-first))
			}
		}
	}
	return append(b, lists...)
}
