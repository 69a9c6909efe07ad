package gen

import (
	"fmt"
	"strconv"
	"strings"

	"weft/fabric"
)

// kautz builds a Kautz graph. The switches are the words of n letters out of b+1 without equal
// neighbours, with a cable for every arc s1..sn -> s2..sn x. The cable is on port x of the b
// possible ones at the tail, and on port b plus s1's place at the head.
func kautz(a *args) (*fabric.Fabric, error) {
	b, n, hosts := a.int("b"), a.int("n"), a.int("hosts")
	switches := mul(b+1, pow(b, n-1))
	if hosts < 0 {
		hosts = switches
	}
	links := mul(switches, b)
	ports := 2*b + ceil(hosts, switches)
	if err := (size{switches, ports, hosts, links + hosts}).fits(a.most); err != nil {
		return nil, err
	}
	bu := newBuilder()
	words := kautzWords(b, n)
	number := make(map[string]int, len(words))
	ids := make([]fabric.NodeID, len(words))
	for i, w := range words {
		number[string(w)] = i
		ids[i] = bu.add(ports, "switch "+letters(w))
	}
	for i, w := range words {
		out := 0
		head := append(append([]byte(nil), w[1:]...), 0)
		for x := range byte(b + 1) {
			if x == w[n-1] {
				continue
			}
			out++
			head[n-1] = x
			// The tails differ only in the first letter, which is not head[0].
			in := 1 + int(w[0])
			if w[0] > head[0] {
				in--
			}
			bu.link(ids[i], out, ids[number[string(head)]], b+in)
		}
	}
	bu.spread(ids, hosts, 2*b+1)
	return bu.done()
}

// kautzWords lists the words in order.
func kautzWords(b, n int) [][]byte {
	words := [][]byte{{}}
	for range n {
		var longer [][]byte
		for _, w := range words {
			for x := range byte(b + 1) {
				if len(w) == 0 || w[len(w)-1] != x {
					longer = append(longer, append(append([]byte(nil), w...), x))
				}
			}
		}
		words = longer
	}
	return words
}

func letters(w []byte) string {
	s := make([]string, len(w))
	for i, x := range w {
		s[i] = strconv.Itoa(int(x))
	}
	return strings.Join(s, ".")
}

// slimfly builds the graph of McKay, Miller and Širáň for a prime q = 4w+1 or 4w-1. Its switches
// are (0,x,y) and (1,m,c). It joins (0,x,y)-(0,x,y') if y-y' is in X, (1,m,c)-(1,m,c') if c-c' is
// in X', and (0,x,y)-(1,m,c) if y = mx+c. Its degree is (3q-1)/2 or (3q+1)/2, its diameter 2.
func slimfly(a *args) (*fabric.Fabric, error) {
	q, hosts := a.int("q"), a.int("hosts")
	if q < 3 || !prime(q) {
		return nil, fmt.Errorf("q=%d: want an odd prime (3 5 7 11 13 17 ...)", q)
	}
	half := [2][]bool{generators(q, 0), generators(q, 1)}
	inside := 0
	for _, in := range half[0] {
		if in {
			inside++
		}
	}
	degree := q + inside
	if hosts < 0 {
		hosts = ceil(degree, 2)
	}
	n := 2 * q * q
	if err := (size{n, degree + hosts, mul(n, hosts), mul(n, degree)/2 + mul(n, hosts)}).fits(a.most); err != nil {
		return nil, err
	}
	b := newBuilder()
	ids := make([]fabric.NodeID, 0, n)
	for s := range n {
		ids = append(ids, b.add(degree+hosts, "switch "+tuple([]int{s / q / q, s / q % q, s % q})))
	}
	free := repeat(1, 1, n-1)
	join := func(s, t int) {
		b.link(ids[s], free[s], ids[t], free[t])
		free[s]++
		free[t]++
	}
	for s := range n {
		for t := s - s%q; t < s; t++ {
			if half[s/q/q][s-t] {
				join(t, s)
			}
		}
	}
	for x := range q {
		for y := range q {
			for m := range q {
				join(x*q+y, q*q+m*q+((y-m*x)%q+q)%q)
			}
		}
	}
	b.spread(ids, n*hosts, degree+1)
	return b.done()
}

// generators returns the set X (which = 0) or X' (1), as a table over the field. For q = 4w+1 these
// are the even and odd powers of a primitive element. For q = 4w-1 they are the powers 0, 2 .. 2w-2
// and 2w-1, 2w+1 .. 4w-3, and one more each for X'.
func generators(q, which int) []bool {
	in := make([]bool, q)
	xi := primitive(q)
	w := (q + 1) / 4
	power := 1
	for e := range q - 1 {
		shifted := (e - which + q - 1) % (q - 1)
		even := shifted%2 == 0
		in[power] = even
		if q%4 == 3 && shifted > 2*w-2 {
			in[power] = !even
		}
		power = power * xi % q
	}
	return in
}

// primitive returns the least primitive element of the field of prime order q.
func primitive(q int) int {
	for x := 2; x < q; x++ {
		order, power := 1, x
		for power != 1 {
			power = power * x % q
			order++
		}
		if order == q-1 {
			return x
		}
	}
	return 1
}

func prime(q int) bool {
	for d := 2; d*d <= q; d++ {
		if q%d == 0 {
			return false
		}
	}
	return q > 1
}
