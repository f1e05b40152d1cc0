//! One LLM turn as one unbroken message: text comes out at once, tool calls appear in their place, wait until policy or the
//! user allows them, run in your program, and the answer goes on. `sluice.h` is the manual; this is it in Rust.
//!
//! After every call that changes a turn, drain [`Turn::next_event`] and do what the events say; [`Turn::next_piece`] tells text
//! without JSON. Documents are JSON text; an
//! [`Event`] gives its members without a JSON library, and [`Event::as_str`] is the text for one of yours.
//!
//! ```
//! let engine = sluice::Engine::new("{}")?;
//! let mut turn = engine.turn(r#"{"wire":"text","protocol":"hermes"}"#)?; // no "request": it reads one answer, and runs nothing
//! let reader = std::thread::spawn(move || {
//!     turn.feed(br#"Look: <tool_call>{"name": "clock", "arguments": {}}</tool_call>"#)?;
//!     turn.finish(sluice::End::COMPLETE, None)?;
//!     Ok::<_, sluice::Error>(std::iter::from_fn(|| turn.next_event()).map(|event| event.text("name")).collect::<String>())
//! });
//! assert_eq!(reader.join().unwrap()?, "clock");
//! # Ok::<(), sluice::Error>(())
//! ```
#![warn(missing_docs)]

mod error;
mod event;
pub mod json;
mod turn;

pub use error::{Error, Result};
pub use event::{Delta, DeltaKind, Event, Piece};
pub use turn::{Decision, Document, End, Engine, Final, Gate, Kind, Turn};

/// The library's version: (major, minor, patch).
pub fn version() -> (u32, u32, u32) {
    let number = unsafe { sluice_sys::sluice_version() };
    (number >> 16, number >> 8 & 0xff, number & 0xff)
}
