// A protocol that the host declares: a built-in one with other words. Data, never code.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "protocol/declared/template.h"
#include "protocol/family/family.h"
#include "protocol/own/vcp.h"

namespace sluice {

// How a definition shows the parameters of a tool.
enum class ParameterForm : uint8_t {
  schema,  // the JSON Schema
  lines,   // a line each, those of objects below
  fields,  // a JSON array of { name, type, required, description, … }
};

struct Declaration {
  std::string id;
  std::string like;
  std::string text;  // the document
  // What replaces words of `like`, by the member's path: openers, members.name, …
  std::map<std::string, std::vector<std::string>, std::less<>> words;
  Template introduction, definition, call, result;
  ParameterForm parameters = ParameterForm::schema;
  std::string results_role;    // user, tool or system; empty: as the setting says
  std::string options = "{}";  // of its uses and its trial, unless a use has others
  bool pairs = false;          // `values` is a list: of each, words has as many

  // It writes the definitions of tools in its own words.
  bool defines() const { return introduction.given() || definition.given() || call.given(); }

  const std::vector<std::string> *find(std::string_view path) const {
    const auto place = words.find(path);
    return place == words.end() ? nullptr : &place->second;
  }
  std::string_view text_of(std::string_view path) const {
    const std::vector<std::string> *const found = find(path);
    return found == nullptr ? std::string_view() : std::string_view(found->front());
  }
};

// The protocol that was declared, with the options that stand where it is chosen; those that stand in the declaration
// come first.
Status make_declared(const std::shared_ptr<const Declaration> &declaration, std::string_view config,
                     std::shared_ptr<const Protocol> &out);

// The same for a place that chooses it. Tries it if that place has options of its own.
Status make_declared_use(const std::shared_ptr<const Declaration> &declaration, std::string_view config,
                         std::shared_ptr<const Protocol> &out);

}  // namespace sluice
