// A block of certain markers that no reader understood. If its own closer ends it, it is a call that names no tool, so
// that the model is told; else it is text.
#pragma once

#include "protocol/block.h"

namespace sluice {

class UnreadBlock final : public BlockReader {
 public:
  // Goes on at `from`, behind the opener. The closer must end its line, or one of `behind` follows it: prose about a
  // format goes on in words. If a tool's name stands behind the opener, the end of the answer ends the block as well.
  // `code`, `decided`: why the block was not understood, if it is text.
  UnreadBlock(std::vector<std::string> closers, std::vector<std::string> behind, size_t from,
              const StringTracker &strings, const ToolView &tools, std::string_view code, size_t decided);
  // Passes openers that follow the one which ends at `from`: a section has one for each call.
  static size_t pass_openers(std::string_view block, size_t from, const std::vector<std::string> &openers);
  // Is the first word behind the openers a tool's name? After `<invoke` come attributes.
  static bool names_tool(std::string_view block, size_t from, const std::vector<std::string> &openers,
                         const ToolView &tools);
  State read(std::string_view block, bool ended) override;
  void cut(std::string_view, std::string_view) override {}
  Rest rest(std::string_view) const override { return {}; }

 private:
  State behind_closer(std::string_view block, size_t at, bool ended);
  State call(size_t at, std::string_view reason);

  // -- set once
  const std::vector<std::string> closers_, behind_;
  const std::string why_;
  const ToolView &tools_;
  const size_t from_;
  // -- position
  size_t at_;
  StringTracker strings_;  // no closer counts in a string of a value
  bool blank_ = true;
};

}  // namespace sluice
