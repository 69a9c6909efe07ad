package service

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"

	"weft/internal/endpoints"
)

// Token admits a program.
type Token struct {
	Name string // in the log
	Role endpoints.Role
	Text string
}

// OneToken returns a token that admits to everything, as the only one.
func OneToken(text string) []Token { return []Token{{"api", endpoints.MayEverything, text}} }

// least is the minimum length of a token.
const least = 20

// mostTokens is the maximum size of a file of tokens.
const mostTokens = 1 << 20

// readPrivate reads a file that only its owner may read.
func readPrivate(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // O_NONBLOCK: a pipe must not block
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: want a file", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: others may read it: run chmod 600 %[1]s", path)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// ReadToken reads a token from the first line of a file, which only its owner may read.
func ReadToken(path string) (string, error) {
	data, err := readPrivate(path, 4096)
	if err != nil {
		return "", err
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	token := string(bytes.TrimSpace(line))
	if !isToken(token) {
		return "", fmt.Errorf("%s: want a token of %d printable characters or more: openssl rand -hex 32 > %[1]s", path, least)
	}
	return token, nil
}

// isToken reports whether a text can be a token.
func isToken(text string) bool {
	return len(text) >= least && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// ReadTokens reads tokens from a file that only its owner may read. Each line has a name, roles
// separated by commas, and the token; # begins a comment.
func ReadTokens(path string) (list []Token, err error) {
	data, err := readPrivate(path, mostTokens+1)
	if err != nil {
		return nil, err
	}
	if len(data) > mostTokens {
		return nil, fmt.Errorf("%s: more than %d bytes", path, mostTokens)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for number := 1; lines.Scan(); number++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		t, err := readTokenLine(words, list)
		if err != nil { // without the text of the line: it may hold a token
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		list = append(list, t)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no token: want lines of NAME ROLES TOKEN", path)
	}
	return list, nil
}

// readTokenLine reads a line of a file of tokens; others has the tokens of the lines before.
func readTokenLine(words []string, others []Token) (t Token, err error) {
	if len(words) != 3 {
		return t, fmt.Errorf("%d words: want NAME ROLES TOKEN, such as: grafana read TOKEN", len(words))
	}
	if t.Name, t.Text = words[0], words[2]; !isTokenName(t.Name) {
		return t, errors.New("the first word is no name: want 1 to 64 letters, digits and . _ -")
	}
	for role := range strings.SplitSeq(words[1], ",") {
		at := slices.IndexFunc(endpoints.Roles, func(r endpoints.NamedRole) bool { return r.Name == role })
		if at < 0 {
			return t, errors.New("the second word is no role: want read, operate, partitions, jobs or all, or several with commas")
		}
		t.Role |= endpoints.Roles[at].Role
	}
	switch {
	case !isToken(t.Text):
		return t, fmt.Errorf("the third word is too short for a token: want %d printable characters or more, as of openssl rand -hex 32", least)
	case slices.ContainsFunc(others, func(o Token) bool { return o.Name == t.Name }):
		return t, errors.New("an earlier line has the same name")
	case slices.ContainsFunc(others, func(o Token) bool { return o.Text == t.Text }):
		return t, errors.New("an earlier line has the same token")
	}
	return t, nil
}

// isTokenName reports whether a text can name a token.
func isTokenName(text string) bool {
	return text != "" && len(text) <= 64 && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
	})
}

// bearer is a token in use, until it is replaced.
type bearer struct {
	Token
	hash     [sha256.Size]byte
	asked    context.Context // ends when the token is replaced
	replaced context.CancelFunc
}

// by names the caller of a request for the log; "" over the socket.
func by(r *http.Request) string {
	if c, owner := endpoints.CallerOf(r); !owner {
		return "token " + c.Name
	}
	return ""
}
