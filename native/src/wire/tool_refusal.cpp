// Providers refuse tools in prose. The tables hold the phrases seen so far: a new one is a new line.
#include "wire/tool_refusal.h"

#include <iterator>
#include <vector>

#include "base/text.h"
#include "wire/phrases.h"

namespace sluice {
namespace {

// One to four words in a row. Each is a list of alternatives, "a|b"; a list that begins with * may match any number of
// words, or none.
struct Phrase {
  std::string_view words[4];
};

// The use of tools.
constexpr Phrase kTools[] = {
    {{"tools|tool_choice|toolconfig|toolchoice|functions|function_call|function_calling|tool_use|tool_calling"}},
    {{"tool|function", "use|usage|using|calling|call|calls|choice|support"}},
};

// Words before these that turn them into something else: "parallel tool calls", "role tool".
constexpr std::string_view kNotTheUse = "parallel|role";

// Denials of what stands before them: "tools are not supported".
constexpr Phrase kDeniedBefore[] = {
    {{"unsupported|unavailable|disabled|unimplemented"}},
    {{"not|t", "*be|been|currently|yet|a|supported_by",
      "supported|enabled|available|allowed|permitted|implemented|compatible|support"}},
    {{"extra", "inputs|fields"}},
    {{"requires", "enable"}},  // vLLM: "auto" tool choice requires --enable-auto-tool-choice
    {{"requires", "jinja"}},   // llama.cpp: tools param requires --jinja flag
};
constexpr size_t kReachBefore = 9;  // words between the tools and the denial

// Denials of what stands behind them: "does not support tools".
constexpr Phrase kDeniedBehind[] = {
    {{"not|t|cannot|never", "support|supporting|supports|use|handle|accept|allow|have"}},
    {{"not", "capable", "of"}},
    {{"lacks|without"}},
    {{"endpoints", "found", "that", "support"}},  // OpenRouter: No endpoints found that support tool use
    {{"unknown|unrecognized|unrecognised|unexpected|unsupported|unpermitted",
      "parameter|parameters|param|params|field|fields|argument|arguments|request|property|properties|key|keys|keyword|"
      "name"}},
};
constexpr size_t kReachBehind = 5;  // words between the denial and the tools

// A sentence with one of these words is about one tool, or about something else beside tools.
constexpr std::string_view kDetails =
    "schema|name|named|names|type|types|result|results|message|messages|role|description|image|images|parallel|"
    "parallel_tool_calls|strict|oneof|anyof|allof|ref|content|only|web_search|must|format";

bool is_in(std::string_view list, std::string_view word) {
  while (!word.empty()) {
    const size_t end = list.find('|');
    if (list.substr(0, end) == word) return true;
    if (end == list.npos) break;
    list.remove_prefix(end + 1);
  }
  return false;
}

struct Token {
  std::string_view word;  // empty: the end of a sentence
  bool whole = true;      // false: the name of something inside, tools[0].function
};
using Tokens = std::vector<Token>;

bool in_field_name(char c) { return is_alnum(c) || c == '_'; }

Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (in_field_name(c)) {
      size_t end = at;
      while (end < text.size() && in_field_name(text[end])) ++end;
      const char after = end < text.size() ? text[end] : ' ';
      const char beyond = end + 1 < text.size() ? text[end + 1] : ' ';
      tokens.push_back({text.substr(at, end - at), after != '[' && !(after == '.' && in_field_name(beyond))});
      at = end;
    } else {
      if (c == ';' || c == '\n' || ((c == '.' || c == '!' || c == '?') && is_white(next))) tokens.push_back({{}, true});
      ++at;
    }
  }
  return tokens;
}

// How many tokens at `at` one of the phrases matches; 0: none matches.
template <size_t n>
size_t matched(const Phrase (&phrases)[n], const Tokens &tokens, size_t at) {
  for (const Phrase &phrase : phrases) {
    size_t next = at;
    bool fits = true;
    for (std::string_view list : phrase.words) {
      const auto fits_here = [&] { return next < tokens.size() && is_in(list, tokens[next].word); };
      if (list.starts_with('*')) {
        list.remove_prefix(1);
        while (fits_here()) ++next;
      } else if (fits && !list.empty()) {
        fits = fits_here();
        ++next;
      }
    }
    if (fits) return next - at;
  }
  return 0;
}

// How many tokens at `at` name the use of tools; 0: they do not.
size_t tools_named(const Tokens &tokens, size_t at) {
  if (!tokens[at].whole || (at > 0 && is_in(kNotTheUse, tokens[at - 1].word))) return 0;
  return matched(kTools, tokens, at);
}

bool ends_reach(const Token &token) { return token.word.empty() || is_in(kDetails, token.word); }

// Is what the tokens before `from` name denied in the words that follow?
bool is_denied_from(const Tokens &tokens, size_t from) {
  for (size_t at = from; at < tokens.size() && at < from + kReachBefore; ++at) {
    if (matched(kDeniedBefore, tokens, at) != 0) return true;
    if (ends_reach(tokens[at])) break;
  }
  return false;
}

// Do the words behind a denial name tools?
bool names_tools_from(const Tokens &tokens, size_t from) {
  for (size_t at = from; at < tokens.size() && at < from + kReachBehind; ++at) {
    if (const size_t length = tools_named(tokens, at); length != 0) {
      // "does not support tool use with streaming" refuses tools, "does not support tools of type x" does not.
      const size_t behind = at + length;
      return !(behind + 1 < tokens.size() && tokens[behind].word == "of" && tokens[behind + 1].word == "type");
    }
    if (ends_reach(tokens[at])) break;
  }
  return false;
}

}  // namespace

bool refuses_tools(std::string_view words) {
  const std::string small = lower_case(words.substr(0, kMostRefusalBytes));
  const Tokens tokens = tokens_of(small);
  for (size_t at = 0; at < tokens.size(); ++at) {
    if (const size_t length = tools_named(tokens, at); length != 0 && is_denied_from(tokens, at + length)) return true;
    if (const size_t length = matched(kDeniedBehind, tokens, at); length != 0 && names_tools_from(tokens, at + length))
      return true;
  }
  return false;
}

}  // namespace sluice
