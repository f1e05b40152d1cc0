// Recorded answers of real models (../shared/texts or $SLUICE_SHARED): their calls, text and reasoning. Skipped with a
// message if they are absent. A few recordings contradict what this engine promises: conformance_exceptions.json names
// them with the reason, and must not name one that passes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "parsing.h"

namespace fs = std::filesystem;
using namespace sluice_test;

namespace {

Json engine_config(const Json &recorded) {
  Json tools = Json::array();
  for (const Json &tool : recorded.value("tools", Json::array())) {
    const Json &said = tool.contains("function") ? tool["function"] : tool;
    Json one = {{"name", said["name"]}, {"description", ""}, {"parameters", {{"type", "object"}}}};
    for (const char *member : {"description", "parameters"})
      if (said.contains(member) && !said[member].is_null()) one[member] = said[member];
    tools.push_back(one);
  }
  return {{"tools", tools}};
}

// Cards that count as calls, whether or not the schema holds and the tool exists. But in a recording without calls, a
// call of an unknown tool is one that a turn would refuse.
Json read_calls(const Json &recorded, const Json &engine, const Parsed &parsed) {
  const bool nothing = recorded["expected_calls"].empty() && !engine["tools"].empty();
  Json out = Json::array();
  for (const Json &block : parsed.blocks) {
    if (block["type"] != "tool_use") continue;
    const std::string reason = block.value("reason", "");
    if (block["status"] == "invalid" && reason != "not_found" && reason != "schema") continue;
    const bool known = std::any_of(engine["tools"].begin(), engine["tools"].end(),
                                   [&](const Json &tool) { return tool["name"] == block["name"]; });
    if (known || !nothing) out.push_back(block);
  }
  return out;
}

// Is `said` the joined texts of these blocks, with any white space between and around them?
bool same_text(const std::string &said, const Parsed &parsed, const char *type) {
  size_t at = 0;
  const auto skip_white = [&] { at = std::min(said.find_first_not_of(" \t\r\n\v\f", at), said.size()); };
  for (const Json &block : parsed.blocks) {
    if (block["type"] != type) continue;
    const std::string text = blank_trimmed(block["text"]);
    skip_white();
    if (said.compare(at, text.size(), text) != 0) return false;
    at += text.size();
  }
  skip_white();
  return at == said.size();
}

// Empty, or what differs.
std::string compare(const Json &recorded, const Json &engine, const Parsed &parsed) {
  if (!parsed.error.empty()) return parsed.error;
  const Json cards = read_calls(recorded, engine, parsed);
  const Json ids = recorded.value("expected_ids", Json::array());
  const std::string input = recorded["input"];
  Json pattern = Json::array();
  for (const Json &call : recorded["expected_calls"]) {
    Json card = {{"name", call["name"]}, {"arguments", {{"$equals", call["arguments"]}}}};
    const Json id = pattern.size() < ids.size() ? ids[pattern.size()] : Json();
    // An id that does not stand in the text was added by whoever recorded it.
    if (id.is_string() && input.find(id.get<std::string>()) != std::string::npos) card["wireId"] = id;
    pattern.push_back(card);
  }
  if (std::string why = mismatch(pattern, &cards, "calls"); !why.empty()) return why + "\n  in " + parsed.blocks.dump();
  Json texts = recorded.value("text_variants", Json::array());
  texts.push_back(recorded["expected_text"]);
  if (std::none_of(texts.begin(), texts.end(), [&](const Json &text) { return same_text(text, parsed, "text"); }))
    return "text: expected " + texts.dump() + " in " + parsed.blocks.dump();
  if (recorded.contains("expected_reasoning") && !same_text(recorded["expected_reasoning"], parsed, "reasoning"))
    return "reasoning: expected " + recorded["expected_reasoning"].dump() + " in " + parsed.blocks.dump();
  return "";
}

std::string check(const Json &recorded, const std::string &family) {
  const Json engine = engine_config(recorded);
  const Json turn = {{"wire", "text"},
                     {"mode", "text"},
                     {"protocol", family},
                     {"startsInReasoning", recorded.value("starts_in_reasoning", false)}};
  const std::string input = recorded["input"];
  const Parsed whole = parse(engine, turn, {input});
  if (std::string why = compare(recorded, engine, whole); !why.empty()) return why;
  const auto chunks = recorded.value("chunks", std::vector<std::string>());
  return differs_when_cut(engine, turn, input, whole, chunks, 4);
}

std::vector<fs::path> files_in(const fs::path &folder) {
  std::vector<fs::path> out;
  for (const auto &entry : fs::directory_iterator(folder)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("recorded texts of model families are read as recorded, at any split") {
  const fs::path folder = shared_folder().empty() ? fs::path() : shared_folder() / "texts";
  if (folder.empty() || !fs::exists(folder)) {
    WARN("SKIPPED: no conformance data at ../shared or $SLUICE_SHARED");
    return;
  }
  const Json exceptions = Json::parse(read_file(tests_folder() / "conformance_exceptions.json"));
  size_t passed = 0, excepted = 0, all = 0;
  for (const fs::path &family : files_in(folder)) {
    if (!fs::is_directory(family)) continue;
    for (const fs::path &path : files_in(family)) {
      if (path.extension() != ".json") continue;
      const std::string name = family.filename().string() + "/" + path.filename().string();
      const std::string why = check(Json::parse(read_file(path)), family.filename().string());
      ++all;
      if (exceptions.contains(name)) {
        ++excepted;
        if (why.empty()) FAIL_CHECK(name << " is listed as an exception, and passes");
      } else if (why.empty()) {
        ++passed;
      } else {
        FAIL_CHECK(name << ": " << why);
      }
    }
  }
  std::printf("texts: %zu of %zu as recorded, %zu exceptions\n", passed, all, excepted);
  for (const auto &[name, reason] : exceptions.items())
    if (!reason.is_string() || reason.get<std::string>().empty()) FAIL_CHECK(name << ": an exception needs a reason");
}
