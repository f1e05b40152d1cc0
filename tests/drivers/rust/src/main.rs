//! The driver of the crate; ../README.md describes the lines.
use sluice::{json, Decision, Delta, Document, End, Engine, Error, Final, Kind, Piece, Result, Turn};
use std::collections::HashMap;
use std::io::{self, BufRead, Write};

/// One line that came in.
struct Asked(String);

impl Asked {
    fn text(&self, name: &str) -> Option<String> {
        json::member(&self.0, name).and_then(json::text)
    }

    fn needed(&self, name: &str) -> String {
        self.text(name).unwrap_or_else(|| panic!("no {name} in {}", self.0))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> T {
        json::member(&self.0, name).and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no {name} in {}", self.0))
    }

    fn has(&self, name: &str) -> bool {
        json::member(&self.0, name).is_some()
    }
}

#[derive(Default)]
struct Driver {
    engines: HashMap<u64, Engine>,
    turns: HashMap<u64, Turn>,
    saved: String,
}

impl Driver {
    /// The members of the answer behind its code.
    fn run(&mut self, asked: &Asked) -> Result<String> {
        match asked.needed("do").as_str() {
            "engine" => drop(self.engines.insert(asked.number("engine"), Engine::new(&asked.needed("document"))?)),
            "turn" => {
                let turn = self.engines[&asked.number("engine")].turn(&asked.needed("document"))?;
                self.turns.insert(asked.number("turn"), turn);
            }
            "restore" => {
                let state = asked.text("document").unwrap_or_else(|| self.saved.clone());
                let turn = self.engines[&asked.number("engine")].restore(&state)?;
                self.turns.insert(asked.number("turn"), turn);
            }
            "close" if asked.has("turn") => drop(self.turns.remove(&asked.number("turn"))),
            "close" => drop(self.engines.remove(&asked.number("engine"))),
            verb => return Self::run_turn(verb, self.turns.get_mut(&asked.number("turn")).unwrap(), asked, &mut self.saved),
        }
        Ok(String::new())
    }

    fn run_turn(verb: &str, turn: &mut Turn, asked: &Asked, saved: &mut String) -> Result<String> {
        let given = |name: &str| asked.text(name);
        match verb {
            "response" => turn.response(asked.number("status"), given("headers").as_deref())?,
            "feed" => turn.feed(&bytes(&asked.needed("bytes")))?,
            "finish" => turn.finish(End(asked.number("how")), given("detail").as_deref())?,
            "approve" => turn.approve(asked.number("call"), Decision(asked.number("decision")), given("edited").as_deref())?,
            "deny" => turn.deny(asked.number("call"), given("reason").as_deref())?,
            "refuse" => turn.refuse(asked.number("call"), given("reason").as_deref())?,
            "cancel" => turn.cancel(asked.number("call"), given("reason").as_deref())?,
            "conclude" => turn.conclude(Final(asked.number("how")), given("text").as_deref())?,
            "submit" => turn.submit(asked.number("call"), Kind(asked.number("kind")), &asked.needed("data"))?,
            "resolve" => turn.resolve(asked.number("call"), given("arguments").as_deref())?,
            "call" => return turn.call(asked.number("call"), &asked.needed("document")).map(|made| format!(",\"number\":{made}")),
            "judge" => return turn.judge(asked.number("call"), &asked.needed("rules")).map(|way| format!(",\"way\":{}", way.0)),
            "tick" => {
                let next = turn.tick(asked.number("now"))?;
                return Ok(format!(",\"next\":{}", next.map_or("null".into(), |next| next.to_string())));
            }
            "next" => return Ok(told(turn.next_event().map(|event| event.into_string()))),
            "events" => {
                let events: Vec<String> = std::iter::from_fn(|| turn.next_event()).map(|event| json::quote(event.as_str())).collect();
                return Ok(format!(",\"events\":[{}]", events.join(",")));
            }
            "next_delta" => return Ok(format!(",\"delta\":{}", turn.next_delta().as_ref().map_or("null".into(), delta))),
            "pieces" => {
                let pieces = std::iter::from_fn(|| turn.next_piece()).map(|piece| match &piece {
                    Piece::Delta(piece) => delta(piece),
                    Piece::Event(event) => json::quote(event.as_str()),
                });
                return Ok(format!(",\"pieces\":[{}]", pieces.collect::<Vec<_>>().join(",")));
            }
            "find_tool" => return Ok(told(turn.find_tool(&asked.needed("name")))),
            "get" => {
                let what = asked.needed("what");
                let text = turn.get(document(&what));
                if let (Some(state), "state") = (&text, what.as_str()) {
                    saved.clone_from(state);
                }
                return Ok(told(text));
            }
            _ => panic!("no such verb: {verb}"),
        }
        Ok(String::new())
    }
}

fn told(text: Option<String>) -> String {
    format!(",\"text\":{}", text.map_or("null".into(), |text| json::quote(&text)))
}

fn delta(delta: &Delta) -> String {
    format!("[{},{},{}]", delta.kind.0, delta.index, json::quote(&delta.text))
}

fn document(name: &str) -> Document {
    match name {
        "request" => Document::Request,
        "message" => Document::Message,
        "history" => Document::History,
        "tools" => Document::Tools,
        "prompt" => Document::Prompt,
        "state" => Document::State,
        "error" => Document::Error,
        _ => panic!("no such document: {name}"),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn failure(error: &Error) -> String {
    let [name, message, path] = [&error.name, &error.message, &error.path].map(|text| json::quote(text));
    format!("{{\"code\":{},\"name\":{name},\"message\":{message},\"path\":{path}}}", error.code)
}

fn main() -> io::Result<()> {
    let mut driver = Driver::default();
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let answer = match driver.run(&Asked(line?)) {
            Ok(members) => format!("{{\"code\":0{members}}}"),
            Err(error) => failure(&error),
        };
        writeln!(out, "{answer}")?;
    }
    out.flush()
}
