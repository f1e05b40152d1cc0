//! A turn with a call that a person approves, fed with two answers of a server that speaks OpenAI's protocol.
use sluice::{json, Decision, Document, End, Engine, Kind};

const TOOLS: &str = r#"{"tools":[{"name":"note.add","description":"Adds a note.","permission":"moderate","agentCallable":true,
  "parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}"#;
const TURN: &str = r#"{"wire":"openai-chat","request":{"model":"qwen3:8b","messages":[{"role":"user","content":"Remember the umbrella."}]}}"#;
const ANSWERS: [&str; 2] = [
    r#"data: {"choices":[{"delta":{"content":"Noted: ","tool_calls":[{"index":0,"id":"c1","function":{"name":"note.add","arguments":"{\"text\":\"umbrella\"}"}}]},"finish_reason":"tool_calls"}]}"#,
    r#"data: {"choices":[{"delta":{"content":"you will not forget it."},"finish_reason":"stop"}]}"#,
];

fn main() -> sluice::Result<()> {
    let engine = Engine::new(TOOLS)?;
    let mut turn = engine.turn(TURN)?;
    let mut answers = ANSWERS.iter();
    while let Some(event) = turn.next_event() {
        match event.kind() {
            "request" => {
                // send turn.get(Document::Request), and feed what comes
                turn.feed(format!("{}\n\ndata: [DONE]\n\n", answers.next().unwrap()).as_bytes())?;
                turn.finish(End::COMPLETE, None)?;
            }
            "text" => print!("{}", event.text("text")),
            "approval" => turn.approve(event.call(), Decision::ONCE, None)?, // show it to a person first
            "execute" => {
                let note = event.get("arguments").and_then(|arguments| json::member(arguments, "text")).and_then(json::text);
                turn.submit(event.call(), Kind::RESULT, &format!("noted: {}", note.unwrap_or_default()))?;
            }
            "done" => println!("\n{}", event.text("outcome")),
            _ => {}
        }
    }
    println!("{}", turn.get(Document::History).unwrap());
    Ok(())
}
