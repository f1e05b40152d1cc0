#include "protocol/declared/words.h"

#include <algorithm>

#include "protocol/seal.h"

namespace sluice {
namespace {

struct FamilyWords {
  std::string_view path;
  Words Family::*words;
};
constexpr FamilyWords kLists[] = {
    {"closers", &Family::closers},    {"sections", &Family::sections}, {"sectionEnds", &Family::section_ends},
    {"turnEnds", &Family::turn_ends}, {"think", &Family::think},       {"thinkEnds", &Family::think_ends},
    {"dropped", &Family::dropped}};

struct FamilyText {
  std::string_view path;
  std::string_view Family::*text;
};
constexpr FamilyText kTexts[] = {{"tools.open", &Family::tools_open},
                                 {"tools.close", &Family::tools_close},
                                 {"results.open", &Family::results_open},
                                 {"results.close", &Family::results_close}};

}  // namespace

Words OwnFamily::keep(const std::vector<std::string> &words) {
  WordList &list = lists_.emplace_back();
  for (const std::string &word : words) list.push_back(keep(word));
  return list;
}

// Other ways to begin a call go with the openers that they belong to.
void OwnFamily::begin_with(Words openers) {
  family_.openers = openers;
  auto *const json = std::get_if<JsonCalls>(&family_.grammar);
  if (json == nullptr) return;
  std::vector<JsonOpening> &left = openings_.emplace_back();
  for (const JsonOpening &opening : json->openings)
    if (holds(openers, opening.opener)) left.push_back(opening);
  json->openings = left;
}

bool OwnFamily::set_in_grammar(std::string_view path, const std::vector<std::string> &words) {
  if (auto *const json = std::get_if<JsonCalls>(&family_.grammar)) {
    Words *const member = path == "members.name"        ? &json->names
                          : path == "members.arguments" ? &json->arguments
                          : path == "members.id"        ? &json->ids
                                                        : nullptr;
    if (member != nullptr) *member = keep(words);
    return member != nullptr;
  }
  if (auto *const named = std::get_if<NamedCalls>(&family_.grammar)) {
    if (path == "separators") named->separators = keep(words);
    return path == "separators";
  }
  std::string_view *text = nullptr;
  auto *const elements = std::get_if<AttributeElements>(&family_.grammar);
  if (elements != nullptr && path == "tags.call") {  // its tags are the opener and the closer
    const std::string name = std::string(elements->form.prefix) + words.front();
    elements->call = keep(words.front());
    begin_with(keep(std::vector{std::string(elements->tag_open) + name}));
    family_.closers = keep(std::vector{std::string(elements->tag_close) + name + std::string(elements->tag_end)});
    return true;
  }
  if (elements != nullptr)
    text = path == "tags.parameter"       ? &elements->parameter
           : path == "tags.callName"      ? &elements->call_name
           : path == "tags.parameterName" ? &elements->parameter_name
                                          : nullptr;
  if (auto *const pairs = std::get_if<PairElements>(&family_.grammar))
    text = path == "tags.key" ? &pairs->key : path == "tags.value" && !pairs->value.empty() ? &pairs->value : nullptr;
  if (text != nullptr) *text = keep(words.front());
  return text != nullptr;
}

bool OwnFamily::set(std::string_view path, const std::vector<std::string> &words) {
  if (std::holds_alternative<AttributeElements>(family_.grammar) && (path == "openers" || path == "closers"))
    return false;
  auto *const named = std::get_if<NamedCalls>(&family_.grammar);
  const bool sectioned = named != nullptr && !named->sections.empty();  // a section's mark is an opener there
  if (path == "openers" || (path == "sections" && sectioned)) {
    std::vector<std::string> all;
    if (sectioned) {
      const Words sections = path == "sections" ? keep(words) : named->sections;
      all.assign(sections.begin(), sections.end());
      if (path == "sections")
        for (const std::string_view opener : family_.openers)
          if (!holds(named->sections, opener)) all.emplace_back(opener);
      named->sections = sections;
    }
    if (path == "openers") all.insert(all.end(), words.begin(), words.end());
    begin_with(keep(all));
    return true;
  }
  for (const auto &[name, list] : kLists)
    if (name == path) return family_.*list = keep(words), true;
  for (const auto &[name, text] : kTexts)
    if (name == path) return family_.*text = keep(words.front()), true;
  return set_in_grammar(path, words);
}

void OwnFamily::seal(std::string_view seal) {
  if (seal.empty()) return;
  std::vector<std::string> all;
  for (const std::string_view word : family_.openers) all.push_back(sealed(word, seal));
  family_.openers = keep(all);
}

namespace {

// Half of each pair around values: the declaration checked that there are as many of the other half.
void set_pairs(std::string VcpPair::*half, const std::vector<std::string> &words, VcpWords &out) {
  out.values.resize(words.size());
  for (size_t i = 0; i < words.size(); ++i) out.values[i].*half = words[i];
  out.loose.clear();
}

}  // namespace

bool set_vcp_words(std::string_view path, const std::vector<std::string> &words, VcpWords &out) {
  if (path == "reserved") return out.reserved = words, true;
  if (path == "values.open") return set_pairs(&VcpPair::open, words, out), true;
  if (path == "values.close") return set_pairs(&VcpPair::close, words, out), true;
  std::string *const text = path == "openers"         ? &out.start
                            : path == "closers"       ? &out.end
                            : path == "escapes.open"  ? &out.open_escape
                            : path == "escapes.close" ? &out.close_escape
                            : path == "members.name"  ? &out.name
                                                      : nullptr;
  if (text == nullptr || words.size() != 1) return false;
  *text = words.front();
  return true;
}

void settle_angles(VcpWords &words) {
  words.in_angles = true;
  for (const std::string *marker : {&words.start, &words.end})
    words.in_angles = words.in_angles && marker->size() > 8 && marker->starts_with("<<<[") && marker->ends_with("]>>>");
  if (!words.in_angles) return;
  for (std::string *marker : {&words.start, &words.end}) *marker = marker->substr(3, marker->size() - 6);
}

std::string_view fixed_words(const Family &family) {
  if (family.bare) return "its calls begin with brackets that ordinary text holds as well";
  if (family.suffixed) return "its markers end in a suffix that differs by model";
  if (family.prompted || !family.header.open.empty()) return "its prompt ends in its markers";
  if (family.openers.empty()) return "the names of tools are its markers";
  const Grammar &grammar = family.grammar;
  if (std::holds_alternative<HarmonyCalls>(grammar) || std::holds_alternative<GemmaCalls>(grammar))
    return "its markers are a part of its grammar";
  if (std::any_of(family.openers.begin(), family.openers.end(), is_fence)) return "its calls are fences";
  return {};
}

}  // namespace sluice
