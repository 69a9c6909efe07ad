// Package service runs a fabric as a subnet for the programs of this machine. Programs with ibsim's
// preload library attach over sockets, others to umad devices, and an operator inspects and
// disturbs it over a control socket. If several subnets are joined by routers, each has its own
// sockets and devices.
package service

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/emulator"
	"weft/emulator/control"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
	"weft/emulator/umadfs"
	"weft/fabric"
)

// Options configure the subnet and its servers. Each of several subnets uses its own base name of
// sockets, the control socket path with its name appended, and a directory of its name for devices;
// faults and At name the subnet first.
type Options struct {
	Subnet emulator.Options
	// RolesByDistance lets switches report a role by their distance from the hosts.
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

// Named is a subnet to serve.
type Named struct {
	Name   string // for one of several; letters, digits, and any of . _ -
	Fabric *fabric.Fabric
}

// Service is a running subnet, or several joined by routers.
type Service struct{ subnets []*served }

// served is one of the subnets.
type served struct {
	name  string // "" for a single one
	o     Options
	nodes int
	live  *live.Live
	umad  []umadfs.Attach // the ports to serve as devices

	server  *ibsimd.Server
	control func() // ends the control socket; may be nil
	devices *umadfs.Server
}

// New starts the subnet. Its errors explain invalid options.
func New(f *fabric.Fabric, o Options) (*Service, error) {
	one := &served{o: o}
	subnet, err := one.start(f)
	if err != nil {
		return nil, err
	}
	return run(&emulator.Joined{Subnets: []*emulator.Subnet{subnet}}, []*served{one}, o.Clock)
}

// NewJoined starts several subnets. join adds the routers between them.
func NewJoined(list []Named, join func(*emulator.Joined) error, o Options) (*Service, error) {
	if o.Ibsim.UDP != "" {
		return nil, errors.New("--udp serves only one subnet: leave it out, and each subnet gets Unix sockets")
	}
	var all emulator.Joined
	subnets := make([]*served, len(list))
	for i, at := range list {
		one, err := o.of(list, at.Name)
		if err != nil {
			return nil, err
		}
		subnet, err := one.start(at.Fabric)
		if err != nil {
			return nil, fmt.Errorf("subnet %q: %w", at.Name, err)
		}
		subnets[i] = one
		all.Subnets = append(all.Subnets, subnet)
	}
	if err := join(&all); err != nil {
		return nil, err
	}
	return run(&all, subnets, o.Clock)
}

// run starts the time of the subnets.
func run(all *emulator.Joined, subnets []*served, clock func() time.Duration) (*Service, error) {
	s := &Service{subnets}
	ends := make([][]fabric.End, len(subnets))
	for i, one := range subnets {
		var err error
		if ends[i], err = one.devicePorts(all.Subnets[i]); err != nil {
			return nil, err
		}
	}
	for i, l := range live.Join(all, clock) {
		subnets[i].live = l
		for _, at := range ends[i] {
			subnets[i].umad = append(subnets[i].umad, umadfs.Emulated(l, at))
		}
	}
	return s, nil
}

// of returns one of several subnets with its share of the options.
func (o Options) of(list []Named, name string) (*served, error) {
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != "" || strings.Trim(name, ".") == "" {
		return nil, fmt.Errorf("subnet %q: its sockets and devices use this name, which may contain only letters, digits and . _ -", name)
	}
	var err error
	if o.Umad.At, err = share("--at", o.Umad.At, list, name); err != nil {
		return nil, err
	}
	if o.Faults, err = share("--fault", o.Faults, list, name); err != nil {
		return nil, err
	}
	o.Ibsim.Base += "-" + name
	if o.Control != "" {
		o.Control += "-" + name
	}
	if o.Umad.Dir != "" {
		o.Umad.Dir = filepath.Join(o.Umad.Dir, name)
	}
	if log := o.Subnet.Log; log != nil {
		o.Subnet.Log = func(now time.Duration, event string) { log(now, name+": "+event) }
	}
	if log := o.Ibsim.Log; log != nil {
		o.Ibsim.Log = func(text string) { log(name + ": " + text) }
	}
	return &served{name: name, o: o}, nil
}

// share returns the texts SUBNET:TEXT for one of several subnets.
func share(option string, texts []string, list []Named, name string) (own []string, err error) {
	for _, text := range texts {
		of, rest, _ := strings.Cut(text, ":")
		known := false
		for _, at := range list {
			known = known || at.Name == of
		}
		if !known || rest == "" {
			return nil, fmt.Errorf("%s %q: there are several subnets: start with SUBNET and a colon, such as %s:TEXT", option, text, list[0].Name)
		}
		if of == name {
			own = append(own, strings.TrimSpace(rest))
		}
	}
	return own, nil
}

// start makes the emulated subnet.
func (s *served) start(f *fabric.Fabric) (*emulator.Subnet, error) {
	o := &s.o
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
	s.nodes = subnet.NumNodes()
	return subnet, nil
}

// devicePorts finds the ports of the umad devices.
func (s *served) devicePorts(subnet *emulator.Subnet) ([]fabric.End, error) {
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

// Serve opens the sockets and mounts the devices. An error names the socket or device that failed.
func (s *Service) Serve() error {
	for _, one := range s.subnets {
		if err := one.serve(); err != nil {
			return err
		}
	}
	return nil
}

func (s *served) serve() (err error) {
	if s.server, err = ibsimd.Listen(s.live, s.o.Ibsim); err != nil {
		return err
	}
	if s.o.Control != "" {
		if s.control, err = control.Listen(s.o.Control, s.live); err != nil {
			return err
		}
	}
	if s.o.Umad.Dir == "" {
		return nil
	}
	if s.name != "" {
		if err := os.MkdirAll(s.o.Umad.Dir, 0o755); err != nil {
			return fmt.Errorf("--umad: %w", err)
		}
	}
	if s.devices, err = umadfs.Mount(s.o.Umad.Dir, s.o.Clock, s.umad...); err != nil {
		return fmt.Errorf("--umad %s: %w", s.o.Umad.Dir, err)
	}
	return nil
}

// Where returns a line for each subnet: the number of nodes, and how programs find them.
func (s *Service) Where() string {
	var lines []string
	for _, one := range s.subnets {
		at, of := "IBSIM_SOCKNAME="+one.o.Ibsim.Base, ""
		if one.o.Ibsim.UDP != "" {
			at = "UDP " + one.o.Ibsim.UDP
		}
		if one.name != "" {
			of = one.name + ": "
		}
		lines = append(lines, fmt.Sprintf("%s%d nodes up, %s", of, one.nodes, at))
	}
	return strings.Join(lines, "\n")
}

// Devices names the location of the umad devices, "" if there are none.
func (s *Service) Devices() string {
	var lines []string
	for _, one := range s.subnets {
		if dir := one.o.Umad.Dir; dir != "" {
			lines = append(lines, fmt.Sprintf("umad devices in %s, their sysfs in %s", filepath.Join(dir, umadfs.DevDir), filepath.Join(dir, umadfs.ClassDir)))
		}
	}
	return strings.Join(lines, "\n")
}

// Close stops everything that Serve started, and the subnets. The error names all parts that did
// not stop.
func (s *Service) Close() error {
	var failed []error
	for _, one := range s.subnets {
		if one.devices != nil {
			failed = append(failed, one.devices.Close())
		}
		if one.control != nil {
			one.control()
		}
		if one.server != nil {
			one.server.Close()
		}
	}
	s.subnets[0].live.Close()
	return errors.Join(failed...)
}
