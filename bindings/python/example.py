"""A turn with a call that a person approves, fed with two answers of a server that speaks OpenAI's protocol."""

import sluice

ANSWERS = [  # what the network would bring
    'data: {"choices":[{"delta":{"content":"Noted: ","tool_calls":[{"index":0,"id":"c1","function":{"name":"note.add","arguments":'
    '"{\\"text\\":\\"umbrella\\"}"}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n',
    'data: {"choices":[{"delta":{"content":"you will not forget it."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
]
NOTE = {"name": "note.add", "description": "Adds a note.", "permission": "moderate", "agentCallable": True,
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}
REQUEST = {"model": "qwen3:8b", "messages": [{"role": "user", "content": "Remember the umbrella."}]}

with sluice.Engine({"tools": [NOTE]}) as engine, engine.turn({"wire": "openai-chat", "request": REQUEST}) as turn:
    for event in turn.events():  # events that come meanwhile are among them
        if event["type"] == "request":  # send turn.get(GET_REQUEST, raw=True), and feed what comes
            turn.feed(ANSWERS.pop(0))
            turn.finish()
        elif event["type"] == "text":
            print(event["text"], end="")
        elif event["type"] == "approval":  # show it to a person first
            turn.approve(event)
        elif event["type"] == "execute":
            turn.submit(event, f"noted: {event['arguments']['text']}")
        elif event["type"] == "done":
            print(f"\n{event['outcome']}, {len(turn.get(sluice.GET_HISTORY))} messages for the next request")
