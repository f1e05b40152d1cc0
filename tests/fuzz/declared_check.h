// Protocols declared at random: those that are taken keep what the built-in ones promise. Used by the fuzz target and
// by a test that draws some hundred.
#pragma once

#include <nlohmann/json.hpp>

#include "protocol/protocol.h"
#include "scan_check.h"
#include "session.h"

namespace sluice_test {

// Words that could be meant as markers, in part wrong ones; now and then any bytes.
inline std::string declared_word(Choices &choices) {
  static constexpr const char *kWords[] = {"<call>", "</call>", "<do ",   "[[",          "]]",         "@@", "<|a|>",
                                           "<|b|>",  "「",      "」",     "{始}",        "{末}",       "«",  "»",
                                           "<a>",    "->",      "\n--\n", "<tool_call>", "",           " ",  "call",
                                           "<",      "}>}",     "<ca",    "<<<[X]>>>",   "<<<[/X]>>>", "~~~"};
  return choices.below(12) == 0 ? sluice::repair_utf8(choices.text()) : choices.of(kWords);
}

inline nlohmann::json make_declaration(Choices &choices) {
  static constexpr const char *kLikes[] = {
      "vcp",           "vcp",         "hermes",        "jamba",           "kimi-k2",   "deepseek-v3.1",
      "mistral",       "glm-4.5",     "anthropic-xml", "xml_tag",         "pythonic",  "qwen3-coder",
      "functiongemma", "tool_action", "json_strict",   "gpt-oss-harmony", "minimax-m3"};
  static constexpr const char *kLists[] = {"openers", "closers", "sections",  "sectionEnds", "turnEnds",
                                           "dropped", "think",   "thinkEnds", "separators"};
  static constexpr const char *kTexts[] = {
      "{name} {content}", "[result_of {name}] {content}\n", "<{content}>", "{json}", "{id}:{status}:{content}",
      "<call>{content}",  "{content}{name}{content}"};
  nlohmann::json out = {{"id", "house"}, {"like", choices.of(kLikes)}};
  for (size_t left = choices.below(4); left > 0; --left) {
    nlohmann::json words = nlohmann::json::array({declared_word(choices)});
    if (choices.below(4) == 0) words.push_back(declared_word(choices));
    out[choices.of(kLists)] = words;
  }
  if (choices.below(2) == 0) out["values"] = {{"open", declared_word(choices)}, {"close", declared_word(choices)}};
  if (choices.below(4) == 0) out["escapes"] = {{"open", declared_word(choices)}, {"close", declared_word(choices)}};
  if (choices.below(4) == 0) out["members"] = {{"name", choices.below(2) == 0 ? "tool" : "名"}};
  if (choices.below(3) == 0) out["result"] = choices.of(kTexts);
  if (choices.below(6) == 0) out["call"] = "<call>{name} {arguments}</call>";
  if (choices.below(4) == 0) out["results"] = {{"open", declared_word(choices)}};
  return out;
}

// Was the declaration taken? Aborts where a promise is not kept.
inline bool check_declared(Choices &choices) {
  const nlohmann::json declared = nlohmann::json::array({make_declaration(choices)});
  sluice::Declarations declarations;
  const sluice::Status status = sluice::read_declarations(declared.dump(), declarations);
  if (!status.ok()) {
    must(status.path.starts_with("[0]"), "a refusal says where", declared.dump() + ": " + status.message);
    return false;
  }
  std::shared_ptr<const sluice::Protocol> protocol;
  must(sluice::make_protocol("\"house\"", declarations, protocol).ok(), "what was taken can be made", declared.dump());
  std::string call;
  protocol->write_call("call_1", "f", R"({"a":"x","b":[1,{"c":null}]})", call);
  std::string text;
  while (!choices.done() && text.size() < 2048) switch (choices.below(4)) {
      case 0: text += call; break;
      case 1: text += sluice::repair_utf8(choices.text()); break;
      case 2: text += declared_word(choices); break;
      default: text += call.substr(0, choices.below(call.size() + 1));
    }
  text = sluice::repair_utf8(text);
  NamedTools tools;
  tools.tools = fuzz_tools();
  const Scan how{{protocol}, tools};
  const ScanTrace whole = scan_whole(how, text);
  const auto hold = [&](const std::string &why) {
    must(why.empty(), "a declared protocol reads the same however it is cut",
         declared.dump() + "\n" + text + "\n" + why);
  };
  hold(whole.broken);
  hold(differs("byte by byte", whole, scan(how, text, [](size_t) { return size_t{1}; })));
  const size_t at = choices.below(text.size() + 1);
  hold(differs(
      "saved and restored", whole,
      scan(
          how, text, [&](size_t left) { return left > text.size() - at ? std::max<size_t>(at, 1) : left; }, true)));
  std::string result;
  protocol->write_results(
      {{"call_1", "f", "success", text}, {sluice::first_bytes(text, 8), sluice::first_bytes(text, 32), "error", text}},
      {protocol}, result);
  const ScanTrace read = scan_whole(how, result);
  must(running(read).empty(), "a result is no call", declared.dump() + "\n" + result);
  return true;
}

}  // namespace sluice_test
