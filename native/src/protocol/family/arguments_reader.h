// Reads one value of arguments and the end of the block behind it, for grammars that name the tool first.
#pragma once

#include "protocol/family/family.h"
#include "protocol/loose_json.h"

namespace sluice {

class ArgumentsReader : public FamilyReader {
 public:
  ArgumentsReader(const Family &family, const ProtocolOptions &options, const ToolView &tools,
                  const ScanLimits &limits);

 protected:
  // Names the call. From here on `arguments` reads, from at_.
  State open_call(std::string_view tool);
  State arguments(std::string_view block, bool ended);
  void close(std::string_view block, std::string_view reason) override;

  // Sets call.arguments, and call.reason where they are wrong.
  virtual void settle(ParsedCall &call, std::string_view written);

  struct Token {
    enum class Kind : uint8_t { none, closer, opener, section_end };
    Kind kind = Kind::none;
    bool partial = false;  // more text may make it one
    size_t length = 0;
  };
  // What stands at the beginning of `rest`.
  Token token(std::string_view rest, bool ended) const;
  // The next one from `where` on, or what may become one; none: `where` is the text's end.
  Token find_token(std::string_view block, size_t &where, bool ended) const;
  // The value as it stands.
  std::string_view written(std::string_view block) const {
    return block.substr(value_, (valued_ ? value_end_ : end) - value_);
  }

  std::string id_;
  bool fenced_ = false;                // the value may stand in a fence
  std::string_view after_value_ = {};  // may stand between the value and the closer
  std::string_view fault_ = {};        // the first thing that is wrong inside the block

 private:
  enum class Place : uint8_t { before, fence, value, word, behind, residue };
  enum class Step : uint8_t { on, wait, done };

  Step step(std::string_view block, bool ended);
  Step before(std::string_view block, bool ended);
  Step in_value(std::string_view block, bool ended);
  Step behind(std::string_view block, bool ended);
  Step residue(std::string_view block, bool ended);
  Step done(size_t where, std::string_view reason = {}) {
    end = where;
    reason_ = reason;
    return Step::done;
  }
  Step on_token(const Token &found, size_t where) {
    return done(found.kind == Token::Kind::closer ? where + found.length : where);
  }
  void end_value(size_t where) {
    valued_ = true;
    value_end_ = arguments_to = at_ = where;
    place_ = Place::behind;
  }

  const bool first_;         // of members that stand twice the first one counts
  std::string first_bytes_;  // of all tokens

  Place place_ = Place::before;
  ValueEnd value_reader_;
  size_t value_ = 0;
  size_t value_end_ = 0;
  size_t searched_ = 0;  // no token before it
  bool valued_ = false;  // value_end_ is known
  std::string_view reason_ = {};
};

}  // namespace sluice
