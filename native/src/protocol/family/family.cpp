#include "protocol/family/family.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "protocol/family/bars.h"
#include "protocol/harmless.h"
#include "protocol/tool_text.h"
#include "protocol/xml_text.h"

namespace sluice {

constexpr size_t kLongestHeader = 256;

// In an end tag white space may stand before the bracket.
Fit FamilyReader::fit_mark(std::string_view rest, std::string_view word, size_t &length) {
  if (begins_otherwise(rest, word)) return Fit::no;
  if (word.find(kBars) != word.npos) return fit_barred(rest, word, length);
  length = word.size();
  if (rest.starts_with(word)) return Fit::yes;
  if (word.starts_with(rest)) return Fit::partial;
  if (!word.starts_with("</") || !word.ends_with('>') || !rest.starts_with(word.substr(0, word.size() - 1)))
    return Fit::no;
  --length;
  while (length < rest.size() && is_white(rest[length]) && length < word.size() + kLongestBetween) ++length;
  if (length == rest.size()) return Fit::partial;
  return rest[length++] == '>' ? Fit::yes : Fit::no;
}

Fit FamilyReader::fit(std::string_view rest, Words words, size_t &length) {
  Fit best = Fit::no;
  length = 0;
  bool partial = false;
  for (const std::string_view word : words) {
    size_t taken = 0;
    const Fit found = fit_mark(rest, word, taken);
    if (found == Fit::yes) {
      if (best == Fit::no || taken > length) length = taken;
      best = Fit::yes;
    }
    partial = partial || found == Fit::partial;
  }
  return best == Fit::no && partial ? Fit::partial : best;
}

// [sections] opener, and sometimes the opener twice.
BlockReader::State FamilyReader::read(std::string_view block, bool ended) {
  if (led_) return body(block, ended);
  const auto may_grow = [ended](std::string_view rest, Words words) {
    return !ended && std::any_of(words.begin(), words.end(), [rest](std::string_view word) {
      return word.size() > rest.size() && word.starts_with(rest);
    });
  };
  if (!family_.header.open.empty() &&
      (block.starts_with(family_.header.open) || trim(block).starts_with(family_.header.address)))
    return header(block, ended);
  size_t length = 0, dropped = 0;
  if (fit(block, family_.turn_starts, length) == Fit::yes) {
    end = length;
    reasoning = family_.starts_in_reasoning;
    return State::markup;
  }
  const bool thinks = fit(block, family_.think, length) == Fit::yes;
  if (fit(block, family_.dropped, dropped) == Fit::yes || thinks) {
    if (may_grow(block, family_.think) || may_grow(block, family_.dropped)) return State::open;
    end = std::max(length, dropped);
    reasoning = length > dropped;
    return State::markup;
  }
  const bool next = fit(block, family_.next_openers, length) == Fit::yes;
  if (next && !follows) return reject({}, 0);
  if (next || fit(block, family_.first_openers, length) == Fit::yes) {
    opened_ = led_ = true;
    at_ = payload_ = length;
    return body(block, ended);
  }
  if (at_ != 0) skip_white(block);
  Fit section = Fit::no, wrapper = Fit::no;
  while (!opened_ && payload_ == 0 && (wrapper = fit(block.substr(at_), family_.wrappers, length)) == Fit::yes) {
    at_ += length;
    skip_white(block);
  }
  while (!opened_ && (section = fit(block.substr(at_), family_.sections, length)) == Fit::yes) {
    at_ += length;
    skip_white(block);
    payload_ = at_;
  }
  for (;;) {
    if (may_grow(block.substr(at_), family_.openers)) return State::open;
    const Fit opener = fit(block.substr(at_), family_.openers, length);
    if (opener == Fit::partial && !ended) return State::open;
    if (opener != Fit::yes) {
      if (opened_ || family_.openers.empty() || (family_.prompted && at_ == 0)) break;
      if ((section == Fit::partial || wrapper == Fit::partial) && !ended) return State::open;
      if (payload_ == 0 && at_ != 0) return reject({}, at_);  // nothing but a tag of another format
      if (payload_ != 0 && at_ < block.size() && leads(block[at_])) break;
      return reject("missing_tool_name", at_);
    }
    opened_ = true;
    payload_ = at_ += length;
    if (block[at_ - 1] != '>') break;  // only a tag is sometimes written twice
    skip_white(block);
  }
  led_ = true;
  at_ = payload_;
  return body(block, ended);
}

BlockReader::State FamilyReader::header(std::string_view block, bool ended) {
  const Header &header = family_.header;
  const size_t close = block.find(header.close);
  std::string_view said = block.substr(0, close);
  for (size_t part = header.close.size() - 1; close == block.npos && part != 0; --part)  // it may end in half a closer
    if (said.ends_with(header.close.substr(0, part))) {
      said.remove_suffix(part);
      break;
    }
  if (said.size() > kLongestHeader || said.find('\n') != said.npos) return reject({}, block.size());
  if (close == block.npos) return ended ? reject({}, block.size()) : State::open;
  end = close + header.close.size();
  reasoning = said.ends_with(std::string(header.address).append(header.thinking));
  return State::markup;
}

FamilyReader::Behind FamilyReader::look_behind(std::string_view block, size_t at, bool ended, bool plain) {
  bool comma = false;
  for (size_t next = at; next < block.size(); ++next) {
    if (next - at > kLongestBetween) return Behind::end;
    const char c = block[next];
    if (is_white(c)) continue;
    if (c == '"' && (comma || !plain)) return Behind::more;
    if ((c == ':' || c == '}') && !comma && !plain) return Behind::more;
    if (c != ',' || comma) return Behind::end;
    comma = true;
  }
  return ended ? Behind::end : Behind::wait;
}

void FamilyReader::cut(std::string_view block, std::string_view reason) {
  end = at_ = block.size();
  close(block, reason);
}

namespace {

void append_line(std::string &out, std::string_view line) {
  out += line;
  if (!line.empty() && line.back() != '\n') out += '\n';
}

// <NAME>, and <NAME with something behind it: which names there are is not known here, so that every tag breaks. A tool
// may well be called `search` or `time`: HTML elements are no exception.
void break_every_tag(std::string &text) {
  std::string out;
  size_t from = 0;
  for (size_t at = 0; (at = text.find('<', at)) != text.npos; ++at) {
    if (at + 1 == text.size() || !is_word(text[at + 1])) continue;
    out.append(text, from, at + 1 - from).append(" ");
    from = at + 1;
  }
  if (from != 0) text = out.append(text, from);
}

// call:NAME{ becomes call: NAME{, which is no call.
void break_gemma_calls(std::string &text) {
  std::string out;
  size_t from = 0;
  for (size_t at = 0; (at = text.find(kGemmaCall, at)) != text.npos;) {
    size_t end = at;
    while (end < text.size() && !is_white(text[end]) && text[end] != '{') ++end;
    const bool call = end < text.size() && text[end] == '{';
    for (; call && at < end; at = text.find(kGemmaCall, at)) {
      at += kGemmaCall.size();
      out.append(text, from, at - from).append(" ");
      from = at;
    }
    at = std::max(at, end);
  }
  if (from != 0) text = out.append(text, from);
}

// [f( becomes [\f(, which is no call.
void break_list_of_calls(std::string &text) {
  const auto in_name = [](char c) {
    return !is_white(c) && std::string_view("[](){}<>,:;=\"'`\\").find(c) == std::string_view::npos;
  };
  std::string out;
  size_t from = 0;
  for (size_t at = 0; (at = text.find('[', at)) != text.npos; ++at) {
    size_t name = at + 1;
    while (name < text.size() && is_white(text[name])) ++name;
    size_t behind = name;
    while (behind < text.size() && in_name(text[behind])) ++behind;
    size_t call = behind;
    while (call < text.size() && is_white(text[call])) ++call;
    if (behind == name || call == text.size() || text[call] != '(') continue;
    out.append(text, from, name - from).append("\\");
    from = name;
  }
  if (from != 0) text = out.append(text, from);
}

// An answer that begins with NAME and an object on the next line is a call: the name's line gets a blank at its end.
void break_prompted_calls(std::string &text) {
  std::string out;
  size_t from = 0;
  for (size_t at = 0; (at = text.find('\n', at)) != text.npos; ++at) {
    size_t next = at;
    while (next < text.size() && is_white(text[next])) ++next;
    if (at == 0 || is_white(text[at - 1]) || next == text.size() || text[next] != '{') continue;
    out.append(text, from, at - from).append(" ");
    from = at;
  }
  if (from != 0) text = out.append(text, from);
}

// A line that begins with NAME( may be all that an answer says: it becomes NAME (, which is no call.
void break_answers(std::string &text) {
  std::string out;
  size_t from = 0;
  for (size_t line = 0; line < text.size(); line = std::min(text.find('\n', line), text.size() - 1) + 1) {
    size_t at = line;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    const size_t name = at;
    while (at < text.size() && text[at] != '\n' && !is_white(text[at]) && text[at] != '(') ++at;
    if (at == name || at == text.size() || text[at] != '(') continue;
    out.append(text, from, at - from).append(" ");
    from = at;
  }
  if (from != 0) text = out.append(text, from);
}

// The bytes that may follow the bracket of a list of calls: a digit (of a footnote) only if a tool's name begins with
// it.
std::string behind_bracket(const std::vector<std::string_view> &names) {
  std::string out;
  for (int c = 0; c < 256; ++c) {
    const auto begins = [c](std::string_view name) { return name.starts_with(static_cast<char>(c)); };
    if (c < '0' || c > '9' || names.empty() || std::any_of(names.begin(), names.end(), begins))
      out += static_cast<char>(c);
  }
  return out;
}

// The part of a mark that does not depend on the tool's name: <|start|> of <|start|>functions.{name}…
std::string_view fixed_part(std::string_view mark) {
  const size_t name = mark.find('{');
  return name == mark.npos ? mark : mark.substr(0, mark.substr(0, name).rfind('>') + 1);
}

class FamilyProtocol final : public Protocol {
 public:
  FamilyProtocol(const Family &family, const ProtocolOptions &options)
      : family_(family), options_(options), wrappers_(wrappers_of(family)) {
    family_.wrappers = wrappers_.begin;
    family_.wrapper_ends = wrappers_.end;
    const auto *const elements = std::get_if<AttributeElements>(&family.grammar);
    if (elements != nullptr && elements->form.bars) bars_ = std::make_unique<BarredWords>(family);
  }

  std::string_view id() const override { return family_.id; }
  CodeMode code() const override {
    return options_.code.value_or(family_.fences.empty() ? CodeMode::ignore : CodeMode::whole);
  }
  bool reads_fence(std::string_view word) const override {
    const Words fences = family_.fences;
    return fences.empty() ? Protocol::reads_fence(word) : std::find(fences.begin(), fences.end(), word) != fences.end();
  }
  std::vector<Marker> openers(const ToolView &tools) const override;
  std::vector<Marker> closers(const ToolView &tools) const override;
  std::vector<Marker> closers_of(std::string_view opener) const override;
  std::vector<Marker> trailers() const override {
    std::vector<Marker> out =
        markers({&family_.closers, &family_.section_ends, &family_.wrapper_ends, &family_.turn_ends, &family_.noise});
    if (bars_)
      for (Marker &marker : markers({&bars_->unmarked().closers, &bars_->unmarked().section_ends}))
        out.push_back(std::move(marker));
    std::erase_if(out, [](const Marker &marker) { return marker.bytes.ends_with(kFence); });  // the next fence
    return out;
  }
  std::vector<Marker> turn_ends() const override { return markers({&family_.turn_ends}); }
  std::vector<Marker> result_markers() const override;
  std::vector<Marker> reasoning_closers() const override { return markers({&family_.think_ends}); }
  bool thinks() const override { return true; }
  bool has_channels() const override { return family_.channels; }
  bool called_in_reasoning() const override { return true; }
  bool starts_in_reasoning() const override { return family_.starts_in_reasoning; }
  std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const override {
    if (family_.suffixed) return make_suffixed_reader(family_, options_, tools, limits);
    if (bars_) return make_barred_reader(*bars_, options_, tools, limits);
    if (family_.answers) return make_answer_reader(family_, options_, tools, limits);
    const bool fenced = std::any_of(family_.openers.begin(), family_.openers.end(), is_fence);
    return (fenced ? make_fenced_reader : make_family_reader)(family_, options_, tools, limits);
  }

  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override {
    const CallText call{id, name, arguments};
    std::visit([&](const auto &grammar) { sluice::write_call(family_, grammar, call, out); }, family_.grammar);
  }
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override;

 private:
  std::vector<std::string_view> names_behind_opener(const ToolView &tools) const {
    std::vector<std::string_view> out = tools.names();
    const auto *named = std::get_if<NamedCalls>(&family_.grammar);
    if (named && !named->text_name.empty()) out.push_back(named->text_name);
    return out;
  }
  // The words in each spelling of their bars.
  std::vector<Marker> spelled(std::initializer_list<const Words *> lists) const {
    std::vector<Marker> out;
    for (const Marker &marker : markers(lists))
      for (std::string &word : spell_bars(marker.bytes)) out.push_back({std::move(word)});
    return out;
  }
  // Ordinary text holds the opener as well.
  bool is_plain(std::string_view opener) const {
    const auto *const json = std::get_if<JsonCalls>(&family_.grammar);
    return json != nullptr && std::any_of(json->openings.begin(), json->openings.end(), [opener](const auto &opening) {
             return opening.plain && opening.opener == opener;
           });
  }
  bool names_are_tags() const {
    return family_.sections.empty() && family_.openers.empty() && family_.think.empty() && family_.dropped.empty();
  }
  void append_result_open(const ResultText &result, const Defuse &defuse, std::string &out) const;
  void break_markers(std::string &text) const;
  static std::vector<Marker> markers(std::initializer_list<const Words *> lists) {
    std::vector<Marker> out;
    for (const Words *words : lists)
      for (const std::string_view word : *words) out.push_back({std::string(word)});
    return out;
  }

  Family family_;
  const ProtocolOptions options_;
  const Wrappers wrappers_;
  std::unique_ptr<const BarredWords> bars_;  // where the bars of the prefix may be other ones
};

std::vector<Marker> FamilyProtocol::openers(const ToolView &tools) const {
  std::vector<Marker> out = markers({&family_.sections, &family_.openers, &family_.think, &family_.dropped});
  if (bars_) {  // how a tag with a prefix begins, and whole tags without one
    out.clear();
    for (const std::string &stem : bars_->stems("<")) out.push_back({stem});
    for (const std::string &stem : bars_->stems("</")) out.push_back({.bytes = stem, .common = true});
    for (Marker &marker : markers({&bars_->unmarked().openers, &family_.dropped, &family_.think})) {
      marker.common = true;
      out.push_back(std::move(marker));
    }
    if (!bars_->unmarked().openers.empty())
      for (const std::string_view word : bars_->unmarked().sections)
        if (word.find(kBars) == word.npos) out.push_back({.bytes = std::string(word), .common = true});
  }
  if (family_.bare)
    for (Marker &marker : out) {
      marker.common = marker.bytes.size() == 1;
      if (marker.common && std::holds_alternative<JsonCalls>(family_.grammar))
        marker.next = marker.bytes == "{" ? "\"'" : "{";
      if (marker.common && std::holds_alternative<PythonCalls>(family_.grammar))
        marker.next = behind_bracket(tools.names());
    }
  for (Marker &marker : out)
    marker.common = marker.common || marker.bytes == kGemmaCall || is_fence(marker.bytes) || is_plain(marker.bytes);
  if (code() == CodeMode::ignore) std::erase_if(out, [](const Marker &marker) { return is_fence(marker.bytes); });
  for (Marker &marker : out) marker.fence = is_fence(marker.bytes);
  for (const std::string_view word : family_.wrappers) out.push_back({.bytes = std::string(word), .wraps = true});
  for (const std::string_view word : family_.turn_starts) out.push_back({.bytes = std::string(word), .first = true});
  for (const std::string_view word : family_.first_openers)
    out.push_back({.bytes = std::string(word), .common = true, .first = true});
  for (const std::string_view word : family_.next_openers) out.push_back({.bytes = std::string(word), .common = true});
  if (family_.answers)
    for (const std::string_view name : tools.names())
      out.push_back({.bytes = std::string(name) + "(", .common = true, .first = true});
  if (const Header &header = family_.header; !header.open.empty()) {
    out.push_back({std::string(header.open)});
    for (const char *const before : {"", " "})
      out.push_back({.bytes = before + std::string(header.address), .common = true, .first = true});
  }
  if (family_.suffixed)
    for (const auto &words : {suffixed_openers(family_), suffixed_section_ends(family_)})
      for (const std::string &word : words) out.push_back({word});
  if (family_.prompted)
    for (const std::string_view name : names_behind_opener(tools))
      out.push_back({.bytes = std::string(name) + "\n", .common = true, .first = true});
  if (names_are_tags())
    for (const std::string_view name : tools.names())
      for (const std::string_view behind : {">", "/", " ", "\n", "\t"})
        out.push_back({"<" + std::string(name) + std::string(behind)});
  return out;
}

std::vector<Marker> FamilyProtocol::closers(const ToolView &tools) const {
  std::vector<Marker> out =
      family_.closers.empty() ? markers({&family_.section_ends, &family_.turn_ends}) : markers({&family_.closers});
  if (bars_) out = spelled({&bars_->barred().closers, &bars_->unmarked().closers});
  if (names_are_tags())
    for (const std::string_view name : tools.names()) out.push_back({"</" + std::string(name) + ">"});
  return out;
}

// Empty for a bare family, and for one whose text stands between the same marks: closers tell nothing there.
std::vector<Marker> FamilyProtocol::closers_of(std::string_view opener) const {
  if (family_.bare || !family_.header.open.empty() || std::holds_alternative<HarmonyCalls>(family_.grammar)) return {};
  if (std::string_view("<[]").find(opener.front()) == opener.npos || is_plain(opener)) return {};
  if (bars_) return spelled({&bars_->barred().section_ends, &bars_->barred().closers});
  const auto is_one = [opener](Words words) { return std::find(words.begin(), words.end(), opener) != words.end(); };
  if (const auto *named = std::get_if<NamedCalls>(&family_.grammar);
      is_one(family_.sections) || (named != nullptr && is_one(named->sections)))
    return markers({&family_.section_ends});
  if (!is_one(family_.openers)) return {};
  if (const auto *json = std::get_if<JsonCalls>(&family_.grammar))
    for (const JsonOpening &opening : json->openings)
      if (opening.opener == opener && !opening.closer.empty()) return {{std::string(opening.closer)}};
  return markers({family_.closers.empty() ? &family_.section_ends : &family_.closers});
}

// A mark that models write to stop where the result comes is no result yet.
std::vector<Marker> FamilyProtocol::result_markers() const {
  std::vector<Marker> out;
  for (const auto &[word, close] :
       {std::pair{family_.results_open, family_.results_close}, std::pair{family_.result_open, family_.result_close}}) {
    const std::string_view mark = trim(fixed_part(word)), end = trim(close);
    const Words ends = family_.section_ends;
    if (std::find(ends.begin(), ends.end(), mark) != ends.end())
      out.insert(out.end(),
                 {{std::string(end)}, {.bytes = std::string(word.substr(0, word.find('{'))), .end = std::string(end)}});
    else
      add_result_marker(mark, end, out);
  }
  return out;
}

// ---- writing ----

void FamilyProtocol::write_definitions(const std::vector<ToolText> &tools, std::string &out) const {
  if (tools.empty()) return;
  const ToolText &shown = example_tool(tools);
  std::string example;
  write_call("call_1", shown.name, example_arguments(shown.parameters), example);
  introduce_calls(example, out);
  out += "The tools, each as JSON with the schema of its arguments:\n";
  append_line(out, family_.tools_open);
  const Defuse defuse = [this](std::string &text) { this->defuse(text); };
  std::deque<std::string> owned;
  for (const ToolText &tool : harmless_tools(tools, defuse, owned)) {
    write_tool_json(tool, out);
    out += '\n';
  }
  append_line(out, family_.tools_close);
}

void FamilyProtocol::write_results(const std::vector<ResultText> &results, const Protocols &active,
                                   std::string &out) const {
  const Defuse defuse = defuse_all(active, *this);
  out += family_.results_open;
  for (const ResultText &result : results) {
    append_result_open(result, defuse, out);
    write_result_json(result, defuse, out);
    out += family_.result_close;
    if (out.back() != '\n') out += '\n';
  }
  out += family_.results_close;
}

// Some formats name the tool or the call in a result's header.
void FamilyProtocol::append_result_open(const ResultText &result, const Defuse &defuse, std::string &out) const {
  std::string_view open = family_.result_open;
  for (size_t at; (at = open.find('{')) != open.npos; open.remove_prefix(open.find('}') + 1)) {
    out += open.substr(0, at);
    open.remove_prefix(at);
    out += harmless_name(open.starts_with("{name}") ? result.tool : result.call_id, defuse);
  }
  out += open;
}

// Every marker is broken behind its first code point. In a bare family, whose calls have no markers, the shape is
// broken.
void FamilyProtocol::defuse(std::string &text) const {
  break_markers(text);
  if (!family_.bare) return;
  if (const auto *json = std::get_if<JsonCalls>(&family_.grammar)) break_bare_calls(text, *json);
  if (std::holds_alternative<PythonCalls>(family_.grammar)) break_list_of_calls(text);
}

void FamilyProtocol::break_markers(std::string &text) const {
  for (const Words *words :
       {&family_.sections, &family_.openers, &family_.closers, &family_.section_ends, &family_.turn_ends,
        &family_.turn_starts, &family_.next_openers, &family_.think, &family_.think_ends, &family_.dropped})
    for (const std::string_view word : *words)
      if (word != kGemmaCall) break_marker(text, word);
  for (const std::string_view word :
       {family_.tools_open, family_.tools_close, family_.results_open, family_.results_close, family_.result_open,
        family_.result_close, family_.header.open})
    break_marker(text, fixed_part(word));
  if (family_.suffixed)
    for (const auto &words : {suffixed_openers(family_), suffixed_section_ends(family_)})
      for (const std::string &word : words) break_marker(text, word);
  if (bars_) {
    break_barred_tags(text, std::get<AttributeElements>(family_.grammar).form.prefix);
    for (const Words *words : {&bars_->unmarked().openers, &bars_->unmarked().closers, &bars_->unmarked().section_ends})
      for (const std::string_view word : *words) break_marker(text, word);
    for (const std::string_view word : bars_->unmarked().sections)
      if (word.find(kBars) == word.npos) break_marker(text, word);
  }
  if (names_are_tags()) break_every_tag(text);
  if (family_.prompted) break_prompted_calls(text);
  if (family_.answers) break_answers(text);
  const Words openers = family_.openers;
  if (std::find(openers.begin(), openers.end(), kGemmaCall) != openers.end()) break_gemma_calls(text);
}

}  // namespace

std::unique_ptr<BlockReader> make_family_reader(const Family &family, const ProtocolOptions &options,
                                                const ToolView &tools, const ScanLimits &limits) {
  return std::visit([&](const auto &grammar) { return make_reader(family, grammar, options, tools, limits); },
                    family.grammar);
}

std::shared_ptr<const Protocol> make_family(const Family &family, const ProtocolOptions &options) {
  return std::make_shared<FamilyProtocol>(family, options);
}

}  // namespace sluice
