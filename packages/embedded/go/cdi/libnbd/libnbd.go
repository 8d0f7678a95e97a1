// Package libnbd stands in for the C binding of that name, which needs cgo and is no Go module of its own.
// CDI uses it for VDDK sources alone; those fail here with a sentence, all other sources never touch it.
package libnbd

import "errors"

// Names and values as in the NBD protocol and the binding.
const (
	CMD_FLAG_REQ_ONE CmdFlag = 8
	STATE_HOLE       uint32  = 1
	STATE_ZERO       uint32  = 2
)

type CmdFlag uint32

type PreadOptargs struct{}

type BlockStatusOptargs struct {
	FlagsSet bool
	Flags    CmdFlag
}

type ExtentCallback func(metacontext string, offset uint64, entries []uint32, error *int) int

type LibnbdError struct{}

func (*LibnbdError) Error() string { return "libnbd is not part of this build" }

type Libnbd struct{}

// Create always fails: nobody gets a handle, so no method below is ever called.
func Create() (*Libnbd, error) {
	return nil, errors.New("VDDK sources are not supported: this importer was built without libnbd")
}

func (*Libnbd) AddMetaContext(string) error               { return &LibnbdError{} }
func (*Libnbd) ConnectUri(string) error                   { return &LibnbdError{} }
func (*Libnbd) GetSize() (uint64, error)                  { return 0, &LibnbdError{} }
func (*Libnbd) Pread([]byte, uint64, *PreadOptargs) error { return &LibnbdError{} }
func (*Libnbd) Close() *LibnbdError                       { return &LibnbdError{} }
func (*Libnbd) BlockStatus(uint64, uint64, ExtentCallback, *BlockStatusOptargs) error {
	return &LibnbdError{}
}
