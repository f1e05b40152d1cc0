// The output items of OpenAI's Responses: what each type is, and how an item looks that lost its opaque members.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/json_event.h"

namespace sluice {

enum class ResponsesItem : uint8_t {
  message,
  reasoning,
  function_call,
  custom_call,  // of a tool whose input is free text
  provider,     // a tool that the provider runs, a call for the host, or of a type that is not known here
  output,       // what such a tool gave, as an item of its own
  host_call     // of a tool that the provider defines and the host declared to run
};
ResponsesItem responses_item(std::string_view type);

inline bool is_client_call(ResponsesItem kind) {
  return kind == ResponsesItem::function_call || kind == ResponsesItem::custom_call || kind == ResponsesItem::host_call;
}

// Does the result of a provider's tool come as an item of its own?
bool has_output_item(std::string_view type);
// Must the host run or answer this call? Sluice does not, and an unanswered one cannot go back. `item`: its JSON text.
bool is_for_host(std::string_view type, std::string_view item);

// The text of a message's parts, refusals included.
std::string responses_text(std::string_view message);
// A message or a call of the client as a client may write it: without `id`, which ties it to a reasoning item, and
// without `status`. Empty: nothing is left of it.
std::string untied_item(std::string_view item);

// A list of parts, one part alone, or a text in its place.
template <class Use>
void each_part(JsonView parts, Use use) {
  if (parts.is_object() || parts.kind() == '"') use(parts);
  parts.items(use);
}

// The text of a part, or of a text in its place. `key`: the member that usually has it.
std::string_view text_of_part(JsonView part, std::string_view key);

}  // namespace sluice
