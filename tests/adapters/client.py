"""The openai client of Python: a loop of tool calls, as its users write it. Prints what the model said, the cities and the finish reason."""
import json
import sys

from openai import OpenAI

client = OpenAI(base_url=sys.argv[1], api_key="key", max_retries=1)
streams = sys.argv[2] == "stream"
tool = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def answer(messages):
    """The message and the finish reason of one answer."""
    asked = {"model": "m", "messages": messages, "tools": [tool]}
    if not streams:
        choice = client.chat.completions.create(**asked).choices[0]
        return choice.message.model_dump(exclude_none=True), choice.finish_reason
    message = {"role": "assistant", "content": ""}
    calls = {}
    finish = None
    for chunk in client.chat.completions.create(stream=True, **asked):
        for choice in chunk.choices:
            message["content"] += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or []:
                known = calls.setdefault(call.index, {"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": ""}})
                known["function"]["arguments"] += call.function.arguments or ""
    if calls:
        message["tool_calls"] = list(calls.values())
    return message, finish


messages = [{"role": "user", "content": "Weather?"}]
cities = []
while True:
    message, finish = answer(messages)
    messages.append(message)
    for call in message.get("tool_calls", []):
        city = json.loads(call["function"]["arguments"])["city"]
        cities.append(city)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": f"sunny in {city}"})
    if not message.get("tool_calls"):
        print(json.dumps({"text": message.get("content"), "cities": cities, "finish": finish}))
        break
