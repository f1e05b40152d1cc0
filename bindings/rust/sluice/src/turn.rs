//! Engines and turns.
use crate::{Delta, DeltaKind, Error, Event, Piece, Result};
use sluice_sys as sys;
use std::{os::raw::c_char, ptr, ptr::NonNull, slice};

/// How an answer ended: [`Turn::finish`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End(pub i32);

impl End {
    /// The body was read to its end.
    pub const COMPLETE: End = End(0);
    /// The connection broke or was never made.
    pub const NETWORK: End = End(1);
    /// The host stopped reading, as after `abortRequest`.
    pub const ABORTED: End = End(2);
    /// Forget this answer and ask again; allowed while nothing of it was shown or run.
    pub const RETRY: End = End(3);
    /// The host itself failed. Asking again cannot help.
    pub const HOOK: End = End(4);
}

/// What the user decided: [`Turn::approve`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision(pub i32);

impl Decision {
    /// Let this call run.
    pub const ONCE: Decision = Decision(0);
    /// And further calls like it in this turn.
    pub const TURN: Decision = Decision(1);
    /// And in later turns of this session: a `rule` event asks the host to keep it.
    pub const SESSION: Decision = Decision(2);
    /// And for ever: also a `rule` event.
    pub const ALWAYS: Decision = Decision(3);
    /// Give the result of this call to the model.
    pub const RELEASE: Decision = Decision(4);

    /// "Like it" means the same tool with exactly these arguments, not any call of the tool.
    pub const fn exact(self) -> Decision {
        Decision(self.0 | 256)
    }
}

/// What a tool delivers: [`Turn::submit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(pub i32);

impl Kind {
    /// The result: text.
    pub const RESULT: Kind = Kind(0);
    /// The result: one JSON value.
    pub const JSON: Kind = Kind(1);
    /// The result: `[{"type":"text","text":...},{"type":"image","mediaType":...,"data":...}]`.
    pub const PARTS: Kind = Kind(2);
    /// The tool failed: text.
    pub const FAILURE: Kind = Kind(3);
    /// Still running: text.
    pub const PROGRESS: Kind = Kind(4);
    /// What the tool gave, and what the model reads in its place: `{"output":...,"hostOutput":...}`.
    pub const REWRITTEN: Kind = Kind(5);
}

/// What becomes of a final answer: [`Turn::conclude`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Final(pub i32);

impl Final {
    /// The turn ends with it.
    pub const ACCEPT: Final = Final(0);
    /// The model reads why not, and answers again.
    pub const RETRY: Final = Final(1);
    /// The turn ends with another text in its place.
    pub const REPLACE: Final = Final(2);
    /// As [`Final::RETRY`], but the model reads it as a system message, not as one of the user.
    pub const RETRY_BY_SYSTEM: Final = Final(257);
}

/// How policy and rules judge a call: [`Turn::judge`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gate(pub i32);

impl Gate {
    /// It may run.
    pub const RUN: Gate = Gate(0);
    /// The user must be asked.
    pub const ASK: Gate = Gate(1);
    /// It must not run.
    pub const DENY: Gate = Gate(2);
}

/// Documents that can be read at any time: [`Turn::get`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// The body of the request to send; `None` while there is none to send.
    Request = 1,
    /// The assistant message so far, block by block.
    Message = 2,
    /// The messages that this turn adds to the conversation.
    History = 3,
    /// What this configuration exposes to the model, why the rest is hidden, and every setting.
    Tools = 4,
    /// The rendered `{{tools}}`: a JSON string.
    Prompt = 5,
    /// The state that [`Engine::restore`] reads.
    State = 6,
    /// The last error of this turn; `None` if there was none.
    Error = 7,
}

/// Tools and defaults, compiled once. Immutable: threads may share it. Dropping it leaves its turns alive.
#[derive(Debug)]
pub struct Engine(NonNull<sys::sluice_engine>);

// sluice.h: an engine is immutable and may be shared between threads.
unsafe impl Send for Engine {}
unsafe impl Sync for Engine {}

impl Engine {
    /// Makes an engine from `{"tools":[...], "protocols":[...], and defaults for every turn}`.
    pub fn new(config: &str) -> Result<Engine> {
        let made = unsafe { sys::sluice_engine_new(chars(config), config.len()) };
        let engine = Engine(NonNull::new(made).ok_or_else(Error::memory)?);
        match owned(|len| unsafe { sys::sluice_engine_error(engine.0.as_ptr(), len) }) {
            Some(error) => Err(Error::read(&error)),
            None => Ok(engine),
        }
    }

    /// Makes a turn from `{"wire":"openai-chat","request":{...}, and members that replace the engine's defaults}`.
    pub fn turn(&self, config: &str) -> Result<Turn> {
        Turn::usable(unsafe { sys::sluice_turn_new(self.0.as_ptr(), chars(config), config.len()) })
    }

    /// Makes a turn from a state of [`Document::State`]. Accept states only from sources from which you would accept code.
    pub fn restore(&self, state: &str) -> Result<Turn> {
        Turn::usable(unsafe { sys::sluice_turn_restore(self.0.as_ptr(), chars(state), state.len()) })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        unsafe { sys::sluice_engine_free(self.0.as_ptr()) }
    }
}

/// One input of the user, one message of the assistant. It may move between threads.
#[derive(Debug)]
pub struct Turn(NonNull<sys::sluice_turn>);

// sluice.h: a turn may be used by one thread at a time, by any thread; every method borrows it mutably.
unsafe impl Send for Turn {}

impl Turn {
    fn usable(made: *mut sys::sluice_turn) -> Result<Turn> {
        let mut turn = Turn(NonNull::new(made).ok_or_else(Error::memory)?);
        match turn.get(Document::Error) {
            Some(error) => Err(Error::read(&error)),
            None => Ok(turn),
        }
    }

    fn done(&mut self, code: i32) -> Result<i32> {
        if code >= 0 {
            return Ok(code);
        }
        Err(self.get(Document::Error).map_or_else(Error::memory, |error| Error::read(&error)))
    }

    /// Gives status and headers of the response: `{"lower-case name":"value"}`. Optional: without it the status is 200.
    pub fn response(&mut self, status: i32, headers: Option<&str>) -> Result<()> {
        let (text, len) = optional(headers);
        let code = unsafe { sys::sluice_turn_response(self.0.as_ptr(), status, text, len) };
        self.done(code).map(drop)
    }

    /// Gives bytes of the response's body, of any size, split anywhere.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        let code = unsafe { sys::sluice_turn_feed(self.0.as_ptr(), bytes.as_ptr().cast(), bytes.len()) };
        self.done(code).map(drop)
    }

    /// Ends the answer. `detail`: the network's error, for example.
    pub fn finish(&mut self, how: End, detail: Option<&str>) -> Result<()> {
        let (text, len) = optional(detail);
        let code = unsafe { sys::sluice_turn_finish(self.0.as_ptr(), how.0, text, len) };
        self.done(code).map(drop)
    }

    /// Lets a waiting call run, or releases its result. `edited`: arguments that replace the model's. Call 0: every call that
    /// waits for execution and whose event was polled.
    pub fn approve(&mut self, call: u32, decision: Decision, edited: Option<&str>) -> Result<()> {
        let (text, len) = optional(edited);
        let code = unsafe { sys::sluice_turn_approve(self.0.as_ptr(), call, decision.0, text, len) };
        self.done(code).map(drop)
    }

    /// Denies what a call waits for. `reason`: text for the model.
    pub fn deny(&mut self, call: u32, reason: Option<&str>) -> Result<()> {
        let (text, len) = optional(reason);
        let code = unsafe { sys::sluice_turn_deny(self.0.as_ptr(), call, text, len) };
        self.done(code).map(drop)
    }

    /// Denies on behalf of the host: nobody could be asked, or its own policy forbids the call.
    pub fn refuse(&mut self, call: u32, reason: Option<&str>) -> Result<()> {
        let (text, len) = optional(reason);
        let code = unsafe { sys::sluice_turn_refuse(self.0.as_ptr(), call, text, len) };
        self.done(code).map(drop)
    }

    /// Judges a call by these rules, an array as in the configuration. Changes nothing.
    pub fn judge(&mut self, call: u32, rules: &str) -> Result<Gate> {
        let code = unsafe { sys::sluice_turn_judge(self.0.as_ptr(), call, chars(rules), rules.len()) };
        self.done(code).map(Gate)
    }

    /// Decides about the answer of a `final` event. `text`: what the model reads, or what stands in the answer's place.
    pub fn conclude(&mut self, how: Final, text: Option<&str>) -> Result<()> {
        let (text, len) = optional(text);
        let code = unsafe { sys::sluice_turn_conclude(self.0.as_ptr(), how.0, text, len) };
        self.done(code).map(drop)
    }

    /// Cancels a call, or with 0 the turn.
    pub fn cancel(&mut self, call: u32, reason: Option<&str>) -> Result<()> {
        let (text, len) = optional(reason);
        let code = unsafe { sys::sluice_turn_cancel(self.0.as_ptr(), call, text, len) };
        self.done(code).map(drop)
    }

    /// Gives the result, failure or progress of a call whose `execute` event was polled.
    pub fn submit(&mut self, call: u32, kind: Kind, data: &str) -> Result<()> {
        let code = unsafe { sys::sluice_turn_submit(self.0.as_ptr(), call, kind.0, chars(data), data.len()) };
        self.done(code).map(drop)
    }

    /// Tells the arguments that the host runs a call with, if it resolves references that the model wrote; `None`: as they are.
    pub fn resolve(&mut self, call: u32, arguments: Option<&str>) -> Result<()> {
        let (text, len) = optional(arguments);
        let code = unsafe { sys::sluice_turn_resolve(self.0.as_ptr(), call, text, len) };
        self.done(code).map(drop)
    }

    /// Lets the tool of a call that runs call another one: `{"name":...,"arguments":{...}}`. Returns the number of the new call.
    pub fn call(&mut self, caller: u32, call: &str) -> Result<u32> {
        let code = unsafe { sys::sluice_turn_call(self.0.as_ptr(), caller, chars(call), call.len()) };
        self.done(code).map(|number| number as u32)
    }

    /// Tells the time in Unix milliseconds: before feed, submit and approve. Returns when to call again at the latest; `None`
    /// for never.
    pub fn tick(&mut self, now_ms: i64) -> Result<Option<i64>> {
        let next = unsafe { sys::sluice_turn_tick(self.0.as_ptr(), now_ms) };
        if next < 0 {
            self.done(next as i32)?;
        }
        Ok((next != i64::MAX).then_some(next))
    }

    /// The next event; `None` if there is none.
    pub fn next_event(&mut self) -> Option<Event> {
        owned(|len| unsafe { sys::sluice_turn_next_event(self.0.as_ptr(), len) }).map(Event)
    }

    /// The next event if it is a piece of text, told without JSON; else `None`: ask [`Turn::next_event`].
    pub fn next_delta(&mut self) -> Option<Delta> {
        let (mut kind, mut index) = (0, 0);
        let text = owned(|len| unsafe { sys::sluice_turn_next_delta(self.0.as_ptr(), &mut kind, &mut index, len) })?;
        Some(Delta { kind: DeltaKind(kind), index, text })
    }

    /// The next event, text without JSON; `None` if there is none.
    pub fn next_piece(&mut self) -> Option<Piece> {
        self.next_delta().map(Piece::Delta).or_else(|| self.next_event().map(Piece::Event))
    }

    /// Finds the tool that a model means by this name: `{"tool":"weather.now"}`, or `{"suggestions":[...]}`.
    pub fn find_tool(&mut self, name: &str) -> Option<String> {
        owned(|len| unsafe { sys::sluice_turn_find_tool(self.0.as_ptr(), chars(name), name.len(), len) })
    }

    /// Returns a document about the turn.
    pub fn get(&mut self, what: Document) -> Option<String> {
        owned(|len| unsafe { sys::sluice_turn_get(self.0.as_ptr(), what as i32, len) })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        unsafe { sys::sluice_turn_free(self.0.as_ptr()) }
    }
}

fn chars(text: &str) -> *const c_char {
    text.as_ptr().cast()
}

fn optional(text: Option<&str>) -> (*const c_char, usize) {
    text.map_or((ptr::null(), 0), |text| (chars(text), text.len()))
}

/// Copies what the library lends: it is UTF-8, and valid until the next call.
fn owned(lend: impl FnOnce(*mut usize) -> *const c_char) -> Option<String> {
    let mut len = 0;
    let text = lend(&mut len);
    (!text.is_null()).then(|| unsafe { String::from_utf8_unchecked(slice::from_raw_parts(text.cast(), len).to_vec()) })
}
