//! What comes out of a turn.
use crate::json;
use std::fmt;

/// An event: {"type":...,"seq":...} and members by its type. Types and members may be added: ignore what you do not know.
#[derive(Clone, PartialEq, Eq)]
pub struct Event(pub(crate) String);

impl Event {
    /// The JSON text, for a JSON library: `serde_json::from_str(event.as_str())`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text itself.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Its type: `text`, `card`, `approval`.
    pub fn kind(&self) -> &str {
        self.get("type").map_or("", |word| word.trim_matches('"'))
    }

    /// The call that it is about; 0: none.
    pub fn call(&self) -> u32 {
        self.get("call").and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// The value of a member as JSON text: `event.get("arguments")`.
    pub fn get(&self, name: &str) -> Option<&str> {
        json::member(&self.0, name)
    }

    /// The value of a member that is a string; empty if it is absent or no string.
    pub fn text(&self, name: &str) -> String {
        self.get(name).and_then(json::text).unwrap_or_default()
    }
}

/// What a [`Delta`] is a piece of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaKind(pub i32);

impl DeltaKind {
    /// As `text`; index: the block.
    pub const TEXT: DeltaKind = DeltaKind(1);
    /// As `reasoning`; index: the block.
    pub const REASONING: DeltaKind = DeltaKind(2);
    /// As `args`: the arguments as the model writes them; index: the call.
    pub const ARGS: DeltaKind = DeltaKind(3);
    /// As `progress`: replaces what the call reported before; index: the call.
    pub const PROGRESS: DeltaKind = DeltaKind(4);
}

/// A piece of text, told without JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// What it is a piece of.
    pub kind: DeltaKind,
    /// The block or the call that it belongs to.
    pub index: u32,
    /// The text itself.
    pub text: String,
}

/// What comes out of a turn: text as it is, anything else as an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A piece of text.
    Delta(Delta),
    /// Any other event; text with a mark (`refusal`, `fabricated`, `phase`) too.
    Event(Event),
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.0)
    }
}
