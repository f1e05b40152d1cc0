// What holds for any text under any protocols: nothing is lost, the same comes out however it is cut or restored, what
// is kept is bounded, and a call that would run has an object of arguments. Used by the fuzz target, by the replay of
// its seeds and by the texts that must not call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "protocol/family/family.h"
#include "protocol/scan/scanner.h"

namespace sluice_test {

struct NamedTools : sluice::ToolView {
  std::set<std::string, std::less<>> tools;
  bool known(std::string_view tool) const override { return tools.find(tool) != tools.end(); }
  std::string text_parameter(std::string_view) const override { return {}; }
  List takes_list(std::string_view, std::string_view) const override { return List::maybe; }
  bool declares(std::string_view tool, std::string_view parameter) const override {
    return known(tool) && parameter == "maid";
  }
  std::vector<std::string_view> names() const override { return {tools.begin(), tools.end()}; }
};

// The configuration of every protocol there is; `options`: more members, each behind a comma.
inline std::vector<std::pair<std::string, std::string>> protocol_configs(const std::string &options = "") {
  constexpr const char *kRules =
      R"(,"rules":[{"open":"[表情:","close":"]","tool":"live2d.expression","argument":"name"},)"
      R"({"open":"[mood:","close":"]","tool":"live2d.expression","argument":"name"}])";
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](const std::string &id, const std::string &more = "") {
    out.emplace_back(id, "{\"id\":\"" + id + "\"" + more + options + "}");
  };
  for (const char *id : {"vcp", "tool_action", "json_strict", "xml_tag"}) add(id);
  add("inline_tags", kRules);
  for (const sluice::Family &family : sluice::families()) add(std::string(family.id));
  return out;
}

// The kind of grammar that reads it.
inline std::string grammar_of(const std::string &id) {
  constexpr const char *kNames[] = {"json",    "named",  "element", "element", "element", "element",
                                    "element", "python", "gemma",   "yaml",    "harmony", "named"};
  static_assert(std::size(kNames) == std::variant_size_v<sluice::Grammar>);
  for (const sluice::Family &family : sluice::families())
    if (family.id == id) return kNames[family.grammar.index()];
  return "designed";
}

// What the fuzzer registers, and the limits that it can reach.
inline std::set<std::string, std::less<>> fuzz_tools() {
  return {"f", "get_weather", "live2d.expression", "search", "weather.now"};
}
inline constexpr sluice::ScanLimits kSmallLimits{256, 512, 8};

// What came out, neighbouring pieces joined.
class ScanTrace : public sluice::ScanSink {
 public:
  struct Piece {
    char kind;  // text, reasoning, open, arguments, close, invalid (closed, but no call), diagnostic: the first letter
    std::string text;  // close and invalid: the raw block
    size_t start = 0, end = 0;
    std::string calls = {};
    bool operator==(const Piece &) const = default;
  };
  std::vector<Piece> pieces;
  std::string broken;  // a promise that was not kept
  size_t calls = 0, invalid = 0;
  bool oversize = false;

  void on_scan_text(std::string_view utf8) override {
    need(!open_ && !utf8.empty(), "text inside a call, or empty");
    join('t', utf8, false);
  }
  void on_scan_reasoning(std::string_view utf8, bool first) override {
    need(!open_ && !utf8.empty(), "reasoning inside a call, or empty");
    join('r', utf8, first);
  }
  void on_call_open(std::string_view, std::string_view name, size_t start) override {
    need(!open_ && !name.empty(), "a call opened twice, or without a name");
    open_ = true;
    name_ = name;
    arguments_.clear();
    pieces.push_back({'o', name_, start});
  }
  void on_call_arguments(std::string_view piece, size_t) override {
    need(open_ && !piece.empty(), "arguments outside of a call, or empty");
    arguments_ += piece;
    join('a', piece, false);
  }
  void on_call_close(std::string_view, std::vector<sluice::ParsedCall> &all, std::string_view raw, size_t start,
                     size_t end) override {
    need(!all.empty() && end - start == raw.size(), "a close without a call, or with wrong offsets");
    if (all.empty()) return;
    need(open_ != all[0].name.empty(), "only a block without a name is not opened");
    if (open_) need(all[0].raw_arguments == arguments_ && all[0].name == name_, "the pieces are not the raw arguments");
    open_ = false;
    std::string said;
    for (const sluice::ParsedCall &call : all) {
      for (const std::string_view part :
           {std::string_view(call.name), std::string_view(call.id), std::string_view(call.arguments),
            std::string_view(call.raw_arguments), std::string_view(call.reserved), call.reason})
        said.append(part).append("\x1f");
      said += call.typed ? "typed\n" : "\n";
      oversize = oversize || call.reason == "oversize";
      call.reason.empty() ? ++calls : ++invalid;
      if (!call.reason.empty()) continue;
      need(!call.name.empty(), "a call without a name");
      need(sluice::json_kind(call.arguments) == '{' && sluice::check_json(call.arguments, 256).ok(),
           "a call whose arguments are no JSON object");
    }
    const bool runs = std::any_of(all.begin(), all.end(), [](const auto &call) { return call.reason.empty(); });
    pieces.push_back({runs ? 'c' : 'i', std::string(raw), start, end, said});
  }
  void on_scan_diagnostic(std::string_view code, std::string_view, size_t offset, std::string_view raw) override {
    pieces.push_back({'d', std::string(code) + " " + std::string(raw), offset});
  }

  std::string shown(char kind) const {
    std::string out;
    for (const Piece &piece : pieces)
      if (piece.kind == kind) out += piece.text;
    return out;
  }
  std::string dump() const {
    std::string out;
    for (const Piece &piece : pieces)
      out += std::string(1, piece.kind) + " " + std::to_string(piece.start) + " |" + piece.text + "| " + piece.calls +
             "\n";
    return out;
  }

 private:
  void need(bool held, const char *what) {
    if (!held && broken.empty()) broken = what;
  }
  // Diagnostics stand between pieces without ending them.
  void join(char kind, std::string_view piece, bool first) {
    if (first || pieces.empty() || pieces.back().kind != kind) pieces.push_back({kind, ""});
    pieces.back().text += piece;
  }

  bool open_ = false;
  std::string name_, arguments_;
};

struct Scan {
  sluice::Protocols protocols;
  const sluice::ToolView &tools;
  sluice::ScanLimits limits = {};
  sluice::ScanOptions options = {};
};

// `next`: the size of the next piece of so many bytes that are left. `restored`: saved and loaded behind each piece.
// `cut`: more would have come.
template <class Next>
ScanTrace scan(const Scan &how, std::string_view text, Next next, bool restored = false, bool cut = false) {
  ScanTrace trace;
  auto scanner = sluice::make_scanner(how.protocols, how.tools, how.limits, how.options, trace);
  // What may be held back, and that again as escaped JSON; a marker or a line of state is never near the rest.
  const size_t bound = 6 * (2 * how.limits.candidate_bytes + how.limits.argument_bytes) + 65536;
  while (!text.empty()) {
    const std::string piece(text.substr(0, next(text.size())));  // its own memory: a view that outlives it is found
    text.remove_prefix(piece.size());
    scanner->feed(piece);
    if (!restored) continue;
    std::string saved;
    scanner->save(saved);
    if (saved.size() > bound) trace.broken = "more is kept than the limits say";
    scanner = sluice::make_scanner(how.protocols, how.tools, how.limits, how.options, trace);
    scanner->load(saved);
  }
  scanner->finish(cut ? sluice::TextEnd::cut : sluice::TextEnd::well);
  return trace;
}

inline ScanTrace scan_whole(const Scan &how, std::string_view text, bool cut = false) {
  return scan(
      how, text, [](size_t left) { return left; }, false, cut);
}

// Out of the reasoning that the models of some formats begin in.
inline std::string out_of_reasoning(const sluice::Protocol &protocol) {
  if (!protocol.starts_in_reasoning()) return "";
  const std::vector<sluice::Marker> closers = protocol.reasoning_closers();
  return (closers.empty() ? "</think>" : closers.front().bytes) + "\n";
}

// What may be in no piece: reasoning tags, and the tokens that the formats never show.
class MayGo {
 public:
  explicit MayGo(const sluice::Protocols &protocols) {
    for (const auto &protocol : protocols) {
      for (const sluice::Marker &marker : protocol->trailers()) words_.push_back(marker.bytes);
      for (const sluice::Marker &marker : protocol->reasoning_closers()) words_.push_back(marker.bytes);
      for (const sluice::Family &family : sluice::families()) {
        if (family.id != protocol->id()) continue;
        for (const sluice::Words *words : {&family.think, &family.dropped, &family.sections})
          words_.insert(words_.end(), words->begin(), words->end());
        if (!family.header.open.empty()) header_ends_.emplace_back(family.header.open, family.header.close);
        if (family.suffixed)
          for (const sluice::Words *words : {&family.sections, &family.section_ends})
            for (const std::string_view word : *words) stems_.push_back(word.substr(0, word.size() - 1));
        if (std::holds_alternative<sluice::HarmonyCalls>(family.grammar)) {
          headers_ = true;
          for (const char *word :
               {"<|start|>assistant", "<|start|>", "<|end|>", "<|call|>", "<|return|>", "<|message|>", "<|channel|>",
                "<|channel|>analysis", "<|channel|>commentary", "<|channel|>final"}) {
            words_.emplace_back(word);
            words_.push_back(std::string(word) + " to=");  // nobody
          }
          words_.emplace_back("to=functions.");
        }
        if (const auto *named = std::get_if<sluice::NamedCalls>(&family.grammar)) {
          words_.insert(words_.end(), named->sections.begin(), named->sections.end());
          if (!named->text_name.empty())
            for (const std::string_view opener : family.openers)
              words_.push_back(std::string(opener) + std::string(named->text_name) + "\n");
        }
        if (const auto *json = std::get_if<sluice::JsonCalls>(&family.grammar))
          for (const sluice::JsonOpening &opening : json->openings) {  // what began a message and no call
            if (opening.object) words_.emplace_back(opening.opener);
            if (opening.text.empty()) continue;
            words_.push_back(std::string(opening.opener) + std::string(opening.text) + std::string(opening.mark));
          }
      }
    }
  }
  // Lengths of what may go at the beginning of `rest`.
  std::vector<size_t> at(std::string_view rest) const {
    std::vector<size_t> out;
    for (const std::string &word : words_)
      if (!word.empty() && rest.starts_with(word)) out.push_back(word.size());
    if (const size_t length = tag(rest); length != 0) out.push_back(length);
    for (const std::string_view stem : stems_)
      if (rest.starts_with(stem) && rest.substr(stem.size()).starts_with(':'))
        if (const size_t end = rest.substr(0, stem.size() + 40).find('>'); end != std::string_view::npos)
          out.push_back(end + 1);
    for (const auto &[open, close] : header_ends_)
      if (rest.starts_with(open))
        if (const size_t end = rest.substr(0, 1024).find(close); end != std::string_view::npos)
          out.push_back(end + close.size());
    if (headers_)  // blanks between the words of a header
      for (size_t white : std::vector<size_t>(out))
        while (white < rest.size() && sluice::is_white(rest[white])) out.push_back(++white);
    if (headers_ && rest.starts_with("<|")) {  // the header of a message, up to its text
      constexpr std::string_view kMessage = "<|message|>";
      if (const size_t end = rest.substr(0, 1024).find(kMessage); end != std::string_view::npos)
        out.push_back(end + kMessage.size());
      else if (rest.size() <= 256)
        out.push_back(rest.size());  // the answer ended in the header
    }
    return out;
  }

 private:
  static size_t tag(std::string_view rest) {
    const bool closes = rest.starts_with("</");
    constexpr std::string_view kThink = "think";
    size_t at = closes ? 2 : 1;
    if (rest.size() < at + kThink.size() || rest[0] != '<') return 0;
    for (const char c : kThink)
      if ((rest[at++] | 0x20) != c) return 0;
    sluice::TagReader reader;
    reader.start(closes);
    while (at < rest.size()) switch (reader.step(rest[at++])) {
        case sluice::TagReader::State::open: break;
        case sluice::TagReader::State::tag: return at;
        case sluice::TagReader::State::none: return 0;
      }
    return 0;
  }

  std::vector<std::string> words_;
  std::vector<std::string_view> stems_;  // of tags that end in what a checkpoint drew
  std::vector<std::pair<std::string_view, std::string_view>>
      header_ends_;  // what begins and ends the header of a message
  bool headers_ = false;
};

namespace lost_bytes {

// Is `in` the pieces `out` one after the other, but for what may go, and white space between pieces?
inline bool same(std::string_view in, const std::vector<std::string_view> &out, const MayGo &may_go) {
  std::string joined;
  std::vector<bool> edge(1, true);
  for (const std::string_view piece : out) {
    joined += piece;
    edge.resize(joined.size() + 1);
    edge[joined.size()] = true;
  }
  if (joined == in) return true;
  std::vector<std::vector<size_t>> reached(in.size() + 1);  // bytes of `joined` that [0, i) of `in` can be
  reached[0].push_back(0);
  const auto reach = [&](size_t i, size_t j) {
    if (std::find(reached[i].begin(), reached[i].end(), j) == reached[i].end()) reached[i].push_back(j);
  };
  for (size_t i = 0; i < in.size(); ++i) {
    if (reached[i].empty()) continue;
    const std::vector<size_t> lengths = may_go.at(in.substr(i));
    for (const size_t j : std::vector<size_t>(reached[i])) {
      if (j < joined.size() && joined[j] == in[i]) reach(i + 1, j + 1);
      if (edge[j] && sluice::is_white(in[i])) reach(i + 1, j);
      for (const size_t length : lengths) reach(i + length, j);
    }
  }
  return std::find(reached.back().begin(), reached.back().end(), joined.size()) != reached.back().end();
}

}  // namespace lost_bytes

// Empty, or the stretch of the text that is not where it should be. What follows a call that outgrew its limits is
// dropped on purpose, so such a text is not looked at.
inline std::string lost(std::string_view text, const ScanTrace &trace, const MayGo &may_go) {
  if (trace.oversize) return "";
  size_t from = 0;
  std::vector<std::string_view> said;
  bool reasoning = false;  // what was said last
  const auto stretch = [&](size_t to) -> std::string {
    if (to < from || to > text.size()) return "cards overlap";
    const std::string_view between = text.substr(from, to - from);
    return lost_bytes::same(between, said, may_go) ? "" : "lost or changed in |" + std::string(between) + "|";
  };
  for (const ScanTrace::Piece &piece : trace.pieces) {
    if (piece.kind == 't' || piece.kind == 'r') {
      said.push_back(piece.text);
      reasoning = piece.kind == 'r';
    }
    if (piece.kind != 'c' && piece.kind != 'i') continue;
    if (text.substr(piece.start, piece.end - piece.start) != piece.text) return "a card whose raw is not the text";
    const std::string why = stretch(piece.start);
    // A draft at the end of open reasoning was shown before the end of the answer made a card of it.
    if (!why.empty() && reasoning && stretch(text.size()).empty()) continue;
    if (!why.empty()) return why;
    said.clear();
    from = piece.end;
  }
  return stretch(text.size());
}

inline std::string differs(const char *how, const ScanTrace &whole, const ScanTrace &cut) {
  if (!cut.broken.empty()) return std::string(how) + ": " + cut.broken;
  return cut.pieces == whole.pieces ? "" : std::string(how) + " it reads\n" + cut.dump() + "but whole\n" + whole.dump();
}

// The calls of a trace that would run: where each begins and ends, and what it says.
inline std::vector<ScanTrace::Piece> running(const ScanTrace &trace) {
  std::vector<ScanTrace::Piece> out;
  for (const ScanTrace::Piece &piece : trace.pieces)
    if (piece.kind == 'c') out.push_back(piece);
  return out;
}

// Does a closer end this call? Then nothing that follows can say that it is another one.
inline bool is_closed(const Scan &how, std::string_view call) {
  while (!call.empty() && sluice::is_white(call.back())) call.remove_suffix(1);
  for (const auto &protocol : how.protocols)
    for (const sluice::Marker &closer : protocol->closers(how.tools))
      if (!closer.bytes.empty() && call.ends_with(closer.bytes)) return true;
  return false;
}

// Empty, or a call that runs when the text is cut at `at` and not in the whole. A call that no closer ends may go on
// behind the cut: there the whole may refuse that very call, or, where it ends at the cut, read no call at all.
inline std::string runs_when_cut(const Scan &how, std::string_view text, const ScanTrace &whole, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<uint8_t>(text[at]) & 0xC0U) == 0x80)
    --at;  // a wire gives no halves
  for (const ScanTrace::Piece &call : running(scan_whole(how, text.substr(0, at), true))) {
    const bool closed = is_closed(how, call.text);
    const bool runs = std::any_of(whole.pieces.begin(), whole.pieces.end(), [&](const ScanTrace::Piece &piece) {
      return (piece.kind == 'c' || (piece.kind == 'i' && !closed)) && piece.start == call.start;
    });
    const std::string_view behind = text.substr(call.end, at - call.end);
    if (runs || (!closed && std::all_of(behind.begin(), behind.end(), sluice::is_white))) continue;
    return "cut at " + std::to_string(at) + " this runs: |" + call.text + "|\n" + whole.dump();
  }
  return "";
}

// As check_scan, but only one way to cut, and at most three places to save at: what a fuzzer asks many times a second.
inline std::string check_scan_once(const Scan &how, const MayGo &may_go, std::string_view text, uint32_t seed) {
  const ScanTrace whole = scan_whole(how, text);
  if (!whole.broken.empty()) return whole.broken + "\n" + whole.dump();
  const auto next = [&] { return (seed = seed * 1664525U + 1013904223U) >> 8U; };
  switch (next() % 4) {
    case 0:
      if (std::string why = lost(text, whole, may_go); !why.empty()) return why + "\n" + whole.dump();
      // A stretch of it: a byte costs as much as a piece.
      return differs("byte by byte", whole, scan(how, text, [&, from = next() % (text.size() + 1)](size_t left) {
                       const size_t at = text.size() - left;
                       return at < from ? from - at : at < from + 128 ? size_t{1} : left;
                     }));
    case 1:
      return differs("cut at random", whole,
                     scan(how, text, [&](size_t left) { return std::min<size_t>(left, next() % 23 + 1); }));
    case 2:
      return differs(
          "saved and restored", whole,
          scan(
              how, text, [&, pieces = 0](size_t left) mutable { return ++pieces > 3 ? left : next() % left + 1; },
              true));
    default:
      for (size_t i = 0; i < 2 && !text.empty(); ++i)
        if (std::string why = runs_when_cut(how, text, whole, next() % text.size()); !why.empty()) return why;
      return "";
  }
}

// Empty, or what does not hold. `seed`: of the random cuts.
inline std::string check_scan(const Scan &how, std::string_view text, uint32_t seed) {
  const ScanTrace whole = scan_whole(how, text);
  if (!whole.broken.empty()) return whole.broken + "\n" + whole.dump();
  if (std::string why = lost(text, whole, MayGo(how.protocols)); !why.empty()) return why + "\n" + whole.dump();
  const auto random = [&](size_t left) {
    seed = seed * 1664525U + 1013904223U;
    return std::min<size_t>(left, seed % 4 == 0 ? 1 : (seed >> 8) % 23 + 1);
  };
  if (std::string why = differs("byte by byte", whole, scan(how, text, [](size_t) { return size_t{1}; })); !why.empty())
    return why;
  if (std::string why = differs("cut at random", whole, scan(how, text, random)); !why.empty()) return why;
  return differs("saved and restored", whole, scan(how, text, random, true));
}

}  // namespace sluice_test
