#include "protocol/declared/check.h"

#include <algorithm>

#include "base/reading.h"
#include "base/text.h"
#include "protocol/declared/words.h"
#include "protocol/tool_text.h"

namespace sluice {
namespace {

// ---- words ----

constexpr size_t kLongestMarker = 256;

bool is_marker(std::string_view path) {
  return path == "openers" || path == "closers" || path == "sections" || path == "sectionEnds" || path == "turnEnds" ||
         path == "think" || path == "thinkEnds" || path == "dropped" || path == "separators" ||
         path.starts_with("values.") || path.starts_with("escapes.");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; }

Status check_marker(std::string_view path, std::string_view marker) {
  const std::string found = "found " + shown_text(marker);
  if (trim(marker).empty()) return error(Code::json, found + ", expected a marker that is not empty");
  if (marker.size() > kLongestMarker || std::any_of(marker.begin(), marker.end(), is_control))
    return error(Code::json, found + ", expected at most 256 bytes without control characters");
  const bool plain = std::all_of(marker.begin(), marker.end(), [](char c) { return is_word(c) || is_white(c); });
  if (path == "openers" && (plain || trim(marker).size() <= code_point_length(trim(marker).front())))
    return error(Code::json,
                 found +
                     ", expected an opener that ordinary text does not hold: two characters or more, one of "
                     "them no letter, digit or blank");
  return {};
}

// The name of a member, a field, a tag or an attribute.
Status check_name(std::string_view name) {
  const bool fine = !name.empty() && name.size() <= 64 && name.find_first_of("\"'<>=:,{}[]()\\/&") == name.npos &&
                    std::none_of(name.begin(), name.end(), [](char c) { return is_white(c) || is_control(c); });
  if (fine) return {};
  return error(Code::json, "found " + shown_text(name) +
                               ", expected a name of at most 64 bytes without blanks, quotes and brackets");
}

struct Mark {
  std::string place;  // openers[0], or closers of hermes
  std::string bytes;
  std::string_view member = {};  // of a word that `like` has: the member that replaces it
};

// How a declaration gets rid of a word of the protocol that it is like.
std::string way_out(const Mark &mark) {
  if (is_one_of(mark.member, {"sections", "sectionEnds", "turnEnds", "think", "thinkEnds"}))
    return "; " + std::string(mark.member) + ": [] leaves it out";
  return mark.member.empty() ? "" : "; " + std::string(mark.member) + " replaces it";
}

// What is not replaced of the protocol that it is like.
void add_inherited(const Declaration &declaration, std::vector<Mark> &out) {
  const auto add = [&](std::string_view path, std::string_view bytes) {
    if (!bytes.empty() && declaration.find(path) == nullptr)
      out.push_back({std::string(path) + " of " + declaration.like, std::string(bytes), path});
  };
  if (declaration.like == "vcp") {
    const VcpWords words;
    add("openers", "<<<" + words.start + ">>>");
    add("closers", "<<<" + words.end + ">>>");
    add("values.open", words.open());
    add("values.close", words.close());
  }
  const Family *const family = find_family(declaration.like);
  if (family == nullptr) return;
  const auto *const named = std::get_if<NamedCalls>(&family->grammar);
  const Words section_openers = named != nullptr ? named->sections : Words();
  for (const std::string_view word : family->openers) add(holds(section_openers, word) ? "sections" : "openers", word);
  for (const auto &[path, words] : {std::pair{"closers", family->closers},
                                    {"sections", family->sections},
                                    {"sectionEnds", family->section_ends},
                                    {"turnEnds", family->turn_ends},
                                    {"think", family->think},
                                    {"thinkEnds", family->think_ends}})
    for (const std::string_view word : words) add(path, word);
}

// ---- reading back ----

constexpr std::string_view kTool = "get_weather";
constexpr std::string_view kArguments[] = {
    R"({"city":"Paris","days":3,"exact":true,"tags":["a","b"],"place":{"lat":1.5,"name":"x"}})",
    R"({"city":"a \"b\" <c> & 'd',\nand {e} [f]: \\ g"})"};

class ExampleTool final : public ToolView {
 public:
  bool known(std::string_view tool) const override { return tool == kTool; }
  bool declares(std::string_view tool, std::string_view parameter) const override {
    return known(tool) && is_one_of(parameter, {"city", "days", "exact", "tags", "place"});
  }
  std::string text_parameter(std::string_view) const override { return {}; }
  List takes_list(std::string_view, std::string_view parameter) const override {
    return parameter == "tags" ? List::of_texts : List::no;
  }
  std::vector<std::string_view> names() const override { return {kTool}; }
};

class Record final : public ScanSink {
 public:
  void on_scan_text(std::string_view utf8) override { text += utf8; }
  void on_scan_reasoning(std::string_view, bool) override {}
  void on_call_open(std::string_view, std::string_view, size_t) override {}
  void on_call_arguments(std::string_view, size_t) override {}
  void on_call_close(std::string_view, std::vector<ParsedCall> &closed, std::string_view, size_t, size_t) override {
    for (ParsedCall &call : closed) calls.push_back(std::move(call));
  }
  void on_scan_diagnostic(std::string_view, std::string_view, size_t, std::string_view) override {}

  std::string text;
  std::vector<ParsedCall> calls;
};

Record read_back(const std::shared_ptr<const Protocol> &protocol, std::string_view text) {
  const ExampleTool tools;
  Record out;
  const auto scanner = make_scanner({protocol}, tools, {}, {}, out);
  scanner->feed(text);
  scanner->finish();
  return out;
}

// In a format that has only text, a value that is no string comes back as text.
bool same(std::string_view got, std::string_view wanted, bool typed) {
  if (compact_json(got) == compact_json(wanted)) return true;
  if (typed) return false;
  if (json_kind(got) == '"') {
    const std::string text = json_text(trim_json(got));
    return json_kind(wanted) != '"' && check_json(text, 16).ok() && compact_json(text) == compact_json(wanted);
  }
  if (json_kind(got) != json_kind(wanted)) return false;
  JsonSlices one(got), other(wanted);
  while (other.next())
    if (!one.next() || one.key() != other.key() || !same(one.value(), other.value(), typed)) return false;
  return !one.next();
}

Status broken(const Declaration &declaration, std::string_view what, std::string_view written, std::string_view read) {
  std::string message(what);
  message.append(" ").append(shown_text(written)).append(" is read as ").append(shortened(read, 80));
  return error(Code::json, std::move(message), declaration.call.given() ? "call" : "");
}

// Where the document has a word.
std::string place_of(const Declaration &declaration, const std::string &path, size_t index) {
  const std::string number = "[" + std::to_string(index) + "]";
  if (path.find('.') == path.npos) return path + number;
  return declaration.pairs && path.starts_with("values.") ? "values" + number + path.substr(path.find('.')) : path;
}

}  // namespace

Status check_words(const Declaration &declaration) {
  std::vector<Mark> given;
  for (const auto &[path, words] : declaration.words) {
    if (path.starts_with("tools.") || path.starts_with("results.")) continue;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string place = place_of(declaration, path, i);
      Status status = is_marker(path) ? check_marker(path, words[i]) : check_name(words[i]);
      if (!status.ok()) return std::move(status).inside(place);
      if (is_marker(path)) given.push_back({place, words[i]});
    }
  }
  std::vector<Mark> all = given;
  add_inherited(declaration, all);
  for (size_t i = 0; i < given.size(); ++i)
    for (size_t k = 0; k < all.size(); ++k) {
      if (i == k) continue;
      const Mark &one = given[i], &other = all[k];
      if (one.bytes == other.bytes)
        return error(Code::json, "found " + shown_text(one.bytes) + " a second time: it is " + other.place, one.place);
      if (other.bytes.find(one.bytes) != std::string::npos)
        return error(
            Code::json,
            shown_text(one.bytes) + " stands in " + shown_text(other.bytes) + " (" + other.place + ")" + way_out(other),
            one.place);
      if (one.bytes.find(other.bytes) != std::string::npos)
        return error(
            Code::json,
            shown_text(one.bytes) + " holds " + shown_text(other.bytes) + " (" + other.place + ")" + way_out(other),
            one.place);
    }
  return {};
}

Status check_round_trip(const Declaration &declaration, const std::shared_ptr<const Protocol> &protocol) {
  std::string all;
  size_t count = 0;
  for (const std::string_view arguments : kArguments) {
    std::string written;
    protocol->write_call("call_1", kTool, arguments, written);
    const Record read = read_back(protocol, written);
    if (read.calls.size() != 1)
      return broken(declaration, "the example call", written, read.calls.empty() ? "text" : "several calls");
    const ParsedCall &call = read.calls.front();
    if (!call.reason.empty()) return broken(declaration, "the example call", written, call.reason);
    if (call.name != kTool || !same(call.arguments, arguments, call.typed))
      return broken(declaration, "the example call", written, call.name + " " + call.arguments);
    if (!trim(read.text).empty())
      return broken(declaration, "the example call", written, "a call and the text " + read.text);
    all += written;
    ++count;
  }
  if (const Record read = read_back(protocol, all); read.calls.size() != count)
    return broken(declaration, "the row of calls", all, std::to_string(read.calls.size()) + " calls");
  std::string result;
  protocol->write_results({{"call_1", kTool, "success", all}}, {protocol}, result);
  for (const Marker &opener : protocol->openers(ExampleTool()))
    if (declaration.result.given() && !opener.common && !opener.wraps && result.find(opener.bytes) != result.npos)
      return error(Code::json, "a result holds " + shown_text(opener.bytes) + ", which begins a call", "result");
  const Record read = read_back(protocol, result);
  if (!read.calls.empty() || (declaration.result.given() && read.text != result))
    return error(Code::json, "a result is not read as text alone: " + shown_text(result), "result");
  return {};
}

Status make_declared_use(const std::shared_ptr<const Declaration> &declaration, std::string_view config,
                         std::shared_ptr<const Protocol> &out) {
  if (Status status = make_declared(declaration, config, out); !status.ok()) return status;
  bool other = false;
  if (json_kind(config) == '{')
    for (JsonSlices option(config); option.next();) {
      const std::string name = option.key_text();
      if (name == "id" || name == "markerWord" || name.starts_with("x-")) continue;
      const auto declared = json_member(declaration->options, name);
      other = other || !declared || compact_json(*declared) != compact_json(option.value());
    }
  if (!other) return {};
  Status status = check_round_trip(*declaration, out);
  status.path.clear();
  if (!status.ok()) status.message = "with these options " + status.message;
  return status;
}

Status check_overlaps(const Protocols &active, const ToolView &tools, size_t &other) {
  for (other = 1; other < active.size(); ++other)
    for (size_t i = 0; i < other; ++i) {
      if (active[i]->declaration().empty() && active[other]->declaration().empty()) continue;
      for (const Marker &one : active[i]->openers(tools))
        for (const Marker &two : active[other]->openers(tools)) {
          if (one.wraps || two.wraps) continue;  // behind it stands an opener
          if (!one.bytes.starts_with(two.bytes) && !two.bytes.starts_with(one.bytes)) continue;
          return error(Code::json, std::string(active[other]->id()) + " begins a call with " + shown_text(two.bytes) +
                                       ", and " + std::string(active[i]->id()) + " with " + shown_text(one.bytes) +
                                       "; expected openers that differ from the first byte on");
        }
    }
  return {};
}

}  // namespace sluice
