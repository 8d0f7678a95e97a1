// pause is the first process of every pod: it keeps the pod's namespaces open until it is told to end, and takes the exit codes of processes
// whose parents are gone, so that they do not stay as zombies.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		for {
			ended, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err != nil || ended <= 0 {
				break
			}
		}
	}
}
