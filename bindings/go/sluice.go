// Package sluice is one LLM turn as one unbroken message: text comes out at once, tool calls appear in their place, wait
// until policy or the user allows them, run in your program, and the answer goes on. sluice.h is the manual; this is it in Go.
//
// After every call that changes a turn, drain its events and do what they say. Documents are JSON text, for encoding/json.
// An Engine may be shared between goroutines; a Turn is used by one at a time.
package sluice

/*
#cgo CFLAGS: -I${SRCDIR}/../../native/include
#cgo LDFLAGS: -L${SRCDIR}/../../build/release -lsluice
#include <sluice/sluice.h>
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"math"
	"unsafe"
)

// Code tells what was wrong with a call.
type Code int32

// The codes of an Error.
const (
	CodeArgument    Code = C.SLUICE_E_ARGUMENT    // a value that the function does not accept, or something that was closed
	CodeState       Code = C.SLUICE_E_STATE       // not possible in this state; nothing changed
	CodeNotFound    Code = C.SLUICE_E_NOT_FOUND   // no such call
	CodeJSON        Code = C.SLUICE_E_JSON        // a document that is unreadable or invalid
	CodeLimit       Code = C.SLUICE_E_LIMIT       // larger than a limit of the configuration
	CodeUnsupported Code = C.SLUICE_E_UNSUPPORTED // this version lacks it; the message names it
	CodeMemory      Code = C.SLUICE_E_MEMORY      // memory is short
	CodeInternal    Code = C.SLUICE_E_INTERNAL    // a bug of Sluice
)

// Error is a mistake of the host. What a model, a provider, the network or a tool does wrong is an event, never an Error.
type Error struct {
	Code    Code   `json:"code"`
	Name    string `json:"name"`    // the code's name: "state"
	Message string `json:"message"` // what was found, and what was expected
	Path    string `json:"path"`    // the place in a document: "tools[3].parameters"; empty: none
}

// Error says what was wrong, and where.
func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s: %s", e.Name, e.Message)
	}
	return fmt.Sprintf("%s: %s (%s)", e.Name, e.Message, e.Path)
}

// Is makes errors.Is(err, &Error{Code: CodeState}) true for every error of that code.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

func readError(document []byte) error {
	e := &Error{Code: CodeMemory, Name: "memory", Message: "memory is short"}
	if document != nil {
		if err := json.Unmarshal(document, e); err != nil {
			return err
		}
	}
	return e
}

func closed(what string) error {
	return &Error{Code: CodeArgument, Name: "argument", Message: "this " + what + " was closed"}
}

// Version returns the library's version.
func Version() (major, minor, patch int) {
	number := int(C.sluice_version())
	return number >> 16, number >> 8 & 0xff, number & 0xff
}

// lent gives bytes to the library for one call, which copies them. nil is NULL.
func lent(bytes []byte) (*C.char, C.size_t) {
	if bytes == nil {
		return nil, 0
	}
	size := len(bytes)
	if size == 0 {
		bytes = []byte{0} // there must be a byte to point to
	}
	return (*C.char)(unsafe.Pointer(&bytes[0])), C.size_t(size)
}

// text is what lent takes for a text that may be left out.
func text(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// owned copies what the library lends until the next call. NULL is nil.
func owned(text *C.char, size C.size_t) []byte {
	if text == nil {
		return nil
	}
	return append(make([]byte, 0, size), unsafe.Slice((*byte)(unsafe.Pointer(text)), int(size))...)
}

const never = math.MaxInt64
