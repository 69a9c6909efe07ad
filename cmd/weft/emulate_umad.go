package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/emulator"
	"weft/emulator/live"
	"weft/emulator/umadfs"
	"weft/fabric"
)

// umadFlags say which ports weft emulate serves as umad devices, and where.
type umadFlags struct {
	dir string
	at  []string
}

func (u *umadFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&u.dir, "umad", "", "directory to mount umad devices and their sysfs at, by FUSE")
	f.StringArrayVar(&u.at, "at", nil, "NODE[/PORT] of the next umad device; default: the first CA port")
}

// mount serves the ports, if that is asked for; unmount ends it. What cannot be taken
// down is said on stderr.
func (u *umadFlags) mount(stderr io.Writer, l *live.Live) (unmount func(), err error) {
	if u.dir == "" {
		if len(u.at) > 0 {
			return nil, errors.New("--at needs --umad")
		}
		return func() {}, nil
	}
	ends, err := u.ends(l)
	if err != nil {
		return nil, err
	}
	var ports []umadfs.Attach
	for _, at := range ends {
		ports = append(ports, umadfs.Emulated(l, at))
	}
	start := time.Now()
	server, err := umadfs.Mount(u.dir, func() time.Duration { return time.Since(start) }, ports...)
	if err != nil {
		return nil, &exitError{exitCannot, fmt.Errorf("--umad %s: %w", u.dir, err)}
	}
	fmt.Fprintf(stderr, "umad devices in %s, their sysfs in %s\n",
		filepath.Join(u.dir, umadfs.DevDir), filepath.Join(u.dir, umadfs.ClassDir))
	return func() {
		if err := server.Close(); err != nil {
			fmt.Fprintln(stderr, err)
		}
	}, nil
}

// ends finds the ports that --at names.
func (u *umadFlags) ends(l *live.Live) (ends []fabric.End, err error) {
	l.Do(func(s *emulator.Subnet) {
		if len(u.at) == 0 {
			var at fabric.End
			at, err = s.DefaultEnd()
			ends = append(ends, at)
			return
		}
		for _, text := range u.at {
			var at fabric.End
			if at, err = endByName(s, text); err != nil {
				err = fmt.Errorf("--at %q: %w", text, err)
				return
			}
			ends = append(ends, at)
		}
	})
	return ends, err
}

// endByName finds NODE or NODE/PORT. A node's name may have slashes.
func endByName(s *emulator.Subnet, text string) (fabric.End, error) {
	id, err := s.NodeByName(text)
	if err == nil {
		return s.EndOf(id)
	}
	i := strings.LastIndexByte(text, '/')
	if i < 0 {
		return fabric.End{}, err
	}
	port, bad := strconv.ParseUint(text[i+1:], 10, 8)
	if bad != nil {
		return fabric.End{}, fmt.Errorf("%q is no port number", text[i+1:])
	}
	if id, err = s.NodeByName(text[:i]); err != nil {
		return fabric.End{}, err
	}
	return fabric.End{Node: id, Port: uint8(port)}, nil
}
