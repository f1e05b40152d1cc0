#include "script_files.h"

#include <algorithm>
#include <stdexcept>

#include "script_runner.h"

namespace sluice_test {
namespace {

namespace fs = std::filesystem;

struct Rows {
  std::optional<Json> engine, turn, events;
  std::optional<std::string> end;
  bool among = false;
  Json blocks = Json::array();
};

std::runtime_error page_error(const std::string &file, size_t line, const std::string &why) {
  return std::runtime_error(file + ":" + std::to_string(line) + ": " + why);
}

// Discarded if the text is not JSON.
Json value_of(std::string_view text) { return Json::parse(text, nullptr, false); }

bool only_has(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == text.npos;
}

// The word before the first blank, and what follows the blank.
std::pair<std::string, std::string> split(const std::string &text) {
  const size_t blank = text.find(' ');
  return {text.substr(0, blank), blank == text.npos ? "" : text.substr(blank + 1)};
}

// The pattern of a block; discarded if the row is not one.
Json block_of(const std::string &text) {
  static const std::string_view kCode = "abcdefghijklmnopqrstuvwxyz_";
  const Json not_one(Json::value_t::discarded), absent = {{"$absent", true}};
  const auto [word, rest] = split(text);
  if (word == "text" || word == "reasoning" || word == "fabricated") {
    Json block = {{"type", word == "reasoning" ? "reasoning" : "text"}};
    if (!rest.empty()) block["text"] = value_of(rest);
    if (!rest.empty() && !block["text"].is_string()) return not_one;
    if (word != "reasoning") block["fabricated"] = word == "fabricated" ? Json(true) : absent;
    return block;
  }
  const auto [name, more] = split(rest);
  if (word == "call") {
    const Json given = value_of(more);
    if (!given.is_object()) return not_one;
    return {{"type", "tool_use"}, {"status", "pending"}, {"name", name}, {"arguments", {{"$equals", given}}}};
  }
  if (word == "invalid") {
    if (!only_has(more, kCode)) return not_one;
    return {{"type", "tool_use"}, {"status", "invalid"}, {"name", name == "-" ? absent : Json(name)}, {"reason", more}};
  }
  Json block = text.starts_with("{") ? value_of(text) : not_one;
  return block.is_object() ? block : not_one;
}

// What the lines of a case say beside its text.
Rows read_rows(const std::vector<PageLine> &rows, const std::string &file, const Json &engines) {
  Rows out;
  bool in_events = false;
  for (const auto &[number, text] : rows) {
    const auto must = [&, line = number](bool holds, const std::string &why) {
      if (!holds) throw page_error(file, line, why);
    };
    const auto [word, rest] = split(text);
    if (text.starts_with("  ")) {
      const Json event = value_of(text);
      must(in_events && event.is_object(), R"(expected an event, as a JSON object after "events")");
      out.events->push_back(event);
      continue;
    }
    in_events = word == "events";
    if (word == "engine:") {
      must(!out.engine, "found engine twice");
      must(engines.contains(rest), "found no engine of the name " + rest);
      out.engine = engines[rest];
    } else if (word == "turn:") {
      must(!out.turn, "found turn twice");
      const Json given = value_of(rest);
      must(given.is_object() && !given.contains("wire"), "expected turn: {…} without a wire");
      Json turn = {{"wire", "text"}};
      turn.update(given);
      out.turn = turn;
    } else if (word == "end") {
      must(!out.end, "found end twice");
      must(rest == "network" || rest == "aborted", "expected end network or end aborted");
      out.end = rest;
    } else if (word == "events") {
      must(!out.events, "found events twice");
      must(rest.empty() || rest == "among others", "expected events or events among others");
      out.events = Json::array();
      out.among = !rest.empty();
    } else {
      const Json block = block_of(text);
      must(block.is_object(), "found \"" + text + "\", expected a row");
      out.blocks.push_back(block);
    }
  }
  return out;
}

std::vector<PageLine> lines_of(std::string_view text) {
  std::vector<PageLine> out;
  for (size_t from = 0, to = 0; to != text.npos; from = to + 1) {
    to = text.find('\n', from);
    out.push_back({out.size() + 1, std::string(text.substr(from, to - from))});
  }
  return out;
}

// The text of a line `json "…"` or `repeat N "…"`; nothing: it is neither.
std::optional<std::string> string_of(const std::string &line) {
  auto [word, rest] = split(line);
  std::string times = "1";
  if (word == "repeat") std::tie(times, rest) = split(rest);
  if (!only_has(times, "0123456789") || times[0] == '0' || !rest.starts_with('"')) return std::nullopt;
  const Json value = value_of(rest);
  if (!value.is_string()) return std::nullopt;
  std::string out;
  for (size_t n = std::stoul(times); n > 0; --n) out += value.get_ref<const std::string &>();
  return out;
}

bool is_chosen(const ScriptFile &one, const std::string &only) {
  if (only.find('#') != only.npos) return one.name == only;
  return one.path.find(only) != only.npos || one.name.find(only) != only.npos;
}

}  // namespace

Page read_page(std::string_view text, const std::string &file) {
  const std::vector<PageLine> lines = lines_of(text);
  Page page;
  for (size_t at = 0; at < lines.size(); ++at) {
    const auto &[number, line] = lines[at];
    const auto must = [&, here = number](bool holds, const std::string &why, size_t below = 0) {
      if (!holds) throw page_error(file, here + below, why);
    };
    const auto add = [&](const std::string &more) {
      page.cases.back().text = page.cases.back().text.value_or("") + more;
    };
    if (line.starts_with("## ")) {
      const std::string title = line.substr(3), about = ++at < lines.size() ? lines[at].text : "";
      must(only_has(title, "abcdefghijklmnopqrstuvwxyz0123456789-"), "expected a title of a to z, 0 to 9 and -");
      must(std::none_of(page.cases.begin(), page.cases.end(), [&](const PageCase &one) { return one.title == title; }),
           "found the title " + title + " twice");
      must(only_has(about.substr(0, 1), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), "expected a sentence about the case",
           1);
      page.cases.push_back({title, about, number, std::nullopt, {}});
    } else if (page.cases.empty()) {
      if (!line.empty()) page.head.push_back(lines[at]);
    } else if (only_has(line, "`") && line.size() >= 3) {
      std::string inside;
      const size_t first = at + 1;
      for (++at; at < lines.size() && lines[at].text != line; ++at)
        inside += (at == first ? "" : "\n") + lines[at].text;
      must(at < lines.size(), "expected the end of the fence");
      add(inside);
    } else if (line.starts_with("json ") || line.starts_with("repeat ")) {
      const std::optional<std::string> string = string_of(line);
      must(string.has_value(), R"(expected json "…" or repeat N "…")");
      add(*string);
    } else if (!line.empty()) {
      page.cases.back().rows.push_back(lines[at]);
    }
  }
  return page;
}

std::vector<ScriptFile> scripts_of_page(std::string_view text, const std::string &file, const Json &engines) {
  const Page page = read_page(text, file);
  const auto begins = [&](size_t line, const char *word) {
    return page.head.size() >= line && page.head[line - 1].number == line && page.head[line - 1].text.starts_with(word);
  };
  if (!begins(1, "engine: ")) throw page_error(file, 1, "expected engine: NAME");
  if (!begins(2, "turn: ")) throw page_error(file, 2, "expected turn: {…}");
  if (page.head.size() > 2) throw page_error(file, page.head[2].number, "expected a title");
  const Rows shared = read_rows(page.head, file, engines);
  std::vector<ScriptFile> out;
  for (const PageCase &one : page.cases) {
    const Rows read = read_rows(one.rows, file, engines);
    if (!one.text) throw page_error(file, one.line, "found no text");
    if (!read.events && read.blocks.empty()) throw page_error(file, one.line, "found no block and no event");
    Json steps = {{{"feed", *one.text}}, {{"finish", read.end.value_or("complete")}}};
    if (read.events) steps.push_back({{"expect", *read.events}});
    if (read.among) steps.back()["some"] = true;
    steps.push_back({{"get", "message"}, {"is", {{"blocks", read.blocks}}}});
    const Json engine = read.engine ? *read.engine : *shared.engine, turn = read.turn ? *read.turn : *shared.turn;
    const std::string folder = file.substr(0, file.find('/'));
    out.push_back({folder + "#" + one.title,
                   file,
                   file + ":" + std::to_string(one.line),
                   {{"about", one.about}, {"engine", engine}, {"turn", turn}, {"steps", steps}}});
  }
  return out;
}

std::vector<ScriptFile> script_files() {
  const fs::path vectors = tests_folder() / "vectors";
  const Json engines = Json::parse(read_file(vectors / "engines.json"));
  std::vector<ScriptFile> all;
  for (const auto &folder : fs::directory_iterator(vectors)) {
    if (!folder.is_directory()) continue;
    for (const auto &entry : fs::directory_iterator(folder)) {
      const std::string file = fs::relative(entry.path(), vectors).generic_string();
      if (entry.path().extension() == ".json") {
        all.push_back({file, file, file, value_of(read_file(entry.path()))});
        if (all.back().script.is_discarded()) throw std::runtime_error(file + ": expected JSON");
      } else if (entry.path().filename() == "texts.md") {
        for (ScriptFile &one : scripts_of_page(read_file(entry.path()), file, engines)) all.push_back(std::move(one));
      }
    }
  }
  const std::string only = environment("SLUICE_SCRIPT");
  std::erase_if(all, [&](const ScriptFile &one) { return !is_chosen(one, only); });
  std::sort(all.begin(), all.end(), [](const ScriptFile &a, const ScriptFile &b) { return a.name < b.name; });
  return all;
}

}  // namespace sluice_test
