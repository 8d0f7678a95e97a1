// bridge stands before the network plugin of the same name. The plugin makes a bridge when there is none, and the kernel then gives this machine an
// IPv6 address on it, by which tenants reach the machine; and the plugin never removes a bridge. So: before it adds somebody, the bridge is made
// here, without an address; after it took out the last one, the bridge goes. Bridges that were not made here are left alone.
//
// The directory with the plugin is $TERRAIN_CNI_PLUGINS; the directory for the lock is $TERRAIN_RUN.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// mark tells our bridges from others; the node's clean-up looks for it too.
const mark = "terrain-network"

func main() {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(fmt.Sprintf("its configuration could not be read: %v", err))
	}
	var config struct {
		Bridge string `json:"bridge"`
	}
	_ = json.Unmarshal(input, &config) // The plugin says what is wrong with it.
	lock := openLock()
	switch command := os.Getenv("CNI_COMMAND"); {
	case command == "ADD" && config.Bridge != "":
		// Held until this process ends: nobody removes the bridge between its making and its use.
		hold(lock, syscall.LOCK_SH)
		if err := makeBridge(config.Bridge); err != nil {
			fail(err.Error())
		}
		os.Exit(plugin(input))
	case command == "DEL" && config.Bridge != "":
		code := plugin(input)
		if code == 0 {
			// Waits for whoever is being added, and for whoever leaves at the same moment: one that gave way instead would leave its bridge behind.
			hold(lock, syscall.LOCK_EX)
			removeWhenEmpty(config.Bridge)
		}
		os.Exit(code)
	default:
		os.Exit(plugin(input))
	}
}

func openLock() *os.File {
	file, err := os.OpenFile(filepath.Join(os.Getenv("TERRAIN_RUN"), "bridge.lock"), os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		fail(fmt.Sprintf("its lock could not be opened: %v", err))
	}
	return file
}

// hold waits for the lock; the kernel lets go of it when this process ends.
func hold(lock *os.File, how int) {
	for syscall.Flock(int(lock.Fd()), how) == syscall.EINTR {
	}
}

func makeBridge(name string) error {
	if exists(name) {
		return nil
	}
	// Two at once: one makes it, the other finds it.
	if words, err := ip("link", "add", name, "type", "bridge"); err != nil && !exists(name) {
		return fmt.Errorf("bridge %s could not be made: %s", name, words)
	}
	// In this order: a link that is up has its address already, and one call for all sets it up first. Without ARP, because the kernel answers on every
	// link for the addresses it has on others, and tenants would reach the machine by those.
	for _, setting := range [][]string{{"addrgenmode", "none"}, {"arp", "off"}, {"alias", mark}, {"up"}} {
		if words, err := ip(append([]string{"link", "set", name}, setting...)...); err != nil {
			return fmt.Errorf("bridge %s could not be set up: %s", name, words)
		}
	}
	return nil
}

func removeWhenEmpty(name string) {
	alias, err := os.ReadFile(filepath.Join("/sys/class/net", name, "ifalias"))
	if err != nil || strings.TrimSpace(string(alias)) != mark {
		return
	}
	if ports, err := os.ReadDir(filepath.Join("/sys/class/net", name, "brif")); err == nil && len(ports) == 0 {
		_, _ = ip("link", "del", name)
	}
}

func exists(name string) bool {
	_, err := os.Stat(filepath.Join("/sys/class/net", name))
	return err == nil
}

func ip(args ...string) (string, error) {
	words, err := exec.Command("ip", args...).CombinedOutput()
	return strings.TrimSpace(string(words)), err
}

func plugin(input []byte) int {
	command := exec.Command(filepath.Join(os.Getenv("TERRAIN_CNI_PLUGINS"), "bridge"))
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		if ended, isExit := err.(*exec.ExitError); isExit {
			return ended.ExitCode()
		}
		fail(fmt.Sprintf("the bridge plugin could not be run: %v", err))
	}
	return 0
}

// fail answers as the specification of the network plugins wants it.
func fail(sentence string) {
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"cniVersion": "1.0.0", "code": 100, "msg": sentence})
	os.Exit(1)
}
