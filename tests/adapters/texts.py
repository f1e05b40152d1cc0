"""The openai client of Python: asks for each of the models that stdin lists, with their tools. Prints what each said, its calls and the finish reason."""
import json
import sys

from openai import OpenAI

client = OpenAI(base_url=sys.argv[1], api_key="key", max_retries=0)


def read(model, tools):
    """One answer, as a stream."""
    content = ""
    finish = None
    calls = {}
    for chunk in client.chat.completions.create(model=model, messages=[{"role": "user", "content": "Hi"}], tools=tools, stream=True):
        for choice in chunk.choices:
            content += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or []:
                known = calls.setdefault(call.index, [call.function.name, ""])
                known[1] += call.function.arguments or ""
    return {"content": content, "calls": list(calls.values()), "finish": finish}


print(json.dumps([read(**asked) for asked in json.load(sys.stdin)]))
