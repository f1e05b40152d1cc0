#include <catch2/catch.hpp>
#include <map>

#include "base/ascii.h"
#include "base/json.h"
#include "base/reading.h"
#include "base/sha256.h"
#include "base/shared_text.h"
#include "base/utf8.h"

using namespace sluice;

TEST_CASE("bytes are of the classes that their names say") {
  const auto is_in = [](std::string_view list, char c) { return list.find(c) != list.npos; };
  const std::string_view small = "abcdefghijklmnopqrstuvwxyz", capital = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                         digits = "0123456789";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    INFO(byte);
    const bool letter = is_in(small, c) || is_in(capital, c);
    CHECK(is_digit(c) == is_in(digits, c));
    CHECK(is_hex_digit(c) == is_in("0123456789abcdefABCDEF", c));
    CHECK(is_small_letter(c) == is_in(small, c));
    CHECK(is_letter(c) == letter);
    CHECK(begins_word(c) == (letter || c == '_' || byte >= 0x80));
    CHECK(is_word(c) == (letter || is_in(digits, c) || c == '_' || byte >= 0x80));
    CHECK(in_identifier(c) == (letter || is_in(digits, c) || is_in("_-", c)));
    CHECK(is_blank(c) == is_in(" \t\v\f", c));
  }
}

TEST_CASE("JSON is accepted by its grammar, whatever the size of its numbers") {
  for (const char *text : {"0", " -0.5e+10 ", "1e999", "123456789012345678901234567890", "\"\\ud800\"", "[]", "{}",
                           "{\"a\":[1,{\"b\":null}],\"a\":true}", "\"\xE4\xBD\xA0\"", "[1 , 2\n]"})
    CHECK(check_json(text, 8).ok());
  for (const char *text : {"",         " ",     "01",    "1.",       "-",       "+1",          "1e",  "[1,]", "{\"a\"}",
                           "{\"a\":}", "{a:1}", "[1 2]", "\"\x01\"", "\"\\x\"", "\"\\u12g4\"", "\"",  "tru",  "nulll",
                           "{} {}",    "[",     "{",     "\xFF",     "]",       "{\"a\":1,}",  "\"\\"})
    CHECK(check_json(text, 8).code == Code::json);
  CHECK(check_json(std::string_view("\"\\\0\"", 4), 8).code == Code::json);
  CHECK(check_json("\"\\u12 4\"", 8).code == Code::json);
}

TEST_CASE("JSON that was cut is told from JSON that is wrong") {
  bool cut = false;
  for (const char *text :
       {"", "{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":tr", "[1,", "[1", "-", "1.", "\"\\", "\"\\u12"}) {
    CHECK_FALSE(check_json(text, 8, &cut).ok());
    CHECK(cut);
  }
  for (const char *text : {"{a", "[1 2", "trx", "{} {", "01", "{\"a\":1,}"}) {
    CHECK_FALSE(check_json(text, 8, &cut).ok());
    CHECK_FALSE(cut);
  }
}

TEST_CASE("JSON deeper than the limit is refused without recursion") {
  CHECK(check_json("[[[]]]", 3).ok());
  CHECK(check_json("[[[]]]", 2).message == "nested deeper than 2 at byte 2");
  CHECK(check_json(std::string(5000000, '['), 128).code == Code::json);
}

TEST_CASE("an error of JSON says what was found and what was expected") {
  CHECK(check_json("{\"a\":\"\xE4\xBD\xA0\xFF\"}", 8).message == "expected UTF-8 at byte 9");
  CHECK(check_json("\"\xE4\xBD", 8).message == "expected UTF-8 at byte 1");
  CHECK(check_json("[1 2]", 8).message == "expected ',' or ']' at byte 3, found '2'");
  CHECK(check_json("{\"a\":", 8).message == "expected a value at byte 5, found the end of the text");
  CHECK(check_json("1 1", 8).message == "expected nothing more at byte 2, found '1'");
}

TEST_CASE("slices are the text as it was written") {
  const std::string text = R"( { "a" : 1.50 , "b\u0062":[ 1, {"x":"},]\"\\"} ] ,"c":"\\" } )";
  JsonSlices members(text);
  REQUIRE(members.next());
  CHECK(members.key() == "\"a\"");
  CHECK(members.value() == "1.50");
  REQUIRE(members.next());
  CHECK(members.key_text() == "bb");
  CHECK(members.value() == R"([ 1, {"x":"},]\"\\"} ])");
  REQUIRE(members.next());
  CHECK(members.value() == R"("\\")");
  CHECK_FALSE(members.next());
  CHECK(json_member(text, "bb").has_value());
  CHECK_FALSE(json_member(text, "d").has_value());
  CHECK_FALSE(json_member("[1]", "d").has_value());
  JsonSlices lines("[[\t1\r\n]]");
  REQUIRE(lines.next());
  CHECK(lines.value() == "[\t1\r\n]");
}

TEST_CASE("a half of a surrogate pair stands alone where what follows is no other half") {
  CHECK(json_text(R"("\ud83d\uffff")") == "\xEF\xBF\xBD\xEF\xBF\xBF");
}

TEST_CASE("a value that is shown has one line, and a number beyond any range is no whole one") {
  const std::string text = shown("[\n" + std::string(5000, ' ') + "]");
  CHECK(text.starts_with("[  "));
  CHECK(text.size() < 100);
  int64_t number = 0;
  CHECK_FALSE(read_whole("1e999", 0, 10, number).ok());
}

TEST_CASE("compact JSON keeps order, numbers and escapes, and settles members that stand twice") {
  CHECK(compact_json(R"( { "b" : 1.0 , "a" : "\u0041" , "b" : [ 12345678901234567890123 ] } )") ==
        R"({"b":[12345678901234567890123],"a":"\u0041"})");
}

TEST_CASE("canonical JSON is one spelling for equal values") {
  CHECK(canonical_json(R"({"b":[1, 2],"a":"\u0041\n\u00e9"})") == "{\"a\":\"A\\n\xC3\xA9\",\"b\":[1,2]}");
  CHECK(canonical_json(R"("\ud83d\ude00")") == "\"\xF0\x9F\x98\x80\"");
  CHECK(canonical_json(R"(["\uD800","\ufffd"])") == "[\"\\ud800\",\"\xEF\xBF\xBD\"]");
  CHECK(canonical_json("\"\\n\xED\x95\x9C\"") == "\"\\n\xED\x95\x9C\"");
  CHECK(canonical_json("{}") == "{}");
  CHECK(canonical_json("[{},[]]") == "[{},[]]");
}

TEST_CASE("strings are written with every escape that JSON needs") {
  CHECK(json_string("a\"\\\n\x01\xC3\xA9") == "\"a\\\"\\\\\\n\\u0001\xC3\xA9\"");
}

TEST_CASE("every byte is escaped alike at every place of a text") {
  const std::string hex = "0123456789abcdef";
  const std::map<char, std::string> letters = {{'\b', "b"}, {'\f', "f"}, {'\n', "n"}, {'\r', "r"},
                                               {'\t', "t"}, {'"', "\""}, {'\\', "\\"}};
  for (const std::string fill : {"x", "\xC3\xA9", "\"", "\x7F"}) {
    for (int byte = 0; byte < 0x80; ++byte) {
      const char c = static_cast<char>(byte);
      const auto named = letters.find(c);
      const std::string escaped =
          named != letters.end() ? "\\" + named->second
          : byte < 0x20 ? "\\u00" + hex.substr(static_cast<size_t>(byte / 16), 1) + hex[static_cast<size_t>(byte % 16)]
                        : std::string(1, c);
      for (size_t before = 0; before < 20; ++before) {
        std::string text, spelled;
        for (size_t at = 0; at < 24; ++at) {
          text += at == before ? std::string(1, c) : fill;
          spelled += at == before ? escaped : fill == "\"" ? "\\\"" : fill;
        }
        const std::string out = json_string(text);
        if (out != '"' + spelled + '"' || json_string_size(text) != out.size())
          FAIL("byte " << byte << " at " << before << ": " << out);
      }
    }
  }
}

TEST_CASE("code points cut anywhere are joined, what can never be one is replaced") {
  const std::string text = "a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x98\x80z";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    Utf8Joiner joiner;
    std::string out(joiner.feed(std::string_view(text).substr(0, cut)));
    CHECK(is_utf8(out));
    out += joiner.feed(std::string_view(text).substr(cut));
    out += joiner.finish();
    CHECK(out == text);
  }
  CHECK(repair_utf8("a\xFFz\xE4\xBD") == "a\xEF\xBF\xBDz\xEF\xBF\xBD");
  CHECK(repair_utf8("\xC0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(repair_utf8("\xED\xA0\x80") == "\xEF\xBF\xBD");
}

TEST_CASE("a surrogate pair in two pieces becomes one code point") {
  Utf8Joiner joiner;
  CHECK(joiner.feed("x\xED\xA0\xBD") == "x");
  CHECK_FALSE(joiner.empty());
  CHECK(joiner.feed("\xED\xB8\x80y") == "\xF0\x9F\x98\x80y");
  CHECK(joiner.feed("\xED\xA0\xBD") == "");
  CHECK(joiner.feed("y") == "\xEF\xBF\xBDy");
  CHECK(joiner.feed("\xED\xB8\x80") == "\xEF\xBF\xBD");
  CHECK(joiner.feed("\xED\xA0\xBD\xED") == "");
  CHECK(joiner.feed("\xB8\x80") == "\xF0\x9F\x98\x80");
  CHECK(joiner.feed("\xED\xA0\xBD\xE4") == "\xEF\xBF\xBD");
  CHECK(joiner.feed("\xBD\xA0") == "\xE4\xBD\xA0");
  CHECK(joiner.feed("\xED\xA0\xBD") == "");
  CHECK(joiner.finish() == "\xEF\xBF\xBD");
}

TEST_CASE("SHA-256 gives the digests of the standard") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex(std::string(1000, 'a')) == "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

TEST_CASE("a text that shares its bytes is a value") {
  SharedText text;
  std::string all;
  const auto add = [&](std::string_view more) {
    text.append(more);
    all += more;
  };
  add("abc");
  SharedText copy(text), middle = text.part(1, 1), growing;
  growing.append_part(text, 0, "ab");
  growing.append_part(text, 2, "c");
  CHECK(growing == "abc");
  CHECK(growing.view().data() == text.view().data());
  SharedText twice;
  twice.append_part(text, 0, "ab");
  twice.append_part(text, 0, "ab");
  CHECK(twice == "abab");
  copy.append("-copy");
  middle.append("-middle");
  for (int i = 0; i < 100; ++i) add("more of it, beyond what was taken first");
  growing.append("-own");
  CHECK(text == all);
  CHECK(copy == "abc-copy");
  CHECK(middle == "b-middle");
  CHECK(growing == "abc-own");

  SharedText other;
  other.append_part(text, 3, "not what stands there");
  CHECK(other == "not what stands there");
  other.append_part(text, all.size() + 1, "beyond its end");
  CHECK(other == "not what stands therebeyond its end");
  text = text.part(0, 3);
  text.append("again");
  CHECK(text == "abcagain");
  const SharedText moved = std::move(text);
  CHECK(moved == "abcagain");
  text = SharedText();
  text.append("");
  CHECK(text.empty());
  CHECK(text.part(0, 0) == "");
}
