// Runs twice: with simdjson, and with what stands in its place where SLUICE_SMALL is set (sluice_small).
#include "wire/json_event.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

using namespace sluice;

namespace {

using Json = nlohmann::json;
using Random = std::mt19937;

constexpr size_t kDepth = 8;

// What a view shows, as a tree: numbers as their whole part.
Json shown(const JsonView &view) {
  switch (view.kind()) {
    case '{': {
      Json object = Json::object();
      view.members([&](std::string_view key, JsonView value) { object[std::string(key)] = shown(value); });
      return object;
    }
    case '[': {
      Json array = Json::array();
      view.items([&](JsonView item) { array.push_back(shown(item)); });
      return array;
    }
    case '"': return std::string(view.string());
    case 't': return view.is_true();
    case '0': {
      const std::optional<int64_t> whole = view.integer();
      return whole ? Json(*whole) : Json("no whole number");
    }
    default: return nullptr;
  }
}

const char *const kNumbers[] = {
    "0",   "-0",  "7",        "-12", "9007199254740991", "-9007199254740992", "9223372036854775807", "1e300",
    "1.0", "1e2", "-2.50E+1", "5e-1"};
const char *const kStrings[] = {"",     "a",    "\\n", "\\u00e9",          "\xC3\xA9",
                                "\\\"", "\\\\", "\\/", "\xF0\x9F\x98\x80", "]}[{,:"};

std::string white(Random &random) {
  static const char *const all[] = {"", "", "", " ", "\n", "\t\r "};
  return all[random() % std::size(all)];
}

std::string written(Random &random, size_t depth) {
  const auto value = [&] { return white(random) + written(random, depth - 1) + white(random); };
  const auto string = [&] {
    std::string text = "\"";
    for (size_t parts = random() % 4; parts > 0; --parts) text += kStrings[random() % std::size(kStrings)];
    return text + "\"";
  };
  std::string text;
  switch (random() % (depth > 1 ? 6 : 4)) {
    case 0: return string();
    case 1: return kNumbers[random() % std::size(kNumbers)];
    case 2: return random() % 2 == 0 ? "true" : "false";
    case 3: return "null";
    case 4:
      for (size_t items = random() % 4; items > 0; --items) text += (text.empty() ? "" : ",") + value();
      return "[" + white(random) + text + "]";
    default:
      for (size_t members = random() % 4; members > 0; --members)
        text += (text.empty() ? "" : ",") + white(random) + string() + white(random) + ":" + value();
      return "{" + white(random) + text + "}";
  }
}

// Of the tree of nlohmann's, what shown() makes of a view.
Json expected(const Json &value) {
  if (value.is_number()) {
    const auto number = value.get<double>();
    return std::abs(number) < 9007199254740992.0 ? Json(static_cast<int64_t>(number)) : Json("no whole number");
  }
  if (!value.is_structured()) return value;
  Json copy = value;
  for (Json &part : copy) part = expected(part);
  return copy;
}

}  // namespace

TEST_CASE("an event's JSON shows what it says, parsed and sliced") {
  Random random(1);
  JsonEvent event(kDepth);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = white(random) + written(random, 5) + white(random);
    INFO(text);
    REQUIRE(event.read(text) == JsonEvent::Result::ok);
    const Json oracle = expected(Json::parse(text));
    REQUIRE(shown(event.root()) == oracle);
    REQUIRE(shown(event.sliced()) == oracle);
  }
}

TEST_CASE("an event that is cut or has a byte too many is no JSON") {
  Random random(2);
  JsonEvent event(kDepth);
  for (int i = 0; i < 1000; ++i) {
    std::string text = written(random, 4);
    if (random() % 2 == 0 || text.size() < 2)
      text.insert(random() % (text.size() + 1), 1, "]},:\"x\x01"[random() % 7]);
    else
      text.resize(1 + random() % (text.size() - 1));
    INFO(text);
    const bool fits = Json::accept(text);
    REQUIRE((event.read(text) == JsonEvent::Result::ok) == fits);
  }
}

TEST_CASE("an event's JSON is as deep as the limit, and no deeper") {
  JsonEvent event(kDepth);
  CHECK(event.read(std::string(kDepth, '[') + std::string(kDepth, ']')) == JsonEvent::Result::ok);
  CHECK(event.read(std::string(kDepth + 1, '[') + std::string(kDepth + 1, ']')) == JsonEvent::Result::no_json);
  CHECK(event.read(std::string(100000, '[')) == JsonEvent::Result::no_json);
}

TEST_CASE("lone surrogates and numbers of any size are legal in an event") {
  JsonEvent event(kDepth);
  REQUIRE(event.read(R"({"a":"\ud83d","b":1e400,"c":[123456789012345678901234567890]})") == JsonEvent::Result::ok);
  CHECK(event.has_surrogates());
  CHECK(event.root()["a"].string() == "\xED\xA0\xBD");
  CHECK(event.root()["b"].kind() == '0');
  CHECK_FALSE(event.root()["b"].integer());
  REQUIRE(event.read(R"(["\ud83d\ude00"])") == JsonEvent::Result::ok);
  event.root().items([](JsonView item) { CHECK(item.string() == "\xF0\x9F\x98\x80"); });
}

TEST_CASE("of an event's members with one key the last one counts; what is absent is absent") {
  JsonEvent event(kDepth);
  REQUIRE(event.read(R"({"a":1,"b":true,"\u0061":2})") == JsonEvent::Result::ok);
  CHECK(event.root()["a"].integer() == 2);
  CHECK(event.root()["b"].is_true());
  CHECK_FALSE(event.root()["c"]);
  CHECK_FALSE(event.root()["a"]["b"]);
  CHECK(event.root()["a"].string().empty());
  CHECK_FALSE(event.root().is_true());
}

TEST_CASE("an event larger than is parsed is sliced, and shows the same") {
  JsonEvent event(kDepth);
  const std::string text = R"({"long":")" + std::string(200000, 'x') + R"(","n":[1,{"deep":"\u00e9"}]})";
  REQUIRE(event.read(text) == JsonEvent::Result::ok);
  CHECK(shown(event.root()) == expected(Json::parse(text)));
}

TEST_CASE("bytes that are no UTF-8 are told from text that is no JSON") {
  JsonEvent event(kDepth);
  CHECK(event.read("\"\xFF\"") == JsonEvent::Result::no_utf8);
  CHECK(event.read("\"\xED\xA0\x80\"") == JsonEvent::Result::no_utf8);  // a surrogate
  CHECK(event.read("\"\xC0\xAF\"") == JsonEvent::Result::no_utf8);      // longer than it need be
  CHECK(event.read("\"12345678\xE2\x82\"") == JsonEvent::Result::no_utf8);
  CHECK(event.read("") == JsonEvent::Result::no_json);
  CHECK(event.read("{\"a\":\"\xE2\x82\xAC\"") == JsonEvent::Result::no_json);
}
