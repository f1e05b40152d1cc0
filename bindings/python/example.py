"""A turn with a call that a person approves, with a server that speaks OpenAI's protocol: its base URL, or SLUICE_BASE_URL."""

import http.client
import os
import sys
from urllib.parse import urlsplit

import sluice

BASE_URL = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SLUICE_BASE_URL", "http://127.0.0.1:11434/v1")
NOTE = {"name": "note.add", "description": "Adds a note.", "permission": "moderate", "agentCallable": True,
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}
REQUEST = {"model": "qwen3:8b", "messages": [{"role": "user", "content": "Remember the umbrella."}]}


def send(body):
    """The answer of the server, whose body is still to be read."""
    url = urlsplit(BASE_URL)
    connection = http.client.HTTPConnection(url.netloc)
    try:
        connection.request("POST", f"{url.path}/chat/completions", body, {"content-type": "application/json"})
        return connection.getresponse()
    except OSError as error:
        sys.exit(f"{BASE_URL} does not answer: {error}")


outcome = None
with sluice.Engine({"tools": [NOTE]}) as engine, engine.turn({"wire": "openai-chat", "request": REQUEST}) as turn:
    while True:
        for event in turn.events():
            if event["type"] == "request":
                answer = send(turn.get(sluice.GET_REQUEST, raw=True).encode())
                turn.response(answer.status)
            elif event["type"] == "text":
                print(event["text"], end="", flush=True)
            elif event["type"] == "approval":  # show it to a person first
                turn.approve(event)
            elif event["type"] == "execute":
                turn.submit(event, f"noted: {event['arguments']['text']}")
            elif event["type"] == "error":
                print(event["detail"], file=sys.stderr)
            elif event["type"] == "done":
                outcome = event["outcome"]
        if outcome:
            break
        piece = answer.read1(65536)
        turn.feed(piece) if piece else turn.finish()
    print(f"\n{outcome}, {len(turn.get(sluice.GET_HISTORY))} messages for the next request")
