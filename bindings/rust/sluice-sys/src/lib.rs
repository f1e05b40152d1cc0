//! `sluice.h` spelled in Rust. The header is the manual; the crate `sluice` is the safe one.
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_void};

/// Tools and defaults: compiled once, immutable.
#[repr(C)]
pub struct sluice_engine {
    _opaque: [u8; 0],
}

/// One input of the user, one message of the assistant.
#[repr(C)]
pub struct sluice_turn {
    _opaque: [u8; 0],
}

#[allow(missing_docs)]
extern "C" {
    pub fn sluice_version() -> u32;
    pub fn sluice_engine_new(config: *const c_char, len: usize) -> *mut sluice_engine;
    pub fn sluice_engine_error(engine: *const sluice_engine, len: *mut usize) -> *const c_char;
    pub fn sluice_engine_free(engine: *mut sluice_engine);
    pub fn sluice_turn_new(engine: *mut sluice_engine, config: *const c_char, len: usize) -> *mut sluice_turn;
    pub fn sluice_turn_restore(engine: *mut sluice_engine, state: *const c_char, len: usize) -> *mut sluice_turn;
    pub fn sluice_turn_free(turn: *mut sluice_turn);
    pub fn sluice_turn_response(turn: *mut sluice_turn, http_status: i32, headers_json: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_feed(turn: *mut sluice_turn, bytes: *const c_void, len: usize) -> i32;
    pub fn sluice_turn_finish(turn: *mut sluice_turn, how: i32, detail: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_approve(turn: *mut sluice_turn, call: u32, decision: i32, edited_json: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_deny(turn: *mut sluice_turn, call: u32, reason: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_refuse(turn: *mut sluice_turn, call: u32, reason: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_judge(turn: *mut sluice_turn, call: u32, rules_json: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_conclude(turn: *mut sluice_turn, how: i32, text: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_cancel(turn: *mut sluice_turn, call: u32, reason: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_submit(turn: *mut sluice_turn, call: u32, kind: i32, data: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_resolve(turn: *mut sluice_turn, call: u32, arguments_json: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_call(turn: *mut sluice_turn, caller: u32, call_json: *const c_char, len: usize) -> i32;
    pub fn sluice_turn_tick(turn: *mut sluice_turn, now_ms: i64) -> i64;
    pub fn sluice_turn_next_event(turn: *mut sluice_turn, len: *mut usize) -> *const c_char;
    pub fn sluice_turn_next_delta(turn: *mut sluice_turn, kind: *mut i32, index: *mut u32, len: *mut usize) -> *const c_char;
    pub fn sluice_turn_find_tool(turn: *mut sluice_turn, name: *const c_char, name_len: usize, len: *mut usize) -> *const c_char;
    pub fn sluice_turn_get(turn: *mut sluice_turn, what: i32, len: *mut usize) -> *const c_char;
}
