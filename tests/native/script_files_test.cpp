// The reader of pages of scripts: every row and every error of tests/vectors/reader-cases.md.
#include "script_files.h"

#include <catch2/catch.hpp>

#include "script_runner.h"

using namespace sluice_test;

namespace {

// The rows that say what comes of a page.
Json rows_of(const std::string &page) {
  static const Json kEngines = {{"one", {{"tools", Json::array()}}}, {"two", Json::object()}};
  Json rows = Json::array();
  try {
    for (const ScriptFile &one : scripts_of_page(page, "folder/texts.md", kEngines))
      rows.push_back({{"script", one.script}});
  } catch (const std::runtime_error &error) {
    rows.push_back({{"error", error.what()}});
  }
  return rows;
}

}  // namespace

TEST_CASE("pages of scripts are read as their rows say") {
  const std::string file = "reader-cases.md";
  const Page page = read_page(read_file(tests_folder() / "vectors" / file), file);
  CHECK(page.cases.size() > 30);
  for (const PageCase &one : page.cases) {
    INFO(file << ":" << one.line << " " << one.title);
    Json expected = Json::array();
    for (const PageLine &row : one.rows) {
      const std::string word = row.text.substr(0, row.text.find(' ')), rest = row.text.substr(word.size() + 1);
      expected.push_back({{word, word == "script" ? Json::parse(rest) : Json(rest)}});
    }
    CHECK(rows_of(one.text.value()) == expected);
  }
}
