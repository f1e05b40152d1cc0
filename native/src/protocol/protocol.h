// A way to write tool calls as text: how tools are described to the model, how a call looks in its text (read by the
// one scanner), and how a call and a result are written back. A protocol never executes, never asks, never retries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tool_view.h"

namespace sluice {

// One call of a finished block. A block may hold several.
struct ParsedCall {
  std::string name;                // as the model wrote it; empty: the block named no tool
  std::string id;                  // the model's own id where the format has one
  std::string arguments;           // one JSON object text: checked, uncoerced, duplicates already settled
  std::string_view raw_arguments;  // as written, a part of the block: JSON, or from the first field to the closer
  size_t raw_at = 0;               // where in the block: set by the scanner
  std::string reserved;            // JSON object text of the protocol's own fields; empty: none
  bool typed = false;              // arguments carry JSON types; false: strings that the schema coerces
  std::string_view reason;         // why it is invalid: a code of protocols.md §1 (static); empty: complete
  std::string example = {};        // a call as it should be written, if the block does not look like one
};

// Where the pieces of a round's text go. Offsets count bytes of the text that was fed. Views live until the function
// returns. Between on_call_open and on_call_close nothing but on_call_arguments and on_diagnostic comes.
class ScanSink {
 public:
  virtual ~ScanSink() = default;
  virtual void on_scan_text(std::string_view utf8) = 0;
  // Text of a result that the model made up.
  virtual void on_scan_fabricated(std::string_view utf8) { on_scan_text(utf8); }
  // `first`: this piece opens a new reasoning block.
  virtual void on_scan_reasoning(std::string_view utf8, bool first) = 0;
  // The tool's name is known: a card opens.
  virtual void on_call_open(std::string_view protocol, std::string_view name, size_t start) = 0;
  virtual void on_call_arguments(std::string_view piece, size_t offset) = 0;
  // The block is over. calls[0] is the call that was opened (or a block that never named one); more follow where one
  // block holds several. `raw`: the block as written, [start, end) of the text.
  virtual void on_call_close(std::string_view protocol, std::vector<ParsedCall> &calls, std::string_view raw,
                             size_t start, size_t end) = 0;
  // A tag that is taken out of the text.
  virtual void on_scan_hidden(std::string_view) {}
  virtual void on_scan_diagnostic(std::string_view code, std::string_view detail, size_t offset,
                                  std::string_view raw) = 0;
};

// A tool as definitions describe it.
struct ToolText {
  std::string_view name;
  std::string_view command;  // vcpCommand: the name to be shown in a vcp definition; empty: `name`
  std::string_view description;
  std::string_view parameters;  // JSON Schema text
};

// A result as the model is to read it.
struct ResultText {
  std::string_view call_id;
  std::string_view tool;
  std::string_view status;  // success | error | denied
  std::string_view content;
  bool json = false;  // content is one JSON value
};

// Bytes that the scanner looks for: an opener, a closer, a trailer, the beginning of a result.
struct Marker {
  std::string bytes;
  // Matches ASCII letters in any case.
  bool fold = false;
  // An opener that ordinary text holds as well, such as `{`. It does not count in a string, ends no reasoning, and
  // leaves no diagnostic where it stands in code or reasoning.
  bool common = false;
  // Of a common opener: the bytes that may follow it, besides white space, if it begins a call. Empty: any byte may.
  std::string next = {};
  // Counts only as the first bytes of an answer.
  bool first = false;
  // Of the beginning of a result: the bytes that end the result. Empty: nothing tells where it ends.
  std::string end = {};
  // The first line of a fence. The block is the whole fence, and is a call only when the fence has closed.
  bool fence = false;
  // Stands around calls of the format, and begins none by itself.
  bool wraps = false;
};

class BlockReader;
struct ScanLimits {
  size_t candidate_bytes = 65536;
  size_t argument_bytes = 16777216;
  size_t depth = 128;
};

struct ScanOptions {
  bool starts_in_reasoning = false;    // the prompt opened the tag
  bool calls_in_reasoning = false;     // reasoningCalls: execute
  bool lone_closer_is_text = false;    // a closer of reasoning behind text, where nothing opened it
  bool inside_reasoning = false;       // all of the text is reasoning: its tags mean nothing
  std::vector<Marker> turn_ends = {};  // of a model whose calls are not read
};

// How a text ended.
enum class TextEnd : uint8_t {
  well,  // the answer ended well (turn/good_end.h): its last thing may be a fence of calls, or calls in its reasoning
  over,  // it is complete
  cut,   // more of it was to come, so that its last part may not be complete
};

// Calls in fences and inline code are text | calls only if they are the whole body of a fence that is the last thing of
// an answer which ended well | calls.
enum class CodeMode : uint8_t { ignore, whole, parse };

class Protocol;
using Protocols = std::vector<std::shared_ptr<const Protocol>>;
struct Declaration;
using Declarations = std::vector<std::shared_ptr<const Declaration>>;

class Protocol {
 public:
  virtual ~Protocol() = default;
  virtual std::string_view id() const = 0;
  // Of a protocol that the host declares: the document; else empty.
  virtual std::string_view declaration() const { return {}; }
  // The text for {{tools}}: introduction and definitions. `tools` are sorted by name.
  virtual void write_definitions(const std::vector<ToolText> &tools, std::string &out) const = 0;
  // A call as the model should have written it. `arguments`: checked JSON object text.
  virtual void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                          std::string &out) const = 0;
  // The results of one round. Markers of all protocols in `active` are made harmless inside the tools' texts.
  virtual void write_results(const std::vector<ResultText> &results, const Protocols &active,
                             std::string &out) const = 0;
  // The role of the message with the results of a round: user, tool or system; empty: the host's setting says.
  virtual std::string_view results_role() const { return {}; }
  // It calls tools by their vcpCommand: in definitions, results, and calls written from history.
  virtual bool calls_commands() const { return false; }
  // Without a macro, definitions go in front of the system message (true) or behind it.
  virtual bool defines_on_top() const { return false; }
  // The word that its calls have to hold; empty: none.
  virtual std::string_view seal() const { return {}; }
  // Makes this protocol's own markers harmless in text that another protocol's encoder writes.
  virtual void defuse(std::string &text) const = 0;

  // -- for the scanner (block.h)
  virtual CodeMode code() const = 0;
  // With CodeMode::whole: a fence with this word (its info string) may be calls.
  virtual bool reads_fence(std::string_view word) const { return word.empty() || word == "json"; }
  // What begins a block, and what ends one that outgrew its limits.
  virtual std::vector<Marker> openers(const ToolView &tools) const = 0;
  virtual std::vector<Marker> closers(const ToolView &tools) const = 0;
  // What ends a block with this opener that no reader understood; empty if the opener may stand in ordinary
  // text.
  virtual std::vector<Marker> closers_of(std::string_view) const { return {}; }
  // Markup that may follow a block (the end of a section of calls): dropped right behind one, text anywhere else.
  virtual std::vector<Marker> trailers() const { return {}; }
  // Tokens that end a turn: trailers, and dropped at the end of the answer as well.
  virtual std::vector<Marker> turn_ends() const { return {}; }
  // What its results, and no other texts, begin with: in an answer they are made up.
  virtual std::vector<Marker> result_markers() const { return {}; }
  // What ends reasoning besides </think>; a block of this protocol opens it (BlockReader::State::markup).
  virtual std::vector<Marker> reasoning_closers() const { return {}; }
  // Its models write <think>, also in the middle of a line.
  virtual bool thinks() const { return false; }
  // Answers have channels: markup that begins another channel ends reasoning.
  virtual bool has_channels() const { return false; }
  // Models often call without closing their reasoning: whole calls that an answer ends with are calls (ThoughtCalls).
  virtual bool called_in_reasoning() const { return false; }
  // Models of this format always begin in reasoning: the prompt opens it.
  virtual bool starts_in_reasoning() const { return false; }
  // Reads one block.
  virtual std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const = 0;
};

// The one scanner: text of a round, in pieces of any size, → text, reasoning and calls.
class TextScanner {
 public:
  virtual ~TextScanner() = default;
  virtual void feed(std::string_view utf8) = 0;
  // Here bytes of the text were lost: a call that stands around this place is invalid.
  virtual void lose() = 0;
  // Something that is not text (a native call) comes next: text that is held back as a mere possibility is shown. A
  // call that is already open goes on behind it.
  virtual void interrupt() = 0;
  virtual void finish(TextEnd end = TextEnd::well) = 0;
  // The text that follows has nothing to do with the text so far.
  virtual void restart() = 0;
  // The scanner is inside a call whose card is open. Such a call goes on behind an interruption.
  virtual bool in_call() const = 0;
  // The scanner is inside a block, and something of a call came: what the text holds may be a value.
  virtual bool in_value() const = 0;
  // An opener came, and nothing has told yet that it begins no block.
  virtual bool in_block() const = 0;
  // The text that came, and of which nobody can say yet whether it is shown. Empty in an open call, whose card has it.
  // Valid until the next call of any function.
  virtual std::string_view held_back() const = 0;

  // Everything that decides how the text goes on, as one JSON object; a fresh scanner that loads it goes on exactly
  // there.
  virtual void save(std::string &out) const = 0;
  virtual void load(std::string_view saved) = 0;
};

// `active` may be empty: then only reasoning tags are looked for.
std::unique_ptr<TextScanner> make_scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits,
                                          const ScanOptions &options, ScanSink &sink);

// Checks a saved scanner, or saved calls in thoughts, which have one: it keeps whole code points, since a wire gives it
// no others. `levels`: a scanner has thoughts, these have a scanner, and that has nothing.
Status check_saved_scanner(std::string_view saved, int levels = 3);

// The ids of all protocols: ours, then the families by name.
std::vector<std::string_view> protocol_ids();

// One protocol from its configuration: an id as a JSON string, or { "id": ..., options }. Errors name the option by
// path. `declared`: what the host declares besides.
Status make_protocol(std::string_view config, const Declarations &declared, std::shared_ptr<const Protocol> &out);
inline Status make_protocol(std::string_view config, std::shared_ptr<const Protocol> &out) {
  return make_protocol(config, {}, out);
}

// Reads what the host declares: the `protocols` of an engine's configuration. Tries each of them. Errors say which and
// where.
Status read_declarations(std::string_view value, Declarations &out);
std::string_view id_of(const Declaration &declaration);

// Refuses protocols of one turn of which a declared one begins its calls as another does. `other`: the place in the
// list of the one that stands behind.
Status check_overlaps(const Protocols &active, const ToolView &tools, size_t &other);

}  // namespace sluice
