// Reads the shared scripts of tests/vectors: JSON files, and the cases of pages `texts.md`. tests/README.md describes
// both.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversation.h"

namespace sluice_test {

struct ScriptFile {
  std::string name;   // mimo/cut.json, or mimo#cut of a case
  std::string path;   // below tests/vectors
  std::string place;  // the file, and of a case the line: what a failure prints
  Json script;
};

// Every shared script, or with SLUICE_SCRIPT those whose path contains it; mimo#cut chooses one case. Throws what a
// reader throws.
std::vector<ScriptFile> script_files();

struct PageLine {
  size_t number;
  std::string text;
};

struct PageCase {
  std::string title, about;
  size_t line;
  std::optional<std::string> text;
  std::vector<PageLine> rows;  // the lines that are not the text
};

struct Page {
  std::vector<PageLine> head;  // the lines before the first case
  std::vector<PageCase> cases;
};

// Both throw std::runtime_error: `file:line: expected …`. `file` is used in errors only.
Page read_page(std::string_view text, const std::string &file);
// The cases of a page as scripts: feed the text, finish, look at the events and at the message.
std::vector<ScriptFile> scripts_of_page(std::string_view text, const std::string &file, const Json &engines);

}  // namespace sluice_test
