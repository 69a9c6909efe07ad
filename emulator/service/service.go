// Package service makes a fabric a running subnet for the programs of this machine: those
// with the preload library of ibsim attach over sockets, others to umad devices, and an
// operator looks at it and disturbs it over a control socket.
package service

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"weft/emulator"
	"weft/emulator/control"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
	"weft/emulator/umadfs"
	"weft/fabric"
)

// Options say what the subnet is like and where it is served.
type Options struct {
	Subnet emulator.Options
	// RolesByDistance lets switches tell a role by their distance from the hosts.
	RolesByDistance bool
	Faults          []string       // commands to execute at the start (emulator.CommandHelp)
	Ibsim           ibsimd.Options // the sockets of ibsim's protocol
	Control         string         // path of the control socket; empty: none
	Umad            UmadOptions
	Clock           func() time.Duration // must never go back
}

// UmadOptions say which ports are umad devices, and where.
type UmadOptions struct {
	Dir string   // directory to mount at; empty: no devices
	At  []string // NODE[/PORT] of each device; nil: the first CA port
}

// Service is a running subnet.
type Service struct {
	o     Options
	nodes int
	live  *live.Live
	umad  []umadfs.Attach // the ports to serve as devices

	server  *ibsimd.Server
	control func() // ends the control socket; nil without
	devices *umadfs.Server
}

// New starts the subnet. Its errors say what is wrong with the options.
func New(f *fabric.Fabric, o Options) (*Service, error) {
	if o.Subnet.Training < 0 {
		return nil, fmt.Errorf("--training %v: want a time of at least 0", o.Subnet.Training)
	}
	if o.Umad.Dir == "" && len(o.Umad.At) > 0 {
		return nil, errors.New("--at needs --umad")
	}
	if o.RolesByDistance {
		o.Subnet.Roles = emulator.RolesByDistance(f)
	}
	subnet, err := emulator.New(f, o.Subnet)
	if err != nil {
		return nil, err
	}
	for _, fault := range o.Faults {
		if err := subnet.Do(fault); err != nil {
			return nil, fmt.Errorf("--fault %q: %w", fault, err)
		}
	}
	s := &Service{o: o, nodes: subnet.NumNodes()}
	ends, err := s.devicePorts(subnet)
	if err != nil {
		return nil, err
	}
	s.live = live.New(subnet, o.Clock)
	for _, at := range ends {
		s.umad = append(s.umad, umadfs.Emulated(s.live, at))
	}
	return s, nil
}

// devicePorts finds the ports that are to be umad devices.
func (s *Service) devicePorts(subnet *emulator.Subnet) ([]fabric.End, error) {
	if s.o.Umad.Dir == "" {
		return nil, nil
	}
	names := s.o.Umad.At
	if len(names) == 0 {
		names = []string{""}
	}
	ends := make([]fabric.End, len(names))
	for i, name := range names {
		var err error
		if ends[i], err = subnet.FindEnd(name); err != nil {
			return nil, fmt.Errorf("--at %q: %w", name, err)
		}
	}
	return ends, nil
}

// Serve opens the sockets and mounts the devices. Its errors say what could not be had.
func (s *Service) Serve() (err error) {
	if s.server, err = ibsimd.Listen(s.live, s.o.Ibsim); err != nil {
		return err
	}
	if s.o.Control != "" {
		if s.control, err = control.Listen(s.o.Control, s.live); err != nil {
			return err
		}
	}
	if s.o.Umad.Dir != "" {
		if s.devices, err = umadfs.Mount(s.o.Umad.Dir, s.o.Clock, s.umad...); err != nil {
			return fmt.Errorf("--umad %s: %w", s.o.Umad.Dir, err)
		}
	}
	return nil
}

// Where says in one line how many nodes there are and how programs find them.
func (s *Service) Where() string {
	at := "IBSIM_SOCKNAME=" + s.o.Ibsim.Base
	if s.o.Ibsim.UDP != "" {
		at = "UDP " + s.o.Ibsim.UDP
	}
	return fmt.Sprintf("%d nodes up, %s", s.nodes, at)
}

// Devices says where the umad devices are, "" where there are none.
func (s *Service) Devices() string {
	dir := s.o.Umad.Dir
	if dir == "" {
		return ""
	}
	return fmt.Sprintf("umad devices in %s, their sysfs in %s", filepath.Join(dir, umadfs.DevDir), filepath.Join(dir, umadfs.ClassDir))
}

// Close ends what Serve has begun, and the subnet. The error says what could not be taken
// down.
func (s *Service) Close() (err error) {
	if s.devices != nil {
		err = s.devices.Close()
	}
	if s.control != nil {
		s.control()
	}
	if s.server != nil {
		s.server.Close()
	}
	s.live.Close()
	return err
}
