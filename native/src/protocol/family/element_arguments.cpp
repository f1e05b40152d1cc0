#include "protocol/family/element_arguments.h"

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/release.h"
#include "base/text.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

using Edges = ElementForm::Edges;

size_t newline_at_start(std::string_view text) { return text.starts_with("\r\n") ? 2 : text.starts_with('\n') ? 1 : 0; }

size_t newline_at_end(std::string_view text) { return text.ends_with("\r\n") ? 2 : text.ends_with('\n') ? 1 : 0; }

std::string_view without_edges(std::string_view text, Edges edges) {
  if (edges == Edges::kept) return text;
  const size_t start = newline_at_start(text);
  text.remove_prefix(start);
  if (edges == Edges::each || start != 0) text.remove_suffix(newline_at_end(text));
  return text;
}

// A value that the model declared as JSON. If it is not, words count as a string, which the schema judges; a value that
// lost a bracket or a quote is wrong.
bool append_json(std::string_view text, size_t depth, std::string &out) {
  std::string json;
  if (json_from_literal(text, depth, json)) {
    out += compact_json(json);
    return true;
  }
  append_text(out, text);
  const std::string_view bare = trim(text);
  return !bare.empty() && bare.find_first_of("{}[]\"'") == bare.npos;
}

bool begins_tag(std::string_view text) {
  return text.size() > 1 && text[0] == '<' && (is_word(text[1]) || text[1] == '/' || text[1] == '!');
}

struct Argument {
  std::string_view name;
  std::string json;
  size_t count = 1;
};

}  // namespace

bool append_list_of(std::string_view text, ToolView::List takes, std::string &out) {
  std::string_view rest = trim(text);
  if (rest.starts_with('[') || rest.starts_with('(')) return false;
  const bool markup = begins_tag(rest);
  const bool items = rest.starts_with("<item>");
  std::string list = "[";
  for (size_t number = 0; markup; ++number) {
    const std::string name = items ? "item" : std::to_string(number), open = '<' + name + '>', end = "</" + name + '>';
    if (!rest.starts_with(open)) return false;
    const size_t close = rest.find(end);
    if (close == rest.npos) return false;
    const std::string_view value = rest.substr(open.size(), close - open.size());
    if (begins_tag(trim(value))) return false;
    append_text(list += list.size() > 1 ? "," : "", value);
    rest = trim(rest.substr(close + end.size()));
    if (rest.empty()) return out.append(list).append("]"), true;
  }
  if (takes != ToolView::List::of_texts) return false;
  append_text(out += '[', text);
  out += ']';
  return true;
}

// If the tool has no such parameter, the only argument holds all of them, or is the text of the tool's one parameter.
void unwrap_arguments(const ElementForm &form, const ToolView &tools, size_t depth, ParsedCall &call) {
  JsonSlices members(call.arguments);
  if (!members.next()) return;
  const std::string name = members.key_text();
  const std::string_view written = members.value();
  if (members.next() || name.empty() || tools.declares(call.name, name)) return;
  if (std::find(form.wrappers.begin(), form.wrappers.end(), name) == form.wrappers.end()) return;
  std::string json(written);
  if (json_kind(written) == '"' && !json_from_literal(json_text(written), depth, json)) json = written;
  const std::string text = json_kind(json) == '"' ? tools.text_parameter(call.name) : std::string();
  if (!text.empty())
    call.arguments = '{' + json_string(text) + ':' + json + '}';
  else if (json_kind(json) == '{')
    call.arguments = compact_json(json);
}

void gather_elements(std::string_view block, const std::vector<ElementField> &fields, const ElementForm &form,
                     const ProtocolOptions &options, const ToolView &tools, size_t depth, ParsedCall &call,
                     std::vector<BlockReader::Note> &notes) {
  std::vector<Argument> arguments;
  std::map<std::string_view, size_t> places;
  const bool repeats = form.repeats && !options.first_duplicate.has_value();
  for (const ElementField &field : fields) {
    const std::string_view name = block.substr(field.name, field.name_end - field.name);
    std::string_view text = block.substr(field.value, field.value_end - field.value);
    if (!field.cdata) text = without_edges(text, form.edges);
    if (options.trim.value_or(false)) text = trim(text);
    std::string json, decoded;
    if (form.entities && !field.cdata) text = decoded = from_xml(text);
    if (field.json != ElementTag::Json::yes)
      append_text(json, text);
    else if (!append_json(text, depth - std::min<size_t>(depth, 1), json) && call.reason.empty())
      call.reason = "invalid_json";
    const auto [place, is_new] = places.try_emplace(name, arguments.size());
    if (is_new) {
      arguments.push_back({name, std::move(json)});
      continue;
    }
    Argument &before = arguments[place->second];
    if (repeats && tools.takes_list(call.name, name) != ToolView::List::no) {
      before.json.append(",").append(json);
      ++before.count;
      continue;
    }
    notes.push_back({"duplicate_argument", std::string(name), field.name});
    if (!options.first_duplicate.value_or(false)) before.json = std::move(json);
  }
  size_t size = 2;
  for (const Argument &argument : arguments) size += argument.name.size() + argument.json.size() + 6;
  call.arguments.reserve(size);
  call.arguments += '{';
  for (Argument &argument : arguments) {
    if (call.arguments.size() > 1) call.arguments += ',';
    append_text(call.arguments, argument.name);
    call.arguments += argument.count > 1 ? ":[" : ":";
    const auto takes = repeats && argument.count == 1 && json_kind(argument.json) == '"'
                           ? tools.takes_list(call.name, argument.name)
                           : ToolView::List::no;
    if (takes < ToolView::List::only || !append_list_of(json_text(argument.json), takes, call.arguments))
      call.arguments += argument.json;
    if (argument.count > 1) call.arguments += ']';
    release_text(argument.json);
  }
  call.arguments += '}';
  unwrap_arguments(form, tools, depth, call);
}

}  // namespace sluice
