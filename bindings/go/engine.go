package sluice

// #include <sluice/sluice.h>
import "C"

import "runtime"

// Engine is tools and defaults, compiled once. It is immutable: goroutines may share it. Closing it leaves its turns alive.
type Engine struct {
	handle *C.sluice_engine
}

// NewEngine makes an engine from {"tools":[...], "protocols":[...], and defaults for every turn}.
func NewEngine(config []byte) (*Engine, error) {
	p, n := lent(config)
	e := &Engine{C.sluice_engine_new(p, n)}
	if e.handle == nil {
		return nil, readError(nil)
	}
	var size C.size_t
	if why := owned(C.sluice_engine_error(e.handle, &size), size); why != nil {
		e.Close()
		return nil, readError(why)
	}
	runtime.SetFinalizer(e, (*Engine).Close)
	return e, nil
}

// Close frees the engine. It may be called twice; an engine that nothing refers to is closed by the garbage collector.
func (e *Engine) Close() error {
	C.sluice_engine_free(e.handle)
	e.handle = nil
	runtime.SetFinalizer(e, nil)
	return nil
}

// NewTurn makes a turn from {"wire":"openai-chat","request":{...}, and members that replace the engine's defaults}.
func (e *Engine) NewTurn(config []byte) (*Turn, error) {
	defer runtime.KeepAlive(e)
	if e.handle == nil {
		return nil, closed("engine")
	}
	p, n := lent(config)
	return usable(C.sluice_turn_new(e.handle, p, n))
}

// Restore makes a turn from a state of Get(State). Accept states only from sources from which you would accept code.
func (e *Engine) Restore(state []byte) (*Turn, error) {
	defer runtime.KeepAlive(e)
	if e.handle == nil {
		return nil, closed("engine")
	}
	p, n := lent(state)
	return usable(C.sluice_turn_restore(e.handle, p, n))
}
