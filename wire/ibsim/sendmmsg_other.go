//go:build !amd64

package ibsim

import "syscall"

const sendmmsg = syscall.SYS_SENDMMSG
