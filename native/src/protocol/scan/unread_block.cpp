#include "protocol/scan/unread_block.h"

#include <algorithm>

#include "base/ascii.h"

namespace sluice {
namespace {

// The length of the word that the text begins with; npos: it may still become one; 0: none.
size_t begins_with(std::string_view text, const std::vector<std::string> &words) {
  size_t partial = 0;
  for (const std::string &word : words) {
    if (text.starts_with(word)) return word.size();
    if (std::string_view(word).starts_with(text)) partial = text.npos;
  }
  return partial;
}

}  // namespace

UnreadBlock::UnreadBlock(std::vector<std::string> closers, std::vector<std::string> behind, size_t from,
                         const StringTracker &strings, const ToolView &tools, std::string_view said, size_t where)
    : closers_(std::move(closers)),
      behind_(std::move(behind)),
      why_(said),
      tools_(tools),
      from_(from),
      at_(from),
      strings_(strings) {
  code = why_;
  decided = where;
}

size_t UnreadBlock::pass_openers(std::string_view block, size_t from, const std::vector<std::string> &openers) {
  for (size_t at = from;;) {
    while (at < block.size() && is_white(block[at])) ++at;
    const size_t length = begins_with(block.substr(at), openers);
    if (length == 0 || length == block.npos) return from;
    from = at += length;
  }
}

bool UnreadBlock::names_tool(std::string_view block, size_t from, const std::vector<std::string> &openers,
                             const ToolView &tools) {
  from = pass_openers(block, from, openers);
  if (is_word(block[from - 1])) return false;
  const std::string_view word = block.substr(std::min(block.find_first_not_of(" \t\r\n", from), block.size()));
  return tools.known(word.substr(0, word.find_first_of(" \t\r\n<>(){}[]\"'`,;:=")));
}

BlockReader::State UnreadBlock::read(std::string_view block, bool ended) {
  for (; at_ < block.size(); ++at_) {
    if (!strings_.inside() || !strings_.bound()) {
      const size_t length = begins_with(block.substr(at_), closers_);
      if (length == block.npos && !ended) return State::open;
      if (length != 0 && length != block.npos) return behind_closer(block, at_ + length, ended);
    }
    blank_ = blank_ && is_white(block[at_]);
    strings_.step(block[at_ - 1], block[at_]);
  }
  if (ended && names_tool(block, from_, behind_, tools_)) return call(block.size(), "unterminated_block");
  return ended ? State::rejected : State::open;
}

BlockReader::State UnreadBlock::behind_closer(std::string_view block, size_t at, bool ended) {
  if (blank_) return State::rejected;
  const size_t next = std::min(block.find_first_not_of(" \t", at), block.size());
  const std::string_view rest = block.substr(next);
  if (rest.empty() && !ended) return State::open;
  if (!rest.empty() && rest[0] != '\n' && rest[0] != '\r') {
    const size_t length = begins_with(rest, behind_);
    if (length == rest.npos && !ended) return State::open;
    if (length == 0 || length == rest.npos) return State::rejected;
  }
  return call(at, "missing_tool_name");
}

BlockReader::State UnreadBlock::call(size_t at, std::string_view reason) {
  end = at;
  calls.resize(1);
  calls[0].arguments = "{}";
  calls[0].reason = reason;
  return State::closed;
}

}  // namespace sluice
