// What a provider signed or encrypted in a recorded answer goes back, byte for byte, in the next request to the same
// model.
#include <sluice/sluice.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <set>

#include "parsing.h"
#include "request_rules.h"

namespace fs = std::filesystem;
using namespace sluice_test;

namespace {

constexpr size_t kLeast = 8;  // bytes: shorter texts may stand anywhere

void collect(const Json &value, std::set<std::string> &out) {
  static const std::set<std::string> kOpaque = {"signature", "thoughtSignature", "encrypted_content",
                                                "encrypted_index"};
  if (value.is_array())
    for (const Json &one : value) collect(one, out);
  if (!value.is_object()) return;
  for (const auto &[key, member] : value.items()) {
    if (kOpaque.contains(key) && member.is_string() && member.get<std::string>().size() >= kLeast) out.insert(member);
    if (key == "data" && text_of(value, "type") == "redacted_thinking") out.insert(member);
    collect(member, out);
  }
}

// The opaque texts of an answer, as they were when it ended.
std::set<std::string> opaque_texts(const std::string &wire, const std::string &bytes) {
  std::set<std::string> out;
  std::map<int, std::string> signatures;  // of anthropic: they come in pieces
  std::set<std::string> trailing;         // of a reasoning item of openai-responses that nothing follows: it is refused
  const auto take = [&](const Json &event) {
    const std::string type = text_of(event, "type");
    if (wire == "openai-responses" && type.starts_with("response.") && type != "response.output_item.done") return;
    if (const Json *delta = member(event, "delta"); delta && text_of(*delta, "type") == "signature_delta") {
      signatures[event["index"]] += text_of(*delta, "signature");
      return;
    }
    if (type == "response.output_item.done") {
      out.merge(trailing);
      trailing.clear();
      if (text_of(event["item"], "type") == "reasoning") return collect(event, trailing);
    }
    collect(event, out);
  };
  for (size_t at = 0; at < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', at), bytes.size());
    std::string line = bytes.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("data:")) line.erase(0, 5);
    if (const Json event = Json::parse(line, nullptr, false); event.is_object()) take(event);
  }
  if (const Json whole = Json::parse(bytes, nullptr, false); whole.is_object() || whole.is_array()) take(whole);
  for (const auto &[index, signature] : signatures) out.insert(signature);
  return out;
}

std::string document(const std::string &wire, const Json &messages) {
  return Json{{"wire", wire}, {"request", {{"model", "m-3"}, {"messages", messages}}}}.dump();
}

}  // namespace

TEST_CASE("what a provider signed goes back as it came") {
  if (shared_folder().empty()) {
    WARN("SKIPPED: no conformance data at ../shared or $SLUICE_SHARED");
    return;
  }
  size_t answers = 0, texts = 0;
  for (const auto &entry : fs::recursive_directory_iterator(shared_folder() / "streams")) {
    std::string path = entry.path().string();
    if (!path.ends_with(".expected.json")) continue;
    const Json expected = Json::parse(read_file(path));
    const std::string wire = expected["wire"];
    if (wire == "json-error-body" || wire == "openai-chat") continue;  // its members have a test of their own
    path.resize(path.size() - std::string(".expected.json").size());
    std::string bytes;
    for (const char *end : {".sse", ".ndjson", ".json"})
      if (bytes.empty() && fs::exists(path + end)) bytes = read_file(path + end);

    EngineHandle engine("{}");
    Json messages = Json::array({{{"role", "user"}, {"content", "q"}}});
    TurnHandle turn(engine.p, document(wire, messages));
    sluice_turn_feed(turn.p, bytes.data(), bytes.size());
    sluice_turn_finish(turn.p, SLUICE_END_COMPLETE, nullptr, 0);
    const Json history = Json::parse(sluice_turn_get(turn.p, SLUICE_GET_HISTORY, nullptr));
    bool whole = false;
    for (const Json &message : history)
      whole = whole || (member(message, "metadata") && message["metadata"].contains("native"));
    if (!whole) continue;  // it broke off, or holds what cannot go back
    for (const Json &message : history) messages.push_back(message);
    messages.push_back({{"role", "user"}, {"content", "and?"}});
    TurnHandle next(engine.p, document(wire, messages));
    const char *text = sluice_turn_get(next.p, SLUICE_GET_REQUEST, nullptr);
    INFO(wire << " " << fs::path(path).filename().string());
    REQUIRE(text != nullptr);
    const Json body = Json::parse(text);
    CHECK(broken_rule(wire, body) == "");
    std::set<std::string> sent;
    collect(body, sent);
    ++answers;
    for (const std::string &one : opaque_texts(wire, bytes)) {
      ++texts;
      CHECK(sent.contains(one));
    }
  }
  CHECK(texts > 0);
  std::printf("%zu answers with %zu opaque texts go back\n", answers, texts);
}
