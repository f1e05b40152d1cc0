//! A mistake of the host.
use crate::json;
use std::fmt;

/// What a call returns.
pub type Result<T> = std::result::Result<T, Error>;

/// A mistake of the host. What a model, a provider, the network or a tool does wrong is an event, never an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// One of the constants of this type.
    pub code: i32,
    /// The code's name: `state`.
    pub name: String,
    /// What was found, and what was expected.
    pub message: String,
    /// The place in a document: `tools[3].parameters`. Empty: none.
    pub path: String,
}

impl Error {
    /// A value that the function does not accept.
    pub const ARGUMENT: i32 = -1;
    /// Not possible in this state; nothing changed.
    pub const STATE: i32 = -2;
    /// No such call.
    pub const NOT_FOUND: i32 = -3;
    /// A document that is unreadable or invalid.
    pub const JSON: i32 = -4;
    /// Larger than a limit of the configuration.
    pub const LIMIT: i32 = -5;
    /// This version lacks it; the message names it.
    pub const UNSUPPORTED: i32 = -6;
    /// Memory is short.
    pub const MEMORY: i32 = -100;
    /// A bug of Sluice.
    pub const INTERNAL: i32 = -101;

    pub(crate) fn memory() -> Self {
        Error { code: Self::MEMORY, name: "memory".into(), message: "memory is short".into(), path: String::new() }
    }

    /// Reads {code, name, message, path}.
    pub(crate) fn read(document: &str) -> Self {
        let text = |name| json::member(document, name).and_then(json::text).unwrap_or_default();
        let code = json::member(document, "code").and_then(|code| code.parse().ok()).unwrap_or(Self::INTERNAL);
        Error { code, name: text("name"), message: text("message"), path: text("path") }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}: {}", self.name, self.message)?;
        if self.path.is_empty() { Ok(()) } else { write!(out, " ({})", self.path) }
    }
}

impl std::error::Error for Error {}
