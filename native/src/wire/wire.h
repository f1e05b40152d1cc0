// A provider's HTTP format. A wire turns the bytes of an answer into calls of a sink, and a conversation into the body
// of a request. It describes and never decides.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tool_offer.h"
#include "wire/dialect.h"
#include "wire/media.h"
#include "wire/source.h"
#include "wire/usage.h"

namespace sluice {

// The provider's reason for ending an answer. Only a hint: calls run if their arguments are complete. Saved as a
// number.
// `pause`: the provider stopped in the middle, and goes on when it gets its answer back. `malformed`: the model wrote
// calls that the provider could not read. `failed`: the provider broke the answer off. `other`: a word that nobody
// knows.
enum class Finish : uint8_t { none, stop, tool_calls, length, content_filter, other, pause, malformed, failed };
std::string_view to_text(Finish finish);  // the word in `finishReason`; empty for none

// What a message of an answer is for, where the provider says so. Saved as a number.
enum class Phase : uint8_t { none, commentary, final_answer };

struct WireError {
  // "http" for an HTTP status, "provider" for an error object in a stream, "tools_unsupported" where it refuses tools,
  // "usage_refused" where it does not know the member that asks for token counts, "signature_refused" where it refuses
  // an opaque part of an earlier answer, "schema_refused" where it does not know the member that has a tool's schema.
  std::string_view code;
  std::string_view detail;  // what went wrong, in the provider's words if it has some
  bool transient = false;   // asking again may help: overloaded, rate limit, 5xx
  // From the response's head, where it has them.
  int32_t status = 0;  // of HTTP, where that is the error
  int64_t retry_after_ms = -1;
  std::string_view request_id = {};
  // What the provider itself said, without status and address; empty: nothing.
  std::string_view words = {};
};

constexpr uint32_t kNoCall = UINT32_MAX;  // in place of a slot

// Receives what a wire reads in an answer, in the order of the bytes. Views live until the function returns.
class WireSink {
 public:
  virtual ~WireSink() = default;

  // Is the answer read on? If not, what follows in the same piece counts for as little as what was never fed.
  virtual bool reads_on() const { return true; }
  // Did the answer give any text, reasoning or call so far?
  virtual bool gave_something() const { return true; }
  // Does the request have a tool of this name that the provider does not run?
  virtual bool has_tool(std::string_view) const { return true; }
  // The name on the wire of its tool of this kind, which the provider defines and the host runs; empty: it has none.
  // `server`: of an MCP server; empty for the other kinds.
  virtual std::string host_tool(std::string_view, std::string_view) const { return {}; }
  // Does it have tools that the provider runs?
  virtual bool has_provider_tools() const { return false; }

  // A message of the answer begins: the text that comes next, if any does, is a block of its own. Only of wires whose
  // answers hold several messages.
  virtual void on_message(Phase) {}
  // The phase of the message whose text came last became known.
  virtual void on_phase(Phase) {}
  virtual void on_text(std::string_view utf8) = 0;       // whole code points, never empty
  virtual void on_reasoning(std::string_view utf8) = 0;  // whole code points, never empty
  // The model declines in the member that the format has for it; such text holds no calls. Whole code points, never
  // empty.
  virtual void on_refusal(std::string_view utf8) { on_text(utf8); }

  // Bytes of the text or reasoning were lost: U+FFFD stands for them in the piece that comes next. A call that is
  // written around it must not run.
  virtual void on_bytes_lost() = 0;
  // An event was lost. It may have held a piece of anything that is open: no such call must run.
  virtual void on_event_lost() = 0;

  // `slot` numbers the calls of this answer from 0 in the order in which their names became known.
  virtual void on_call(uint32_t slot, std::string_view id, std::string_view name) = 0;
  // The name grew, or the id came late. Both are the whole values known so far.
  virtual void on_call_head(uint32_t slot, std::string_view id, std::string_view name) = 0;
  virtual void on_arguments(uint32_t slot, std::string_view fragment) = 0;
  // The arguments so far were a placeholder or an older snapshot: `whole` replaces them.
  virtual void on_arguments_replaced(uint32_t slot, std::string_view whole) = 0;
  // Part of its arguments was lost, or may belong to another call: the call must not run. `reason`: of the card.
  virtual void on_call_broken(uint32_t slot, std::string_view reason) = 0;
  // The provider says that it wrote all of this call.
  virtual void on_call_end(uint32_t slot) = 0;
  // A piece of arguments arrived that belongs to no call (kNoCall), or to a call that had ended before.
  virtual void on_arguments_lost(uint32_t slot, std::string_view detail) = 0;
  // The answer has more calls than limits.callsPerRound: this one is not reported.
  virtual void on_calls_full() = 0;
  // A tool that the provider runs itself: shown, never run here. `slot` numbers these calls of the answer from 0.
  // Called again when more of it is known. `arguments`: JSON text as far as it is known, or empty.
  virtual void on_provider_call(uint32_t slot, std::string_view id, std::string_view name,
                                std::string_view arguments) = 0;
  // What it gave. `text`: for people, JSON or plain.
  virtual void on_provider_result(uint32_t slot, std::string_view text, bool is_error) = 0;
  // Pictures and files that it gave. They replace those of earlier calls.
  virtual void on_provider_media(uint32_t, std::span<const Media>) {}
  // A picture or a file of the answer itself.
  virtual void on_media(const Media &) {}
  // Where the text comes from that came last, or where the first one will come from. Some may have been told before.
  virtual void on_sources(std::span<const Source>) {}
  // What the provider said, in its own shape: the items that the next request repeats, as one JSON array. Called once,
  // when the body has ended, if the answer was whole.
  virtual void on_native(std::string_view items) = 0;
  // What the next request repeats beside its messages: a JSON object. Called right before on_native, if at all.
  virtual void on_beside(std::string_view) {}

  virtual void on_model(std::string_view name) = 0;  // the model that answers, as the provider names it
  // `words`: the provider's own word. `explanation`: what it says about that; may be empty.
  virtual void on_finish(Finish reason, std::string_view words, std::string_view explanation) = 0;
  // The answer said that it is over ([DONE], a whole JSON body), or end() was called. Nothing of it is held back.
  virtual void on_end() = 0;
  virtual void on_usage(const Usage &usage) = 0;
  virtual void on_error(const WireError &error) = 0;
  // `code`: a diagnostic's code, such as broken_event for a piece of the stream that could not be read.
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
  // Called before the first feed. `headers`: the text of one JSON object, or empty.
  virtual void response(int32_t status, std::string_view headers) = 0;
  virtual void feed(std::string_view bytes) = 0;
  // Ends the answer before its body ends: reports what is held; of later bytes only usage and opaque members count.
  virtual void end() = 0;
  // The body ended, or broke off (`complete` is false). Reads what is still held as far as possible.
  virtual void finish(bool complete) = 0;
  // Are there arguments that may belong to any of several calls? Until finish() no call is known to be complete then.
  virtual bool has_orphans() const { return false; }
  // Where the answer, which gave nothing so far, held something that nobody reads, in words; empty: nowhere.
  virtual std::string unread() const { return {}; }
  // The id of the wire of which the answer, which this wire does not know, seems to be; empty: nobody knows.
  virtual std::string_view likeness() const { return {}; }
  // Did the answer hold anything of this wire's format?
  virtual bool knows() const { return true; }
  // The place of a picture or a sound that nobody reads, in an answer that gave nothing else; empty: none came.
  virtual std::string_view media() const { return {}; }
  // Does the HTTP status say that this is no answer? Its body then holds the provider's words: `open` while they may
  // still grow, `whole` once they are complete JSON.
  enum class Refusal : uint8_t { none, open, whole };
  virtual Refusal refusal() const = 0;
  // Writes the reader's state as one JSON object. load() on a fresh reader of the same wire and limits continues
  // exactly there and reports nothing. `saved`: checked JSON; a missing member has its initial value.
  virtual void save(std::string &out) const = 0;
  virtual void load(std::string_view saved) = 0;
};

// What the provider said of the reasoning of earlier answers: that every answer needs it, or that it takes none.
enum class ReasoningWish : uint8_t { by_dialect, required, refused };

// What the host wants of a server's prompt cache.
struct CacheWish {
  bool on = false;
  std::string ttl;  // "5m" or "1h"; empty: as the server likes
  std::string key;  // of the conversation; empty: none
};

// Whom an element of a conversation comes from: the guide to the tools alone, the host's messages, or this turn.
enum class Origin : uint8_t { guide, host, turn };
constexpr std::string_view to_text(Origin origin) {
  return origin == Origin::guide ? "guide" : origin == Origin::host ? "host" : "turn";
}

struct RequestParts {
  std::string_view body;  // the host's `request`: a checked JSON object
  // Each one checked JSON object in OpenAI's shape, in a valid order. Where `metadata.native` holds the items of an
  // earlier answer, they may go back: this server wrote them for this model, and the wire echoes them. Results have the
  // order of their calls, and ids may repeat.
  std::vector<std::string_view> messages;
  std::vector<Origin> origins;                    // of each of them; empty: nobody asks
  const std::vector<ToolOffer> *tools = nullptr;  // offered in the request after the host's own; nullptr: none
  const std::vector<ToolOffer> *names = nullptr;  // every tool of the engine: name → wire name for calls in `messages`
  size_t earlier_answers = 0;                     // assistant's messages that the turn began with
  bool forbid_calls = false;                      // tool_choice none
  bool drop_opaque = false;                       // the provider refused a signature: send none
  bool plain_schemas = false;                     // the provider refused JSON Schema: send what old servers take
  bool ask_usage = false;                         // ask for token counts, unless the host's body says otherwise
  const Dialect *dialect = &dialect_of({}, {}, {});
  ReasoningWish reasoning = ReasoningWish::by_dialect;
  // Where set: gets one for each element of the conversation in the body.
  std::vector<Origin> *sent_origins = nullptr;
  std::string *unsent = nullptr;  // where set: gets in words what this wire cannot send of the messages, if anything

  // The conversation in the body has now `count` elements; what is new of it comes from `origin`.
  void note_sent(size_t count, Origin origin) const {
    if (sent_origins != nullptr) sent_origins->resize(count, origin);
  }
  const std::vector<ToolOffer> &offered() const {
    static const std::vector<ToolOffer> kNone;
    return tools != nullptr ? *tools : kNone;
  }
};

class Wire {
 public:
  virtual ~Wire() = default;
  virtual std::string_view id() const = 0;
  virtual std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const = 0;
  // Checks the host's `request` once, when the turn is made. Paths are relative to `request`.
  virtual Status check(std::string_view body, const std::vector<ToolOffer> &tools) const = 0;
  virtual std::string write(const RequestParts &parts) const = 0;
  // The tools, at least one, as a request states them, as JSON; empty where this wire states none.
  virtual std::string write_tools(const std::vector<ToolOffer> &) const { return {}; }
  // The keywords of a tool's schema that the server drops before its model reads them.
  virtual std::set<std::string> dropped_keywords(std::string_view) const { return {}; }
  // Does an answer of this format say where it ends? If not, it is whole when the host says so.
  virtual bool has_end() const { return true; }
  // Can these items of an earlier answer (on_native) go back with a message of so many calls?
  virtual bool echoes(std::string_view, size_t) const { return false; }
  // Are those items the whole answer, which they replace? If not, they are members for its calls.
  virtual bool echoes_answers() const { return true; }
  // Does a message in the role of a tool reach the model, though no call stands in front of it?
  virtual bool takes_results_as_text() const { return false; }
  // Must what the model was told before stay in the last request, which forbids calls? Some providers check that
  // nothing before a signature has changed.
  virtual bool keeps_definitions() const { return false; }
};

// Returns nullptr for an unknown id.
const Wire *find_wire(std::string_view id);
std::string wire_names();  // "openai-chat, …", for messages

}  // namespace sluice
