// What a turn is made of, read once from its document: configuration, wire, the tools that it offers, the host's
// request.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "protocol/protocol.h"
#include "turn/config.h"
#include "turn/definitions.h"
#include "turn/engine.h"
#include "wire/tool_schema.h"
#include "wire/wire.h"

namespace sluice {

struct Setup {
  static Status read(std::shared_ptr<const Engine> engine, std::string_view document, std::unique_ptr<Setup> &out);

  bool text_mode() const { return config.mode == Mode::text; }
  bool has_tools() const { return config.exposure.enabled && (parser || observes() || !registry().tools().empty()); }
  bool reads_calls() const { return config.exposure.enabled; }        // whatever tools there are
  bool observes() const { return config.server_results != nullptr; }  // a server runs the calls
  // May the turn take up open calls of the host's last message? Where a server runs the calls, it does not.
  bool adopts() const { return config.exposure.enabled && !observes(); }
  bool calls_from_text() const { return text_mode() && reads_calls(); }
  // May a call of this turn succeed? Without an exposed tool, and tools of the host in the request, none can.
  bool calls_may_succeed() const;
  bool offers_tools() const { return config.exposure.enabled && !text_mode() && !offers.empty(); }  // in the request
  // May a call of this tool (nullptr: of none) start before its answer has ended?
  bool starts_in_answer(const Tool *tool) const {
    if (observes()) return true;
    if (config.dispatch == Dispatch::end)
      return tool != nullptr && tool->immediate && (tool->read_only || tool->ipc.has_value());
    return config.dispatch == Dispatch::block || (tool != nullptr && tool->immediate);
  }
  // Does a round's results go as one text? If not, each is a message in the role of a tool.
  bool results_are_text() const {
    return !config.results_as_tool_role || !config.protocols.front()->results_role().empty();
  }
  // Does the text call tools by their vcpCommand?
  bool calls_commands() const { return calls_from_text() && config.protocols.front()->calls_commands(); }
  // What the text of an answer is parsed for.
  Protocols active_protocols() const;
  // Of these: alsoParse, with the format of the model.
  Protocols parsed_beside() const;
  // The first of these writes what stands in text, harmless for all of them.
  Protocols writing_protocols() const { return calls_from_text() ? active_protocols() : config.protocols; }
  // Native mode: calls that the text is searched for, so that a diagnostic can tell them.
  Protocols watched_protocols() const;
  ScanOptions scan_options() const;
  ScanLimits scan_limits() const;

  const Registry &registry() const { return engine->registry; }
  const Tool *find_tool(std::string_view requested) const {  // nullptr: none
    if (requested.empty()) return nullptr;
    const Tool *const tool = registry().find(requested);
    return tool != nullptr ? tool : find_loosely(requested);
  }
  // By the setting `names` alone.
  const Tool *find_loosely(std::string_view requested) const {
    return config.names.any() ? sluice::find_loosely(registry(), config.exposure, config.names, requested) : nullptr;
  }
  // What protocols ask about the tools.
  const ToolView &tools() const;
  // Why this turn does not show the tool to its model; empty: it does.
  std::string_view hidden(const Tool &tool) const { return hidden_reason(tool, config.exposure); }

  // The names under which the server knows keys of this tool's arguments. nullptr: none is renamed.
  const KeyNames *renamed_keys(const Tool &tool) const;
  void collect_offers();
  // What the server refused: from here on these are not sent, or not as long. Each of them forms the offers anew.
  void leave_out(const std::string &tool, const std::string &why);
  void cut_descriptions(size_t most);
  // From here on the tools are told as text, in the form in which the host wrote them.
  void change_to_text();

  // The tools as text, those with `tag` where it is not empty: the host's own guide, or what the protocol writes. And
  // where they go where no macro asks for them.
  std::string definitions(std::string_view tag = {}) const;
  Inject inject() const;

  // The tool that a name means, or the nearest names: sluice_turn_find_tool.
  void write_tool_of(std::string_view name, std::string &out) const;
  void write_tools(std::string &out) const;   // SLUICE_GET_TOOLS
  void write_prompt(std::string &out) const;  // SLUICE_GET_PROMPT

  std::shared_ptr<const Engine> engine;
  Config config;
  const Wire *wire = nullptr;
  std::string endpoint;   // which server gets the request; empty: the host does not say
  std::string served_by;  // who serves the model: a dialect; empty: the host does not say
  const Dialect *dialect = nullptr;
  std::string model;               // of the request, or empty
  bool calls_as_text = false;      // without tools, calls and results of the history are told as text
  bool parser = false;             // without a request: one answer is read, and nothing runs
  std::string document;            // as the host wrote it
  std::string_view body;           // its request
  std::string_view host_messages;  // the messages of that
  size_t host_message_count = 0;
  std::vector<ToolOffer> offers;            // exposed, in the form in which the server takes them
  std::deque<std::string> harmless_offers;  // what they say, where a text of theirs would be read as a call
  std::map<std::string, std::string, std::less<>> left_out;  // tools that the server refused, and why
  size_t most_description = 0;                         // UTF-16 units of a description that it takes; 0: it did not say
  std::map<std::string_view, SentTool> changed_tools;  // those whose form is another one, or that have none
  std::unique_ptr<const ToolView> meant;               // with the setting `names`: the tools by other names as well

 private:
  Status read_members();
  Status read_wire();
  Status read_endpoint();
  Status read_dialect();
  Status read_left_out();
  Status read_model();
  Status read_request();

  void note_unsendable();
  void give_form(size_t index, ToolOffer offer);
  void write_form(const Tool &tool, ObjectWriter &out) const;
};

}  // namespace sluice
