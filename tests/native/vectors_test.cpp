// The conformance data beside the checkout (../shared or $SLUICE_SHARED) through the C ABI: vectors of one answer each,
// and recorded streams. Skipped with a message if it is absent.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "parsing.h"
#include "wire/wire.h"

namespace fs = std::filesystem;
using namespace sluice_test;
using sluice::find_wire;

namespace {

// A block of a vector as the pattern of a block of SLUICE_GET_MESSAGE.
Json block_pattern(const Json &expected) {
  for (const char *type : {"text", "reasoning"})
    if (expected.contains(type)) return {{"type", type}, {"text", expected[type]}};
  if (expected.contains("error")) return {{"type", "error"}, {"code", expected["error"]}};
  const bool call = expected.contains("call");
  const Json &said = call ? expected["call"] : expected["invalid"];
  Json pattern = {{"type", "tool_use"}, {"status", call ? "pending" : "invalid"}};
  const Json absent = {{"$absent", true}};
  pattern["name"] = said.value("name", absent);
  if (said.contains("reason")) pattern["reason"] = said["reason"];
  if (call) pattern["arguments"] = {{"$equals", said["arguments"]}};
  if (said.contains("id")) pattern["wireId"] = said["id"];
  if (call) pattern["protocolFields"] = said.contains("reserved") ? Json({{"$equals", said["reserved"]}}) : absent;
  return pattern;
}

// Empty, or what differs.
std::string compare(const Json &expected, const Parsed &parsed) {
  if (!parsed.error.empty()) return parsed.error;
  Json pattern = Json::array();
  for (const Json &block : expected["blocks"]) pattern.push_back(block_pattern(block));
  if (std::string why = mismatch(pattern, &parsed.blocks); !why.empty()) return why + "\n  in " + parsed.blocks.dump();
  for (const Json &code : expected.value("diagnostics", Json::array())) {
    const bool reported = std::any_of(parsed.events.begin(), parsed.events.end(), [&](const Json &event) {
      return event["type"] == "diagnostic" && event.value("code", "") == code;
    });
    if (!reported) return "no diagnostic " + code.dump();
  }
  return "";
}

std::string sse_of(const Json &vector) {
  std::string out;
  for (const Json &delta : vector["deltas"]) {
    Json choice = {{"index", 0}};
    if (delta.contains("__message__"))
      choice["message"] = delta["__message__"];
    else
      choice["delta"] = delta;
    out += "data: " + Json{{"choices", {choice}}}.dump() + "\n\n";
  }
  if (!vector["finish_reason"].is_null()) {
    const Json choice = {{"index", 0}, {"delta", Json::object()}, {"finish_reason", vector["finish_reason"]}};
    out += "data: " + Json{{"choices", {choice}}}.dump() + "\n\n";
  }
  return vector.value("done", true) ? out + "data: [DONE]\n\n" : out;
}

// `keeps`: runs a real turn, whose next request must repeat these members of the calls as they came.
std::string kept(const Json &vector) {
  EngineHandle engine(R"({"tools":[{"name":"other","agentCallable":true}]})");  // without any, no round follows a call
  TurnHandle turn(engine.p,
                  R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"q"}]}})");
  const std::string bytes = sse_of(vector);
  sluice_turn_feed(turn.p, bytes.data(), bytes.size());
  sluice_turn_finish(turn.p, SLUICE_END_COMPLETE, nullptr, 0);
  const char *body = sluice_turn_get(turn.p, SLUICE_GET_REQUEST, nullptr);
  if (!body) return "no next request";
  const Json request = Json::parse(body);
  for (const auto &[id, members] : vector["keeps"].items()) {
    Json pattern = members;
    pattern["id"] = id;
    const Json message = {{"role", "assistant"}, {"tool_calls", {{"$some", {pattern}}}}};
    const Json messages = {{"$some", Json::array({message})}};
    if (std::string why = mismatch(messages, &request["messages"]); !why.empty()) return why;
  }
  return "";
}

std::string joined(const Json &blocks, const char *type) {
  std::string out;
  for (const Json &block : blocks)
    if (block["type"] == type) out += block["text"].get<std::string>();
  return blank_trimmed(out);
}

// Each text begins with one of these parts: the items repeat more than their deltas brought, and all of it is shown.
bool begin_with(const Json &blocks, const Json &parts) {
  std::vector<std::string> texts;
  for (const Json &block : blocks)
    if (block["type"] == "text") texts.push_back(block["text"]);
  bool fits = texts.size() == parts.size();
  for (size_t i = 0; fits && i < texts.size(); ++i) fits = texts[i].starts_with(parts[i].get<std::string>());
  return fits;
}

// A custom call that xAI ran is a card of the provider.
bool is_run_by_provider(const Json &call) {
  return call.value("custom", false) && call["name"].get<std::string>().starts_with("x_");
}

// A recorded answer against what its expected.json says it contains.
std::string compare_stream(const Json &expected, const Parsed &parsed) {
  if (!parsed.error.empty()) return parsed.error;
  auto said = [&](const Json &what) {
    return joined(parsed.blocks, "text") == blank_trimmed(what.value("text", "")) &&
           joined(parsed.blocks, "reasoning") == blank_trimmed(what.value("reasoning", ""));
  };
  const bool split = expected.contains("alt_think_split") && expected["alt_think_split"].is_object();
  const bool longer = expected.contains("text_parts") && begin_with(parsed.blocks, expected["text_parts"]);
  if (!longer && !said(expected) && !(split && said(expected["alt_think_split"])))
    return "text or reasoning: " + joined(parsed.blocks, "text") + " | " + joined(parsed.blocks, "reasoning");
  Json pattern = Json::array();
  Json run_by_provider = expected.value("server_tool_calls", Json::array());
  for (const Json &call : expected["tool_calls"]) {
    if (is_run_by_provider(call)) {
      run_by_provider.push_back(call);
      continue;
    }
    Json card = {{"type", "tool_use"}, {"name", call["name"]}};
    if (call["id"].is_string() && call["id"] != "") card["wireId"] = call["id"];
    const bool empty_and_cut = call.value("arguments_empty", false) && expected["finish_reason"] == "length";
    if (call.value("arguments_invalid_json", false) || call.value("incomplete", false)) {
      card["status"] = "invalid";
    } else if (!empty_and_cut) {  // "" means {}, or arguments cut before their first byte
      card["status"] = "pending";
      const Json arguments = call["arguments"];  // of a custom tool: free text
      card["arguments"] = {{"$equals", call.value("custom", false) ? Json{{"input", arguments}} : arguments}};
    }
    pattern.push_back(card);
  }
  Json cards = Json::array(), provided = Json::array();
  for (const Json &block : parsed.blocks)
    if (block["type"] == "tool_use") (block["source"] == "provider" ? provided : cards).push_back(block);
  for (const Json &call : run_by_provider) {
    Json card = {{"name", call["name"]}};
    if (call.contains("id") && call["id"].is_string() && call["id"] != "") card["wireId"] = call["id"];
    if (std::none_of(provided.begin(), provided.end(), [&](const Json &one) { return mismatch(card, &one).empty(); }))
      return "no card of the provider's tool " + card.dump() + " in " + provided.dump();
  }
  Json items = Json::array();  // of Responses: an output belongs to the card of its call
  for (const Json &item : expected.value("builtin_calls", Json::array()))
    if (!item["type"].get<std::string>().ends_with("_output")) items.push_back({{"name", item["type"]}});
  if (std::string why = mismatch(items, &provided); expected.contains("builtin_calls") && !why.empty())
    return why + "\n  in " + provided.dump();
  if (std::string why = mismatch(pattern, &cards); !why.empty()) return why + "\n  in " + cards.dump();
  if (expected.contains("error")) {
    const std::string words = expected["error"].value("message", "");
    const Json error = {{"type", "error"}, {"detail", {{"$has", words}}}};
    if (std::none_of(parsed.events.begin(), parsed.events.end(),
                     [&](const Json &event) { return mismatch(error, &event).empty(); }))
      return "no error event says " + words;
  }
  return "";
}

// Compares the blocks with the expected ones at every split. Returns what differs, or nothing.
std::string check(const Json &vector, const Json &turn, const std::string &bytes) {
  const Parsed whole = parse(Json::object(), turn, {bytes});
  std::string why = compare(vector, whole);
  return why.empty() ? differs_when_cut(Json::object(), turn, bytes, whole, {}, kRandomReplays) : why;
}

bool absent() {
  if (!shared_folder().empty()) return false;
  WARN("SKIPPED: no conformance data at ../shared or $SLUICE_SHARED");
  return true;
}

}  // namespace

TEST_CASE("the vectors of the protocols hold at any split") {
  if (absent()) return;
  for (const char *name : {"vcp", "context", "tool_action", "json_strict", "xml_tag", "inline_tags"}) {
    const Json file = Json::parse(read_file(shared_folder() / "vectors" / (std::string(name) + ".json")));
    size_t held = 0;
    for (const Json &vector : file["cases"]) {
      Json protocol = {{"id", file["protocol"]}};
      if (file.contains("rules")) protocol["rules"] = file["rules"];
      protocol.update(vector.value("options", Json::object()));
      const std::string why = check(vector, {{"wire", "text"}, {"protocol", protocol}}, vector["input"]);
      if (why.empty())
        ++held;
      else
        FAIL_CHECK(name << " " << vector["id"] << " " << why);
    }
    std::printf("%s: %zu of %zu vectors hold\n", name, held, file["cases"].size());
  }
}

TEST_CASE("the vectors of openai-chat deltas hold at any split") {
  if (absent()) return;
  const Json file = Json::parse(read_file(shared_folder() / "vectors" / "openai_chat_deltas.json"));
  for (const Json &vector : file["cases"]) {
    const std::string why = check(vector, {{"wire", "openai-chat"}}, sse_of(vector));
    if (!why.empty()) FAIL_CHECK(vector["id"] << " " << why);
    if (!vector.contains("keeps")) continue;
    if (const std::string lost = kept(vector); !lost.empty()) FAIL_CHECK(vector["id"] << " keeps: " << lost);
  }
}

TEST_CASE("recorded streams hold at any split") {
  if (absent()) return;
  std::map<std::string, std::pair<size_t, size_t>> counts;  // wire → right, all
  for (const auto &entry : fs::recursive_directory_iterator(shared_folder() / "streams")) {
    std::string path = entry.path().string();
    if (!path.ends_with(".expected.json")) continue;
    const Json expected = Json::parse(read_file(path));
    const std::string wire = expected["wire"];
    if (wire == "json-error-body" || find_wire(wire) == nullptr) continue;
    path.resize(path.size() - std::string(".expected.json").size());
    std::string bytes;
    for (const char *end : {".sse", ".ndjson", ".json"})
      if (bytes.empty() && fs::exists(path + end)) bytes = read_file(path + end);
    const Json turn = {{"wire", wire}};
    const Parsed whole = parse(Json::object(), turn, {bytes});
    std::string why = compare_stream(expected, whole);
    if (why.empty()) why = differs_when_cut(Json::object(), turn, bytes, whole, {}, 3);
    auto &[right, all] = counts[wire];
    ++all;
    if (why.empty())
      ++right;
    else
      FAIL_CHECK(wire << " " << fs::path(path).filename().string() << ": " << why);
  }
  CHECK(!counts.empty());
  for (const auto &[wire, count] : counts)
    std::printf("%s: %zu of %zu streams hold\n", wire.c_str(), count.first, count.second);
}
