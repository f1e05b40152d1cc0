// A provider's HTTP format: bytes of an answer → what happened in it, and a conversation → the body of a request. A
// wire describes; it never decides. The turn is its sink.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tool_offer.h"

namespace sluice {

struct Usage {
  int64_t input_tokens = -1;  // -1: the provider did not say
  int64_t output_tokens = -1;
};

// Why the provider says it stopped. A hint only: whether calls run depends on whether their arguments are complete.
// Saved as a number.
enum class Finish : uint8_t { none, stop, tool_calls, length, content_filter, other, pause };
std::string_view to_text(Finish finish);  // as `finishReason` tells it; empty: none

struct WireError {
  // Of c-abi.md: "provider" for an error object, "tools_unsupported" where it refuses tools, "usage_refused" where it
  // does not know the member that asks for the tokens.
  std::string_view code;
  std::string_view detail;  // the provider's own words
  bool transient = false;   // asking again may help: overloaded, rate limit, 5xx
  // As the response said, where it did.
  int32_t status = 0;  // of HTTP, where it is the error
  int64_t retry_after_ms = -1;
  std::string_view request_id = {};
};

// What a wire reports while it reads an answer, in the order of the bytes. Views live until the function returns.
class WireSink {
 public:
  virtual ~WireSink() = default;

  virtual void on_text(std::string_view utf8) = 0;       // whole code points, never empty
  virtual void on_reasoning(std::string_view utf8) = 0;  // whole code points, never empty
  // The model declines, in a place of the format's own: no calls stand in it. Whole code points, never empty.
  virtual void on_refusal(std::string_view utf8) { on_text(utf8); }

  // `slot` numbers the calls of this answer from 0 in the order in which their names became known.
  virtual void on_call(uint32_t slot, std::string_view id, std::string_view name) = 0;
  // The provider went on with the name or told the id only now: both whole, as known so far.
  virtual void on_call_head(uint32_t slot, std::string_view id, std::string_view name) = 0;
  virtual void on_arguments(uint32_t slot, std::string_view fragment) = 0;
  // What came before was a placeholder or the beginning of a snapshot: these are the arguments so far.
  virtual void on_arguments_replaced(uint32_t slot, std::string_view whole) = 0;
  // Members of the call that the wire does not know and that must go back verbatim: the text of one JSON object, every
  // such member of the call so far.
  virtual void on_call_members(uint32_t slot, std::string_view object) = 0;
  // Something of its arguments was lost, or may have come under another call: it must not run. `reason`: of a card.
  virtual void on_call_broken(uint32_t slot, std::string_view reason) = 0;
  // The same for the assistant message as a whole (reasoning_content, reasoning_details, ...). Once, at the end.
  virtual void on_message_members(std::string_view object) = 0;

  virtual void on_model(std::string_view name) = 0;  // who answers, as the provider says
  virtual void on_finish(Finish reason, std::string_view words) = 0;
  // The answer says itself that it is over ([DONE], a whole JSON body), or end() was called: nothing of it is held
  // back.
  virtual void on_end() = 0;
  virtual void on_usage(const Usage &usage) = 0;
  virtual void on_error(const WireError &error) = 0;
  // `code`: of protocols.md, or broken_event (a piece of the stream that could not be read: `detail` says what).
  virtual void on_diagnostic(std::string_view code, std::string_view detail) = 0;
};

struct WireLimits {
  size_t depth = 128;
  size_t line_bytes = 33554432;
  size_t argument_bytes = 16777216;
  size_t calls_per_round = 128;
};

// Reads one answer.
class WireReader {
 public:
  virtual ~WireReader() = default;
  // Before the first feed. `headers`: one JSON object text, or empty.
  virtual void response(int32_t status, std::string_view headers) = 0;
  virtual void feed(std::string_view bytes) = 0;
  // The answer is over, though its body is not: what is held is reported, what still comes is heard for usage and
  // opaque members only.
  virtual void end() = 0;
  // The body has ended (`complete`) or broke off. What is still held is read as far as it can be.
  virtual void finish(bool complete) = 0;
  // Arguments came that may be those of any call: until finish nobody knows which of them is complete.
  virtual bool has_orphans() const { return false; }
  // Does an HTTP status say that this is no answer? Its body is the provider's words, which may still go on, or are
  // whole.
  enum class Refusal : uint8_t { none, open, whole };
  virtual Refusal refusal() const = 0;
  // Everything that decides how the answer goes on, as one JSON object; load() on a fresh reader of the same wire and
  // limits continues exactly there, and reports nothing. `saved`: checked JSON; what is missing in it has not come yet.
  virtual void save(std::string &out) const = 0;
  virtual void load(std::string_view saved) = 0;
};

struct RequestParts {
  std::string_view body;                          // the host's `request`: a checked JSON object
  std::vector<std::string_view> messages;         // each one checked JSON object in OpenAI's shape, in a valid order
  const std::vector<ToolOffer> *tools = nullptr;  // offered in the request, behind the host's own; nullptr: none
  const std::vector<ToolOffer> *names = nullptr;  // every tool of the engine: name → wire name for calls in `messages`
  bool forbid_calls = false;                      // tool_choice none
  bool ask_usage = false;                         // have the tokens told, where the host does not say anything of it
};

class Wire {
 public:
  virtual ~Wire() = default;
  virtual std::string_view id() const = 0;
  virtual std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const = 0;
  // Checks what a host may get wrong in `request` once, when the turn is made: paths are relative to `request`.
  virtual Status check(std::string_view body, const std::vector<ToolOffer> &tools) const = 0;
  virtual std::string write(const RequestParts &parts) const = 0;
  // The tools as a request has them: JSON, or empty where it has none.
  virtual std::string write_tools(const std::vector<ToolOffer> &) const { return {}; }
  // Does an answer say where it ends? Else any bytes, and none too, are a whole answer.
  virtual bool has_end() const { return true; }
  // Does whoever serves this request refuse a user's message right behind results?
  virtual bool has_strict_roles(std::string_view) const { return false; }
};

// nullptr: no such wire. `planned` tells the ids that the design names and this version does not have yet.
const Wire *find_wire(std::string_view id);
bool is_planned_wire(std::string_view id);

}  // namespace sluice
