// How wires declare tools that their provider defines and the host runs, how such calls look in answers of OpenAI's
// Responses, and what answers them.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "wire/json_event.h"
#include "wire/sent_message.h"

namespace sluice {

// The declaration of a tool of this kind as the wire's provider has it, JSON; empty: it defines none. `options`: an
// object whose members go out as they are, or empty.
std::string declared_tool(std::string_view wire, std::string_view kind, std::string_view options);

// -- items of OpenAI's Responses

// The kind of tool that an item of this type calls; empty: none that a host runs.
std::string_view kind_of_host_call(std::string_view item_type);
// Its arguments, a JSON object. `item` is sliced.
std::string host_call_arguments(JsonView item);
// Writes the item that answers the call `message.call_native`.
void write_host_output(const SentMessage &message, ObjectWriter &item);

}  // namespace sluice
