// What the scanner is doing. One table holds all modes, triggers and steps between them; Scanner::enter looks up every
// step in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

enum class ScanMode : uint8_t {  // saved as a number
  text,
  tag,    // behind `<think` or `</think`
  block,  // behind an opener
  tail,   // behind a block that may be the whole body of its fence
  skip,   // in a block that outgrew its limit
  ends,   // behind fences that are calls if the answer ends here
};

enum class ScanTrigger : uint8_t {
  tag,        // a tag of reasoning may begin
  opener,     // a block of a protocol may begin, or is read once more for its closer
  outgrow,    // the block that was closed last goes on: its arguments were too long
  read,       // a tag is complete or is none; something follows the fences, or they are read again
  hold,       // the block began a fence, which must end behind it
  wait,       // the fence ended: its block is a call if the answer ends here
  close,      // a card, markup or text; or what ends a block that was too long
  interrupt,  // something other than text follows
  restart,    // what follows has nothing to do with the text so far
};

struct ScanStep {
  ScanMode from;
  ScanTrigger trigger;
  ScanMode to;
};

inline constexpr ScanStep kScanSteps[] = {
    {ScanMode::text, ScanTrigger::tag, ScanMode::tag},         {ScanMode::text, ScanTrigger::opener, ScanMode::block},
    {ScanMode::text, ScanTrigger::outgrow, ScanMode::skip},

    {ScanMode::tag, ScanTrigger::read, ScanMode::text},        {ScanMode::tag, ScanTrigger::interrupt, ScanMode::text},

    {ScanMode::block, ScanTrigger::hold, ScanMode::tail},      {ScanMode::block, ScanTrigger::close, ScanMode::text},
    {ScanMode::block, ScanTrigger::interrupt, ScanMode::text}, {ScanMode::block, ScanTrigger::restart, ScanMode::text},

    {ScanMode::tail, ScanTrigger::wait, ScanMode::ends},       {ScanMode::tail, ScanTrigger::close, ScanMode::text},
    {ScanMode::tail, ScanTrigger::interrupt, ScanMode::text},

    {ScanMode::skip, ScanTrigger::close, ScanMode::text},      {ScanMode::skip, ScanTrigger::restart, ScanMode::text},

    {ScanMode::ends, ScanTrigger::read, ScanMode::text},
};

std::string_view to_text(ScanMode mode);
std::string_view to_text(ScanTrigger trigger);
std::optional<ScanMode> mode_of(std::string_view text);                 // nullopt: no mode is called so
std::optional<ScanMode> next_mode(ScanMode mode, ScanTrigger trigger);  // nullopt: no such row

// Draws the table as the diagram in native/src/protocol/README.md.
std::string mode_diagram();

}  // namespace sluice
