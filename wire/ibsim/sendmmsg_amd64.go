package ibsim

// sendmmsg is the number of sendmmsg(2), which is newer than the list of package syscall.
const sendmmsg = 307
