#include "protocol/family/arguments_reader.h"

#include <algorithm>

#include "base/text.h"

namespace sluice {
namespace {

// A shorter closer is a pair of brackets, which may stand in a value.
constexpr size_t kShortestToken = 3;

bool in_plain_value(char c) { return in_identifier(c) || c == '.'; }

}  // namespace

ArgumentsReader::ArgumentsReader(const Family &family, const ProtocolOptions &options, const ToolView &tools,
                                 const ScanLimits &limits)
    : FamilyReader(family, tools, limits), first_(options.first_duplicate.value_or(false)) {
  for (const Words *words : {&family.closers, &family.openers, &family.sections, &family.section_ends})
    for (const std::string_view word : *words)
      if (first_bytes_.find(word[0]) == std::string::npos) first_bytes_ += word[0];
}

BlockReader::State ArgumentsReader::open_call(std::string_view tool) {
  name = repair_utf8(tool);
  begun = true;
  named = !name.empty();
  arguments_from = arguments_to = value_ = at_;
  return State::open;
}

BlockReader::State ArgumentsReader::arguments(std::string_view block, bool ended) {
  while (true) {
    const Step next = step(block, ended);
    if (next == Step::on) continue;
    if (next == Step::wait) return State::open;
    close(block, reason_);
    return State::closed;
  }
}

ArgumentsReader::Step ArgumentsReader::step(std::string_view block, bool ended) {
  switch (place_) {
    case Place::before: return before(block, ended);
    case Place::fence:  // its info string
      while (at_ < block.size() && is_letter(block[at_])) ++at_;
      if (at_ == block.size() && !ended) return Step::wait;
      fenced_ = false;
      place_ = Place::before;
      return Step::on;
    case Place::value: return in_value(block, ended);
    case Place::word:  // null, or what is none
      while (at_ < block.size() && in_plain_value(block[at_])) ++at_;
      arguments_to = at_;
      if (at_ == block.size() && !ended) return Step::wait;
      end_value(at_);
      return Step::on;
    case Place::behind: return behind(block, ended);
    case Place::residue: return residue(block, ended);
  }
  return Step::done;
}

ArgumentsReader::Step ArgumentsReader::before(std::string_view block, bool ended) {
  skip_white(block);
  value_ = arguments_from = arguments_to = at_;
  if (at_ == block.size()) return ended ? done(at_, "unterminated_block") : Step::wait;
  const std::string_view rest = block.substr(at_);
  const Token found = token(rest, ended);
  if (found.partial) return Step::wait;
  if (found.kind != Token::Kind::none) {
    end_value(at_);
    return Step::on;
  }
  if (fenced_) {
    size_t length = 0;
    const Fit fence = fit(rest, "```", length);
    if (fence == Fit::partial && !ended) return Step::wait;
    if (fence == Fit::yes) {
      at_ += length;
      place_ = Place::fence;
      return Step::on;
    }
  }
  if (std::string_view("{[(\"'").find(rest[0]) == std::string_view::npos) {
    place_ = Place::word;
    return Step::on;
  }
  value_reader_.start(at_, false, true);
  searched_ = at_;
  place_ = Place::value;
  return Step::on;
}

ArgumentsReader::Step ArgumentsReader::in_value(std::string_view block, bool ended) {
  const Token found = find_token(block, searched_, ended);
  const size_t behind_value = value_reader_.find(block.substr(0, searched_));
  if (behind_value != std::string_view::npos) {
    end_value(behind_value);
    return Step::on;
  }
  arguments_to = searched_;
  if (found.partial) return Step::wait;
  if (found.kind == Token::Kind::none) return ended ? done(block.size(), "unterminated_block") : Step::wait;
  if (value_reader_.quoted() || found.length < kShortestToken) {
    searched_ += found.length;
    return Step::on;
  }
  end_value(searched_);
  return found.kind == Token::Kind::opener ? done(at_, "nested_opener") : on_token(found, at_);
}

ArgumentsReader::Step ArgumentsReader::behind(std::string_view block, bool ended) {
  if (family_.closers.empty()) {
    const Behind more = look_behind(block, at_, ended);
    if (more == Behind::wait) return Step::wait;
    if (fault_.empty() && value_ == value_end_) fault_ = "malformed_argument";
    if (fault_.empty() && more == Behind::more) fault_ = "residue_in_block";
    return done(at_);
  }
  skip_white(block);
  if (at_ == block.size()) {
    if (!ended) return Step::wait;
    by_end = family_.stops;
    return done(at_, family_.stops ? "" : "unterminated_block");
  }
  const std::string_view rest = block.substr(at_);
  const Token found = token(rest, false);
  size_t length = 0;
  const Fit after = after_value_.empty() ? Fit::no : fit(rest, after_value_, length);
  if (found.partial || after == Fit::partial) {
    return ended ? done(block.size(), "unterminated_block") : Step::wait;
  }
  if (found.kind != Token::Kind::none) {
    const bool open_fence = !fenced_ && !after_value_.empty();
    if (open_fence && value_ == value_end_ && fault_.empty()) fault_ = "malformed_argument";
    return on_token(found, at_);
  }
  if (after == Fit::yes) {
    at_ += length;
    after_value_ = {};
    return Step::on;
  }
  if (fault_.empty()) fault_ = "residue_in_block";
  start_residue();
  place_ = Place::residue;
  return Step::on;
}

ArgumentsReader::Step ArgumentsReader::residue(std::string_view block, bool ended) {
  Token found;
  const bool ends = pass_residue(block, [&](std::string_view rest, bool quoted) {
    if (first_bytes_.find(rest[0]) == std::string::npos) return Fit::no;
    found = token(rest, ended);
    if (found.partial) return Fit::partial;
    return found.kind == Token::Kind::none || (quoted && found.kind == Token::Kind::opener) ? Fit::no : Fit::yes;
  });
  if (ends) return on_token(found, at_);
  return ended ? done(block.size(), "unterminated_block") : Step::wait;
}

ArgumentsReader::Token ArgumentsReader::token(std::string_view rest, bool ended) const {
  Token out;
  for (const auto &[words, kind] :
       {std::pair{&family_.closers, Token::Kind::closer}, std::pair{&family_.openers, Token::Kind::opener},
        std::pair{&family_.sections, Token::Kind::opener},
        std::pair{&family_.section_ends, Token::Kind::section_end}}) {
    const Fit found = fit(rest, *words, out.length);
    if (found == Fit::yes) {
      out.kind = kind;
      out.partial = false;
      return out;
    }
    out.partial = out.partial || (found == Fit::partial && !ended);
  }
  return out;
}

// The next token from `where` on, or what may become one; none: `where` is the text's end.
ArgumentsReader::Token ArgumentsReader::find_token(std::string_view block, size_t &where, bool ended) const {
  for (;; ++where) {
    where = std::min(block.find_first_of(first_bytes_, where), block.size());
    if (where == block.size()) return {};
    const Token found = token(block.substr(where), ended);
    if (found.partial || found.kind != Token::Kind::none) return found;
  }
}

void ArgumentsReader::settle(ParsedCall &call, std::string_view written) {
  settle_arguments(call, written, {limits_.depth, first_}, value_, notes);
}

void ArgumentsReader::close(std::string_view block, std::string_view reason) {
  ParsedCall call;
  call.name = name;
  call.id = id_;
  call.arguments = "{}";
  call.raw_arguments = written(block);
  call.typed = true;
  call.reason = !reason.empty() ? reason : name.empty() ? std::string_view("missing_tool_name") : fault_;
  if (call.reason.empty()) settle(call, call.raw_arguments);
  calls.push_back(std::move(call));
}

}  // namespace sluice
