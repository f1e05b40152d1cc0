#include "protocol/declared/template.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/reading.h"

namespace sluice {
namespace {

std::string list_of(const std::vector<std::string_view> &places) {
  std::string out;
  for (const std::string_view place : places) out.append(out.empty() ? "{" : ", {").append(place).append("}");
  return out;
}

}  // namespace

Status Template::read(std::string_view value, const std::vector<std::string_view> &places, Template &out) {
  std::string text;
  if (Status status = read_text(value, text); !status.ok()) return status;
  out.parts_.assign(1, {});
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at + 1;
    while (text[at] == '{' && end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
    if (end == at + 1 || end == text.size() || text[end] != '}') {
      out.parts_.back().text += text[at];
      continue;
    }
    const auto place = std::find(places.begin(), places.end(), std::string_view(text).substr(at + 1, end - at - 1));
    if (place == places.end())
      return error(Code::json, "found " + text.substr(at, end + 1 - at) + ", expected one of " + list_of(places));
    out.parts_.back().place = *place;
    out.parts_.emplace_back();
    at = end;
  }
  return {};
}

bool Template::has(std::string_view place) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part &part) { return part.place == place; });
}

void Template::write(const Value &value, std::string &out, const Change &defuse) const {
  std::vector<std::string> values;
  for (const Part &part : parts_) values.push_back(part.place.empty() ? std::string() : value(part.place));
  const auto joined = [&](std::string_view between, const Change &change) {
    std::string all;
    const auto add = [&](std::string text) {
      if (change) change(text);
      all += text;
    };
    for (size_t i = 0; i < parts_.size(); ++i) {
      add(parts_[i].text);
      if (parts_[i].place.empty()) continue;
      all += between;
      add(values[i]);
      all += between;
    }
    return all;
  };
  std::string plain = joined({}, {});
  if (defuse) {
    std::string changed = plain;
    defuse(changed);
    if (changed != joined({}, defuse)) plain = joined(" ", {});  // a text and a value made something together
  }
  out += plain;
}

}  // namespace sluice
