//! A turn with a call that a person approves, with a server that speaks OpenAI's protocol: its base URL, or SLUICE_BASE_URL.
use sluice::{json, Decision, Document, End, Engine, Kind};
use std::io::{stdout, BufRead, BufReader, Error, Write};
use std::net::TcpStream;

const TOOLS: &str = r#"{"tools":[{"name":"note.add","description":"Adds a note.","permission":"moderate","agentCallable":true,
  "parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}"#;
const TURN: &str = r#"{"wire":"openai-chat","request":{"model":"qwen3:8b","messages":[{"role":"user","content":"Remember the umbrella."}]}}"#;

/// The status of the server's answer, and its body, which is still to be read. Rust's library has no HTTP: this is version 1.0, which sends bodies as
/// they are.
fn send(base_url: &str, body: &str) -> Result<(i32, BufReader<TcpStream>), Error> {
    let address = base_url.trim_start_matches("http://");
    let (host, path) = address.split_at(address.find('/').unwrap_or(address.len()));
    let mut stream = TcpStream::connect(host)?;
    let head = format!("Host: {host}\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
    write!(stream, "POST {path}/chat/completions HTTP/1.0\r\n{head}\r\n\r\n{body}")?;
    let mut answer = BufReader::new(stream);
    let mut head = String::new();
    while answer.read_line(&mut head)? > 2 {} // an empty line ends it
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Ok((status.unwrap_or_default(), answer))
}

fn main() -> sluice::Result<()> {
    let named = std::env::args().nth(1).or_else(|| std::env::var("SLUICE_BASE_URL").ok());
    let base_url = named.unwrap_or("http://127.0.0.1:11434/v1".to_string());
    let engine = Engine::new(TOOLS)?;
    let mut turn = engine.turn(TURN)?;
    let (mut answer, mut outcome) = (None, None);
    loop {
        while let Some(event) = turn.next_event() {
            match event.kind() {
                "request" => match send(&base_url, &turn.get(Document::Request).unwrap_or_default()) {
                    Ok((status, body)) => {
                        turn.response(status, None)?;
                        answer = Some(body);
                    }
                    Err(error) => {
                        eprintln!("{base_url} does not answer: {error}");
                        std::process::exit(1);
                    }
                },
                "text" => {
                    print!("{}", event.text("text"));
                    stdout().flush().ok();
                }
                "approval" => turn.approve(event.call(), Decision::ONCE, None)?, // show it to a person first
                "execute" => {
                    let note = event.get("arguments").and_then(|arguments| json::member(arguments, "text")).and_then(json::text);
                    turn.submit(event.call(), Kind::RESULT, &format!("noted: {}", note.unwrap_or_default()))?;
                }
                "error" => eprintln!("{}", event.text("detail")),
                "done" => outcome = Some(event.text("outcome")),
                _ => {}
            }
        }
        if let Some(outcome) = outcome {
            println!("\n{outcome}\n{}", turn.get(Document::History).unwrap_or_default());
            return Ok(());
        }
        let mut line = Vec::new();
        match answer.as_mut().map(|body| body.read_until(b'\n', &mut line)) {
            Some(Ok(size)) if size > 0 => turn.feed(&line)?,
            Some(Err(error)) => turn.finish(End::NETWORK, Some(&error.to_string()))?,
            _ => turn.finish(End::COMPLETE, None)?,
        }
    }
}
