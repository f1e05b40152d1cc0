"""Reads the shared scripts of tests/vectors: JSON files, and the cases of pages `texts.md`. tests/README.md describes both."""

import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def read_text(path):
    return path.read_bytes().decode("utf-8")  # read_text would replace CR


def script_files(only=None):
    """Every shared script, or with `only` those whose path contains it; `mimo#cut` chooses one case. `name` is
    `mimo/cut.json` or `mimo#cut`, `place` the file and the line that a failure prints."""
    only = os.environ.get("SLUICE_SCRIPT", "") if only is None else only
    engines = json.loads(read_text(VECTORS / "engines.json"))
    scripts = []
    for path in VECTORS.glob("*/*"):
        file = path.relative_to(VECTORS).as_posix()
        if path.suffix == ".json":
            scripts.append(SimpleNamespace(name=file, path=file, place=file, script=json.loads(read_text(path))))
        elif path.name == "texts.md":
            for one in scripts_of_page(read_text(path), file, engines):
                scripts.append(SimpleNamespace(name=f"{path.parent.name}#{one.title}", path=file, place=one.place, script=one.script))
    chosen = (one for one in scripts if (one.name == only if "#" in only else only in one.path or only in one.name))
    return sorted(chosen, key=lambda one: one.name)


def scripts_of_page(text, file, engines):
    """The cases of a page as scripts: feed the text, finish, look at the events and at the message."""
    head, cases = read_page(text, file)
    for number, word in ((1, "engine: NAME"), (2, "turn: {…}")):
        if len(head) < number or head[number - 1][0] != number or not head[number - 1][1].startswith(word.split()[0] + " "):
            raise page_error(file, number, f"expected {word}")
    if len(head) > 2:
        raise page_error(file, head[2][0], "expected a title")
    shared = read_rows(head, file, engines)
    scripts = []
    for one in cases:
        read = read_rows(one.rows, file, engines)
        if one.text is None:
            raise page_error(file, one.line, "found no text")
        if "events" not in read and not read["blocks"]:
            raise page_error(file, one.line, "found no block and no event")
        steps = [{"feed": one.text}, {"finish": read.get("end", "complete")}]
        if "events" in read:
            steps.append({"expect": read["events"]} | ({"some": True} if read["among"] else {}))
        steps.append({"get": "message", "is": {"blocks": read["blocks"]}})
        all_read = shared | read
        script = {"about": one.about, "engine": all_read["engine"], "turn": all_read["turn"], "steps": steps}
        scripts.append(SimpleNamespace(title=one.title, place=f"{file}:{one.line}", script=script))
    return scripts


def read_page(text, file):
    """The head of a page, and its cases; `rows`: the lines of a case that are not its text. A line is a number and a text."""
    lines = list(enumerate(text.split("\n"), 1))
    head, cases, at = [], [], 0
    while at < len(lines):
        number, line = lines[at]
        at += 1
        if line.startswith("## "):
            title, about = line[3:], lines[at][1] if at < len(lines) else ""
            at += 1
            if not re.fullmatch("[a-z0-9-]+", title):
                raise page_error(file, number, "expected a title of a to z, 0 to 9 and -")
            if any(one.title == title for one in cases):
                raise page_error(file, number, f"found the title {title} twice")
            if not re.match("[A-Z0-9]", about):
                raise page_error(file, number + 1, "expected a sentence about the case")
            cases.append(SimpleNamespace(title=title, about=about, line=number, text=None, rows=[]))
        elif not cases:
            if line:
                head.append((number, line))
        elif re.fullmatch("```+", line):
            end = next((i for i in range(at, len(lines)) if lines[i][1] == line), None)
            if end is None:
                raise page_error(file, number, "expected the end of the fence")
            cases[-1].text = (cases[-1].text or "") + "\n".join(inside for _, inside in lines[at:end])
            at = end + 1
        elif re.match("(json|repeat) ", line):
            parts = re.fullmatch('(?:json|repeat ([1-9][0-9]*)) (".*)', line)
            string = value_of(parts[2]) if parts else None
            if not isinstance(string, str):
                raise page_error(file, number, 'expected json "…" or repeat N "…"')
            cases[-1].text = (cases[-1].text or "") + string * int(parts[1] or 1)
        elif line:
            cases[-1].rows.append((number, line))
    return head, cases


def read_rows(rows, file, engines):
    """What the lines of a case say beside its text."""
    out, in_events = {"blocks": []}, False
    for number, text in rows:
        word, _, rest = text.partition(" ")
        if text.startswith("  "):
            event = value_of(text[2:])
            if not in_events or not isinstance(event, dict):
                raise page_error(file, number, 'expected an event, as a JSON object after "events"')
            out["events"].append(event)
            continue
        in_events = word == "events"
        if word in ("engine:", "turn:", "end", "events") and word.rstrip(":") in out:
            raise page_error(file, number, f"found {word.rstrip(':')} twice")
        if word == "engine:":
            if rest not in engines:
                raise page_error(file, number, f"found no engine of the name {rest}")
            out["engine"] = engines[rest]
        elif word == "turn:":
            turn = value_of(rest)
            if not isinstance(turn, dict) or "wire" in turn:
                raise page_error(file, number, "expected turn: {…} without a wire")
            out["turn"] = {"wire": "text"} | turn
        elif word == "end":
            if rest not in ("network", "aborted"):
                raise page_error(file, number, "expected end network or end aborted")
            out["end"] = rest
        elif word == "events":
            if rest not in ("", "among others"):
                raise page_error(file, number, "expected events or events among others")
            out |= {"events": [], "among": rest != ""}
        else:
            block = block_of(text, word, rest)
            if block is None:
                raise page_error(file, number, f'found "{text}", expected a row')
            out["blocks"].append(block)
    return out


def block_of(text, word, rest):
    """The pattern of a block; None if the row is not one."""
    if word in ("text", "reasoning", "fabricated"):
        string = value_of(rest) if rest else None
        if rest and not isinstance(string, str):
            return None
        block = {"type": "reasoning" if word == "reasoning" else "text"} | ({"text": string} if rest else {})
        return block if word == "reasoning" else block | {"fabricated": True if word == "fabricated" else {"$absent": True}}
    name, _, more = rest.partition(" ")
    if word == "call":
        given = value_of(more)
        return {"type": "tool_use", "status": "pending", "name": name, "arguments": {"$equals": given}} if isinstance(given, dict) else None
    if word == "invalid":
        said = {"$absent": True} if name == "-" else name
        return {"type": "tool_use", "status": "invalid", "name": said, "reason": more} if re.fullmatch("[a-z_]+", more) else None
    block = value_of(text) if text.startswith("{") else None
    return block if isinstance(block, dict) else None


def page_error(file, line, why):
    return ValueError(f"{file}:{line}: {why}")


def value_of(text):
    """The value of a JSON text; None if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None
